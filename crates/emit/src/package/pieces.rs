//! Messages of GCM that come in pieces: the C of a package, beside that of whole messages ([`super::sealed`]).
//!
//! Text that ends within a block is XORed with the block's key stream, which a call for zeros makes on a copy of the state. When
//! the block is whole, a kernel processes it once more, so that the counter and GHASH go on.

use super::description::Template;
use super::facts::{Facts, Key, Member};
use aesmith_cipher::mode::Hashed;

const ABOUT_MESSAGE: &str =
    "A message that comes in pieces, between _start and _finish. It is secret, and _finish overwrites it.";

const ABOUT_START: &str = "Begins a message with a nonce of nonce_len bytes. Returns 0; or -1, and then nothing is written, for a nonce \
    of no bytes.";

const ABOUT_DATA: &str = "Adds len bytes of data that are authenticated and not encrypted, as often as wanted before the first text. \
    Returns 0; or -1, and then nothing is changed: behind text, and for more than 2^61 - 1 bytes.";

const ABOUT_ENCRYPTION: &str = "Encrypts the next len bytes of the text of a message, any number of them: `out` gets as many bytes. \
    Returns 0; or -1, and then nothing is written: for more than 2^36 - 32 bytes of text.";

const ABOUT_DECRYPTION: &str = "Decrypts the next len bytes of a message, the reverse. Its result is not authentic before _finish says so: \
    do not use it until then.";

const ABOUT_TAG: &str = "Ends a message: `tag` gets the first tag_len bytes of its tag. Returns 0; or -1, and then nothing is changed, for a \
    tag of other than 4, 8 or 12 to 16 bytes.";

const ABOUT_CHECK: &str = "Ends a message: returns 0 if `tag` is that of the data and the ciphertext, else -1, and then its text is to be \
    thrown away. For a tag of other than 4, 8 or 12 to 16 bytes it returns -1 and ends nothing.";

fn hashed(member: &Member) -> Option<Hashed> {
    member.problem.mode().hashed()
}

/// True if the messages of a key come in pieces, too.
fn has_pieces(facts: &Facts<'_>, key: usize) -> bool {
    facts.members.iter().any(|member| member.key == key && hashed(member).is_some())
}

/// The comment above a declaration.
type About = &'static str;

/// The type of a message, and the functions that begin it: what a key's header has behind the key.
pub(super) fn declared_for_key(facts: &Facts<'_>, number: usize, key: &Key) -> Vec<(About, String)> {
    if !has_pieces(facts, number) {
        return Vec::new();
    }
    let stem = &key.stem;
    vec![
        (
            ABOUT_MESSAGE,
            format!(
                "typedef struct {stem}_message {{\n    uint64_t data_len, len;\n    uint8_t state[32], first[16], block[16], \
                 stream[16];\n    int has_text;\n}} {stem}_message"
            ),
        ),
        (
            ABOUT_START,
            format!(
                "int {stem}_start({stem}_message *message, const {stem}_key *key, const uint8_t *nonce,\n    size_t nonce_len)"
            ),
        ),
        (
            ABOUT_DATA,
            format!(
                "int {stem}_data({stem}_message *message, const {stem}_key *key, const uint8_t *data, size_t len)"
            ),
        ),
    ]
}

fn update(member: &Member, stem: &str) -> String {
    format!(
        "int {}_update({stem}_message *message, const {stem}_key *key, const uint8_t *in, uint8_t *out,\n    size_t len)",
        member.name
    )
}

fn finish(member: &Member, stem: &str, hashed: Hashed) -> String {
    let tag = if hashed == Hashed::Output { "uint8_t *tag" } else { "const uint8_t *tag" };
    format!(
        "int {}_finish({stem}_message *message, const {stem}_key *key, {tag}, size_t tag_len)",
        member.name
    )
}

/// The functions for the text and the tag of a message, which differ between the directions.
pub(super) fn declared(facts: &Facts<'_>, member: &Member) -> Vec<(About, String)> {
    let Some(hashed) = hashed(member) else { return Vec::new() };
    let stem = &facts.keys[member.key].stem;
    let (text, tag) = match hashed {
        Hashed::Output => (ABOUT_ENCRYPTION, ABOUT_TAG),
        Hashed::Text => (ABOUT_DECRYPTION, ABOUT_CHECK),
    };
    vec![(text, update(member, stem)), (tag, finish(member, stem, hashed))]
}

/// The functions for messages in pieces of a key, behind what they share with those for whole messages.
pub(super) fn defined(facts: &Facts<'_>, number: usize) -> String {
    if !has_pieces(facts, number) {
        return String::new();
    }
    let stem = &facts.keys[number].stem;
    let shared = vec![("STEM", stem.clone())];
    let mut c = Template { text: include_str!("template/texts/pieces.c"), values: shared }.fill();
    for member in facts.members.iter().filter(|member| member.key == number) {
        let Some(hashed) = hashed(member) else { continue };
        let (differs, tag, result) = match hashed {
            Hashed::Output => ("", "    memcpy(tag, whole, tag_len);\n", "0"),
            Hashed::Text => (", differs", CHECKED, "differs == 0 ? 0 : -1"),
        };
        let values = vec![
            ("UPDATE", update(member, stem)),
            ("FINISH", finish(member, stem, hashed)),
            ("DIFFERS", differs.to_owned()),
            ("TAG", tag.to_owned()),
            ("RESULT", result.to_owned()),
            ("FUNCTION", member.name.clone()),
            ("STEM", stem.clone()),
        ];
        c.push_str(&Template { text: include_str!("template/texts/update.c"), values }.fill());
    }
    c
}

const CHECKED: &str = "    differs = @STEM@_differs(whole, tag, tag_len);\n";
