//! ECB, CBC decryption and CTR in C: the main loop as the pipeline orders it, what it leaves, and
//! single blocks that are right for every carry of the counter.

use super::body::{Body, Counter, Prefetch};
use super::sliced::Group;
use super::text::Text;
use super::words::Words;
use crate::EmitError;
use crate::prototype::of_texts_in_c;
use aesmith_arrange::{Dim, Pipeline, Variant};
use aesmith_cipher::mode::Next;
use aesmith_cipher::{Direction, contract};
use aesmith_dataflow::technique::Sliced;
use aesmith_dataflow::{Dataflow, Round, aes};

struct Writer<'a> {
    variant: &'a Variant,
    words: Words,
    /// Suffix of every static name.
    suffix: &'a str,
    flow: Dataflow,
    pipeline: Pipeline,
    /// The programs of the main loop where it works on transposed groups.
    sliced: Option<Sliced>,
    cached: usize,
    /// Whether the counter's low byte is kept from wrapping within a group.
    tracked: bool,
}

/// One printed form of the main loop.
#[derive(Clone, Copy)]
struct Form {
    name: &'static str,
    restrict: bool,
    streaming: bool,
}

/// Writes the functions of one variant; the last is `name` and `suffix`.
pub(super) fn write(t: &mut Text, variant: &Variant, name: &str, suffix: &str) -> Result<(), EmitError> {
    let ctr = variant.problem.mode().counts();
    let cached = usize::from(variant.get(Dim::Cached));
    let tracked = ctr && (cached > 0 || variant.get(Dim::Counter) > 0);
    let options = aes::Options {
        cached: cached as u8,
        keyed: ctr && cached == 0 && variant.get(Dim::Counter) == 2,
        fold: variant.on(Dim::Fold),
    };
    let flow = aes::block(variant.problem, options);
    let words = Words::new(variant, variant.lanes());
    let sliced = if variant.sliced() { Some(words.sliced(variant)?) } else { None };
    let pipeline = match &sliced {
        None => Pipeline::new(&flow, variant),
        // As many registers as there are texts, of which nothing else is used.
        Some(sliced) => {
            let plain = Variant::baseline(variant.problem);
            Pipeline { registers: sliced.texts, ..Pipeline::new(&flow, &plain) }
        }
    };
    let group = pipeline.registers * words.lanes;
    if tracked && !group.is_power_of_two() {
        return Err(EmitError(format!(
            "a tracked low counter byte needs a power of two of blocks in a group, not {group}"
        )));
    }
    let w = Writer { variant, words, suffix, flow, pipeline, sliced, cached, tracked };
    w.message(t);
    w.single(t);
    if cached > 0 {
        w.cache(t);
    }
    if let Some(group) = w.group_of() {
        group.functions(t);
    }
    for form in w.forms() {
        match w.group_of() {
            Some(group) => w.sliced_loop(t, form, &group),
            None => w.main_loop(t, form),
        }
    }
    w.tails(t);
    w.entry(t, name);
    Ok(())
}

impl Writer<'_> {
    fn ctr(&self) -> bool {
        self.variant.problem.mode().counts()
    }

    fn chained(&self) -> bool {
        self.variant.problem.mode().next() == Next::Text
    }

    fn rounds(&self) -> usize {
        self.variant.problem.key.rounds()
    }

    fn group(&self) -> usize {
        self.pipeline.registers * self.words.lanes
    }

    fn wipes(&self) -> bool {
        self.variant.on(Dim::Wipe)
    }

    /// The printed forms of the main loop, the last for whatever the others do not fit.
    fn forms(&self) -> Vec<Form> {
        let (restrict, streaming) = (self.variant.on(Dim::Restrict), self.variant.on(Dim::Streaming));
        let mut forms = Vec::new();
        if streaming {
            forms.push(Form { name: "stream_groups", restrict, streaming });
        }
        if restrict {
            forms.push(Form { name: "groups_apart", restrict, streaming: false });
        }
        forms.push(Form { name: "groups", restrict: false, streaming: false });
        forms
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
            t.line("    __m128i chain; /* the ciphertext block before */");
        }
        t.line(&format!("}} message{};", self.suffix));
        t.blank();
    }

    /// `static ... name(const uint8_t *key, message *m)` and its opening brace.
    fn function(&self, t: &mut Text, words: &Words, name: &str) {
        let suffix = self.suffix;
        t.open(&format!("{} void {name}{suffix}(const uint8_t *key, message{suffix} *m)", words.function()));
    }

    /// Block by block, and the last bytes of CTR.
    fn single(&self, t: &mut Text) {
        let (w, rounds) = (self.words.lanes(1), self.rounds());
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
        t.open_bare(&format!("for (r = 1; r < {rounds}; r++)"));
        t.line(&format!("s = {};", w.round(middle, "s", "round_key128(key, r)")));
        t.close();
        t.line(&format!("return {};", w.round(last, "s", &w.round_key("key", rounds as u8))));
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
            t.line("m->low++;");
            t.line("m->high += m->low == 0;");
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
        t.line("m->in += 16;");
        t.line("m->out += 16;");
        t.line("m->len -= 16;");
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

    /// Counter-mode caching: the state of any counter block after the cached rounds is `base` XOR
    /// the row of its fast byte.
    fn cache(&self, t: &mut Text) {
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

    fn body(&self, streaming: bool) -> Body<'_> {
        let v = self.variant;
        let (source, ahead) = (usize::from(v.get(Dim::Source)) - 1, usize::from(v.get(Dim::Ahead)));
        let first = if self.cached > 0 { self.cached + 1 } else { 0 };
        let useful = (first..=self.rounds()).fold(0, |mask, r| mask | 1 << r);
        Body {
            words: self.words,
            flow: &self.flow,
            pipeline: &self.pipeline,
            keys: v.get(Dim::Keys) & useful,
            counter: match (self.ctr(), self.cached, v.get(Dim::Counter)) {
                (false, ..) => Counter::None,
                (true, 0, 0) => Counter::Swap,
                (true, 0, 1) => Counter::Add,
                (true, 0, _) => Counter::Precomputed,
                (true, ..) => Counter::Cached,
            },
            chained: self.chained(),
            streaming,
            prefetch: match v.get(Dim::Prefetch) {
                1 => Prefetch::Cache(source, ahead),
                2 => Prefetch::Register(source, source.saturating_sub(ahead)),
                _ => Prefetch::Off,
            },
        }
    }

    fn group_of(&self) -> Option<Group<'_>> {
        let sliced = self.sliced.as_ref()?;
        let (counts, chained) = (self.ctr(), self.chained());
        Some(Group { words: self.words, sliced, suffix: self.suffix, counts, chained })
    }

    /// The main loop on transposed groups.
    fn sliced_loop(&self, t: &mut Text, form: Form, group: &Group<'_>) {
        let (w, suffix) = (&self.words, self.suffix);
        let bytes = 16 * self.group();
        let restrict = if form.restrict { "restrict " } else { "" };
        t.line(&format!("/* The loop: {} a pass while there are as many. */", super::blocks(self.group())));
        t.open(&format!(
            "{} void {}{suffix}(const uint8_t *key, message{suffix} *m, const uint8_t *{restrict}in, \
             uint8_t *{restrict}out)",
            w.function(),
            form.name
        ));
        t.line("size_t len = m->len;");
        if self.ctr() {
            t.line(&format!("const {} reversal = reversal{}();", w.vec, w.bits));
            t.line(&format!("const {} step = low_half{}({});", w.vec, w.bits, w.lanes));
            t.line(&format!("{} counter = counters{}(m->high, m->low);", w.vec, w.bits));
        }
        if self.chained() {
            t.line(&format!("{} chain = {};", w.vec, self.spread("m->chain")));
        }
        group.prepare(t);
        let top = self.variant.on(Dim::Loop);
        let more = format!("while (len >= {bytes})");
        t.open_bare(if top { &more } else { "do" });
        group.pass(t, form.streaming);
        t.line(&format!("in += {bytes};"));
        t.line(&format!("out += {bytes};"));
        t.line(&format!("len -= {bytes};"));
        if self.ctr() {
            t.line(&format!("m->low += {};", self.group()));
        }
        if top {
            t.close();
        } else {
            t.close_with(&format!("{more};"));
        }
        if form.streaming {
            t.line("_mm_sfence();");
        }
        if self.wipes() {
            t.line("wipe(keys, sizeof keys);");
            t.line("wipe(q, sizeof q);");
            t.line("wipe(t, sizeof t);");
        }
        t.line("m->in = in;");
        t.line("m->out = out;");
        t.line("m->len = len;");
        if self.chained() {
            t.line(&format!("m->chain = {};", self.last_lane("chain")));
        }
        t.close();
        t.blank();
    }

    fn main_loop(&self, t: &mut Text, form: Form) {
        let (w, suffix) = (&self.words, self.suffix);
        let body = self.body(form.streaming);
        let group_bytes = body.group_bytes();
        let restrict = if form.restrict { "restrict " } else { "" };
        let (what, note) =
            if self.pipeline.stages > 1 { ("pipelined ", ", and drains it") } else { ("", "") };
        t.line(&format!(
            "/* The {what}loop: {} a pass while there are as many{note}. */",
            super::blocks(self.group())
        ));
        t.open(&format!(
            "{} void {}{suffix}(const uint8_t *key, message{suffix} *m, const uint8_t *{restrict}in, \
             uint8_t *{restrict}out)",
            w.function(),
            form.name
        ));
        t.line("size_t len = m->len;");
        if self.ctr() {
            t.line("uint64_t low = m->low;");
        }
        for r in (0..=self.rounds() as u8).filter(|r| body.keys >> r & 1 == 1) {
            t.line(&format!("const {} k{r} = {};", w.vec, w.round_key("key", r)));
        }
        match body.counter {
            Counter::None => {}
            Counter::Swap => {
                t.line(&format!("const {} reversal = reversal{}();", w.vec, w.bits));
                t.line(&format!("const {} step = low_half{}({});", w.vec, w.bits, w.lanes));
                t.line(&format!("{} counter = counters{}(m->high, low);", w.vec, w.bits));
            }
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
            let chain = self.spread("m->chain");
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
        let more = format!("while (len >= {group_bytes})");
        t.open_bare(if top { &more } else { "do" });
        body.pass(t, self.pipeline.body.iter(), |stage| -i64::from(stage));
        self.advance(t, &body);
        if top {
            t.close();
        } else {
            t.close_with(&format!("{more};"));
        }
        for pass in 1..self.pipeline.stages {
            if pass == 1 {
                t.line("/* Epilogue: drains the pipeline. */");
            }
            body.pass(t, self.pipeline.drain(pass), |stage| pass as i64 - 1 - i64::from(stage));
        }
        if form.streaming {
            t.line("_mm_sfence();");
        }
        if self.cached == 2 && self.wipes() {
            t.line("wipe(rows, sizeof rows);");
        }
        t.line("m->in = in;");
        t.line("m->out = out;");
        t.line("m->len = len;");
        if self.ctr() {
            t.line("m->low = low;");
        }
        if self.chained() {
            t.line(&format!("m->chain = {};", self.last_lane("chain")));
        }
        t.close();
        t.blank();
    }

    /// One block in every lane.
    fn spread(&self, block: &str) -> String {
        match self.words.lanes {
            1 => block.to_owned(),
            2 => format!("both256({block})"),
            _ => format!("all512({block})"),
        }
    }

    /// The last lane as a block.
    fn last_lane(&self, v: &str) -> String {
        match self.words.lanes {
            1 => v.to_owned(),
            2 => format!("_mm256_extracti128_si256({v}, 1)"),
            _ => format!("_mm512_extracti32x4_epi32({v}, 3)"),
        }
    }

    /// Texts, length and counter move on by a group.
    fn advance(&self, t: &mut Text, body: &Body<'_>) {
        let bytes = body.group_bytes();
        t.line(&format!("in += {bytes};"));
        t.line(&format!("out += {bytes};"));
        t.line(&format!("len -= {bytes};"));
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

    /// What depends on the counter above its fast byte.
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

    /// Numbers of registers of the functions for what the main loop leaves.
    fn tail_registers(&self) -> Vec<usize> {
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

    fn tails(&self, t: &mut Text) {
        let w = &self.words;
        for registers in self.tail_registers() {
            let options = aes::Options { fold: true, ..Default::default() };
            let flow = aes::block(self.variant.problem, options);
            let base = Variant::baseline(self.variant.problem).with(Dim::Interleave, registers as u16);
            let pipeline = Pipeline::new(&flow, &base);
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
                t.line(&format!("const {} reversal = reversal{}();", w.vec, w.bits));
                if registers > 1 {
                    t.line(&format!("const {} step = low_half{}({});", w.vec, w.bits, w.lanes));
                }
                t.line(&format!("{} counter = counters{}(m->high, m->low);", w.vec, w.bits));
            }
            if self.chained() {
                t.line(&format!("{} chain = {};", w.vec, self.spread("m->chain")));
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
                t.line(&format!("m->chain = {};", self.last_lane("chain")));
            }
            t.close();
            t.blank();
        }
        if self.masked() {
            self.masked_last(t);
        }
    }

    /// Whether the last bytes go through a mask: CTR on zmm, which has one.
    fn masked(&self) -> bool {
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
        t.open_bare(&format!("for (r = 1; r < {}; r++)", self.rounds()));
        t.line(&format!("s = {};", w.round(Round::Encrypt, "s", "round_key512(key, r)")));
        t.close();
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

    fn entry(&self, t: &mut Text, name: &str) {
        let (w, suffix) = (&self.words, self.suffix);
        let storage = if suffix.is_empty() { String::new() } else { "static ".into() };
        if self.wipes() {
            t.raw("#if defined(__has_attribute)\n#if __has_attribute(zero_call_used_regs)\n");
            t.line("__attribute__((zero_call_used_regs(\"all\")))");
            t.raw("#endif\n#endif\n");
        }
        t.open(&format!(
            "{storage}TARGET{} {}",
            w.bits,
            of_texts_in_c(self.variant.problem, &format!("{name}{suffix}"), name)
        ));
        t.line("const uint8_t *const key = key_structure->bytes;");
        t.line(&format!("message{suffix} left;"));
        t.line(&format!("message{suffix} *const m = &left;"));
        t.line("left.in = in;");
        t.line("left.out = out;");
        t.line("left.len = len;");
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
            t.line("left.in += 16;");
            t.line("left.out += 16;");
            t.line("left.len -= 16;");
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

    /// The counter is updated at once, since it depends on the length only.
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
        let forms = self.forms();
        for (i, form) in forms.iter().enumerate() {
            let mut conditions = Vec::new();
            if form.streaming {
                conditions.push(format!("((uintptr_t)left.out & {}) == 0", self.words.bytes() - 1));
            }
            if form.restrict {
                conditions.push("left.in != left.out".to_owned());
            }
            let call = format!("{}{suffix}(key, m, left.in, left.out);", form.name);
            let condition = conditions.join(" && ");
            match (i, condition.is_empty(), forms.len()) {
                (0, true, 1) => {
                    t.line(&call);
                    return;
                }
                (0, ..) => t.open_bare(&format!("if ({condition})")),
                (_, false, _) => t.turn(&format!("else if ({condition})")),
                (_, true, _) => t.turn("else"),
            }
            t.line(&call);
        }
        t.close();
    }
}
