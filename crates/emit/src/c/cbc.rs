//! CBC encryption in C, of one or several independent streams: a joint loop while every stream has
//! text, then what each has left by itself.

use super::body::place;
use super::text::Text;
use super::words::Words;
use crate::EmitError;
use crate::prototype::of_texts_in_c;
use aesmith_arrange::{Dim, Variant};
use aesmith_dataflow::Round;

/// How the XORs of a block meet the chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Text, then round key 0.
    Plain,
    /// Text with round key 0 already in it.
    Modified,
    /// None: the next text and round key 0 come with the last round key.
    Folded,
}

/// The shape of one joint loop.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    unroll: usize,
    form: Form,
    together: bool,
    distance: usize,
    restrict: bool,
    streaming: bool,
    transpose: bool,
    /// Kind (1 cache, 2 register), block and lead of a prefetch.
    prefetch: (u16, usize, usize),
    keys: u16,
}

struct Writer<'a> {
    variant: &'a Variant,
    words: Words,
    suffix: &'a str,
    streams: usize,
    /// Registers that hold the streams' states.
    registers: usize,
    rounds: u8,
}

/// Writes the functions of one variant; the last is `name` and `suffix`.
pub(super) fn write(t: &mut Text, variant: &Variant, name: &str, suffix: &str) -> Result<(), EmitError> {
    let (streams, lanes) = (variant.problem.streams(), variant.lanes());
    if !streams.is_multiple_of(lanes) {
        return Err(EmitError(format!("{streams} streams do not fill registers of {lanes} blocks")));
    }
    if lanes > 1 && variant.on(Dim::Streaming) {
        return Err(EmitError(
            "streams of several blocks a register are stored block by block, which streaming stores would \
             send to memory a quarter of a line at a time"
                .into(),
        ));
    }
    let shape = Shape {
        name: "joint",
        unroll: usize::from(variant.get(Dim::Unroll)).max(1),
        form: [Form::Plain, Form::Modified, Form::Folded][usize::from(variant.get(Dim::Xor))],
        together: variant.on(Dim::Streams),
        distance: usize::from(variant.get(Dim::Distance)),
        restrict: false,
        streaming: false,
        transpose: lanes > 1 && variant.on(Dim::Gather),
        prefetch: (
            variant.get(Dim::Prefetch),
            usize::from(variant.get(Dim::Source)) - 1,
            usize::from(variant.get(Dim::Ahead)),
        ),
        keys: variant.get(Dim::Keys),
    };
    if shape.transpose && !shape.unroll.is_multiple_of(lanes) {
        return Err(EmitError(format!(
            "transposing {lanes} blocks of a stream needs an unroll of their multiple"
        )));
    }
    let w = Writer {
        variant,
        words: Words::new(variant, lanes),
        suffix,
        streams,
        registers: streams / lanes,
        rounds: variant.problem.key.rounds() as u8,
    };
    let (restrict, streaming) = (variant.on(Dim::Restrict), variant.on(Dim::Streaming));
    let mut shapes = Vec::new();
    if streaming {
        shapes.push(Shape { name: "stream_joint", restrict, streaming, ..shape });
    }
    if restrict {
        shapes.push(Shape { name: "joint_apart", restrict, ..shape });
    }
    shapes.push(shape);
    w.types(t);
    for shape in &shapes {
        w.joint(t, shape);
    }
    let rest = w.rest();
    if w.has_rest(&shape) {
        w.joint(t, &rest);
    }
    w.alone(t);
    w.entry(t, name, &shapes);
    Ok(())
}

/// The statements of a joint loop in the making.
struct Maker<'w, 'v> {
    w: &'w Writer<'v>,
    shape: &'w Shape,
    lines: Vec<String>,
    /// The block whose texts stand in `ahead<g>`.
    fetched: Option<usize>,
    /// First block of the texts that stand in `t<g>_<i>`, for each register.
    texts: Vec<Option<usize>>,
    /// Results of each register that wait to be transposed.
    waiting: Vec<usize>,
}

impl Maker<'_, '_> {
    fn key(&self, register: usize, r: u8) -> String {
        self.w.key(self.shape, register, r)
    }

    /// The texts of block `block` of a register's streams, as an expression.
    fn text(&mut self, g: usize, block: usize) -> String {
        let w = self.w;
        let lanes = w.words.lanes;
        if self.fetched == Some(block) {
            return format!("ahead{g}");
        }
        if self.shape.transpose {
            // The folded form meets block 0's text a pass earlier, so its blocks count from 1.
            let skew = usize::from(self.shape.form == Form::Folded);
            let first = (block - skew) / lanes * lanes + skew;
            if self.texts[g] != Some(first) {
                self.texts[g] = Some(first);
                for lane in 0..lanes {
                    let from = w.words.load(&w.pointer("in", g * lanes + lane, first));
                    self.lines.push(format!("t{g}_{lane} = {from};"));
                }
                self.lines.push(w.transpose(&format!("t{g}_")));
            }
            return format!("t{g}_{}", block - first);
        }
        w.gathered_text(g, block)
    }

    /// Text XOR round key 0, off the chain.
    fn mixed(&mut self, g: usize, block: usize) -> String {
        let text = self.text(g, block);
        self.w.words.xor(&text, &self.key(g, 0))
    }

    /// Step `row` of block `block` of a register: 0 the XORs before the rounds, then the rounds,
    /// then the store.
    fn step(&mut self, g: usize, block: usize, row: u8) {
        let (w, rounds) = (self.w, self.w.rounds);
        let state = format!("s{g}");
        if row == 0 {
            let value = match self.shape.form {
                Form::Folded => return,
                Form::Plain => {
                    let text = self.text(g, block);
                    w.words.xor(&w.words.xor(&state, &text), &self.key(g, 0))
                }
                Form::Modified => {
                    let mixed = self.mixed(g, block);
                    w.words.xor(&state, &mixed)
                }
            };
            self.lines.push(format!("{state} = {value};"));
        } else if row < rounds {
            let value = w.words.round(Round::Encrypt, &state, &self.key(g, row));
            self.lines.push(format!("{state} = {value};"));
        } else if row == rounds {
            let last = Round::EncryptLast;
            if self.shape.form == Form::Folded {
                let mixed = self.mixed(g, block + 1);
                self.lines.push(format!("next{g} = {mixed};"));
                let key = w.words.xor(&format!("next{g}"), &self.key(g, rounds));
                self.lines.push(format!("{state} = {};", w.words.round(last, &state, &key)));
                let out = w.words.xor(&state, &format!("next{g}"));
                self.store(g, block, &out);
            } else {
                self.lines.push(format!("{state} = {};", w.words.round(last, &state, &self.key(g, rounds))));
            }
        } else if self.shape.form != Form::Folded {
            self.store(g, block, &state);
        }
    }

    fn store(&mut self, g: usize, block: usize, value: &str) {
        let w = self.w;
        let lanes = w.words.lanes;
        if self.shape.transpose {
            self.lines.push(format!("r{g}_{} = {value};", self.waiting[g]));
            self.waiting[g] += 1;
            if self.waiting[g] == lanes {
                self.waiting[g] = 0;
                self.lines.push(w.transpose(&format!("r{g}_")));
                for lane in 0..lanes {
                    let to = w.pointer("out", g * lanes + lane, block + 1 - lanes);
                    self.lines.push(w.words.store(&to, &format!("r{g}_{lane}"), false));
                }
            }
            return;
        }
        if lanes == 1 {
            let to = w.pointer("out", g, block);
            self.lines.push(w.words.store(&to, value, self.shape.streaming));
            return;
        }
        self.lines.push(format!("result = {value};"));
        for lane in 0..lanes {
            let to = w.pointer("out", g * lanes + lane, block);
            self.lines.push(w.words.lanes(1).store(&to, &w.lane("result", lane), false));
        }
    }

    fn prefetch(&mut self, block: usize) {
        let (kind, source, ahead) = self.shape.prefetch;
        let unroll = self.shape.unroll;
        if kind == 1 && block == 0 {
            for stream in 0..self.w.streams {
                let offset = 16 * (source + unroll * (ahead + 1));
                let (pointer, at) = match self.w.streams {
                    1 => ("in".to_owned(), ""),
                    _ => (format!("in{stream}"), " + at"),
                };
                // As a number: the line may lie beyond the text, and is only a hint.
                self.lines.push(format!(
                    "_mm_prefetch((const char *)((uintptr_t){pointer}{at} + {offset}u), _MM_HINT_T0);"
                ));
            }
        }
        if kind == 2 && block == source.saturating_sub(ahead) && source < unroll {
            // The folded form meets a block's text while the block before it ends.
            let wanted = source + usize::from(self.shape.form == Form::Folded);
            for g in 0..self.w.registers {
                let text = self.text(g, wanted);
                self.lines.push(format!("ahead{g} = {text};"));
            }
            self.fetched = Some(wanted);
        }
    }
}

impl Writer<'_> {
    fn types(&self, t: &mut Text) {
        let (suffix, n) = (self.suffix, self.streams);
        t.line("/* Texts, and the ciphertext block before. */");
        t.line("typedef struct {");
        t.line("    const uint8_t *in;");
        t.line("    uint8_t *out;");
        t.line("    size_t len;");
        t.line("    __m128i chain;");
        t.line(&format!("}} stream{suffix};"));
        t.blank();
        if self.words.lanes > 1 {
            let (registers, keys, bytes) = (self.registers, self.rounds + 1, self.words.bytes());
            t.line(&format!("/* Round keys of {} streams side by side. */", self.words.lanes));
            t.line(&format!("typedef uint8_t key_rows{suffix}[{registers}][{keys}][{bytes}];"));
            t.blank();
        } else if n > 1 {
            t.line(&format!("typedef const uint8_t *key_rows{suffix}[{n}];"));
            t.blank();
        }
    }

    /// The parameter that gives a joint loop its keys.
    fn key_parameter(&self) -> String {
        match self.streams {
            1 => "const uint8_t *key".into(),
            _ => format!("key_rows{} keys", self.suffix),
        }
    }

    fn key(&self, shape: &Shape, register: usize, r: u8) -> String {
        if shape.keys >> r & 1 == 1 {
            return format!("k{register}_{r}");
        }
        match (self.streams, self.words.lanes) {
            (1, _) => self.words.round_key("key", r),
            (_, 1) => self.words.round_key(&format!("keys[{register}]"), r),
            _ => self.words.load(&format!("keys[{register}][{r}]")),
        }
    }

    /// `in + 16`, `in3 + at + 16`.
    fn pointer(&self, array: &str, stream: usize, block: usize) -> String {
        let pointer = if self.streams == 1 { array.to_owned() } else { format!("{array}{stream} + at") };
        place(&pointer, 16 * block as i64)
    }

    /// Block `block` of each of a register's streams.
    fn gathered_text(&self, g: usize, block: usize) -> String {
        let lanes = self.words.lanes;
        let texts: Vec<String> = (0..lanes)
            .map(|lane| self.words.lanes(1).load(&self.pointer("in", g * lanes + lane, block)))
            .collect();
        self.joined(&texts)
    }

    fn joined(&self, blocks: &[String]) -> String {
        match blocks {
            [one] => one.clone(),
            _ => format!("join{}({})", self.words.bits, blocks.join(", ")),
        }
    }

    fn lane(&self, v: &str, lane: usize) -> String {
        match (self.words.lanes, lane) {
            (1, _) => v.to_owned(),
            (2, 0) => format!("_mm256_castsi256_si128({v})"),
            (2, _) => format!("_mm256_extracti128_si256({v}, {lane})"),
            (_, 0) => format!("_mm512_castsi512_si128({v})"),
            _ => format!("_mm512_extracti32x4_epi32({v}, {lane})"),
        }
    }

    fn transpose(&self, prefix: &str) -> String {
        let names: Vec<String> = (0..self.words.lanes).map(|i| format!("&{prefix}{i}")).collect();
        format!("transpose{}({});", self.words.bits, names.join(", "))
    }

    /// One block of each stream a pass, for what the joint loop leaves.
    fn rest(&self) -> Shape {
        Shape {
            name: "joint_rest",
            unroll: 1,
            form: Form::Modified,
            together: true,
            distance: 0,
            restrict: false,
            streaming: false,
            transpose: false,
            prefetch: (0, 0, 0),
            keys: 0,
        }
    }

    fn has_rest(&self, shape: &Shape) -> bool {
        self.streams > 1 && (shape.unroll > 1 || shape.form == Form::Folded)
    }

    fn joint(&self, t: &mut Text, shape: &Shape) {
        let (w, suffix) = (&self.words, self.suffix);
        let text = 16 * shape.unroll;
        let need = text + if shape.form == Form::Folded { 16 } else { 0 };
        let restrict = if shape.restrict { "restrict " } else { "" };
        let several = self.streams > 1;
        let whose = if several { "each of the streams" } else { "the stream" };
        t.line(&format!(
            "/* A pass takes {} of {whose}, while there are as many. */",
            super::blocks(shape.unroll)
        ));
        let (count, last) = if several { ("*left", ", size_t *left") } else { ("m->len", "") };
        t.open(&format!(
            "{} void {}{suffix}({}, stream{suffix} *m{last})",
            w.function(),
            shape.name,
            self.key_parameter(),
        ));
        if several {
            t.line("size_t at = 0;");
            for n in 0..self.streams {
                t.line(&format!("const uint8_t *{restrict}const in{n} = m[{n}].in;"));
                t.line(&format!("uint8_t *{restrict}const out{n} = m[{n}].out;"));
            }
        } else {
            t.line(&format!("const uint8_t *{restrict}in = m->in;"));
            t.line(&format!("uint8_t *{restrict}out = m->out;"));
        }
        t.line(&format!("size_t len = {count};"));
        self.states(t, shape);
        let more = format!("len >= {need}");
        let folded = shape.form == Form::Folded;
        t.open_bare(&format!("if ({more})"));
        if folded {
            t.line("/* The first text and round key 0 go into the states. */");
            self.fold(t, shape);
        }
        let top = self.variant.on(Dim::Loop);
        t.open_bare(&if top { format!("while ({more})") } else { "do".into() });
        for line in self.pass(shape) {
            t.line(&line);
        }
        if several {
            t.line(&format!("at += {text};"));
        } else {
            t.line(&format!("in += {text};"));
            t.line(&format!("out += {text};"));
        }
        t.line(&format!("len -= {text};"));
        if top {
            t.close();
        } else {
            t.close_with(&format!("while ({more});"));
        }
        if folded {
            t.line("/* And the next text comes out again. */");
            self.fold(t, shape);
        }
        t.close();
        if shape.streaming {
            t.line("_mm_sfence();");
        }
        t.line(&format!("{count} = len;"));
        let lanes = w.lanes;
        for n in 0..self.streams {
            let chain = self.lane(&format!("s{}", n / lanes), n % lanes);
            if several {
                t.line(&format!("m[{n}].in = in{n} + at;"));
                t.line(&format!("m[{n}].out = out{n} + at;"));
                t.line(&format!("m[{n}].len -= at;"));
                t.line(&format!("m[{n}].chain = {chain};"));
            } else {
                t.line("m->in = in;");
                t.line("m->out = out;");
                t.line(&format!("m->chain = {chain};"));
            }
        }
        t.close();
        t.blank();
    }

    /// The variables of a joint loop.
    fn states(&self, t: &mut Text, shape: &Shape) {
        let (w, lanes) = (&self.words, self.words.lanes);
        for g in 0..self.registers {
            for r in (0..=self.rounds).filter(|r| shape.keys >> r & 1 == 1) {
                let unkept = Shape { keys: 0, ..*shape };
                t.line(&format!("const {} k{g}_{r} = {};", w.vec, self.key(&unkept, g, r)));
            }
            let chains: Vec<String> = (0..lanes)
                .map(|lane| match self.streams {
                    1 => "m->chain".to_owned(),
                    _ => format!("m[{}].chain", g * lanes + lane),
                })
                .collect();
            t.line(&format!("{} s{g} = {};", w.vec, self.joined(&chains)));
            let mut names = Vec::new();
            if shape.form == Form::Folded {
                names.push(format!("next{g}"));
            }
            if shape.prefetch.0 == 2 && shape.prefetch.1 < shape.unroll {
                names.push(format!("ahead{g}"));
            }
            if shape.transpose {
                names.extend((0..lanes).flat_map(|i| [format!("t{g}_{i}"), format!("r{g}_{i}")]));
            }
            if !names.is_empty() {
                t.line(&format!("{} {};", w.vec, names.join(", ")));
            }
        }
        if lanes > 1 && !shape.transpose {
            t.line(&format!("{} result;", w.vec));
        }
    }

    fn fold(&self, t: &mut Text, shape: &Shape) {
        for g in 0..self.registers {
            let mixed = self.words.xor(&self.gathered_text(g, 0), &self.key(shape, g, 0));
            t.line(&format!("s{g} = {};", self.words.xor(&format!("s{g}"), &mixed)));
        }
    }

    /// The statements of one pass.
    fn pass(&self, shape: &Shape) -> Vec<String> {
        let mut maker = Maker {
            w: self,
            shape,
            lines: Vec::new(),
            fetched: None,
            texts: vec![None; self.registers],
            waiting: vec![0; self.registers],
        };
        for block in 0..shape.unroll {
            maker.prefetch(block);
            let mut steps: Vec<(usize, usize, u8)> = (0..self.registers)
                .flat_map(|register| {
                    let lag = if shape.together { register * shape.distance } else { register * 64 };
                    (0..=self.rounds + 1).map(move |row| (usize::from(row) + lag, register, row))
                })
                .collect();
            steps.sort_unstable();
            for (_, register, row) in steps {
                maker.step(register, block, row);
            }
        }
        maker.lines
    }

    /// What a stream has left, block by block.
    fn alone(&self, t: &mut Text) {
        let (w, suffix) = (self.words.lanes(1), self.suffix);
        t.line("/* One stream, block by block to its end. */");
        t.open(&format!("{} void alone{suffix}(const uint8_t *key, stream{suffix} *m)", w.function()));
        t.line("__m128i s = m->chain;");
        t.line("int r;");
        t.open_bare("for (; m->len >= 16; m->len -= 16)");
        t.line(&format!("s = {};", w.xor("s", &w.xor("load128(m->in)", "load128(key)"))));
        t.open_bare(&format!("for (r = 1; r < {}; r++)", self.rounds));
        t.line(&format!("s = {};", w.round(Round::Encrypt, "s", "round_key128(key, r)")));
        t.close();
        t.line(&format!("s = {};", w.round(Round::EncryptLast, "s", &w.round_key("key", self.rounds))));
        t.line("store128(m->out, s);");
        t.line("m->in += 16;");
        t.line("m->out += 16;");
        t.close();
        t.line("m->chain = s;");
        t.close();
        t.blank();
    }

    fn entry(&self, t: &mut Text, name: &str, shapes: &[Shape]) {
        let (w, suffix, n) = (&self.words, self.suffix, self.streams);
        let storage = if suffix.is_empty() { "" } else { "static " };
        if self.variant.on(Dim::Wipe) {
            t.raw("#if defined(__has_attribute)\n#if __has_attribute(zero_call_used_regs)\n");
            t.line("__attribute__((zero_call_used_regs(\"all\")))");
            t.raw("#endif\n#endif\n");
        }
        t.open(&format!(
            "{storage}TARGET{} {}",
            w.bits,
            of_texts_in_c(self.variant.problem, &format!("{name}{suffix}"), name)
        ));
        if n == 1 {
            t.line("const uint8_t *const key = key_structure->bytes;");
            t.line(&format!("stream{suffix} m[1];"));
            for (field, value) in [("in", "in"), ("out", "out"), ("len", "len"), ("chain", "load128(iv)")] {
                t.line(&format!("m->{field} = {value};"));
            }
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
        t.line("m[n].in = in[n];");
        t.line("m[n].out = out[n];");
        t.line("m[n].len = len[n];");
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

    /// The call of the first form of the joint loop whose conditions hold for every stream.
    fn choose(&self, t: &mut Text, shapes: &[Shape], arguments: &str) {
        let suffix = self.suffix;
        if let [shape] = shapes {
            t.line(&format!("{}{suffix}({arguments});", shape.name));
            return;
        }
        let n = self.streams;
        let (streaming, restrict) = (self.variant.on(Dim::Streaming), self.variant.on(Dim::Restrict));
        t.line("{");
        if streaming {
            t.line("    uintptr_t unaligned = 0;");
        }
        if restrict {
            t.line("    int in_place = 0;");
        }
        t.line("    size_t i;");
        t.line(&format!("    for (i = 0; i < {n}; i++) {{"));
        if streaming {
            t.line("        unaligned |= (uintptr_t)m[i].out & 15;");
        }
        if restrict {
            t.line("        in_place |= m[i].in == m[i].out;");
        }
        t.line("    }");
        for (i, shape) in shapes.iter().enumerate() {
            let mut conditions = Vec::new();
            if shape.streaming {
                conditions.push("unaligned == 0");
            }
            if shape.restrict {
                conditions.push("!in_place");
            }
            let condition = conditions.join(" && ");
            t.line(&match (i, condition.is_empty()) {
                (0, _) => format!("    if ({condition}) {{"),
                (_, false) => format!("    }} else if ({condition}) {{"),
                (_, true) => "    } else {".into(),
            });
            t.line(&format!("        {}{suffix}({arguments});", shape.name));
        }
        t.line("    }");
        t.line("}");
    }
}
