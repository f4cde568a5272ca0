//! The kind of calls for which kernels are compared.

use crate::problem::nearest;
use std::fmt;
use std::str::FromStr;

/// The call pattern that a kernel is tuned for. Costs of different patterns are never compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Calls {
    /// Calls in steady state: independent calls back to back, as on a server under load.
    #[default]
    Steady,
    /// One call after 100 microseconds of other work, as in a program with rare messages: wide vector units are powered
    /// down, and nothing overlaps.
    Cold,
}

impl Calls {
    /// Both patterns, the default first.
    pub const ALL: [Calls; 2] = [Calls::Steady, Calls::Cold];

    /// The name in commands, files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Calls::Steady => "steady",
            Calls::Cold => "cold",
        }
    }

    /// A description for users.
    pub fn meaning(self) -> &'static str {
        match self {
            Calls::Steady => "independent calls, back to back",
            Calls::Cold => "one call after 100 microseconds of other work",
        }
    }

    /// True if each call is made alone after other work.
    pub fn is_cold(self) -> bool {
        self == Calls::Cold
    }
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Calls {
    type Err = String;

    fn from_str(text: &str) -> Result<Calls, String> {
        Calls::ALL.into_iter().find(|calls| calls.name() == text).ok_or_else(|| {
            let names = Calls::ALL.map(|calls| calls.name().to_owned());
            format!(
                "`{text}` is no kind of calls; did you mean {}? Kernels are tuned for {}",
                nearest(text, &names, 1).join(""),
                names.join(" or ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_others_are_refused_with_the_nearest() {
        for calls in Calls::ALL {
            assert_eq!(calls.to_string().parse(), Ok(calls));
        }
        assert_eq!(Calls::default(), Calls::Steady);
        assert!("could".parse::<Calls>().unwrap_err().contains("did you mean cold?"));
    }
}
