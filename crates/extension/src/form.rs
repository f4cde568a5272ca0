//! The contribution of each input byte to an instruction's result. Most instructions for AES are sums, over the bytes
//! that they read, of a function of the byte (identity, S-box, inverse S-box) times constants in GF(2^8). This form
//! contains all that is needed to compose a round. It is found by running the interpreter, so it does not depend on how
//! the meaning is written.

use aesmith_cipher::block::{INV_MIX, INV_SBOX, MIX, SBOX, gf_mul};
use aesmith_cipher::problem::Direction;
use aesmith_isa::Isa;

use crate::file::Instruction;
use crate::meaning::compute;

/// The matrix of MixColumns (FIPS-197, 5.1.3) or of its inverse (5.3.3).
pub fn matrix(direction: Direction) -> [[u8; 4]; 4] {
    let first = match direction {
        Direction::Encrypt => MIX,
        Direction::Decrypt => INV_MIX,
    };
    std::array::from_fn(|row| std::array::from_fn(|k| first[(k + 4 - row) % 4]))
}

/// The function applied to a byte before multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Via {
    /// The identity.
    Same,
    /// The S-box.
    Sbox,
    /// The inverse S-box.
    InverseSbox,
}

impl Via {
    /// All functions.
    pub const ALL: [Via; 3] = [Via::Same, Via::Sbox, Via::InverseSbox];

    /// The S-box of a direction.
    pub fn substitution(direction: Direction) -> Via {
        match direction {
            Direction::Encrypt => Via::Sbox,
            Direction::Decrypt => Via::InverseSbox,
        }
    }

    /// The image of a byte.
    pub fn of(self, x: u8) -> u8 {
        match self {
            Via::Same => x,
            Via::Sbox => SBOX[usize::from(x)],
            Via::InverseSbox => INV_SBOX[usize::from(x)],
        }
    }

    /// The composition, `first` first, if it is one of these functions.
    pub fn after(self, first: Via) -> Option<Via> {
        match (first, self) {
            (Via::Same, via) | (via, Via::Same) => Some(via),
            (Via::Sbox, Via::InverseSbox) | (Via::InverseSbox, Via::Sbox) => Some(Via::Same),
            _ => None,
        }
    }
}

/// The contribution of a byte to a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    /// The function that is applied first.
    pub via: Via,
    /// The coefficient for each byte of the word, lowest first. If all are zero, there is no contribution, and `via` is
    /// [`Via::Same`].
    pub places: [u8; 4],
}

impl Term {
    /// The empty contribution.
    pub const NOTHING: Term = Term { via: Via::Same, places: [0; 4] };

    /// True if it contributes nothing.
    pub fn is_nothing(&self) -> bool {
        self.places == [0; 4]
    }

    /// The contribution of a byte with this value.
    pub fn of(&self, x: u8) -> u32 {
        let value = self.via.of(x);
        u32::from_le_bytes(self.places.map(|p| gf_mul(p, value)))
    }

    /// The sum with another contribution through the same function.
    pub fn plus(&self, other: &Term) -> Option<Term> {
        if self.is_nothing() {
            return Some(*other);
        }
        if !other.is_nothing() && self.via != other.via {
            return None;
        }
        let places: [u8; 4] = std::array::from_fn(|k| self.places[k] ^ other.places[k]);
        Some(if places == [0; 4] { Term::NOTHING } else { Term { via: self.via, places } })
    }
}

/// An instruction with fixed selectors, as a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// For each word that it computes from, in the order of [`compute`]: the contributions of its bytes.
    pub inputs: Vec<[Term; 4]>,
    /// The constant summand.
    pub constant: u32,
}

impl Form {
    /// Finds the form of an instruction, if it has one.
    pub fn find(isa: &Isa, instruction: &Instruction, selectors: &[u8]) -> Result<Option<Form>, String> {
        let count = instruction.inputs();
        let at = |inputs: &[u32]| compute(isa, instruction, inputs, selectors);
        let zero = at(&vec![0; count])?;
        let mut form = Form { inputs: vec![[Term::NOTHING; 4]; count], constant: zero };
        for input in 0..count {
            for byte in 0..4 {
                // The change of the result with the byte's value, for values that distinguish the three functions.
                let change = |x: u8| -> Result<u32, String> {
                    let mut words = vec![0; count];
                    words[input] = u32::from(x) << (8 * byte);
                    Ok(at(&words)? ^ zero)
                };
                let samples: Vec<(u8, u32)> =
                    PROBES.iter().map(|&x| change(x).map(|c| (x, c))).collect::<Result<_, String>>()?;
                if samples.iter().all(|&(_, c)| c == 0) {
                    continue;
                }
                let mut found = None;
                for via in Via::ALL {
                    let from = |x: u8| via.of(x) ^ via.of(0);
                    let one = (1..=255).find(|&x| from(x) == 1).unwrap_or(1);
                    let places = change(one)?.to_le_bytes();
                    let fits = |&(x, c): &(u8, u32)| c.to_le_bytes() == places.map(|p| gf_mul(p, from(x)));
                    if samples.iter().all(fits) {
                        found = Some(Term { via, places });
                        break;
                    }
                }
                let Some(term) = found else { return Ok(None) };
                form.constant ^= term.of(0);
                form.inputs[input][byte] = term;
            }
        }
        // The form must also hold for arbitrary words, as a sum.
        for k in 1..=32u32 {
            let words: Vec<u32> = (0..count as u32)
                .map(|i| (k * 8 + i).wrapping_mul(0x9e37_79b9) ^ k.rotate_left(13))
                .collect();
            if at(&words)? != form.value(&words) {
                return Ok(None);
            }
        }
        Ok(Some(form))
    }

    /// The result for these words.
    pub fn value(&self, words: &[u32]) -> u32 {
        let bytes = |(terms, word): (&[Term; 4], &u32)| {
            terms.iter().zip(word.to_le_bytes()).fold(0, |sum, (term, x)| sum ^ term.of(x))
        };
        self.inputs.iter().zip(words).map(bytes).fold(self.constant, |sum, part| sum ^ part)
    }

    /// The input that is added unchanged, if there is one.
    pub fn accumulator(&self) -> Option<usize> {
        self.inputs.iter().position(|terms| {
            terms.iter().enumerate().all(|(byte, term)| {
                let mut places = [0; 4];
                places[byte] = 1;
                *term == Term { via: Via::Same, places }
            })
        })
    }
}

/// Byte values at which functions are compared: each bit, and some more.
const PROBES: [u8; 14] = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x53, 0xff, 0x9c, 0x63, 0x37, 0xca];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::Extension;
    use crate::{meaning, sets};

    #[test]
    fn smix_is_a_sum_of_a_word_and_a_byte() {
        let extension = Extension::parse(sets::find("smix3").expect("it is there")).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let smix = extension.instructions.iter().find(|i| i.name == "smix").expect("it is there");
        let form = Form::find(&isa, smix, &[2]).expect("computes").expect("is a sum");
        assert_eq!((form.accumulator(), form.constant), (Some(0), 0));
        let mut expected = [Term::NOTHING; 4];
        expected[2] = Term { via: Via::Sbox, places: [1, 3, 2, 1] };
        assert_eq!(form.inputs[1], expected);
    }

    #[test]
    fn a_product_of_registers_is_no_sum() {
        let text = "name = \"x\"\n[[instruction]]\nname = \"and\"\nreads = [\"a\", \"b\"]\nwrites = \"d\"\nmeaning = \"d = a & b\"";
        let extension = Extension::parse(text).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        assert_eq!(Form::find(&isa, &extension.instructions[0], &[]), Ok(None));
    }
}
