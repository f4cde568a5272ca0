//! The function of a variant: it calls the others depending on length, overlap and alignment.

use super::super::open_entry;
use super::{Form, Writer};
use aesmith_processor::c::Text;
use aesmith_processor::c::message;

impl Writer<'_> {
    pub(super) fn entry(&self, t: &mut Text, name: &str) {
        let (w, suffix) = (&self.words, self.suffix);
        open_entry(t, self.variant, w, name, suffix);
        t.line("const uint8_t *const key = key_structure->bytes;");
        t.line(&format!("message{suffix} left;"));
        t.line(&format!("message{suffix} *const m = &left;"));
        message::keep(t, "left.", "");
        if self.chained() {
            t.line("left.chain = load128(iv);");
        }
        if self.ctr() {
            self.counter_entry(t);
        }
        let need = self.group() * 16 * self.pipeline.stages;
        if self.tracked && self.group() > 1 {
            t.line("/* Single blocks until the fast byte is a multiple of the group. */");
            t.open_bare(&format!("while (left.len >= {need} && (left.low & {}) != 0)", self.group() - 1));
            t.line(&format!(
                "store128(left.out, _mm_xor_si128(load128(left.in), next_stream{suffix}(key, m)));"
            ));
            message::advance(t, "left.", 16);
            t.close();
        }
        t.open_bare(&format!("if (left.len >= {need})"));
        self.choose_form(t);
        t.close();
        for registers in self.tail_registers() {
            let blocks = registers * w.lanes;
            let keyword = if registers == 1 { "while" } else { "if" };
            t.open_bare(&format!("{keyword} (left.len >= {})", 16 * blocks));
            t.line(&format!("blocks_{blocks}{suffix}(key, m);"));
            t.close();
        }
        if self.masked() {
            t.open_bare("if (left.len > 0)");
            t.line(&format!("last_bytes{suffix}(key, m);"));
            t.close();
        } else {
            t.line(&format!("single_blocks{suffix}(key, m);"));
        }
        if self.chained() {
            t.line("store128(iv, left.chain);");
        }
        t.close();
        t.blank();
    }

    /// Updates the counter first, because the new value depends only on the length.
    fn counter_entry(&self, t: &mut Text) {
        t.line("const uint64_t blocks = (uint64_t)(len / 16) + (len % 16 != 0);");
        t.line("uint64_t end;");
        t.line("left.high = load_number(iv);");
        t.line("left.low = load_number(iv + 8);");
        t.line("end = left.low + blocks;");
        t.line("store_number(iv + 8, end);");
        t.open_bare("if (end < left.low)");
        t.line("/* The lower half overflows within this message: block by block. */");
        t.line("store_number(iv, left.high + 1);");
        t.line(&format!("single_blocks{}(key, m);", self.suffix));
        t.line("return;");
        t.close();
        if self.cached == 2 {
            t.open_bare("if (((left.low ^ end) >> 40) != 0)");
            t.line("/* The rows hold while counter bytes 0, 5 and 10, which meet the fast one, stay. */");
            t.line(&format!("single_blocks{}(key, m);", self.suffix));
            t.line("return;");
            t.close();
        }
    }

    fn choose_form(&self, t: &mut Text) {
        let suffix = self.suffix;
        let case = |form: &Form| {
            let mut conditions = Vec::new();
            if form.streaming {
                conditions.push(format!("((uintptr_t)left.out & {}) == 0", self.words.bytes() - 1));
            }
            if form.restrict {
                conditions.push("left.in != left.out".to_owned());
            }
            (conditions.join(" && "), format!("{}{suffix}(key, m, left.in, left.out);", form.name))
        };
        t.cases(&self.forms().iter().map(case).collect::<Vec<_>>());
    }
}
