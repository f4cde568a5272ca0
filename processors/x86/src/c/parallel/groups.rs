//! The main loop over groups, with the block steps in pipeline order or on transposed groups.

use super::super::body::{Body, Counter};
use super::super::sliced::Group;
use super::{Form, Writer};
use crate::dimensions::Dim;
use aesmith_cipher::contract;
use aesmith_processor::c::Text;
use aesmith_processor::c::{blocks, message};

impl Writer<'_> {
    /// Opens a form of the loop.
    fn open_groups(&self, t: &mut Text, form: Form) {
        let (suffix, restrict) = (self.suffix, if form.restrict { "restrict " } else { "" });
        t.open(&format!(
            "{} void {}{suffix}(const uint8_t *key, message{suffix} *m, const uint8_t *{restrict}in, \
             uint8_t *{restrict}out)",
            self.words.function(),
            form.name
        ));
        t.line("size_t len = m->len;");
    }

    /// Closes it and stores the rest; with `low`, also the counter.
    fn close_groups(&self, t: &mut Text, low: bool) {
        message::keep(t, "m->", "");
        if low && self.ctr() {
            t.line("m->low = low;");
        }
        if self.chained() {
            t.line(&format!("m->chain = {};", self.words.last_lane("chain")));
        }
        t.close();
        t.blank();
    }

    /// Makes streaming stores visible before the code after the loop.
    fn fence(&self, t: &mut Text, form: Form) {
        if form.streaming {
            t.line("_mm_sfence();");
        }
    }

    /// Writes the main loop on transposed groups.
    pub(super) fn sliced_loop(&self, t: &mut Text, form: Form, group: &Group<'_>) {
        let w = &self.words;
        let bytes = 16 * self.group();
        t.line(&format!("/* The loop: {} a pass while there are as many. */", blocks(self.group())));
        self.open_groups(t, form);
        if self.ctr() {
            self.swapped_counters(t, "m->low", true);
        }
        if self.chained() {
            t.line(&format!("{} chain = {};", w.vec, w.every_lane("m->chain")));
        }
        group.prepare(t);
        let top = self.variant.on(Dim::Loop);
        let more = format!("len >= {bytes}");
        t.open_loop(top, &more);
        group.pass(t, form.streaming);
        message::advance(t, "", bytes);
        if self.ctr() {
            t.line(&format!("m->low += {};", self.group()));
        }
        t.close_loop(top, &more);
        self.fence(t, form);
        if self.wipes() {
            t.line("wipe(keys, sizeof keys);");
            t.line("wipe(q, sizeof q);");
            t.line("wipe(t, sizeof t);");
        }
        self.close_groups(t, false);
    }

    pub(super) fn main_loop(&self, t: &mut Text, form: Form) {
        let (w, suffix) = (&self.words, self.suffix);
        let body = self.body(form.streaming);
        let group_bytes = body.group_bytes();
        let (what, note) =
            if self.pipeline.stages > 1 { ("pipelined ", ", and drains it") } else { ("", "") };
        t.line(&format!(
            "/* The {what}loop: {} a pass while there are as many{note}. */",
            blocks(self.group())
        ));
        self.open_groups(t, form);
        if self.ctr() {
            t.line("uint64_t low = m->low;");
        }
        for r in (0..=self.rounds() as u8).filter(|r| body.keys >> r & 1 == 1) {
            t.line(&format!("const {} k{r} = {};", w.vec, w.round_key("key", r)));
        }
        match body.counter {
            Counter::None => {}
            Counter::Swap => self.swapped_counters(t, "low", true),
            Counter::Add | Counter::Precomputed => t.line(&format!("{} counter;", w.vec)),
            Counter::Cached => {
                t.line(&format!("{} base;", w.vec));
                t.line("const uint8_t *row;");
            }
        }
        if self.cached == 1 {
            t.line(&format!("const uint8_t *const rows = key + {};", contract::TABLE_OFFSET));
        }
        if self.cached == 2 {
            t.line(&format!("uint8_t rows[{}] __attribute__((aligned(64)));", contract::TABLE_BYTES));
        }
        if self.chained() {
            let chain = w.every_lane("m->chain");
            t.line(&format!("{} chain = {chain};", w.vec));
        }
        body.declare(t);
        if self.cached == 2 {
            t.line(&format!("fill_rows{suffix}(rows, key, m->high, low);"));
        }
        if self.tracked {
            self.refresh(t, &body);
        }
        for pass in 0..self.pipeline.stages - 1 {
            if pass == 0 {
                t.line("/* Prologue: fills the pipeline. */");
            }
            body.pass(t, self.pipeline.fill(pass), |stage| -i64::from(stage));
            self.advance(t, &body);
        }
        let top = self.variant.on(Dim::Loop);
        let more = format!("len >= {group_bytes}");
        t.open_loop(top, &more);
        body.pass(t, self.pipeline.body.iter(), |stage| -i64::from(stage));
        self.advance(t, &body);
        t.close_loop(top, &more);
        for pass in 1..self.pipeline.stages {
            if pass == 1 {
                t.line("/* Epilogue: drains the pipeline. */");
            }
            body.pass(t, self.pipeline.drain(pass), |stage| pass as i64 - 1 - i64::from(stage));
        }
        self.fence(t, form);
        if self.cached == 2 && self.wipes() {
            t.line("wipe(rows, sizeof rows);");
        }
        self.close_groups(t, true);
    }

    /// Advances texts, length and counter by a group.
    fn advance(&self, t: &mut Text, body: &Body<'_>) {
        let bytes = body.group_bytes();
        message::advance(t, "", bytes);
        if self.ctr() {
            t.line(&format!("low += {};", self.group()));
        }
        if self.tracked {
            t.open_bare("if ((low & 255) == 0)");
            self.refresh(t, body);
            t.turn("else");
            match body.counter {
                Counter::Cached => t.line(&format!("row += {bytes};")),
                _ => {
                    let step = self.words.fast_byte(self.group());
                    t.line(&format!("counter = {};", self.words.add(32, "counter", &step)));
                }
            }
            t.close();
        }
    }

    /// Recomputes the values that depend on the counter above its fast byte.
    fn refresh(&self, t: &mut Text, body: &Body<'_>) {
        let w = &self.words;
        if body.counter == Counter::Cached {
            t.line("row = rows + 16 * (low & 255);");
            t.line(&format!("base = common{}(key, row, m->high, low);", self.suffix));
        } else {
            let counters = format!("counters{}(m->high, low)", w.bits);
            t.line(&format!("counter = {};", w.shuffle(&counters, &format!("reversal{}()", w.bits))));
        }
    }
}
