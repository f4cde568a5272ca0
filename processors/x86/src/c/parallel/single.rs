//! Single blocks, correct for every carry of the counter, and the precomputation of counter-mode caching.

use super::super::rounds;
use super::Writer;
use aesmith_cipher::Direction;
use aesmith_cipher::mode::Next;
use aesmith_dataflow::Round;
use aesmith_processor::c::Text;
use aesmith_processor::c::message;

impl Writer<'_> {
    /// Writes the loop over single blocks, and the last bytes of CTR.
    pub(super) fn single(&self, t: &mut Text) {
        let (w, count) = (self.words.lanes(1), self.rounds());
        let decrypts = self.variant.problem.mode().direction == Direction::Decrypt;
        let (middle, last) = if decrypts {
            (Round::Decrypt, Round::DecryptLast)
        } else {
            (Round::Encrypt, Round::EncryptLast)
        };
        t.line("/* One block through the cipher. */");
        t.open(&format!("INLINE128 __m128i block{}(const uint8_t *key, __m128i s)", self.suffix));
        t.line("int r;");
        t.line(&format!("s = {};", w.xor("s", "load128(key)")));
        rounds::inner(t, &w, middle, count);
        t.line(&format!("return {};", w.round(last, "s", &w.round_key("key", count as u8))));
        t.close();
        t.blank();
        let block = format!("block{}", self.suffix);
        if self.ctr() {
            t.line("/* The next block of key stream; the counter moves on with its carry. */");
            t.open(&format!(
                "INLINE128 __m128i next_stream{s}(const uint8_t *key, message{s} *m)",
                s = self.suffix
            ));
            t.line("__m128i counter = _mm_shuffle_epi8(counters128(m->high, m->low), reversal128());");
            message::count(t, "m->");
            t.line(&format!("return {block}(key, counter);"));
            t.close();
            t.blank();
        }
        t.line("/* Block by block to the end. */");
        self.function(t, &w, "single_blocks");
        t.open_bare("while (m->len >= 16)");
        match self.variant.problem.mode().next() {
            Next::Counter => {
                let stream = format!("next_stream{}(key, m)", self.suffix);
                t.line(&format!("store128(m->out, {});", w.xor("load128(m->in)", &stream)));
            }
            Next::Text => {
                t.line("__m128i text = load128(m->in);");
                t.line(&format!("store128(m->out, {});", w.xor(&format!("{block}(key, text)"), "m->chain")));
                t.line("m->chain = text;");
            }
            _ => t.line(&format!("store128(m->out, {block}(key, load128(m->in)));")),
        }
        message::advance(t, "m->", 16);
        t.close();
        if self.ctr() {
            t.open_bare("if (m->len > 0)");
            t.line("uint8_t stream[16];");
            t.line("size_t i;");
            t.line(&format!("store128(stream, next_stream{}(key, m));", self.suffix));
            t.open_bare("for (i = 0; i < m->len; i++)");
            t.line("m->out[i] = (uint8_t)(m->in[i] ^ stream[i]);");
            t.close();
            if self.wipes() {
                t.line("wipe(stream, sizeof stream);");
            }
            t.line("m->len = 0;");
            t.close();
        }
        t.close();
        t.blank();
    }

    /// Writes counter-mode caching: the state of a counter block after the cached rounds is `base` XOR the row of its
    /// fast byte.
    pub(super) fn cache(&self, t: &mut Text) {
        let (w, suffix) = (&self.words, self.suffix);
        let states = |t: &mut Text, of: &str| {
            t.line(&format!("{} s = {};", w.vec, w.xor(of, &w.round_key("key", 0))));
            for r in 1..=self.cached as u8 {
                t.line(&format!("s = {};", w.round(Round::Encrypt, "s", &w.round_key("key", r))));
            }
        };
        t.line(
            "/* What the states of these 256 counters have in common, given the rows of the next ones. */",
        );
        t.open(&format!(
            "INLINE{} {} common{suffix}(const uint8_t *key, const uint8_t *row, uint64_t high, uint64_t low)",
            w.bits, w.vec
        ));
        let counters = w.shuffle(&format!("counters{}(high, low)", w.bits), &format!("reversal{}()", w.bits));
        states(t, &counters);
        t.line(&format!("return {};", w.xor("s", &w.load("row"))));
        t.close();
        t.blank();
        if self.cached == 2 {
            t.line("/* The rows: states after two rounds over all values of the fast byte. */");
            t.open(&format!(
                "{} void fill_rows{suffix}(uint8_t *rows, const uint8_t *key, uint64_t high, uint64_t low)",
                w.function()
            ));
            t.line("uint64_t n;");
            t.line("low &= ~(uint64_t)255;");
            t.open_bare(&format!("for (n = 0; n < 256; n += {})", w.lanes));
            let each =
                w.shuffle(&format!("counters{}(high, low + n)", w.bits), &format!("reversal{}()", w.bits));
            states(t, &each);
            t.line(&w.store("rows + 16 * n", "s", false));
            t.close();
            t.close();
            t.blank();
        }
    }
}
