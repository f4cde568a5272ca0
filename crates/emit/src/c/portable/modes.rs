//! The modes in portable C around any technique's cipher: groups of blocks while there are as many,
//! then what is left, and the last bytes of CTR.

use super::super::text::Text;
use super::Core;
use crate::prototype::of_texts_in_c;
use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::mode::Next;

struct Writer<'a> {
    variant: &'a Variant,
    core: &'a dyn Core,
}

/// Writes the function `name` over messages, and what it calls.
pub(super) fn write(t: &mut Text, variant: &Variant, core: &dyn Core, name: &str) {
    let w = Writer { variant, core };
    if variant.problem.mode().is_serial() {
        w.chain(t);
    } else {
        w.message(t);
        if core.sizes().contains(&1) && core.group() > 1 {
            w.blocks(t, 1, false, "blocks_1", false);
        }
        let groups = [core.wide().map(|blocks| (blocks, "wide_")), Some((core.group(), ""))];
        for (group, form) in groups.into_iter().flatten() {
            let cached = core.cached() > 0;
            if variant.on(Dim::Restrict) {
                w.blocks(t, group, cached, &format!("{form}groups_apart"), true);
            }
            w.blocks(t, group, cached, &format!("{form}groups"), false);
        }
        if !core.sizes().contains(&1) {
            w.partial(t);
        }
    }
    w.entry(t, name);
}

impl Writer<'_> {
    fn ctr(&self) -> bool {
        self.variant.problem.mode().counts()
    }

    fn chained(&self) -> bool {
        self.variant.problem.mode().next() == Next::Text
    }

    fn wipes(&self) -> bool {
        self.variant.on(Dim::Wipe)
    }

    fn message(&self, t: &mut Text) {
        t.line("/* What is left of a message. */");
        t.line("typedef struct {");
        t.line("    const uint8_t *in;");
        t.line("    uint8_t *out;");
        t.line("    size_t len;");
        if self.ctr() {
            t.line("    uint64_t high, low; /* the counter of the next block */");
        }
        if self.chained() {
            t.line("    uint32_t chain[4]; /* the ciphertext block before */");
        }
        t.line("} message;");
        t.blank();
    }

    /// The states of `blocks` blocks, enciphered in `s`. With `cached`, from the shared words `c`.
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
            t.line("low++;");
            t.line("high += low == 0;");
        }
        let call =
            if cached { format!("later_{blocks}(k, a, s);") } else { format!("cipher_{blocks}(k, s);") };
        t.line(&call);
    }

    /// A loop that takes `blocks` blocks a pass.
    fn blocks(&self, t: &mut Text, blocks: usize, cached: bool, name: &str, restrict: bool) {
        let bytes = 16 * blocks;
        let pointer = if restrict { "restrict " } else { "" };
        t.line(&format!("/* {} a pass while there are as many. */", super::super::blocks(blocks)));
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
        let bottom = !self.variant.on(Dim::Loop);
        if bottom || cached {
            t.open_bare(&format!("if (len < {bytes})"));
            t.line("return;");
            t.close();
        }
        if cached {
            t.line("common(k, c, high, low);");
        }
        t.open_bare(&if bottom { "do".to_owned() } else { format!("while ({more})") });
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
        t.line(&format!("in += {bytes};"));
        t.line(&format!("out += {bytes};"));
        t.line(&format!("len -= {bytes};"));
        if bottom {
            t.close_with(&format!("while ({more});"));
        } else {
            t.close();
        }
        if self.wipes() {
            t.line("wipe(s, sizeof s);");
            if cached {
                t.line("wipe(c, sizeof c);");
                t.line("wipe(a, sizeof a);");
            }
        }
        t.line("m->in = in;");
        t.line("m->out = out;");
        t.line("m->len = len;");
        if self.ctr() {
            t.line("m->high = high;");
            t.line("m->low = low;");
        }
        t.close();
        t.blank();
    }

    /// What is left for a cipher that only takes whole groups: a group that is not full, through a
    /// buffer.
    fn partial(&self, t: &mut Text) {
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
            t.line("m->low++;");
            t.line("m->high += m->low == 0;");
        }
        t.line("m->in += 16;");
        t.line("m->out += 16;");
        t.line("m->len -= 16;");
        t.close();
        if self.ctr() {
            t.open_bare("if (m->len > 0)");
            t.line("/* The last bytes: there is a block of key stream left, since the group is not full. */");
            t.open_bare("for (i = 0; i < m->len; i++)");
            t.line("m->out[i] = (uint8_t)(m->in[i] ^ (s[4 * blocks + i / 4] >> 8 * (i % 4) & 255));");
            t.close();
            t.line("m->len = 0;");
            t.line("m->low++;");
            t.line("m->high += m->low == 0;");
            t.close();
        }
        if self.wipes() {
            t.line("wipe(s, sizeof s);");
        }
        t.close();
        t.blank();
    }

    /// CBC encryption of one stream.
    fn chain(&self, t: &mut Text) {
        let group = self.core.sizes()[self.core.sizes().len() - 1];
        t.line("/* One stream, block by block. */");
        for (name, pointer) in [("stream", ""), ("stream_apart", "restrict ")] {
            if !pointer.is_empty() && !self.variant.on(Dim::Restrict) {
                continue;
            }
            t.open(&format!(
                "static void {name}(const round_keys *k, uint8_t *iv, const uint8_t *{pointer}in, \
                 uint8_t *{pointer}out, size_t len)"
            ));
            t.line(&format!("uint32_t s[{}], chain[4];", 4 * group));
            t.line("size_t i;");
            if group > 1 {
                t.open_bare(&format!("for (i = 4; i < {}; i++)", 4 * group));
                t.line("s[i] = 0;");
                t.close();
            }
            t.line("load_block(chain, iv);");
            let bottom = !self.variant.on(Dim::Loop);
            if bottom {
                t.open_bare("if (len < 16)");
                t.line("return;");
                t.close();
            }
            t.open_bare(if bottom { "do" } else { "while (len >= 16)" });
            t.open_bare("for (i = 0; i < 4; i++)");
            t.line("s[i] = chain[i] ^ load32(in + 4 * i);");
            t.close();
            t.line(&format!("cipher_{group}(k, s);"));
            t.open_bare("for (i = 0; i < 4; i++)");
            t.line("chain[i] = s[i];");
            t.line("store32(out + 4 * i, s[i]);");
            t.close();
            t.line("in += 16;");
            t.line("out += 16;");
            t.line("len -= 16;");
            if bottom {
                t.close_with("while (len >= 16);");
            } else {
                t.close();
            }
            t.line("store_block(iv, chain);");
            if self.wipes() {
                t.line("wipe(s, sizeof s);");
            }
            t.close();
            t.blank();
        }
    }

    fn entry(&self, t: &mut Text, name: &str) {
        let n = self.variant.problem.streams();
        let encrypts = self.variant.problem.mode().is_serial();
        t.open(&of_texts_in_c(self.variant.problem, name, name));
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

    fn stream(&self, t: &mut Text, iv: &str, input: &str, out: &str, len: &str) {
        if self.variant.on(Dim::Restrict) {
            t.open_bare(&format!("if ({input} != {out})"));
            t.line(&format!("stream_apart(&k, {iv}, {input}, {out}, {len});"));
            t.turn("else");
            t.line(&format!("stream(&k, {iv}, {input}, {out}, {len});"));
            t.close();
        } else {
            t.line(&format!("stream(&k, {iv}, {input}, {out}, {len});"));
        }
    }

    /// The call of a loop over groups.
    fn groups(&self, t: &mut Text, name: &str, keys: &str) {
        if self.variant.on(Dim::Restrict) {
            t.open_bare("if (in != out)");
            t.line(&format!("{name}_apart(&{keys}, &m, m.in, m.out);"));
            t.turn("else");
        }
        t.line(&format!("{name}(&{keys}, &m, m.in, m.out);"));
        if self.variant.on(Dim::Restrict) {
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
        t.line("m.in = in;");
        t.line("m.out = out;");
        t.line("m.len = len;");
        if self.ctr() {
            t.line("m.high = load_number(iv);");
            t.line("m.low = load_number(iv + 8);");
        }
        if self.chained() {
            t.line("load_block(m.chain, iv);");
        }
        if let Some(blocks) = self.core.wide() {
            // One group is worth its round keys (gcc -O2, x86-64: 12 against 14 cycles a byte).
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
                t.line("m.low++;");
                t.line("m.high += m.low == 0;");
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

/// `s`, `s + 4`.
fn at(array: &str, offset: usize) -> String {
    if offset == 0 { array.into() } else { format!("{array} + {offset}") }
}
