//! The function of a variant, and the remainder of each stream.

use super::super::{open_entry, rounds};
use super::{Shape, Writer};
use crate::dimensions::Dim;
use aesmith_dataflow::Round;
use aesmith_processor::c::Text;
use aesmith_processor::c::message;

impl Writer<'_> {
    /// Writes the loop over a stream's remaining blocks.
    pub(super) fn alone(&self, t: &mut Text) {
        let (w, suffix) = (self.words.lanes(1), self.suffix);
        t.line("/* One stream, block by block to its end. */");
        t.open(&format!("{} void alone{suffix}(const uint8_t *key, stream{suffix} *m)", w.function()));
        t.line("__m128i s = m->chain;");
        t.line("int r;");
        t.open_bare("for (; m->len >= 16; m->len -= 16)");
        t.line(&format!("s = {};", w.xor("s", &w.xor("load128(m->in)", "load128(key)"))));
        rounds::inner(t, &w, Round::Encrypt, self.rounds.into());
        t.line(&format!("s = {};", w.round(Round::EncryptLast, "s", &w.round_key("key", self.rounds))));
        t.line("store128(m->out, s);");
        t.line("m->in += 16;");
        t.line("m->out += 16;");
        t.close();
        t.line("m->chain = s;");
        t.close();
        t.blank();
    }

    pub(super) fn entry(&self, t: &mut Text, name: &str, shapes: &[Shape]) {
        let (w, suffix, n) = (&self.words, self.suffix, self.streams);
        open_entry(t, self.variant, w, name, suffix);
        if n == 1 {
            t.line("const uint8_t *const key = key_structure->bytes;");
            t.line(&format!("stream{suffix} m[1];"));
            message::keep(t, "m->", "");
            t.line("m->chain = load128(iv);");
            self.choose(t, shapes, "key, m");
            t.line(&format!("alone{suffix}(key, m);"));
            t.line("store128(iv, m->chain);");
            t.close();
            t.blank();
            return;
        }
        t.line(&format!("stream{suffix} m[{n}];"));
        let aligned = if w.lanes > 1 { " __attribute__((aligned(64)))" } else { "" };
        t.line(&format!("key_rows{suffix} keys{aligned};"));
        t.line("size_t left = len[0], n;");
        t.open_bare(&format!("for (n = 0; n < {n}; n++)"));
        message::keep(t, "m[n].", "[n]");
        t.line("m[n].chain = load128(iv[n]);");
        t.line("left = len[n] < left ? len[n] : left;");
        if w.lanes == 1 {
            t.line("keys[n] = key_structures[n]->bytes;");
        }
        t.close();
        t.open_bare("if (left >= 16)");
        if w.lanes > 1 {
            t.open_bare(&format!("for (n = 0; n < {n}; n++)"));
            t.line("size_t r;");
            t.open_bare(&format!("for (r = 0; r <= {}; r++)", self.rounds));
            t.line(&format!(
                "memcpy(keys[n / {l}][r] + n % {l} * 16, key_structures[n]->bytes + 16 * r, 16);",
                l = w.lanes
            ));
            t.close();
            t.close();
        }
        self.choose(t, shapes, "keys, m, &left");
        if self.has_rest(&shapes[shapes.len() - 1]) {
            t.line(&format!("joint_rest{suffix}(keys, m, &left);"));
        }
        t.close();
        t.open_bare(&format!("for (n = 0; n < {n}; n++)"));
        t.line(&format!("alone{suffix}(key_structures[n]->bytes, &m[n]);"));
        t.line("store128(iv[n], m[n].chain);");
        t.close();
        if self.variant.on(Dim::Wipe) && w.lanes > 1 {
            t.line("wipe(keys, sizeof keys);");
        }
        t.close();
        t.blank();
    }

    /// Writes the call of the first form of the joint loop whose conditions hold for every stream.
    fn choose(&self, t: &mut Text, shapes: &[Shape], arguments: &str) {
        let case = |shape: &Shape| {
            let conditions = [(shape.streaming, "unaligned == 0"), (shape.restrict, "!in_place")];
            let held: Vec<&str> = conditions.iter().filter(|(asked, _)| *asked).map(|(_, c)| *c).collect();
            (held.join(" && "), format!("{}{}({arguments});", shape.name, self.suffix))
        };
        let cases: Vec<(String, String)> = shapes.iter().map(case).collect();
        if shapes.len() == 1 {
            return t.cases(&cases);
        }
        let (streaming, restrict) = (self.variant.on(Dim::Streaming), self.variant.on(Dim::Restrict));
        t.open_block();
        if streaming {
            t.line("uintptr_t unaligned = 0;");
        }
        if restrict {
            t.line("int in_place = 0;");
        }
        t.line("size_t i;");
        t.open_bare(&format!("for (i = 0; i < {}; i++)", self.streams));
        if streaming {
            t.line("unaligned |= (uintptr_t)m[i].out & 15;");
        }
        if restrict {
            t.line("in_place |= m[i].in == m[i].out;");
        }
        t.close();
        t.cases(&cases);
        t.close();
    }
}
