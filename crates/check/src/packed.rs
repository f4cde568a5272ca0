//! Packed certificates: a text of version 4 stands for one of version 2, which is what is checked.

use crate::certificate::TITLE as PLAIN_TITLE;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// The first line of a packed certificate.
pub const TITLE: &str = "aesmith certificate with proof, version 4";

/// The digits of base64 in order of their values (RFC 4648, 4).
const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The most bytes that are unpacked.
const MOST: usize = 1 << 24;

/// The text of version 2 that a packed certificate stands for; any other text stands for itself.
pub fn plain(text: &str) -> Option<Cow<'_, str>> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.trim() != TITLE {
        return Some(text.into());
    }
    let (mut code, mut lines) = (String::new(), String::new());
    for line in rest.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(' ')? {
            ("code", digits) => code += digits,
            ("text", digits) => lines += digits,
            _ => return None,
        }
    }
    let (code, lines) = (unpacked(&base64(&code)?)?, unpacked(&base64(&lines)?)?);
    let lines = core::str::from_utf8(&lines).ok()?;
    if lines.lines().any(|line| line.trim().starts_with("code ")) {
        return None;
    }
    let mut all = String::with_capacity(2 * code.len() + lines.len() + 64);
    writeln!(all, "{PLAIN_TITLE}").ok()?;
    for line in code.chunks(48) {
        all += "code ";
        line.iter().try_for_each(|byte| write!(all, "{byte:02x}")).ok()?;
        all.push('\n');
    }
    all += lines;
    Some(all.into())
}

/// The bytes of digits of base64 without padding. Bits behind the last byte are zero.
fn base64(digits: &str) -> Option<Vec<u8>> {
    let (mut all, mut bits, mut count) = (Vec::new(), 0, 0);
    for digit in digits.bytes() {
        bits = bits << 6 | DIGITS.iter().position(|&other| other == digit)?;
        count += 6;
        if count >= 8 {
            count -= 8;
            all.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (bits == 0 && count < 6).then_some(all)
}

/// The bytes of a block of LZ4: sequences of bytes as they stand, each but the last with a copy of bytes before them.
fn unpacked(block: &[u8]) -> Option<Vec<u8>> {
    let (mut all, mut rest) = (Vec::new(), block.iter().map(|&byte| usize::from(byte)));
    loop {
        let token = rest.next()?;
        for _ in 0..length(token >> 4, &mut rest)? {
            all.push(rest.next()? as u8);
        }
        if all.len() > MOST {
            return None;
        }
        let Some(low) = rest.next() else { return Some(all) };
        let from = all.len().checked_sub(low | rest.next()? << 8)?;
        let count = 4 + length(token & 15, &mut rest)?;
        if all.len() + count > MOST {
            return None;
        }
        // A copy may reach into itself.
        for at in from..from + count {
            all.push(*all.get(at)?);
        }
    }
}

/// A length of four bits; if it is 15, bytes are added, up to the first that is not 255.
fn length(bits: usize, rest: &mut impl Iterator<Item = usize>) -> Option<usize> {
    let mut sum = bits;
    let mut last = if bits == 15 { 255 } else { 0 };
    while last == 255 {
        last = rest.next()?;
        sum += last;
    }
    Some(sum)
}
