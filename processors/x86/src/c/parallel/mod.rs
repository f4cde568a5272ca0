//! ECB, CBC decryption and CTR in C: the main loop in pipeline order, its remainder, and single blocks that are correct
//! for every carry of the counter.

mod entry;
mod groups;
mod single;
mod tails;

use super::body::{Body, Counter, Prefetch};
use super::sliced::Group;
use super::words::Words;
use crate::dimensions::{Dim, interleaving};
use aesmith_arrange::{Pipeline, Variant};
use aesmith_cipher::mode::Next;
use aesmith_dataflow::technique::Sliced;
use aesmith_dataflow::{Dataflow, aes};
use aesmith_processor::c::Text;
use aesmith_processor::c::message;

struct Writer<'a> {
    variant: &'a Variant,
    words: Words,
    /// Suffix of every static name.
    suffix: &'a str,
    flow: Dataflow,
    pipeline: Pipeline,
    /// The programs of the main loop, if it works on transposed groups.
    sliced: Option<Sliced>,
    cached: usize,
    /// True if the counter's low byte is prevented from wrapping within a group.
    tracked: bool,
}

/// One printed form of the main loop.
#[derive(Clone, Copy)]
struct Form {
    name: &'static str,
    restrict: bool,
    streaming: bool,
}

/// Writes the functions of one variant; the last is `name` + `suffix`.
pub(super) fn write(t: &mut Text, variant: &Variant, name: &str, suffix: &str) -> Result<(), String> {
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
        None => Pipeline::new(&flow, interleaving(variant)),
        // One register for each text; nothing else of the pipeline is used.
        Some(sliced) => {
            let plain = variant.table.plain(variant.problem);
            Pipeline { registers: sliced.texts, ..Pipeline::new(&flow, interleaving(&plain)) }
        }
    };
    let group = pipeline.registers * words.lanes;
    if tracked && !group.is_power_of_two() {
        return Err(format!(
            "a tracked low counter byte needs a power of two of blocks in a group, not {group}"
        ));
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

    /// The printed forms of the main loop; the last has no preconditions.
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
        let mut more = Vec::new();
        if self.ctr() {
            more.push("uint64_t high, low; /* the counter of the next block */");
        }
        if self.chained() {
            more.push("__m128i chain; /* the ciphertext block before */");
        }
        message::structure(t, "What is left of a message.", &format!("message{}", self.suffix), &more);
    }

    /// Declares the byte-reversed next counters, the control that reverses them, and the step to the next register.
    fn swapped_counters(&self, t: &mut Text, low: &str, step: bool) {
        let w = &self.words;
        t.line(&format!("const {} reversal = reversal{}();", w.vec, w.bits));
        if step {
            t.line(&format!("const {} step = low_half{}({});", w.vec, w.bits, w.lanes));
        }
        t.line(&format!("{} counter = counters{}(m->high, {low});", w.vec, w.bits));
    }

    /// Writes `static ... name(const uint8_t *key, message *m)` and its opening brace.
    fn function(&self, t: &mut Text, words: &Words, name: &str) {
        let suffix = self.suffix;
        t.open(&format!("{} void {name}{suffix}(const uint8_t *key, message{suffix} *m)", words.function()));
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
}
