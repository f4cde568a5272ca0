//! The function over messages.

use super::Writer;
use crate::c::choices;
use aesmith_processor::c::Text;
use aesmith_processor::c::message;

impl Writer<'_> {
    pub(super) fn entry(&self, t: &mut Text, name: &str) {
        let n = self.variant.problem.streams();
        let encrypts = self.variant.problem.mode().is_serial();
        t.open(&message::prototype(self.variant.problem, name, name));
        t.line("round_keys k;");
        if n > 1 {
            t.line("size_t n;");
            t.open_bare(&format!("for (n = 0; n < {n}; n++)"));
            t.line("prepare(&k, key_structures[n]->bytes);");
            self.stream(t, "iv[n]", "in[n]", "out[n]", "len[n]");
            t.close();
        } else if encrypts {
            t.line("prepare(&k, key_structure->bytes);");
            self.stream(t, "iv", "in", "out", "len");
        } else {
            self.parallel(t);
        }
        if self.wipes() {
            t.line("wipe(&k, sizeof k);");
        }
        t.close();
    }

    /// Prints the call of a loop over groups.
    fn groups(&self, t: &mut Text, name: &str, keys: &str) {
        if self.variant.on(choices::RESTRICT) {
            t.open_bare("if (in != out)");
            t.line(&format!("{name}_apart(&{keys}, &m, m.in, m.out);"));
            t.turn("else");
        }
        t.line(&format!("{name}(&{keys}, &m, m.in, m.out);"));
        if self.variant.on(choices::RESTRICT) {
            t.close();
        }
    }

    fn parallel(&self, t: &mut Text) {
        t.line("message m;");
        let singles = self.core.sizes().contains(&1);
        if self.ctr() && singles {
            t.line("uint32_t s[4];");
            t.line("size_t i;");
        }
        message::keep(t, "m.", "");
        if self.ctr() {
            t.line("m.high = load_number(iv);");
            t.line("m.low = load_number(iv + 8);");
        }
        if self.chained() {
            t.line("load_block(m.chain, iv);");
        }
        if let Some(blocks) = self.core.wide() {
            // Even one group pays for its round keys (gcc -O2, x86-64: 12 against 14 cycles a byte).
            t.open_bare(&format!("if (len >= {})", 16 * blocks));
            t.line("wide_round_keys w;");
            t.line("wide_prepare(&w, key_structure->bytes);");
            self.groups(t, "wide_groups", "w");
            if self.wipes() {
                t.line("wipe(&w, sizeof w);");
            }
            t.close();
        }
        t.line("prepare(&k, key_structure->bytes);");
        self.groups(t, "groups", "k");
        if singles {
            if self.core.group() > 1 {
                t.line("blocks_1(&k, &m, m.in, m.out);");
            }
            if self.ctr() {
                t.open_bare("if (m.len > 0)");
                t.line("/* The last bytes use a block of key stream up. */");
                t.line("counter_block(s, m.high, m.low);");
                t.line("cipher_1(&k, s);");
                t.open_bare("for (i = 0; i < m.len; i++)");
                t.line("m.out[i] = (uint8_t)(m.in[i] ^ (s[i / 4] >> 8 * (i % 4) & 255));");
                t.close();
                message::count(t, "m.");
                if self.wipes() {
                    t.line("wipe(s, sizeof s);");
                }
                t.close();
            }
        } else {
            t.open_bare(if self.ctr() { "if (m.len > 0)" } else { "if (m.len >= 16)" });
            t.line("last_group(&k, &m);");
            t.close();
        }
        if self.ctr() {
            t.line("store_number(iv, m.high);");
            t.line("store_number(iv + 8, m.low);");
        }
        if self.chained() {
            t.line("store_block(iv, m.chain);");
        }
    }
}
