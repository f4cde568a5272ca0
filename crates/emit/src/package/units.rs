//! Data units of XTS (IEEE 1619, 5.3 and 5.4) around kernels for whole blocks: the C of a package.
//!
//! A kernel that encrypts is all that the first tweak needs: under a tweak of zeros its block is the plain cipher. Ciphertext
//! stealing is two more calls for a block each.

use super::description::Template;
use super::facts::{Facts, Member};
use aesmith_cipher::Direction;
use aesmith_cipher::mode::Next;

const ABOUT_ENCRYPTION: &str = "Encrypts a data unit of 16 bytes or more, at most 2^24: `tweak` has the 16 bytes of its number, \
    the lowest first, or what else identifies it, and `tweak_key` is the key of the tweaks, which is another one. If len is no \
    multiple of 16, the last bytes take ciphertext from the block before. Returns 0; or -1, and then nothing is written: for a \
    unit of another length, and for equal keys. The kernel for whole blocks is proved; this C around it is tested.";

const ABOUT_DECRYPTION: &str =
    "Decrypts a data unit, the reverse. `tweak_key` is the key of the tweaks for encryption.";

const ABOUT_UNITS: &str = "Data units that follow each other, `count` of `unit_len` bytes: `first` is the tweak of the first one, and \
    each other has the next number, of 128 bits with the lowest byte first. Returns 0; or -1, and then nothing is written, for what \
    _unit refuses.";

/// True for the function that encrypts, which makes the tweaks, too.
fn makes_tweaks(member: &Member) -> bool {
    is_of_units(member) && member.problem.mode().direction == Direction::Encrypt
}

fn is_of_units(member: &Member) -> bool {
    member.problem.mode().next() == Next::Doubled
}

/// The function that encrypts beside a function of units, in this package.
fn encryption<'f>(facts: &'f Facts<'_>, member: &Member) -> Option<&'f Member> {
    let is_it = |other: &&Member| makes_tweaks(other) && other.problem.key == member.problem.key;
    facts.members.iter().filter(|_| is_of_units(member)).find(is_it)
}

/// The names of the function for data units beside one for whole blocks, and of the type of the key of its tweaks; `None` in
/// other modes, and without the function that encrypts.
pub(super) fn function(facts: &Facts<'_>, member: &Member) -> Option<(String, String)> {
    let encryption = encryption(facts, member)?;
    Some((format!("{}_unit", member.name), facts.keys[encryption.key].stem.clone()))
}

/// The prototypes of the functions for one data unit and for several.
fn prototypes(facts: &Facts<'_>, member: &Member) -> Option<[String; 2]> {
    let (name, tweak_stem) = function(facts, member)?;
    let stem = &facts.keys[member.key].stem;
    let of = |name: &str, tweak: &str, sizes: &str| {
        format!(
            "int {name}(const {stem}_key *key, const {tweak_stem}_key *tweak_key,\n    const uint8_t {tweak}[16], \
             const uint8_t *in, uint8_t *out, {sizes})"
        )
    };
    Some([
        of(&name, "tweak", "size_t len"),
        of(&format!("{name}s"), "first", "size_t unit_len,\n    size_t count"),
    ])
}

/// The words of the header about the functions for data units, and their prototypes.
pub(super) fn declared(facts: &Facts<'_>, member: &Member) -> Vec<(&'static str, String)> {
    let about = if makes_tweaks(member) { ABOUT_ENCRYPTION } else { ABOUT_DECRYPTION };
    let all = prototypes(facts, member).map(|prototypes| [about, ABOUT_UNITS].into_iter().zip(prototypes));
    all.into_iter().flatten().collect()
}

/// The functions for data units; empty without such modes.
pub(super) fn defined(facts: &Facts<'_>) -> String {
    let units: Vec<&Member> = facts.members.iter().filter(|m| encryption(facts, m).is_some()).collect();
    let mut c = String::new();
    if !units.is_empty() {
        c.push_str(FORGET);
    }
    for member in units {
        let (Some(encryption), Some([unit, several])) =
            (encryption(facts, member), prototypes(facts, member))
        else {
            continue;
        };
        let last_key = 16 * member.problem.key.rounds();
        // The first and the last round key: those of decryption stand in reverse.
        let (body, first, last) = match makes_tweaks(member) {
            true => (ENCRYPTION, 0, last_key),
            false => (DECRYPTION, last_key, 0),
        };
        // The body, which is filled in before, has marks of its own.
        let values = vec![
            ("UNITS", several),
            ("UNIT", unit),
            ("BODY", body.to_owned()),
            ("FUNCTION", member.name.clone()),
            ("ENCRYPT", encryption.name.clone()),
            ("FIRST", first.to_string()),
            ("LAST", last.to_string()),
            ("LAST_KEY", last_key.to_string()),
        ];
        c.push_str(&Template { text: include_str!("template/texts/unit.c"), values }.fill());
    }
    c
}

const FORGET: &str = "
/* Overwrites bytes of a data unit that nothing reads again. */
static void forget_unit(void *bytes, size_t len)
{
    memset(bytes, 0, len);
    /* The zeros are used, as far as the compiler knows. */
    __asm__ __volatile__(\"\" : : \"r\"(bytes) : \"memory\");
}
";

const ENCRYPTION: &str = "    @FUNCTION@(key, state, in, out, whole);
    if (rest > 0) {
        uint8_t *before = out + whole - 16;
        memcpy(block, last, rest);
        memcpy(block + rest, before + rest, 16 - rest);
        memcpy(out + whole, before, rest);
        @FUNCTION@(key, state, block, before, 16);
    }
";

const DECRYPTION: &str = "    if (rest > 0) {
        uint8_t next[16];
        whole -= 16;
        @FUNCTION@(key, state, in, out, whole);
        /* The last whole block has the last tweak, and the partial one that before. */
        memcpy(next, state, 16);
        @FUNCTION@(key, next, in + whole, block, 16);
        @FUNCTION@(key, next, in + whole, block, 16);
        memcpy(out + whole + 16, block, rest);
        memcpy(block, last, rest);
        @FUNCTION@(key, state, block, out + whole, 16);
        forget_unit(next, sizeof next);
    } else {
        @FUNCTION@(key, state, in, out, whole);
    }
";
