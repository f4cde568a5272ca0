//! Messages: a thread takes every so-manieth block of text, as far as there are any.

use aesmith_cipher::Problem;

use super::tables::{Places, Shape};
use super::writer::Writer;

/// A kernel for messages.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The problem.
    pub problem: Problem,
    /// How rounds are computed.
    pub shape: Shape,
    /// Blocks of text that a thread works on side by side, a block of threads apart.
    pub blocks: i32,
}

/// Registers that stay as they are, and the number of the thread's next block.
struct Course {
    places: Places,
    input: i32,
    output: i32,
    count: i32,
    next: i32,
    step: i32,
}

impl Message {
    /// Writes it.
    pub fn write(self, w: &mut Writer) {
        let base = w.word("tables", &[]);
        self.shape.fill(w, base);
        w.put("barrier", &[]);
        let lane = self.shape.lane(w);
        let twice = w.word("add", &[("a", lane), ("b", lane)]);
        let course = self.course(w, Places { base, lane, twice });
        let none = w.predicate("ge", &[("y", course.next), ("z", course.count)]);
        w.branch_if(none, "DONE");
        w.label("NEXT");
        self.turn(w, &course);
        w.put("add64", &[("x", course.next), ("y", course.next), ("z", course.step)]);
        let more = w.predicate("lt", &[("y", course.next), ("z", course.count)]);
        w.branch_if(more, "NEXT");
        w.label("DONE");
        w.put("ret", &[]);
    }

    /// Blocks of text that a block of threads takes in a turn.
    fn taken(self) -> i32 {
        self.shape.threads * self.blocks
    }

    fn course(self, w: &mut Writer, places: Places) -> Course {
        let parameter = |w: &mut Writer, of: i32| w.double("parameter", &[("of", of)]);
        let [input, output, count] = [0, 1, 2].map(|of| parameter(w, of));
        let thread = w.word("tid", &[]);
        let (block, blocks) = (w.word("ctaid", &[]), w.word("nctaid", &[]));
        let wide = w.double("widen", &[("a", thread)]);
        let first = w.double("product", &[("a", block), ("n", self.taken())]);
        let next = w.double("add64", &[("y", first), ("z", wide)]);
        let step = w.double("product", &[("a", blocks), ("n", self.taken())]);
        Course { places, input, output, count, next, step }
    }

    /// A turn of the loop.
    fn turn(self, w: &mut Writer, course: &Course) {
        let offset = w.double("shl64", &[("y", course.next), ("n", 4)]);
        let from = w.double("add64", &[("y", course.input), ("z", offset)]);
        let to = w.double("add64", &[("y", course.output), ("z", offset)]);
        // The first block there is; whether the others are is asked.
        let there: Vec<Option<i32>> = (0..self.blocks)
            .map(|k| {
                (k > 0).then(|| {
                    let number = w.double("add64_n", &[("y", course.next), ("n", k * self.shape.threads)]);
                    w.predicate("lt", &[("y", number), ("z", course.count)])
                })
            })
            .collect();
        let texts: Vec<[i32; 4]> = (0..).zip(&there).map(|(k, p)| self.load(w, from, k, *p)).collect();
        let results = self.cipher(w, course, texts);
        for ((k, p), block) in (0..).zip(&there).zip(results) {
            let fields = self.quad(to, k, block);
            match p {
                None => w.put("st_global", &fields),
                Some(p) => w.put("st_global_if", &[&fields[..], &[("p", *p)]].concat()),
            }
        }
    }

    /// Operands of an access to block `k` of a turn.
    fn quad(self, at: i32, k: i32, block: [i32; 4]) -> [(&'static str, i32); 6] {
        let off = 16 * k * self.shape.threads;
        [("y", at), ("off", off), ("b", block[0]), ("b2", block[1]), ("b3", block[2]), ("b4", block[3])]
    }

    fn load(self, w: &mut Writer, from: i32, k: i32, there: Option<i32>) -> [i32; 4] {
        let block: [i32; 4] = w.several();
        let fields = self.quad(from, k, block);
        match there {
            None => w.put("ld_global", &fields),
            Some(p) => {
                // Of a block that is not there, zeros are enciphered and not stored.
                for word in block {
                    w.put("mov_n", &[("d", word), ("n", 0)]);
                }
                w.put("ld_global_if", &[&fields[..], &[("p", p)]].concat());
            }
        }
        block
    }

    /// The cipher on several blocks.
    fn cipher(self, w: &mut Writer, course: &Course, mut states: Vec<[i32; 4]>) -> Vec<[i32; 4]> {
        let rounds = self.problem.key.rounds();
        for round in 0..=rounds {
            let key: [i32; 4] = std::array::from_fn(|k| w.word("key", &[("n", (16 * round + 4 * k) as i32)]));
            for state in &mut states {
                *state = match round {
                    0 => std::array::from_fn(|k| w.word("xor", &[("a", state[k]), ("b", key[k])])),
                    _ if round < rounds => self.shape.round(w, course.places, *state, key),
                    _ => self.shape.last(w, course.places, *state, key),
                };
            }
        }
        states
    }
}
