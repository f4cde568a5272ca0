//! Wraps assembly in preprocessor conditions on the build. For another family it is empty; for a build of its family
//! for which it is wrong, it is refused by one sentence, and nothing behind that is assembled.

use aesmith_isa::assemble::Item;
use aesmith_processor::gnu::{Gnu, Wrong};

use crate::gnu::reach::Near;
use crate::part::Part;

/// The macro by which a build asserts that its processor has no data cache, and that tables are in memory whose access
/// time does not depend on the address.
pub const NO_DATA_CACHE: &str = "AESMITH_NO_DATA_CACHE";

/// A refused build: the preprocessor's condition, and the sentence that follows the function's name.
type Refused = (String, String);

/// Returns the code of a function, wrapped in its conditions.
pub fn guarded(gnu: &Gnu, part: &Part<'_>, code: &str) -> String {
    let refused = [wrong(gnu, part), out_of_reach(gnu, part), lacking(gnu, part), cached(gnu, part)].concat();
    let refused =
        refused.iter().map(|(when, why)| format!("#elif {when}\n#error \"{}: {why}\"\n", part.symbol));
    format!(
        "#if !({})\n/* The functions in C stand for it on other processors. */\n{}#else\n{code}#endif\n",
        gnu.builds.meant,
        refused.collect::<String>()
    )
}

/// Refuses builds of another byte order, width, object format or calling convention.
fn wrong(gnu: &Gnu, part: &Part<'_>) -> Vec<Refused> {
    let form = gnu.builds.form;
    let always = gnu.builds.wrong.iter().map(|Wrong { when, what }| {
        (
            (*when).to_owned(),
            format!("it is for {form}, and this build is for {what}: build the C of its package instead"),
        )
    });
    let moved = if has_addresses(part) { gnu.builds.wrong_with_addresses } else { &[] };
    let moved = moved.iter().map(|Wrong { when, what }| {
        let why = format!(
            "it holds addresses of its tables, and this build is for {what}: build it without, or emit C (--as c)"
        );
        ((*when).to_owned(), why)
    });
    always.chain(moved).collect()
}

/// Refuses Arduino boards with more program memory than look-ups reach: Arduino does not link the linker script that
/// keeps tables in reach.
fn out_of_reach(gnu: &Gnu, part: &Part<'_>) -> Vec<Refused> {
    let near = Near::of(gnu, part);
    let refused = near.map(|near| {
        (format!("defined(ARDUINO) && ({})", near.reach.more), near.reach.on_arduino().replace('`', ""))
    });
    refused.into_iter().collect()
}

/// True if the code or a table holds an address that is known only when the program is loaded.
pub(crate) fn has_addresses(part: &Part<'_>) -> bool {
    let mut items = part.kernel.sections.iter().flat_map(|section| &section.items);
    items.any(|item| match item {
        Item::Linked { part, .. } => !part.is_distance(),
        Item::Word(label, _) => label.is_some(),
        _ => false,
    })
}

/// Refuses processors that lack instructions of the code.
fn lacking(gnu: &Gnu, part: &Part<'_>) -> Vec<Refused> {
    let isa = (part.core.isa)();
    let items = || part.kernel.sections.iter().flat_map(|section| &section.items);
    let insns = || {
        items().filter_map(|item| match item {
            Item::Insn(insn) | Item::Linked { insn, .. } => Some(isa.of(insn)),
            _ => None,
        })
    };
    let used = gnu.optional.iter().filter(|optional| insns().any(|row| (optional.has_row)(row)));
    used.map(|optional| {
        let why = format!(
            "it uses {}, which this processor does not have; emit it for a processor without",
            optional.name
        );
        (format!("!{}", optional.has), why)
    })
    .collect()
}

/// Refuses look-ups at secret addresses where a data cache is possible, and on parts whose program memory is known to
/// have address-dependent access time: their time is constant only without these.
fn cached(gnu: &Gnu, part: &Part<'_>) -> Vec<Refused> {
    if !part.facts.uncached || gnu.uncached == "1" {
        return Vec::new();
    }
    let unsaid = |when: &str| format!("!defined({NO_DATA_CACHE}) && ({when})");
    let mut refused = vec![(
        unsaid(&format!("!({})", gnu.uncached)),
        format!(
            "the time of its look-ups is constant only without a data cache; define {NO_DATA_CACHE} if the processor \
             has none, or emit with --constant-time"
        ),
    )];
    let uneven = if part.facts.in_flash { gnu.uneven } else { &[] };
    refused.extend(uneven.iter().map(|known| {
        let why = format!(
            "its look-ups do not take the same time at any address on {}: {}; let the linker put its tables into SRAM \
             and define {NO_DATA_CACHE}, or emit with --constant-time",
            known.name, known.why
        );
        (unsaid(known.defined), why)
    }));
    refused
}
