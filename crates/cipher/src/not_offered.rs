//! Known modes and ciphers that are not offered, each with the available parts of it.

use crate::problem::KeySize;

/// The sentences for modes: `{}` stands for `aes128`, `aes192` or `aes256`.
const MODES: &[(&str, &str)] = &[
    (
        "gcm-siv",
        "GCM-SIV is not offered: neither is POLYVAL, nor a counter whose first 32 bits count, little-endian",
    ),
    (
        "gcm-table",
        "the powers of the hash key are a part of the key of `{}-gcm`, which makes them, and are not tuned by themselves",
    ),
    (
        "ccm",
        "CCM is not offered; `{}-ctr` is its cipher half, which authenticates nothing by itself, and the last block that \
         `{}-cbc` gives is its CBC-MAC",
    ),
    ("eax", "EAX is not offered, for CMAC is not; `{}-ctr` is its cipher half, which authenticates nothing"),
    (
        "ocb",
        "OCB is not offered; `{}-ecb` encrypts its blocks, to which the offsets must be added before and after, and \
         authenticates nothing by itself",
    ),
    ("siv", "SIV is not offered, for CMAC is not; `{}-ctr` is its cipher half, which authenticates nothing"),
    ("xts", "XTS has no keys of 192 bits; there are `aes128-xts` and `aes256-xts`, and those with `-dec`"),
    ("ofb", "OFB is not offered; its key stream is what `{}-cbc` makes of zeros"),
    (
        "cfb",
        "CFB is not offered; its decryption is `{}-ecb` of the ciphertext before, added to the ciphertext",
    ),
    ("cmac", "CMAC is not offered; all but its last block is `{}-cbc`"),
    ("kw", "key wrap is not offered; `{}-ecb` and `{}-ecb-dec` encrypt and decrypt its blocks"),
    ("ctr-dec", "there is no decryption of counter mode by itself, for it is the same function: `{}-ctr`"),
    (
        "ctr-table",
        "the counter table is a part of the key of `{}-ctr`, which makes it, and is not tuned by itself",
    ),
];

/// Ciphers other than AES.
const CIPHERS: &[&str] =
    &["chacha", "salsa", "des", "3des", "sm4", "aria", "camellia", "serpent", "twofish", "blowfish", "ascon"];

/// The available functions, for messages about unavailable ones.
pub const OFFERED: &str =
    "aesmith makes ECB, CBC, CTR, GCM and XTS, and the key schedules, of AES-128, AES-192 and AES-256";

/// The sentence for a well-known name that is not offered; `None` if the name is more likely a typing error.
pub fn not_offered(name: &str) -> Option<String> {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    if let Some(cipher) = CIPHERS.iter().find(|c| name.starts_with(**c)) {
        return Some(format!("`{cipher}` is not AES: {OFFERED}"));
    }
    let words = || name.split('-');
    let key = KeySize::ALL.iter().find(|key| name.contains(&key.bits().to_string()));
    let aes = format!("aes{}", key.unwrap_or(&KeySize::Aes128).bits());
    let named = |mode: &str| {
        format!("-{name}-").contains(&format!("-{mode}-"))
            // Key wrap is also written KWP, and CFB with its shift width in bits: CFB8.
            || words().any(|w| w.strip_prefix(mode).is_some_and(|rest| ["p", "1", "8", "128"].contains(&rest)))
    };
    let (_, said) = MODES.iter().find(|(mode, _)| named(mode))?;
    Some(format!("{}; {OFFERED}", said.replace("{}", &aes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;

    #[test]
    fn what_is_named_instead_is_offered() {
        for (mode, _) in MODES {
            for bits in ["128", "192", "256"] {
                let said = not_offered(&format!("aes{bits}-{mode}")).expect(mode);
                for (_, word) in said.split('`').enumerate().filter(|(i, _)| i % 2 == 1) {
                    if word.starts_with('-') {
                        continue;
                    }
                    assert!(word.contains(bits) || *mode == "xts", "{said}");
                    word.parse::<Problem>().unwrap_or_else(|e| panic!("{said}: {e}"));
                }
            }
        }
    }

    /// The sentence says that the mode named in place of one that authenticates does not.
    #[test]
    fn what_authenticates_nothing_says_so() {
        for mode in ["ccm", "eax", "ocb", "siv"] {
            let said = not_offered(&format!("aes256-{mode}")).expect(mode);
            assert!(said.contains("authenticates nothing"), "{mode}: {said}");
        }
    }

    #[test]
    fn other_spellings_are_understood() {
        for (name, wanted) in [
            ("aes192-xts", "`aes256-xts`"),
            ("aes256-gcm-siv", "GCM-SIV"),
            ("aes-256-cfb8", "CFB"),
            ("id-aes128-kwp", "key wrap"),
            ("chacha20-poly1305", "not AES"),
            ("aes256-ctr-dec", "same function"),
        ] {
            let said = not_offered(name).unwrap_or_else(|| panic!("{name}"));
            assert!(said.contains(wanted), "{name}: {said}");
        }
        assert_eq!(not_offered("aes-256-gcm"), None);
        assert_eq!(not_offered("aes256-crt"), None);
        assert_eq!(not_offered("aes128-gmc"), None);
    }
}
