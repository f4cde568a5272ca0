//! Symbols of functions, and the reverse. The plain form, `aesmith_aes256_ctr`, is for AES instructions; other
//! techniques add their name and register width. The CPU level follows, if there is one, and `_vt` if time depends on
//! secrets. Another prefix may replace `aesmith_`.

use crate::EmitError;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Firmware;
use aesmith_processors::{levels, this_machine};

/// Suffix of the hidden symbol of a package's key schedule.
pub const SCHEDULE_SUFFIX: &str = "_schedule";
/// Suffix of the hidden symbol of a package's builder of the counter table.
pub const TABLE_SUFFIX: &str = "_table";
/// Suffix of every symbol and file of variable time.
pub const VARIABLE_TIME_SUFFIX: &str = "_vt";

/// The default prefix of all names.
const PREFIX: &str = "aesmith_";
/// The level of kernels for the current CPU, if there are other levels.
pub const NATIVE: &str = "native";

/// The parts of names besides problem and technique, by which several packages can be linked into one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    prefix: String,
    level: Option<String>,
}

impl Default for Naming {
    fn default() -> Naming {
        Naming { prefix: PREFIX.to_owned(), level: None }
    }
}

impl Naming {
    /// Uses another prefix; an underscore is added.
    ///
    /// # Errors
    /// A prefix that no C name may begin with.
    pub fn with_prefix(prefix: &str) -> Result<Naming, EmitError> {
        let prefix = prefix.trim_end_matches('_');
        let letters = prefix.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Names that begin with an underscore are reserved for the compiler and its library (C99, 7.1.3).
        if !letters || !prefix.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(EmitError(format!(
                "`{prefix}` cannot be a prefix: names in C begin with a letter and hold letters, digits and \
                 underscores"
            )));
        }
        Ok(Naming { prefix: format!("{prefix}_"), level: None })
    }

    /// Adds a CPU level: one of [`levels`] or [`NATIVE`].
    pub fn at_level(&self, level: &str) -> Naming {
        Naming { prefix: self.prefix.clone(), level: Some(level.to_owned()) }
    }

    /// Removes the level.
    pub fn without_level(&self) -> Naming {
        Naming { prefix: self.prefix.clone(), level: None }
    }

    /// The level, if there is one.
    pub fn level(&self) -> Option<&str> {
        self.level.as_deref()
    }

    /// The prefix without its underscore, if it is not aesmith's.
    pub fn prefix(&self) -> Option<&str> {
        (self.prefix != PREFIX).then(|| self.prefix.trim_end_matches('_'))
    }

    /// Applies prefix and level to a name of [`symbol_of`]: `aesmith_aes256_ctr_table_vt` may become
    /// `mine_aes256_ctr_table_sse4_1_vt`.
    pub fn apply(&self, symbol: &str) -> String {
        let name = symbol.strip_prefix(PREFIX).unwrap_or(symbol);
        let (name, variable_time) = match name.strip_suffix(VARIABLE_TIME_SUFFIX) {
            Some(name) => (name, VARIABLE_TIME_SUFFIX),
            None => (name, ""),
        };
        let level = self.level.as_ref().map_or(String::new(), |level| format!("_{}", c_name(level)));
        format!("{}{name}{level}{variable_time}", self.prefix)
    }
}

/// A level's name as part of a C name.
fn c_name(level: &str) -> String {
    level.replace(['-', '.'], "_")
}

/// Removes the level at the end of a name. The longest level counts, because some levels end with another's name.
pub fn without_level(name: &str) -> &str {
    let levels = levels().chain([NATIVE]);
    let rest = levels.filter_map(|level| name.strip_suffix(&c_name(level))?.strip_suffix('_'));
    rest.min_by_key(|rest| rest.len()).unwrap_or(name)
}

/// Returns the CPU level that a function's name claims, if any; a schedule or table has the level of its function.
pub fn level_of_symbol(symbol: &str) -> Option<&'static str> {
    let owner = owner(symbol);
    let name = owner.strip_suffix(VARIABLE_TIME_SUFFIX).unwrap_or(owner);
    let ends =
        |level: &&'static str| name.strip_suffix(&c_name(level)).is_some_and(|rest| rest.ends_with('_'));
    levels().chain([NATIVE]).filter(ends).max_by_key(|level| level.len())
}

/// Returns the function that a schedule or table of a package is made for; any other symbol is its own owner.
pub fn owner(symbol: &str) -> &str {
    let stripped = symbol.strip_suffix(SCHEDULE_SUFFIX).or_else(|| symbol.strip_suffix(TABLE_SUFFIX));
    stripped.unwrap_or(symbol)
}

/// True if a name says that the time of its function depends on secrets.
pub fn says_variable_time(symbol: &str) -> bool {
    symbol.ends_with(VARIABLE_TIME_SUFFIX) || owner(symbol).ends_with(VARIABLE_TIME_SUFFIX)
}

/// The symbol of a problem's function with AES instructions: `aesmith_aes256_ctr`.
pub fn symbol(problem: Problem) -> String {
    format!("{PREFIX}{}", problem.c_name())
}

/// The name of a package of several problems: `aesmith_aes`.
pub(crate) fn package_symbol() -> String {
    format!("{PREFIX}aes")
}

/// The name of a key that several problems share, by its kind: `aesmith_aes128`, `aesmith_aes128_dec`, `aesmith_aes128_gcm`.
pub fn key_symbol(problem: Problem) -> String {
    match problem.key_kind() {
        (schedule, None) => symbol(schedule).replacen("_key", "", 1),
        (_, Some(table)) => symbol(table).trim_end_matches(TABLE_SUFFIX).to_owned(),
    }
}

/// Returns the key schedule of a key by its name without prefix: the reverse of [`key_symbol`].
fn schedule_of_key(name: &str) -> Option<Problem> {
    let name = without_level(name.strip_suffix(VARIABLE_TIME_SUFFIX).unwrap_or(name));
    let schedules = Problem::all().into_iter().filter(|p| !p.is_message() && p.key_schedule() == *p);
    schedules.into_iter().find(|p| key_symbol(*p) == format!("{PREFIX}{name}"))
}

/// Returns the common prefix of all names of a package of several problems, if `name` names such a package.
pub fn prefix_of_package(name: &str) -> Option<&str> {
    let name = name.strip_suffix(VARIABLE_TIME_SUFFIX).unwrap_or(name);
    name.strip_suffix("aes").filter(|prefix| prefix.ends_with('_'))
}

/// Returns the symbol of a function made from these variants: `aesmith_aes128_ctr_gfni_zmm`,
/// `aesmith_aes256_cbc_table_vt`. It contains technique and width, if all variants have them in common.
pub fn symbol_of(problem: Problem, variants: &[&Variant], variable_time: bool) -> String {
    let mut name = technique_symbol(problem, variants);
    let width = |v: &&Variant| v.lanes();
    if let Some(first) = variants.first()
        && first.technique != Technique::default()
        && !first.technique.on_words()
        && problem.is_message()
        && variants.iter().all(|v| v.technique == first.technique && width(v) == width(first))
    {
        name.push('_');
        name.push_str(this_machine().requirements.width(first.lanes()));
    }
    if variable_time {
        name.push_str(VARIABLE_TIME_SUFFIX);
    }
    name
}

/// Like [`symbol_of`], but without the width, for portable C.
pub(crate) fn technique_symbol(problem: Problem, variants: &[&Variant]) -> String {
    let mut name = symbol(problem);
    if let Some(first) = variants.first()
        && first.technique != Technique::default()
        && variants.iter().all(|v| v.technique == first.technique)
    {
        name.push('_');
        name.push_str(first.technique.name());
    }
    name
}

/// Returns the problem that a symbol of an emitted object claims to compute, with any prefix: the reverse of
/// [`symbol_of`] and [`Naming::apply`], and of the hidden symbols of a package.
pub fn problem_of_symbol(symbol: &str) -> Option<Problem> {
    let starts = symbol.match_indices("aes").map(|(at, _)| at);
    let whole_word = |at: &usize| *at == 0 || symbol.as_bytes()[at - 1] == b'_';
    starts.filter(whole_word).find_map(|at| problem_of_name(&symbol[at..]))
}

/// The symbol of a problem's function over whole blocks: `aesmith_aes128_encrypt`, `aesmith_aes128_expand_decrypt`.
pub fn symbol_of_blocks(problem: Problem) -> String {
    format!("{PREFIX}{}", Firmware::name(problem))
}

/// Returns the problem that a function over whole blocks claims by its name, with any prefix: the reverse of
/// [`symbol_of_blocks`] and [`Naming::apply`].
pub fn problem_of_blocks(name: &str) -> Option<Problem> {
    let name = name.strip_suffix(VARIABLE_TIME_SUFFIX).unwrap_or(name);
    let own = &name[prefix_of_blocks(name).len()..];
    Problem::all().into_iter().filter(|p| Firmware::is_offered(*p)).find(|p| Firmware::name(*p) == own)
}

/// Returns the prefix of the name of a function over whole blocks, or of a package of such functions: a word with an
/// underscore, or an empty string.
pub(crate) fn prefix_of_blocks(name: &str) -> &str {
    let starts = name.match_indices("aes").map(|(at, _)| at);
    let whole_word = |at: &usize| *at == 0 || name.as_bytes()[at - 1] == b'_';
    let task = |at: &usize| name[at + 3..].starts_with(|c: char| c.is_ascii_digit() || c == '_');
    &name[..starts.filter(whole_word).find(task).unwrap_or(0)]
}

/// True if the function under `symbol` chooses by the CPU among several of its package: `others` then has its name with
/// a level added.
pub fn chooses_among(symbol: &str, others: &[&str]) -> bool {
    let plain = |name: &str| name.strip_suffix(VARIABLE_TIME_SUFFIX).unwrap_or(name).to_owned();
    let own = plain(symbol);
    others.iter().map(|other| plain(other)).any(|other| other != own && without_level(&other) == own)
}

/// Returns the problem that a name without prefix claims.
fn problem_of_name(name: &str) -> Option<Problem> {
    message_or_set_up(name).or_else(|| {
        if let Some(owner) = name.strip_suffix(SCHEDULE_SUFFIX) {
            return message_or_set_up(owner).map(|p| p.key_schedule()).or_else(|| schedule_of_key(owner));
        }
        let owner = name.strip_suffix(TABLE_SUFFIX).and_then(message_or_set_up)?;
        owner.key_table().filter(|_| owner.is_message())
    })
}

/// Returns the problem of a name without prefix and without a package's suffixes.
fn message_or_set_up(name: &str) -> Option<Problem> {
    let exact = |name: &str| name.parse::<Problem>().ok().filter(|p| p.c_name() == name);
    // A counter table's name ends like that of the table technique, which always has variable time.
    if let Some(problem) = exact(name) {
        return Some(problem);
    }
    let plain = name.strip_suffix(VARIABLE_TIME_SUFFIX);
    let owner = |name: &str| {
        let technique = Technique::ALL.iter().filter(|t| !t.looks_up_secrets() || plain.is_some());
        let mut owners =
            technique.filter_map(|t| without_width(name).strip_suffix(t.name())?.strip_suffix('_'));
        owners.find_map(exact).or_else(|| exact(name))
    };
    let name = plain.unwrap_or(name);
    // A level may have the name of a technique; both readings give the same problem.
    owner(without_level(name)).or_else(|| owner(name))
}

fn without_width(name: &str) -> &str {
    let widths = this_machine().requirements.widths.iter();
    let mut without = widths.filter_map(|width| name.strip_suffix(width.name)?.strip_suffix('_'));
    without.next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions;

    #[test]
    fn symbols_name_their_problem() {
        for problem in Problem::all() {
            for technique in Technique::ALL {
                for variable_time in [false, true] {
                    // Techniques with secret-dependent look-ups always have variable time, AES instructions never.
                    let never =
                        if variable_time { technique.is_instruction() } else { technique.looks_up_secrets() };
                    // `aes128_ctr_table_gfni_vt` is counter mode by tables at the level gfni.
                    let level = levels().any(|level| level == technique.name());
                    if never || (variable_time && level && problem.is_key_table()) {
                        continue;
                    }
                    let variant = dimensions::plain(problem, technique);
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
    fn prefixes_and_levels_are_in_the_name_and_read_back() {
        let plain = Naming::default();
        let mine = Naming::with_prefix("my_lib").unwrap();
        assert_eq!(mine.apply("aesmith_aes256_ctr_vt"), "my_lib_aes256_ctr_vt");
        assert_eq!(mine.at_level("sse4.1").apply("aesmith_aes256_ctr_vt"), "my_lib_aes256_ctr_sse4_1_vt");
        assert_eq!(plain.apply("aesmith_aes256_ctr"), "aesmith_aes256_ctr");
        for bad in ["", "_", "1st", "a-b", "a b", "_mine", "grün"] {
            assert!(Naming::with_prefix(bad).is_err(), "{bad}");
        }
        for level in levels().chain([NATIVE]) {
            for naming in [&plain, &mine] {
                for name in ["aes128_ctr", "aes128_ctr_gfni_zmm", "aes128_ctr_table_vt"] {
                    let name = naming.at_level(level).apply(&format!("aesmith_{name}"));
                    let ctr: Problem = "aes128-ctr".parse().unwrap();
                    assert_eq!(problem_of_symbol(&name), Some(ctr), "{name}");
                    let hidden = format!("{name}{SCHEDULE_SUFFIX}");
                    assert_eq!(problem_of_symbol(&hidden), Some(ctr.key_schedule()), "{hidden}");
                    let hidden = format!("{name}{TABLE_SUFFIX}");
                    assert_eq!(problem_of_symbol(&hidden), "aes128-ctr-table".parse().ok(), "{hidden}");
                }
            }
        }
    }

    #[test]
    fn what_chooses_is_known_by_what_it_chooses_among() {
        let all = ["a_aes128_ctr", "a_aes128_ctr_sse2_vt", "a_aes128_ctr_sse2_schedule", "a_aes128_ecb"];
        assert!(chooses_among("a_aes128_ctr", &all));
        assert!(!chooses_among("a_aes128_ecb", &all));
        assert!(!chooses_among("a_aes128_ctr_sse2_vt", &all));
    }

    #[test]
    fn widths_are_named_where_variants_agree() {
        let zmm = dimensions::variant("aes128-ctr technique=gfni width=zmm").unwrap();
        let xmm = dimensions::variant("aes128-ctr technique=gfni").unwrap();
        let aes = dimensions::variant("aes128-ctr width=zmm").unwrap();
        let name = |variants: &[&Variant]| symbol_of(zmm.problem, variants, false);
        assert_eq!(name(&[&zmm]), "aesmith_aes128_ctr_gfni_zmm");
        assert_eq!(name(&[&xmm, &zmm]), "aesmith_aes128_ctr_gfni");
        assert_eq!(name(&[&aes]), "aesmith_aes128_ctr");
        assert_eq!(name(&[&aes, &zmm]), "aesmith_aes128_ctr");
    }
}
