//! Independent blocks: whole groups, and the blocks that fill no group.

use super::Writer;
use crate::c::choices;
use aesmith_processor::c::Text;
use aesmith_processor::c::blocks as count_of;
use aesmith_processor::c::message;

impl Writer<'_> {
    /// Prints the encryption of `blocks` blocks in `s`; with `cached`, from the shared words `c`.
    fn states(&self, t: &mut Text, blocks: usize, cached: bool) {
        if !self.ctr() {
            for b in 0..blocks {
                t.line(&format!("load_block({}, in + {});", at("s", 4 * b), 16 * b));
            }
            if self.chained() {
                for i in 0..4 * blocks {
                    t.line(&format!("texts[{i}] = s[{i}];"));
                }
            }
            t.line(&format!("cipher_{blocks}(k, s);"));
            return;
        }
        for b in 0..blocks {
            if cached {
                t.open_bare("if ((low & 255) == 0)");
                t.line("common(k, c, high, low);");
                t.close();
                t.line(&format!("enter(k, c, (uint32_t)(low & 255), {});", at("a", 4 * b)));
            } else {
                t.line(&format!("counter_block({}, high, low);", at("s", 4 * b)));
            }
            message::count(t, "");
        }
        let call =
            if cached { format!("later_{blocks}(k, a, s);") } else { format!("cipher_{blocks}(k, s);") };
        t.line(&call);
    }

    /// Prints a loop that processes `blocks` blocks an iteration.
    pub(super) fn blocks(&self, t: &mut Text, blocks: usize, cached: bool, name: &str, restrict: bool) {
        let bytes = 16 * blocks;
        let pointer = if restrict { "restrict " } else { "" };
        t.line(&format!("/* {} a pass while there are as many. */", count_of(blocks)));
        let form = if self.core.wide() == Some(blocks) { "wide_" } else { "" };
        t.open(&format!(
            "static void {name}(const {form}round_keys *k, message *m, const uint8_t *{pointer}in, uint8_t \
             *{pointer}out)"
        ));
        t.line("size_t len = m->len;");
        t.line(&format!("uint32_t s[{}];", 4 * blocks));
        if self.ctr() {
            t.line("uint64_t high = m->high, low = m->low;");
        }
        if self.chained() {
            t.line(&format!("uint32_t texts[{}];", 4 * blocks));
            t.line("size_t i;");
        }
        if cached {
            t.line("shared_words c;");
            t.line(&format!("{} a[{}];", self.core.word(), 4 * blocks));
        }
        let more = format!("len >= {bytes}");
        let bottom = !self.variant.on(choices::LOOP);
        if bottom || cached {
            t.open_bare(&format!("if (len < {bytes})"));
            t.line("return;");
            t.close();
        }
        if cached {
            t.line("common(k, c, high, low);");
        }
        t.open_loop(!bottom, &more);
        self.states(t, blocks, cached);
        if self.chained() {
            t.open_bare("for (i = 0; i < 4; i++)");
            t.line("s[i] ^= m->chain[i];");
            t.line(&format!("m->chain[i] = texts[{} + i];", 4 * (blocks - 1)));
            t.close();
            if blocks > 1 {
                t.open_bare(&format!("for (i = 4; i < {}; i++)", 4 * blocks));
                t.line("s[i] ^= texts[i - 4];");
                t.close();
            }
        }
        for i in 0..4 * blocks {
            let value = match self.ctr() {
                true => format!("s[{i}] ^ load32(in + {})", 4 * i),
                false => format!("s[{i}]"),
            };
            t.line(&format!("store32(out + {}, {value});", 4 * i));
        }
        message::advance(t, "", bytes);
        t.close_loop(!bottom, &more);
        if self.wipes() {
            t.line("wipe(s, sizeof s);");
            if cached {
                t.line("wipe(c, sizeof c);");
                t.line("wipe(a, sizeof a);");
            }
        }
        message::keep(t, "m->", "");
        if self.ctr() {
            t.line("m->high = high;");
            t.line("m->low = low;");
        }
        t.close();
        t.blank();
    }

    /// Prints the handling of a partial group, through a buffer, for a cipher that only takes whole groups.
    pub(super) fn partial(&self, t: &mut Text) {
        let group = self.core.group();
        t.line("/* Whole blocks that do not fill a group. */");
        t.open("static void last_group(const round_keys *k, message *m)");
        t.line(&format!("uint32_t s[{}];", 4 * group));
        t.line("const size_t blocks = m->len / 16;");
        t.line("size_t b, i;");
        t.open_bare(&format!("for (b = 0; b < {group}; b++)"));
        if self.ctr() {
            t.line("counter_block(s + 4 * b, m->high + (m->low + b < m->low), m->low + b);");
        } else {
            t.open_bare("if (b < blocks)");
            t.line("load_block(s + 4 * b, m->in + 16 * b);");
            t.turn("else");
            t.open_bare("for (i = 0; i < 4; i++)");
            t.line("s[4 * b + i] = 0;");
            t.close();
            t.close();
        }
        t.close();
        t.line(&format!("cipher_{group}(k, s);"));
        t.open_bare("for (b = 0; b < blocks; b++)");
        t.open_bare("for (i = 0; i < 4; i++)");
        match (self.ctr(), self.chained()) {
            (true, _) => t.line("store32(m->out + 4 * i, s[4 * b + i] ^ load32(m->in + 4 * i));"),
            (_, true) => {
                t.line("const uint32_t text = load32(m->in + 4 * i);");
                t.line("store32(m->out + 4 * i, s[4 * b + i] ^ m->chain[i]);");
                t.line("m->chain[i] = text;");
            }
            _ => t.line("store32(m->out + 4 * i, s[4 * b + i]);"),
        }
        t.close();
        if self.ctr() {
            message::count(t, "m->");
        }
        message::advance(t, "m->", 16);
        t.close();
        if self.ctr() {
            t.open_bare("if (m->len > 0)");
            t.line("/* The last bytes: there is a block of key stream left, since the group is not full. */");
            t.open_bare("for (i = 0; i < m->len; i++)");
            t.line("m->out[i] = (uint8_t)(m->in[i] ^ (s[4 * blocks + i / 4] >> 8 * (i % 4) & 255));");
            t.close();
            t.line("m->len = 0;");
            message::count(t, "m->");
            t.close();
        }
        if self.wipes() {
            t.line("wipe(s, sizeof s);");
        }
        t.close();
        t.blank();
    }
}

/// `s`, `s + 4`.
fn at(array: &str, offset: usize) -> String {
    if offset == 0 { array.into() } else { format!("{array} + {offset}") }
}
