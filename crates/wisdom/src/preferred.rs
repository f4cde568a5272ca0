//! Chooses the preferred one of several confirmed kernels. Those whose proof the checker accepts precede all others. Of them
//! it is the fastest, unless one that is equally fast within the noise takes clearly less code. Large code has costs that no
//! measurement of one kernel in a loop shows: instruction cache, pages, download.

use crate::record::Best;

/// Maximum noise that counts. On a noisier machine, kernels may really differ by more than smaller code is worth.
pub(crate) const MOST_NOISE: f64 = 0.02;

/// Ratio of code sizes from which the smaller of two equally fast kernels is preferred.
pub(crate) const LARGER: u64 = 2;

/// The properties of a kernel that the preference depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merits {
    /// Its cost.
    pub cost: f64,
    /// Bytes of its code and constants.
    pub code: Option<u64>,
    /// Noise floor of its confirmation: minimum significant distance of a ratio from 1.
    pub noise: Option<f64>,
    /// True if the checker of proofs accepts a proof of it.
    pub accepted: bool,
}

impl Best {
    /// True if the checker of proofs accepted a proof of it when it was confirmed.
    pub fn is_accepted(&self) -> bool {
        self.certificate.get("checked").is_some_and(|checked| !checked.is_null())
    }

    /// The properties that the preference depends on, with its confirmed cost.
    pub fn merits(&self) -> Merits {
        Merits { cost: self.median, code: self.code, noise: self.noise, accepted: self.is_accepted() }
    }
}

/// The index of the preferred kernel: the fastest of those that the checker of proofs accepts, if there are any; then, as long as there are kernels with at most half of its code
/// that are slower than the fastest by no more than the noise of their confirmations, the fastest of these. A kernel
/// with unknown code size or noise is judged by its cost alone.
pub fn preferred<T>(kernels: &[T], merits: impl Fn(&T) -> Merits) -> Option<usize> {
    let all: Vec<Merits> = kernels.iter().map(merits).collect();
    let fastest_of =
        |places: &mut dyn Iterator<Item = usize>| places.min_by(|a, b| all[*a].cost.total_cmp(&all[*b].cost));
    let is_any_accepted = all.iter().any(|merits| merits.accepted);
    let counts = |at: &usize| all[*at].accepted || !is_any_accepted;
    let fastest = fastest_of(&mut (0..all.len()).filter(counts))?;
    let as_fast = |at: usize| {
        let noise = all[fastest].noise.zip(all[at].noise).map_or(0.0, |(a, b)| a.max(b));
        all[at].cost <= all[fastest].cost * (1.0 + noise.min(MOST_NOISE))
    };
    let mut chosen = fastest;
    while let Some(code) = all[chosen].code {
        let smaller = |at: usize| all[at].code.is_some_and(|bytes| bytes < code && bytes <= code / LARGER);
        match fastest_of(&mut (0..all.len()).filter(counts).filter(|&at| smaller(at) && as_fast(at))) {
            Some(next) => chosen = next,
            None => break,
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(cost: f64, code: impl Into<Option<u64>>, noise: impl Into<Option<f64>>) -> Merits {
        Merits { cost, code: code.into(), noise: noise.into(), accepted: false }
    }

    fn choice(kernels: &[Merits]) -> Option<usize> {
        preferred(kernels, |merits| *merits)
    }

    #[test]
    fn smaller_code_is_preferred_where_speed_differs_by_less_than_the_noise() {
        let large = kernel(0.2000, 9000, 0.005);
        assert_eq!(choice(&[large, kernel(0.2009, 4500, 0.005)]), Some(1), "a half, within the noise");
        assert_eq!(choice(&[large, kernel(0.2009, 4501, 0.005)]), Some(0), "not clearly smaller");
        assert_eq!(choice(&[large, kernel(0.2011, 400, 0.005)]), Some(0), "slower by more than the noise");
        assert_eq!(choice(&[large, kernel(0.2009, 400, None)]), Some(0), "its noise is not known");
        assert_eq!(choice(&[large, kernel(0.2009, None, 0.005)]), Some(0), "its code is not known");
        assert_eq!(choice(&[kernel(0.2009, 4500, 0.005), large]), Some(0), "in whichever order");
        assert_eq!(choice(&[]), None);
    }

    #[test]
    fn what_the_checker_accepts_precedes_all_others() {
        let fast = kernel(0.1, 900, 0.005);
        let accepted = |kernel: Merits| Merits { accepted: true, ..kernel };
        let [slow, slower, small] = [(0.3, 9000), (0.31, 8000), (0.3005, 4000)]
            .map(|(cost, code)| accepted(kernel(cost, code, 0.005)));
        assert_eq!(choice(&[fast, slow, slower]), Some(1));
        assert_eq!(choice(&[fast, slow, slower, small]), Some(3), "the smaller one of those");
        assert_eq!(choice(&[slow, accepted(fast)]), Some(1));
        // Code that is smaller counts among them alone.
        assert_eq!(choice(&[kernel(0.3, 100, 0.005), slow]), Some(1));
    }

    #[test]
    fn certificates_state_what_the_checker_accepts() {
        let of = |text: &str| Best { certificate: serde_json::from_str(text).unwrap(), ..Best::default() };
        let stated = |text: &str| of(text).is_accepted();
        assert!(stated(r#"{"checked": {"by": "aesmith-check"}}"#));
        assert!(!stated(r#"{"checked": null}"#) && !stated("{}") && !stated("null"));
    }

    #[test]
    fn noise_counts_for_no_more_than_two_hundredths() {
        assert_eq!(choice(&[kernel(0.2, 9000, 0.3), kernel(0.2041, 900, 0.3)]), Some(0));
        assert_eq!(choice(&[kernel(0.2, 9000, 0.3), kernel(0.2039, 900, 0.3)]), Some(1));
    }

    #[test]
    fn the_fastest_of_those_that_are_clearly_smaller_is_preferred() {
        let all = [9000, 4400, 4300, 2100].map(|code| kernel(0.2 + 1e-7 * (9000 - code) as f64, code, 0.01));
        assert_eq!(choice(&all[..3]), Some(1), "the third saves little more than the second");
        assert_eq!(choice(&all), Some(3), "the last takes less than a half of that again");
        // However many steps there are, all kernels are compared with the fastest.
        let steps = [(0.2, 8000), (0.2015, 4000), (0.203, 2000)].map(|(cost, code)| kernel(cost, code, 0.01));
        assert_eq!(choice(&steps), Some(1));
    }
}
