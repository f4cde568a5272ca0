//! The kernels that are explored on each processor: key schedules, block functions, and block functions that compute
//! round keys on the fly; and the columns of the comparison.

use std::fmt;

use aesmith_arrange::Variant;
use aesmith_cipher::problem::{Direction, KeySize};
use aesmith_cipher::{Problem, Task};
use aesmith_processor::core::Core;
use serde::{Serialize, Serializer};

/// A kind of kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Computes round keys from a cipher key.
    KeySchedule,
    /// Encrypts or decrypts one block with stored round keys.
    Cipher,
    /// Encrypts or decrypts one block from the cipher key itself.
    OnTheFly,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::KeySchedule, Kind::Cipher, Kind::OnTheFly];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::KeySchedule => "key schedule",
            Kind::Cipher => "cipher",
            Kind::OnTheFly => "on the fly",
        })
    }
}

/// A requested kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// Its kind.
    pub kind: Kind,
    /// Its direction.
    pub direction: Direction,
    /// The size of its key.
    pub key: KeySize,
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let direction = if self.direction == Direction::Encrypt { "encrypt" } else { "decrypt" };
        serde_json::json!({ "kind": self.kind, "direction": direction, "key": self.key.bits() }).serialize(to)
    }
}

impl Part {
    /// All parts, in the order of the tables.
    pub fn all() -> Vec<Part> {
        let mut all = Vec::new();
        for key in KeySize::ALL {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                all.extend(Kind::ALL.map(|kind| Part { kind, direction, key }));
            }
        }
        all
    }

    /// AES-128 encryption by a kind of kernel.
    pub fn encrypt128(kind: Kind) -> Part {
        Part { kind, direction: Direction::Encrypt, key: KeySize::Aes128 }
    }

    /// The problem of this part.
    pub fn problem(&self) -> Problem {
        let task = match self.kind {
            Kind::KeySchedule => Task::KeySchedule(self.direction),
            Kind::Cipher | Kind::OnTheFly => Task::Ecb(self.direction),
        };
        Problem::new(self.key, task)
    }

    /// True if a variant of the problem is of this kind; kernels of several blocks at once never are. Where
    /// instructions need another order of the state than their file says, ciphers and key schedules both use that
    /// order, so that their round keys match.
    pub fn has(&self, variant: &Variant) -> bool {
        let layout = variant.table.dimensions.iter().find(|d| d.name == "layout");
        if self.kind != Kind::OnTheFly
            && layout.is_some_and(|layout| (layout.applies)(variant))
            && variant.text_of("layout") == Some("stated")
        {
            return false;
        }
        let sliced =
            variant.text_of("technique") == Some("bitsliced") || variant.text_of("keys") == Some("sliced");
        let fly = variant.text_of("schedule") == Some("fly");
        !sliced && fly == (self.kind == Kind::OnTheFly)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.direction == Direction::Encrypt { "encrypt" } else { "decrypt" };
        write!(f, "AES-{} {direction}, {}", self.key.bits(), self.kind)
    }
}

/// The technique of the baseline.
const BYTEWISE: &str = "bytewise";

/// A column of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Column {
    /// Kernels with the extension's instructions.
    Extended,
    /// The fastest plain code.
    Plain,
    /// S-box tables and MixColumns in plain code: the original of Bertoni et al.
    Baseline,
}

impl Column {
    /// True if a variant of `core` belongs in this column. An extended processor has its base's techniques and its own.
    pub fn has(self, base: &Core, core: &Core, variant: &Variant) -> bool {
        let named = |core: &Core| core.table.dimensions.iter().find(|d| d.name == "technique");
        let Some(technique) = named(core) else { return true };
        let plain = || {
            named(base).is_some_and(|d| variant.text_of(d.name).is_some_and(|value| d.read(value).is_ok()))
        };
        // Key schedules without this technique use the S-box table all the same.
        let may_be_bytewise = || {
            let value = technique.read(BYTEWISE);
            value.is_ok_and(|value| (technique.applies)(&variant.clone().with(technique, value)))
        };
        match self {
            Column::Baseline => variant.text_of(technique.name) == Some(BYTEWISE) || !may_be_bytewise(),
            Column::Extended => !(technique.applies)(variant) || !plain(),
            Column::Plain => true,
        }
    }

    /// The message for a column without variants.
    pub fn missing(self) -> &'static str {
        match self {
            Column::Extended => "there is no writer with custom instructions",
            Column::Plain => "there is no plain code",
            Column::Baseline => "there is no S-box code",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_divide_the_variants_of_a_problem() {
        for name in ["arm7tdmi", "picorv32"] {
            let core = aesmith_processors::core(name).unwrap();
            let count = |part: Part, column: Column| {
                let all = core.table.all(part.problem());
                all.iter().filter(|v| part.has(v) && column.has(core, core, v)).count()
            };
            let cipher = Part::encrypt128(Kind::Cipher);
            let fly = Part::encrypt128(Kind::OnTheFly);
            assert!(count(cipher, Column::Plain) > count(cipher, Column::Baseline), "{name}");
            assert!(count(fly, Column::Plain) > 0, "{name}");
            let schedule = Part::encrypt128(Kind::KeySchedule);
            assert_eq!(count(schedule, Column::Plain), count(schedule, Column::Baseline), "{name}");
        }
        assert_eq!(Part::all().len(), 18);
    }
}
