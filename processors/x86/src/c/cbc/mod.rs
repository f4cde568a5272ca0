//! CBC encryption in C, of one or several independent streams: a joint loop while every stream has text, then the
//! remainder of each stream.

mod entry;
mod joint;
mod pass;

use super::body::place;
use super::words::Words;
use crate::dimensions::Dim;
use aesmith_arrange::Variant;
use aesmith_processor::c::Text;
use aesmith_processor::c::message;

/// The way in which a block's XORs are combined with the chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Text, then round key 0.
    Plain,
    /// Text with round key 0 already added.
    Modified,
    /// No separate XOR: the next text and round key 0 are folded into the last round key.
    Folded,
}

/// The parameters of one joint loop.
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
    /// Kind (1 cache, 2 register), block and distance of a prefetch.
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

/// Writes the functions of one variant; the last is `name` + `suffix`.
pub(super) fn write(t: &mut Text, variant: &Variant, name: &str, suffix: &str) -> Result<(), String> {
    let (streams, lanes) = (variant.problem.streams(), variant.lanes());
    if !streams.is_multiple_of(lanes) {
        return Err(format!("{streams} streams do not fill registers of {lanes} blocks"));
    }
    if lanes > 1 && variant.on(Dim::Streaming) {
        return Err(
            "streams of several blocks a register are stored block by block, which streaming stores would \
             send to memory a quarter of a line at a time"
                .into(),
        );
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
        return Err(format!("transposing {lanes} blocks of a stream needs an unroll of their multiple"));
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

impl Writer<'_> {
    fn types(&self, t: &mut Text) {
        let (suffix, n) = (self.suffix, self.streams);
        let about = "Texts, and the ciphertext block before.";
        message::structure(t, about, &format!("stream{suffix}"), &["__m128i chain;"]);
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

    /// The parameter that passes the keys to a joint loop.
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

    fn transpose(&self, prefix: &str) -> String {
        let names: Vec<String> = (0..self.words.lanes).map(|i| format!("&{prefix}{i}")).collect();
        format!("transpose{}({});", self.words.bits, names.join(", "))
    }

    /// One block of each stream an iteration, for the remainder of the joint loop.
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
}
