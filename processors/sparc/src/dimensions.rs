//! The dimensions of kernels for SPARC.

use aesmith_arrange as arrange;
use aesmith_arrange::{Choice, Dimension, Variant, VariantError, choices, numbered};
use aesmith_cipher::firmware::sum_of;
use aesmith_cipher::{Direction, Task};

choices! {
    Technique "technique" { Table "table" }
    Words "words" { Plain "plain", Scaled "scaled", Padded "padded", Narrow "narrow" }
    Tables "tables" { Four "4", Pairs "2x2", One "1" }
    Last "last" { Words "words", Parts "parts", One "1", Two "2" }
    Columns "columns" { Apart "apart", Together "together" }
    Counter "counter" { Each "each", Cached "cached" }
    Ahead "ahead" { No "no", Yes "yes" }
    Kept "kept" { None "0", One "1", Two "2", Three "3", Four "4", Five "5", Six "6", Seven "7", Eight "8" }
    Remade "remade" { None "0", One "1", Two "2", Three "3" }
}

fn counts(v: &Variant) -> bool {
    v.problem.task == Task::Ctr
}

fn is_message(v: &Variant) -> bool {
    matches!(v.problem.task, Task::Ctr | Task::CbcDecrypt | Task::CbcEncrypt { .. })
}

fn is_schedule(v: &Variant) -> bool {
    matches!(v.problem.task, Task::KeySchedule(_))
}

/// True if the words of a state are padded.
pub(crate) fn is_padded(v: &Variant) -> bool {
    v.is(Words::Padded) || v.is(Words::Narrow)
}

/// All dimensions.
pub static DIMENSIONS: &[Dimension] = &numbered([
    Dimension::of::<Technique>("look-ups of SubBytes and MixColumns together in tables of words", |_| true),
    Dimension::of::<Words>(
        "how a byte of a word becomes an index: by a shift, a mask and a shift; by a shift that scales it and a mask; or in words padded to 64 bits, as round keys and tables are then, by a shift and a mask of which one suffices for two bytes of four; narrow: of 32 bits, for three of four",
        |_| true,
    ),
    Dimension::of::<Tables>(
        "tables: one for each row; these in pairs, entry by entry; or one, whose entries are turned",
        |_| true,
    ),
    Dimension::of::<Last>(
        "the last round's bytes: words of the tables, masked; the byte of an entry, or the 16 bits of padded ones; or of a table of words that hold one byte each, by one or more base addresses",
        |v| !is_schedule(v),
    ),
    Dimension::of::<Columns>(
        "whether a round's columns are summed up one after another, or together, a word of the state after another, so that few values are alive at once",
        |v| !is_schedule(v),
    ),
    Dimension::of::<Counter>(
        "whether what 256 counters share of the first two rounds is made once, or each block is computed whole",
        counts,
    ),
    Dimension::of::<Ahead>(
        "whether a block makes the next one's state after two rounds, so that its end and the next beginning overlap",
        // The look-up of a counter that has wrapped is one in the table before its own.
        |v| counts(v) && v.is(Counter::Cached) && !v.is(Tables::One),
    ),
    Dimension::of::<Kept>(
        "how many words of the round keys stay in registers from block to block",
        is_message,
    ),
    Dimension::of::<Remade>(
        "in how many columns a round key's words are made of those before it instead of loaded",
        // The sum of words in the middle of the round keys.
        |v| !is_schedule(v) && sum_of(v.problem, 9).is_some(),
    ),
]);

/// The technique of a round.
pub fn technique(_: &Variant) -> arrange::Technique {
    arrange::Technique::Table
}

/// True if each S-box of the last round is looked up in a table of words that hold one byte each.
fn is_spread(v: &Variant) -> bool {
    v.choice().is_some_and(|last: Last| last.addresses() > 0)
}

fn decrypts(v: &Variant) -> bool {
    v.problem.mode().direction == Direction::Decrypt && !is_schedule(v)
}

/// The reason why some choices are incompatible, if they are.
fn refused(v: &Variant) -> Option<&'static str> {
    let padded = is_padded(v);
    if padded && v.is(Tables::One) {
        return Some("padded words are not turned: take tables=4 or tables=2x2");
    }
    if is_schedule(v) {
        return None;
    }
    if is_spread(v) && !padded {
        return Some(
            "a table of words with one byte each is for padded words: take last=words or last=parts",
        );
    }
    if padded && v.is(Last::Words) {
        return Some("words of padded tables are not masked: take last=parts");
    }
    if padded && decrypts(v) && !is_spread(v) {
        return Some("padded words have their inverse S-box in a table of words: take last=1");
    }
    if !padded && v.is(Last::Parts) && (v.is(Tables::One) || decrypts(v)) {
        return Some("no entry begins with the byte that the last round wants: take last=words");
    }
    None
}

/// Checks that the choices of a variant are compatible.
pub fn check(v: &Variant) -> Result<(), VariantError> {
    refused(v).map_or(Ok(()), |why| Err(VariantError(format!("{v}: {why}"))))
}

/// Replaces each choice that is incompatible with earlier ones by the nearest compatible one.
pub fn settle(v: &mut Variant) {
    let padded = is_padded(v);
    let change = |v: &mut Variant, name: &str, value: &str| {
        if let Some(dimension) = DIMENSIONS.iter().find(|d| d.name == name)
            && let Ok(value) = dimension.read(value)
        {
            v.set(dimension, value);
        }
    };
    if padded && v.is(Tables::One) {
        change(v, Tables::NAME, Tables::Four.text());
    }
    if refused(v).is_none() {
        return;
    }
    let last = match (padded, decrypts(v)) {
        (false, _) => Last::Words,
        (true, false) => Last::Parts,
        (true, true) => Last::One,
    };
    change(v, Last::NAME, last.text());
}

impl Last {
    /// The number of base addresses for a table of words that hold one byte each.
    pub fn addresses(self) -> u8 {
        self.text().parse().unwrap_or(0)
    }
}
