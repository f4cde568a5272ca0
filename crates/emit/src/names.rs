//! Symbols of functions, and back: `aesmith_aes256_ctr` by AES instructions, and the technique behind
//! it for the others, with the width of its registers, and `_vt` where time depends on secrets.

use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::{Problem, Task};

/// Suffix of the hidden symbol of a package's key schedule.
pub const SCHEDULE_SUFFIX: &str = "_schedule";
/// Suffix of the hidden symbol of a package's builder of the counter table.
pub const TABLE_SUFFIX: &str = "_table";
/// Suffix of every symbol and file of variable time.
pub const VARIABLE_TIME_SUFFIX: &str = "_vt";
/// Names of the register widths, narrowest first.
const WIDTHS: [&str; 3] = ["xmm", "ymm", "zmm"];

/// The symbol of a problem's function by AES instructions: `aesmith_aes256_ctr`.
pub fn symbol(problem: Problem) -> String {
    format!("aesmith_{}", problem.c_name())
}

/// The symbol of a function made of these variants: `aesmith_aes128_ctr_gfni_zmm`,
/// `aesmith_aes256_cbc_table_vt`. What all variants have in common is named: technique, width.
pub fn symbol_of(problem: Problem, variants: &[&Variant], variable_time: bool) -> String {
    let mut name = technique_symbol(problem, variants);
    let width = |v: &&Variant| v.lanes();
    if let Some(first) = variants.first()
        && first.technique != Technique::Aes
        && !first.technique.on_words()
        && problem.is_message()
        && variants.iter().all(|v| v.technique == first.technique && width(v) == width(first))
    {
        name.push('_');
        name.push_str(WIDTHS[first.lanes().ilog2() as usize]);
    }
    if variable_time {
        name.push_str(VARIABLE_TIME_SUFFIX);
    }
    name
}

/// The same without the width, as portable C has it.
pub(crate) fn technique_symbol(problem: Problem, variants: &[&Variant]) -> String {
    let mut name = symbol(problem);
    if let Some(first) = variants.first()
        && first.technique != Technique::Aes
        && variants.iter().all(|v| v.technique == first.technique)
    {
        name.push('_');
        name.push_str(first.technique.name());
    }
    name
}

/// What the function under a symbol of an emitted object claims to compute: the reverse of
/// [`symbol_of`], and of the hidden symbols of a package.
pub fn problem_of_symbol(symbol: &str) -> Option<Problem> {
    let name = symbol.strip_prefix("aesmith_")?;
    message_or_set_up(name).or_else(|| {
        if let Some(owner) = name.strip_suffix(SCHEDULE_SUFFIX) {
            return message_or_set_up(owner).map(|p| p.key_schedule());
        }
        let owner = name.strip_suffix(TABLE_SUFFIX).and_then(message_or_set_up)?;
        (owner.task == Task::Ctr).then(|| Problem::new(owner.key, Task::CtrTable))
    })
}

/// The problem that a name without prefix and without a package's suffixes belongs to.
fn message_or_set_up(name: &str) -> Option<Problem> {
    let exact = |name: &str| name.parse::<Problem>().ok().filter(|p| p.c_name() == name);
    // A counter table's name ends like that of a technique, which is always of variable time.
    if let Some(problem) = exact(name) {
        return Some(problem);
    }
    let plain = name.strip_suffix(VARIABLE_TIME_SUFFIX);
    let without_width = |name: &'_ str| {
        let width = WIDTHS.iter().find_map(|w| name.strip_suffix(w)?.strip_suffix('_'));
        width.unwrap_or(name).to_owned()
    };
    let name = without_width(plain.unwrap_or(name));
    let technique = Technique::ALL.iter().filter(|t| **t != Technique::Table || plain.is_some());
    let owner = technique.filter_map(|t| name.strip_suffix(t.name())?.strip_suffix('_')).find_map(exact);
    owner.or_else(|| plain.and_then(exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_name_their_problem() {
        for problem in Problem::all() {
            for technique in Technique::ALL {
                for variable_time in [false, true] {
                    // Tables are always of variable time, AES instructions never.
                    let never = if variable_time { Technique::Aes } else { Technique::Table };
                    if technique == never {
                        continue;
                    }
                    let variant = Variant::plain(problem, technique);
                    let name = symbol_of(problem, &[&variant], variable_time);
                    assert_eq!(problem_of_symbol(&name), Some(problem), "{name}");
                    assert_eq!(name.ends_with("_vt"), variable_time);
                    if problem.is_message() {
                        let schedule = problem_of_symbol(&format!("{name}{SCHEDULE_SUFFIX}"));
                        assert_eq!(schedule, Some(problem.key_schedule()), "{name}");
                    }
                }
            }
        }
        assert_eq!(problem_of_symbol("aesmith_aes256_ctl"), None);
        assert_eq!(problem_of_symbol("main"), None);
    }

    #[test]
    fn widths_are_named_where_variants_agree() {
        let zmm: Variant = "aes128-ctr technique=gfni width=zmm".parse().unwrap();
        let xmm: Variant = "aes128-ctr technique=gfni".parse().unwrap();
        let aes: Variant = "aes128-ctr width=zmm".parse().unwrap();
        let name = |variants: &[&Variant]| symbol_of(zmm.problem, variants, false);
        assert_eq!(name(&[&zmm]), "aesmith_aes128_ctr_gfni_zmm");
        assert_eq!(name(&[&xmm, &zmm]), "aesmith_aes128_ctr_gfni");
        assert_eq!(name(&[&aes]), "aesmith_aes128_ctr");
        assert_eq!(name(&[&aes, &zmm]), "aesmith_aes128_ctr");
    }
}
