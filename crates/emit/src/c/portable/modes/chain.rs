//! CBC encryption, in which every block depends on its predecessor.

use super::Writer;
use crate::c::choices;
use aesmith_processor::c::Text;
use aesmith_processor::c::message;

impl Writer<'_> {
    /// Prints CBC encryption of one stream.
    pub(super) fn chain(&self, t: &mut Text) {
        let group = self.core.sizes()[self.core.sizes().len() - 1];
        t.line("/* One stream, block by block. */");
        for (name, pointer) in [("stream", ""), ("stream_apart", "restrict ")] {
            if !pointer.is_empty() && !self.variant.on(choices::RESTRICT) {
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
            let bottom = !self.variant.on(choices::LOOP);
            if bottom {
                t.open_bare("if (len < 16)");
                t.line("return;");
                t.close();
            }
            t.open_loop(!bottom, "len >= 16");
            t.open_bare("for (i = 0; i < 4; i++)");
            t.line("s[i] = chain[i] ^ load32(in + 4 * i);");
            t.close();
            t.line(&format!("cipher_{group}(k, s);"));
            t.open_bare("for (i = 0; i < 4; i++)");
            t.line("chain[i] = s[i];");
            t.line("store32(out + 4 * i, s[i]);");
            t.close();
            message::advance(t, "", 16);
            t.close_loop(!bottom, "len >= 16");
            t.line("store_block(iv, chain);");
            if self.wipes() {
                t.line("wipe(s, sizeof s);");
            }
            t.close();
            t.blank();
        }
    }

    pub(super) fn stream(&self, t: &mut Text, iv: &str, input: &str, out: &str, len: &str) {
        if self.variant.on(choices::RESTRICT) {
            t.open_bare(&format!("if ({input} != {out})"));
            t.line(&format!("stream_apart(&k, {iv}, {input}, {out}, {len});"));
            t.turn("else");
            t.line(&format!("stream(&k, {iv}, {input}, {out}, {len});"));
            t.close();
        } else {
            t.line(&format!("stream(&k, {iv}, {input}, {out}, {len});"));
        }
    }
}
