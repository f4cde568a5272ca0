//! Numbers with units, as users write them: `32KiB`, `30s`, `16B..1MiB`.

use aesmith_cipher::Problem;
use std::time::Duration;

/// Suffixes of sizes in lower case, and their bytes; all units are binary. A suffix precedes those that it ends with.
const SIZES: &[(&str, u64)] = &[
    ("gib", 1 << 30),
    ("mib", 1 << 20),
    ("kib", 1 << 10),
    ("g", 1 << 30),
    ("m", 1 << 20),
    ("k", 1 << 10),
    ("b", 1),
];

/// Suffixes of durations, in seconds.
const TIMES: &[(&str, f64)] = &[("ms", 1e-3), ("min", 60.0), ("h", 3600.0), ("s", 1.0), ("m", 60.0)];

/// The maximum message length that is measured, in bytes: buffers for it and its copies must fit into memory.
const LONGEST: u64 = 1 << 30;

/// Reads a number of bytes: `700`, `2k`, `2 KiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let small = text.trim().to_ascii_lowercase();
    let found = SIZES.iter().find_map(|(suffix, unit)| Some((small.strip_suffix(suffix)?, *unit)));
    let (digits, unit) = found.unwrap_or((&small, 1));
    let number: Option<u64> = digits.trim_end().parse().ok();
    number.and_then(|n| n.checked_mul(unit)).ok_or_else(|| {
        "a size is a whole number of bytes, alone or with KiB, MiB or GiB (k, M, G), such as 700, 2k or 32KiB".to_owned()
    })
}

/// Reads a message length.
pub fn size(text: &str) -> Result<usize, String> {
    match bytes(text)? {
        bytes @ 1..=LONGEST => Ok(bytes as usize),
        _ => Err("the length of a message is from 1 B to 1 GiB".to_owned()),
    }
}

/// Reads the seed of a search.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}, such as 7", u64::MAX))
}

/// Reads a number of things, at least one.
pub fn count(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| "it is a whole number from 1 on, such as 500".to_owned())
}

/// Reads a duration.
pub fn time(text: &str) -> Result<Duration, String> {
    let found = TIMES.iter().find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, *unit)));
    let (digits, unit) = found.unwrap_or((text, 1.0));
    let number: Option<f64> = digits.trim().parse().ok();
    number
        .map(|n| n * unit)
        .filter(|seconds| *seconds > 0.0 && *seconds <= 1e7)
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "a length of time is a number above 0 with ms, s, m or h, such as 30s".to_owned())
}

/// Message lengths: a list, `16B,1KiB`, or all powers of two in a range, `16B..1MiB`, with both ends.
pub fn sizes(text: &str) -> Result<Sizes, String> {
    let Some((first, last)) = text.split_once("..") else {
        return text.split(',').map(size).collect::<Result<_, _>>().map(Sizes);
    };
    let (first, last) = (size(first)?, size(last.trim_start_matches('='))?);
    if first > last {
        return Err(format!("`{text}` is an empty range: its first size is larger than its last"));
    }
    let mut all = vec![first];
    let mut next = (first + 1).next_power_of_two();
    while next < last {
        all.push(next);
        next *= 2;
    }
    if last != first {
        all.push(last);
    }
    Ok(Sizes(all))
}

/// Message lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<usize>);

/// A size in readable form: `32 KiB`, `100 B`.
pub fn show_size(bytes: u64) -> String {
    let unit = [("MiB", 1u64 << 20), ("KiB", 1 << 10)]
        .into_iter()
        .find(|(_, u)| bytes >= *u && bytes.is_multiple_of(*u));
    unit.map_or_else(|| format!("{bytes} B"), |(name, unit)| format!("{} {name}", bytes / unit))
}

/// A number of cycles; with two decimals unless it is whole.
pub fn cycles(value: f64) -> String {
    if value.fract().abs() < 0.005 { grouped(value.round() as u128) } else { format!("{value:.2}") }
}

/// The short unit of a problem's costs on this machine.
pub fn unit(problem: Problem) -> &'static str {
    if problem.is_message() { "c/B" } else { "cycles/key" }
}

/// A whole number with thousands separators: `221,184`.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time in UTC in readable form: `2026-11-21 21:40`. The civil date from the day number is Howard Hinnant's algorithm
/// ("chrono-compatible low-level date algorithms").
pub fn show_moment(ms_since_1970: u64) -> String {
    let minutes = ms_since_1970 / 60_000;
    let days = (minutes / 1440) as i64 + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_size_is_the_same_size() {
        for text in ["2048", "2k", "2K", "2 k", "2KiB", "2 KiB", "2kib", " 2KIB", "2048 B", "2048b"] {
            assert_eq!((bytes(text), size(text)), (Ok(2048), Ok(2048)), "{text}");
        }
        assert_eq!((bytes("1 MiB"), bytes("3m"), bytes("1GiB")), (Ok(1 << 20), Ok(3 << 20), Ok(1 << 30)));
        // A memory may be empty, a message may not.
        assert_eq!(bytes("0"), Ok(0));
        for wrong in
            ["", "k", "-1", "2kb", "2.5k", "2 k i b", "two", "99999999999999999999k", "99999999999GiB"]
        {
            assert!(bytes(wrong).is_err_and(|why| why.starts_with("a size is a whole number")), "{wrong}");
            assert_eq!(
                size(wrong).unwrap_err(),
                bytes(wrong).unwrap_err(),
                "one sentence for what is no size"
            );
        }
        assert!(size("0").is_err() && size("2GiB").is_err());
    }

    #[test]
    fn times_read() {
        assert_eq!(time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert!(
            time("-1s").is_err() && time("soon").is_err() && time("nan").is_err() && time("inf").is_err()
        );
    }

    #[test]
    fn ranges_are_powers_of_two_between_their_ends() {
        assert_eq!(sizes("16B..128").unwrap().0, [16, 32, 64, 128]);
        assert_eq!(sizes("100..300").unwrap().0, [100, 128, 256, 300]);
        assert_eq!(sizes("64..64").unwrap().0, [64]);
        assert_eq!(sizes("1KiB,16").unwrap().0, [1024, 16]);
        assert!(sizes("64..16").is_err());
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(221_184), "221,184");
        assert_eq!(grouped(7), "7");
        assert_eq!(show_size(32 << 10), "32 KiB");
        assert_eq!(show_size(100), "100 B");
        assert_eq!(show_moment(0), "1970-01-01 00:00");
        assert_eq!(show_moment(1_795_297_200_000), "2026-11-21 21:40");
    }
}
