//! The statements of one iteration of a joint loop.

use super::{Form, Shape, Writer};
use aesmith_dataflow::Round;

/// The statements written so far.
struct Maker<'w, 'v> {
    w: &'w Writer<'v>,
    shape: &'w Shape,
    lines: Vec<String>,
    /// The block whose texts are in `ahead<g>`.
    fetched: Option<usize>,
    /// First block of the texts in `t<g>_<i>`, for each register.
    texts: Vec<Option<usize>>,
    /// Results of each register that are not yet transposed.
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
            // The folded form uses block 0's text an iteration earlier, so its blocks count from 1.
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

    /// Text XOR round key 0, independent of the chain.
    fn mixed(&mut self, g: usize, block: usize) -> String {
        let text = self.text(g, block);
        self.w.words.xor(&text, &self.key(g, 0))
    }

    /// Writes step `row` of block `block` of a register: 0 is the XORs before the rounds, then come the rounds, then
    /// the store.
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
            self.lines.push(w.words.lanes(1).store(&to, &w.words.lane("result", lane), false));
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
                // Computed as an integer: the line may lie beyond the text, and is only a hint.
                self.lines.push(format!(
                    "_mm_prefetch((const char *)((uintptr_t){pointer}{at} + {offset}u), _MM_HINT_T0);"
                ));
            }
        }
        if kind == 2 && block == source.saturating_sub(ahead) && source < unroll {
            // The folded form uses a block's text at the end of the previous block.
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
    /// Returns the statements of one iteration.
    pub(super) fn pass(&self, shape: &Shape) -> Vec<String> {
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
}
