//! Authenticated messages of GCM (SP 800-38D, 7) around kernels for their text: the C of a package.
//!
//! A kernel for text is all that a message needs. GHASH absorbs other bytes when a kernel that decrypts gets them as text, and
//! its output is thrown away; one that encrypts gets them XORed with its key stream. The last call of a kernel that decrypts
//! absorbs the block of lengths under the first counter, and its output is that block XORed with the mask of the tag.

use super::description::Template;
use super::facts::{Facts, Key, Member};
use aesmith_cipher::mode::Hashed;

/// The name of a package's function for whole messages, and the words of its header.
struct Sealed {
    suffix: &'static str,
    about: &'static str,
    /// The form of the tag in the prototype.
    tag: &'static str,
    body: &'static str,
}

static SEAL: Sealed = Sealed {
    suffix: "_seal",
    about: "Encrypts a message: `out` gets the ciphertext of the len bytes at `in`, and `tag` the first tag_len bytes of \
            the tag over it and the data_len bytes at `data`. Under one key, a nonce is used once. Returns 0; or -1, and \
            then nothing is written: for a nonce of no bytes, a tag of other than 4, 8 or 12 to 16 bytes, or a text of \
            more than 2^36 - 32 bytes. A nonce of 12 bytes takes the least time. The kernel for text is proved; this C around it \
            is tested.",
    tag: "uint8_t *tag",
    body: include_str!("template/texts/seal.c"),
};

static OPEN: Sealed = Sealed {
    suffix: "_open",
    about: "Decrypts a message, the reverse: returns 0 if the tag is that of the ciphertext and the data. Returns -1 if it is \
            not, and then `out` holds len zeros, in place too; and for what is no message, and then nothing is written.",
    tag: "const uint8_t *tag",
    body: include_str!("template/texts/open.c"),
};

/// The function for whole messages beside a function for text; `None` in modes without a tag.
fn sealed(member: &Member) -> Option<&'static Sealed> {
    // The ciphertext is what a function that encrypts writes.
    member.problem.mode().hashed().map(|hashed| match hashed {
        Hashed::Output => &SEAL,
        Hashed::Text => &OPEN,
    })
}

/// The name of the function for whole messages beside a function for text.
pub(super) fn function(member: &Member) -> Option<String> {
    Some(format!("{}{}", member.name, sealed(member)?.suffix))
}

fn prototype(member: &Member, key: &Key) -> Option<String> {
    let stem = &key.stem;
    Some(format!(
        "int {}(const {stem}_key *key, const uint8_t *nonce, size_t nonce_len, const uint8_t *data,\n    \
         size_t data_len, const uint8_t *in, uint8_t *out, size_t len, {}, size_t tag_len)",
        function(member)?,
        sealed(member)?.tag
    ))
}

/// The words of the header about the function for whole messages, and its prototype.
pub(super) fn declared(facts: &Facts<'_>, member: &Member) -> Option<(&'static str, String)> {
    Some((sealed(member)?.about, prototype(member, &facts.keys[member.key])?))
}

/// The functions for whole messages of a key, with what they share; empty without such modes.
pub(super) fn defined(facts: &Facts<'_>, number: usize) -> String {
    let key = &facts.keys[number];
    let members: Vec<&Member> = facts.members.iter().filter(|member| member.key == number).collect();
    let sealing = members.iter().filter(|member| sealed(member).is_some());
    // A function that decrypts absorbs bytes in one call.
    let absorbs = sealing.clone().find(|m| m.problem.mode().hashed() == Some(Hashed::Text));
    let Some(absorbs) = absorbs.or(sealing.clone().next()) else { return String::new() };
    let is_text = absorbs.problem.mode().hashed() == Some(Hashed::Text);
    let (absorbed, absorb, last) = match is_text {
        true => (
            "They are the text of a function that decrypts, whose output is thrown away",
            ABSORB_TEXT,
            LAST_TEXT,
        ),
        false => (
            "They are the output of a function that encrypts, whose key stream is made before",
            ABSORB_OUTPUT,
            LAST_OUTPUT,
        ),
    };
    let fill = |text: &'static str, more: Vec<(&'static str, String)>| {
        let stem = [("STEM", key.stem.clone())];
        Template { text, values: more.into_iter().chain(stem).collect() }.fill()
    };
    let shared = [("ABSORBED", absorbed), ("ABSORB", absorb), ("LAST", last)]
        .map(|(mark, text)| (mark, text.to_owned()));
    let shared = shared.into_iter().chain([("FUNCTION", absorbs.name.clone())]).collect();
    let mut c = fill(include_str!("template/texts/gcm.c"), shared);
    if is_text {
        c.push_str(&fill(DIFFERS, Vec::new()));
    }
    for member in sealing {
        if let (Some(sealed), Some(prototype)) = (sealed(member), prototype(member, key)) {
            c.push_str(&fill(sealed.body, vec![("PROTOTYPE", prototype), ("FUNCTION", member.name.clone())]));
        }
    }
    c
}

const ABSORB_TEXT: &str = "        @FUNCTION@(key, state, bytes, text, part);\n";

const ABSORB_OUTPUT: &str = "        uint8_t before[32];
        size_t n;
        memcpy(before, state, 32);
        memset(text, 0, part);
        @FUNCTION@(key, before, text, text, part);
        for (n = 0; n < part; n++) {
            text[n] ^= bytes[n];
        }
        @FUNCTION@(key, state, text, text, part);
        @STEM@_forget(before, sizeof before);
";

const LAST_TEXT: &str = "    memcpy(state, first, 16);
    @FUNCTION@(key, state, block, mask, 16);
    @STEM@_xor(mask, mask, block);
";

const LAST_OUTPUT: &str = "    @STEM@_absorb(key, state, block, 16);
    {
        uint8_t counter[32] = {0};
        memcpy(counter, first, 16);
        memset(mask, 0, sizeof mask);
        @FUNCTION@(key, counter, mask, mask, 16);
        @STEM@_forget(counter, sizeof counter);
    }
";

const DIFFERS: &str = "
/* Not 0 if bytes differ. Each is compared, so that the time says nothing about the first that does. */
static uint8_t @STEM@_differs(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint8_t differs = 0;
    size_t n;
    for (n = 0; n < len; n++) {
        differs |= (uint8_t)(a[n] ^ b[n]);
    }
    return differs;
}
";
