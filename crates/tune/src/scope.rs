//! Which techniques may be chosen: what the person asked for, what the target can do, and whether
//! look-ups at secret addresses are allowed.

use crate::error::TuneError;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_kernel::Target;
use std::fmt;
use std::str::FromStr;

/// A technique as a person names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Asked {
    /// Whichever is fastest.
    #[default]
    Auto,
    /// AES instructions on xmm.
    Aesni,
    /// AES instructions on ymm and zmm.
    Vaes,
    /// One of the others, or AES instructions on any width.
    Only(Technique),
}

impl Asked {
    /// Every name, with what it asks for.
    pub fn all() -> Vec<(&'static str, Asked)> {
        let mut all = vec![("auto", Asked::Auto), ("aesni", Asked::Aesni), ("vaes", Asked::Vaes)];
        all.extend(Technique::ALL.map(|t| (t.name(), Asked::Only(t))));
        all
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = Asked::all();
        f.write_str(all.iter().find(|(_, asked)| asked == self).map_or("auto", |(name, _)| name))
    }
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Asked, String> {
        let all = Asked::all();
        all.iter().find(|(name, _)| *name == text).map(|(_, asked)| *asked).ok_or_else(|| {
            let names: Vec<String> = all.iter().map(|(name, _)| (*name).to_owned()).collect();
            let near = aesmith_cipher::problem::nearest(text, &names, 1);
            format!("there is no technique `{text}`; did you mean {}? All are: {}", near[0], names.join(", "))
        })
    }
}

/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Scope {
    /// The technique asked for.
    pub asked: Asked,
    /// Whether look-ups at secret addresses are allowed.
    pub variable_time: bool,
}

impl Scope {
    /// The techniques to choose among on a target, in the order in which they are expected to do
    /// well where nothing is measured. AES instructions leave all others behind where they are
    /// (0.16 c/B against 0.4 and more on the core of the published figures), so that they are then
    /// alone.
    ///
    /// # Errors
    /// The target lacks what the technique asked for needs, or it is variable time and that is not
    /// allowed: says which, and what would work.
    pub fn techniques(&self, target: &Target) -> Result<Vec<Technique>, TuneError> {
        const EXPECTED: [Technique; 7] = [
            Technique::Aes,
            Technique::Gfni,
            Technique::Vperm,
            Technique::Bitsliced,
            Technique::Vbmi,
            Technique::Table,
            Technique::Bytewise,
        ];
        let usable = |t: &Technique| target.lanes_of(*t) > 0 && (self.variable_time || !t.looks_up_secrets());
        let would_work = || {
            let names: Vec<&str> = EXPECTED.iter().filter(|t| usable(t)).map(|t| t.name()).collect();
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        };
        let one = match self.asked {
            Asked::Auto => {
                let all: Vec<Technique> = EXPECTED.into_iter().filter(usable).collect();
                return match all.first() {
                    None => Err(TuneError::Unsupported(
                        "no technique can be used with these CPU features: at least SSE2 is needed".into(),
                    )),
                    Some(Technique::Aes) => Ok(vec![Technique::Aes]),
                    Some(_) => Ok(all),
                };
            }
            Asked::Aesni | Asked::Vaes => Technique::Aes,
            Asked::Only(technique) => technique,
        };
        if one.looks_up_secrets() && !self.variable_time {
            return Err(TuneError::Usage(format!(
                "the technique {one} looks tables up at addresses that depend on secrets, and constant time \
                 is asked for (the default); --allow-variable-time allows it, and {} work in constant time here",
                would_work()
            )));
        }
        if target.lanes_of(one) == 0 || (self.asked == Asked::Vaes && target.lanes_of(one) < 2) {
            return Err(TuneError::Unsupported(format!(
                "the technique {} needs {}, which the CPU features to be used lack; {} would work",
                self.asked,
                if self.asked == Asked::Vaes { "VAES and AVX2" } else { Target::needs(one) },
                would_work()
            )));
        }
        Ok(vec![one])
    }

    /// Whether a variant may be chosen.
    pub fn admits(&self, variant: &Variant) -> bool {
        (self.variable_time || !variant.technique.looks_up_secrets())
            && match self.asked {
                Asked::Auto => true,
                Asked::Aesni | Asked::Vaes if variant.problem.is_key_set_up() => {
                    variant.technique == Technique::Aes
                }
                Asked::Aesni => variant.technique == Technique::Aes && variant.lanes() == 1,
                Asked::Vaes => variant.technique == Technique::Aes && variant.lanes() > 1,
                Asked::Only(technique) => variant.technique == technique,
            }
    }

    /// The scope in which the key set-up of a kernel of this scope is chosen.
    pub fn for_keys(self, problem: Problem) -> Scope {
        match self.asked {
            Asked::Aesni | Asked::Vaes if problem.is_key_set_up() => {
                Scope { asked: Asked::Only(Technique::Aes), ..self }
            }
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::x86::features::Features;

    fn scope(asked: &str, variable_time: bool) -> Scope {
        Scope { asked: asked.parse().unwrap(), variable_time }
    }

    #[test]
    fn names_round_trip() {
        for (name, asked) in Asked::all() {
            assert_eq!(name.parse(), Ok(asked));
            assert_eq!(asked.to_string(), name);
        }
        assert!("tabel".parse::<Asked>().unwrap_err().contains("did you mean table"));
    }

    #[test]
    fn what_is_lacking_and_what_would_work_is_said() {
        let sse2 = Target { features: Features::SSE2 };
        let error = scope("gfni", false).techniques(&sse2).unwrap_err().to_string();
        assert!(error.contains("needs GFNI") && error.contains("bitsliced would work"), "{error}");
        let error = scope("table", false).techniques(&Target::ALL).unwrap_err().to_string();
        assert!(error.contains("--allow-variable-time") && error.contains("gfni"), "{error}");
        assert_eq!(scope("table", true).techniques(&sse2).unwrap(), [Technique::Table]);
        assert_eq!(scope("auto", false).techniques(&sse2).unwrap(), [Technique::Bitsliced]);
        assert_eq!(scope("auto", true).techniques(&Target::ALL).unwrap(), [Technique::Aes]);
        assert!(scope("vaes", false).techniques(&Target::AESNI).is_err());
    }

    #[test]
    fn a_scope_admits_its_own() {
        let v = |text: &str| text.parse::<Variant>().unwrap();
        assert!(scope("aesni", false).admits(&v("aes128-ctr")));
        assert!(!scope("vaes", false).admits(&v("aes128-ctr")));
        assert!(scope("vaes", false).admits(&v("aes128-key")));
        assert!(!scope("auto", false).admits(&v("aes128-ctr technique=table")));
        assert!(scope("auto", true).admits(&v("aes128-ctr technique=table")));
    }
}
