//! The joint loop: one or several blocks of every stream in each iteration.

use super::{Form, Shape, Writer};
use crate::dimensions::Dim;
use aesmith_processor::c::Text;
use aesmith_processor::c::blocks;

impl Writer<'_> {
    pub(super) fn joint(&self, t: &mut Text, shape: &Shape) {
        let (w, suffix) = (&self.words, self.suffix);
        let text = 16 * shape.unroll;
        let need = text + if shape.form == Form::Folded { 16 } else { 0 };
        let restrict = if shape.restrict { "restrict " } else { "" };
        let several = self.streams > 1;
        let whose = if several { "each of the streams" } else { "the stream" };
        t.line(&format!("/* A pass takes {} of {whose}, while there are as many. */", blocks(shape.unroll)));
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
        t.open_loop(top, &more);
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
        t.close_loop(top, &more);
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
            let chain = w.lane(&format!("s{}", n / lanes), n % lanes);
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

    /// Declares the variables of a joint loop.
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
}
