//! The remainder of the main loop: fewer registers than a group, and the last bytes of CTR.

use super::super::body::{Body, Counter, Prefetch};
use super::super::rounds;
use super::Writer;
use crate::dimensions::{Dim, interleaving};
use aesmith_arrange::Pipeline;
use aesmith_dataflow::{Round, aes};
use aesmith_processor::c::Text;

impl Writer<'_> {
    /// Register counts of the functions for the remainder of the main loop.
    pub(super) fn tail_registers(&self) -> Vec<usize> {
        let registers = self.pipeline.registers;
        let halves = self.variant.get(Dim::Tail) == 1;
        if self.words.lanes == 1 && (registers < 4 || !halves) {
            return vec![];
        }
        let mut sizes = Vec::new();
        if halves {
            let mut half = registers.next_power_of_two().min(16) / 2;
            while half >= 2 {
                sizes.push(half);
                half /= 2;
            }
        }
        if self.words.lanes > 1 {
            sizes.push(1);
        }
        sizes
    }

    pub(super) fn tails(&self, t: &mut Text) {
        let w = &self.words;
        for registers in self.tail_registers() {
            let options = aes::Options { fold: true, ..Default::default() };
            let flow = aes::block(self.variant.problem, options);
            let base = self.variant.table.plain(self.variant.problem).with(Dim::Interleave, registers as u16);
            let pipeline = Pipeline::new(&flow, interleaving(&base));
            let body = Body {
                words: self.words,
                flow: &flow,
                pipeline: &pipeline,
                keys: 0,
                counter: if self.ctr() { Counter::Swap } else { Counter::None },
                chained: self.chained(),
                streaming: false,
                prefetch: Prefetch::Off,
            };
            let blocks = registers * w.lanes;
            t.line(&format!("/* {blocks} blocks of what the loop leaves. */"));
            self.function(t, w, &format!("blocks_{blocks}"));
            t.line("const uint8_t *in = m->in;");
            t.line("uint8_t *out = m->out;");
            if self.ctr() {
                self.swapped_counters(t, "m->low", registers > 1);
            }
            if self.chained() {
                t.line(&format!("{} chain = {};", w.vec, w.every_lane("m->chain")));
            }
            body.declare(t);
            let single = self.ctr() && registers == 1;
            let mut inner = Text::default();
            body.pass(&mut inner, pipeline.body.iter(), |_| 0);
            for line in inner.finish().lines().filter(|l| !single || !l.starts_with("counter = ")) {
                t.line(line);
            }
            t.line(&format!("m->in = in + {};", 16 * blocks));
            t.line(&format!("m->out = out + {};", 16 * blocks));
            t.line(&format!("m->len -= {};", 16 * blocks));
            if self.ctr() {
                t.line(&format!("m->low += {blocks};"));
            }
            if self.chained() {
                t.line(&format!("m->chain = {};", w.last_lane("chain")));
            }
            t.close();
            t.blank();
        }
        if self.masked() {
            self.masked_last(t);
        }
    }

    /// True if the last bytes use a mask: only CTR on zmm has one.
    pub(super) fn masked(&self) -> bool {
        self.ctr() && self.words.lanes == 4
    }

    fn masked_last(&self, t: &mut Text) {
        let w = &self.words;
        t.line("/* The last bytes, fewer than a register, under a mask. */");
        self.function(t, w, "last_bytes");
        t.line("const __mmask64 mask = ~(uint64_t)0 >> (64 - m->len);");
        t.line("__m512i s = _mm512_shuffle_epi8(counters512(m->high, m->low), reversal512());");
        t.line("int r;");
        t.line(&format!("s = {};", w.xor("s", "round_key512(key, 0)")));
        rounds::inner(t, w, Round::Encrypt, self.rounds());
        t.line(&format!(
            "s = {};",
            w.round(Round::EncryptLast, "s", &w.round_key("key", self.rounds() as u8))
        ));
        t.line(&format!(
            "_mm512_mask_storeu_epi8(m->out, mask, {});",
            w.xor("s", "_mm512_maskz_loadu_epi8(mask, m->in)")
        ));
        t.line("m->len = 0;");
        t.close();
        t.blank();
    }
}
