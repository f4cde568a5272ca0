//! The main loop on transposed groups of blocks, in intrinsics: the programs of a technique's sliced form as functions
//! over arrays of vectors; round keys are prepared on entry.

use super::rounds::statements;
use super::words::Words;
use aesmith_dataflow::program::Program;
use aesmith_dataflow::technique::Sliced;
use aesmith_processor::c::Text;

/// The parameters of a call of the loop, besides the programs.
pub(super) struct Group<'a> {
    pub words: Words,
    pub sliced: &'a Sliced,
    /// Suffix of every static name.
    pub suffix: &'a str,
    pub counts: bool,
    pub chained: bool,
}

fn names(prefix: &str, n: usize) -> Vec<String> {
    (0..n).map(|i| format!("{prefix}[{i}]")).collect()
}

impl Group<'_> {
    /// Writes the functions that the loop calls: keys, packing, rounds, unpacking. Equal programs share a function.
    pub fn functions(&self, t: &mut Text) {
        let (n, texts) = (self.sliced.words, self.sliced.texts);
        let mut done: Vec<String> = Vec::new();
        for (what, program) in self.programs() {
            if done.contains(&what) {
                continue;
            }
            let inputs = match what.split('_').next() {
                Some("key") => vec!["s".to_owned()],
                Some("pack") => names("t", texts),
                Some("unpack") => names("q", n),
                _ => [names("q", n), names("k", n)].concat(),
            };
            let (to, from) = match what.split('_').next() {
                Some("key") => ("k", format!("{} s", self.words.vec)),
                Some("pack") => ("q", format!("const {} *t", self.words.vec)),
                Some("unpack") => ("t", format!("const {} *q", self.words.vec)),
                _ => ("q", format!("const {} *k", self.words.vec)),
            };
            t.open(&format!(
                "{} void {what}{}({} *{to}, {from})",
                self.words.function(),
                self.suffix,
                self.words.vec
            ));
            let outputs = statements(t, &self.words, program, &inputs, "v");
            for (i, output) in outputs.iter().enumerate() {
                t.line(&format!("{to}[{i}] = {output};"));
            }
            t.close();
            t.blank();
            done.push(what);
        }
    }

    /// Returns every program with the name of its function.
    fn programs(&self) -> Vec<(String, &Program)> {
        let s = self.sliced;
        let number = |list: &[Program], program: &Program| {
            list.iter().position(|p| p == program).expect("it is of the list")
        };
        let keys = s.keys.iter().map(|p| (format!("key_lanes_{}", number(&s.keys, p)), p));
        let rounds = s.rounds.iter().map(|p| (format!("round_{}", number(&s.rounds, p)), p));
        let others = [("pack", &s.pack), ("whiten", &s.whiten), ("unpack", &s.unpack)];
        let others = others.map(|(name, p)| (format!("{name}_group"), p));
        keys.chain(rounds).chain(others).collect()
    }

    /// Writes the declarations and preparations of a call.
    pub fn prepare(&self, t: &mut Text) {
        let (w, s) = (&self.words, self.sliced);
        t.line(&format!("{} keys[{}][{}], q[{}], t[{}];", w.vec, s.keys.len(), s.words, s.words, s.texts));
        if !self.counts {
            t.line(&format!("{} texts[{}];", w.vec, s.texts));
        }
        t.line("size_t i;");
        for (r, (what, _)) in self.programs().iter().take(s.keys.len()).enumerate() {
            t.line(&format!("{what}{}(keys[{r}], {});", self.suffix, w.round_key("key", r as u8)));
        }
    }

    /// Writes the processing of one group from `in` to `out`.
    pub fn pass(&self, t: &mut Text, streaming: bool) {
        let (w, s) = (&self.words, self.sliced);
        let at = |pointer: &str| format!("{pointer} + {} * i", w.bytes());
        t.open_bare(&format!("for (i = 0; i < {}; i++)", s.texts));
        if self.counts {
            t.line(&format!("t[i] = {};", w.shuffle("counter", "reversal")));
            t.line(&format!("counter = {};", w.add(64, "counter", "step")));
        } else {
            t.line(&format!("t[i] = texts[i] = {};", w.load(&at("in"))));
        }
        t.close();
        t.line(&format!("pack_group{}(q, t);", self.suffix));
        t.line(&format!("whiten_group{}(q, keys[0]);", self.suffix));
        let programs = self.programs();
        for r in 1..=s.rounds.len() {
            let (what, _) = &programs[s.keys.len() + r - 1];
            t.line(&format!("{what}{}(q, keys[{r}]);", self.suffix));
        }
        t.line(&format!("unpack_group{}(t, q);", self.suffix));
        t.open_bare(&format!("for (i = 0; i < {}; i++)", s.texts));
        let value = if self.counts {
            w.xor("t[i]", &w.load(&at("in")))
        } else if self.chained {
            let before = if w.lanes == 1 {
                "chain".to_owned()
            } else {
                format!("previous{}(chain, texts[i])", w.bits)
            };
            w.xor("t[i]", &before)
        } else {
            "t[i]".into()
        };
        t.line(&w.store(&at("out"), &value, streaming));
        if self.chained {
            t.line("chain = texts[i];");
        }
        t.close();
    }
}
