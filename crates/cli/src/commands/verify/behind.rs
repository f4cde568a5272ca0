//! Lines behind all code of a text that change nothing of it, whatever their condition is: the note on the stack, and the
//! symbol by which a linker script holds tables in reach. They are read exactly as packages have them.

use super::conditions::{Node, is_empty};
use super::lines::{composes, directive, is_word, names, single_blanks};
use aesmith_emit::package::plain::BLANKS;
use std::collections::BTreeSet;

/// The end of the symbols' names.
const TABLES: &str = "_tables";

/// Names of the macros that a text may define, for the preprocessor or for the assembler, in lower case: a line with one
/// of them may be anything. `None` stands for all names.
#[derive(Default)]
pub(super) struct Macros(Option<BTreeSet<String>>);

impl Macros {
    /// Names that a text's lines define. A header may define any, and so may a macro that makes the word `.macro`.
    pub(super) fn of(lines: &[(usize, String)]) -> Macros {
        let defines = |word: &str| word.eq_ignore_ascii_case("macro");
        let mut found = BTreeSet::new();
        for (_, line) in lines {
            match directive(line) {
                Some(("include", _)) => return Macros(None),
                Some(("define", rest)) if names(rest).any(defines) => return Macros(None),
                Some(("define", rest)) => found.extend(names(rest).next().map(str::to_ascii_lowercase)),
                Some(_) => {}
                None if line.trim_start_matches(BLANKS).starts_with('#') => {}
                // Among the words is the name.
                None if names(line).any(defines) => found.extend(names(line).map(str::to_ascii_lowercase)),
                None => {}
            }
        }
        Macros(Some(found))
    }

    /// True if a line has none of the names.
    fn spare(&self, line: &str) -> bool {
        let own = |word: &str| self.0.as_ref().is_none_or(|all| all.contains(&word.to_ascii_lowercase()));
        !names(line).any(own)
    }
}

/// True for a note on the stack, or for a block of one branch that has nothing but it or the symbol of tables. No word of
/// them may be the name of a macro.
pub(super) fn adds_no_code(node: &Node, macros: &Macros) -> bool {
    match node {
        Node::Line { text, .. } => is_note(text) && macros.spare(text),
        Node::Block { branches, .. } => match &branches[..] {
            [branch] => {
                let all = texts(&branch.nodes);
                let is_known = match &all[..] {
                    [note] => is_note(note),
                    all => symbol(all).is_some(),
                };
                is_known && all.iter().all(|line| macros.spare(line))
            }
            _ => false,
        },
    }
}

/// True if no other line of a text has the symbol that a block defines, or may put its name together.
pub(super) fn is_named_nowhere_else(node: &Node, lines: &[(usize, String)]) -> bool {
    let Node::Block { branches, .. } = node else { return false };
    let own = branches.first().map(|branch| texts(&branch.nodes)).unwrap_or_default();
    let Some(name) = symbol(&own) else { return own.len() == 1 };
    let inside = |line: &str| own.contains(&line);
    let words = |line: &str| line.split(|c| !is_word(c)).any(|word| word == name);
    lines.iter().all(|(_, line)| inside(line) || !(words(line) || composes(line)))
}

/// The lines of a branch that has no blocks; none otherwise.
fn texts(nodes: &[Node]) -> Vec<&str> {
    let lines = nodes.iter().filter(|node| !is_empty(node));
    lines
        .map(|node| match node {
            Node::Line { text, .. } => text.as_str(),
            Node::Block { .. } => "",
        })
        .collect()
}

/// True for the note that the code needs no executable stack.
fn is_note(line: &str) -> bool {
    let Some(rest) = single_blanks(line).strip_prefix(".section .note.GNU-stack").map(str::to_owned) else {
        return false;
    };
    let plain: String = rest.split(' ').collect();
    [",\"\",@progbits", ",\"\",%progbits"].contains(&plain.as_str())
}

/// The symbol that the lines of a block define, if they are those of a package.
fn symbol(lines: &[&str]) -> Option<String> {
    let [section, global, hidden, set, relocation] = lines else { return None };
    let section = single_blanks(section);
    let place = section.strip_prefix(".section .progmem")?;
    let (place, flags) = place.split_once(", ")?;
    let plain = |text: &str, more: &[char]| text.chars().all(|c| is_word(c) || more.contains(&c));
    let global = single_blanks(global);
    let name = global.strip_prefix(".global ")?;
    let set = single_blanks(set);
    let label = set.strip_prefix(&format!(".set {name}, "))?;
    let asks = single_blanks(relocation);
    let asked = asks.strip_prefix(&format!(".reloc {label}, R_AVR_NONE, "))?;
    let is = name.ends_with(TABLES)
        && plain(name, &[])
        && plain(label, &['.'])
        && plain(place, &['.'])
        && plain(flags, &['"', ',', ' ', '@'])
        && single_blanks(hidden) == format!(".hidden {name}")
        && asked.strip_suffix(&format!("_link_with_{name}.ld")).is_some_and(|by| plain(by, &[]));
    is.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::source::check;

    const SYMBOL: &str = "\tnop\n#if defined(__AVR_HAVE_ELPM__)\n    .section .progmem.data.a, \"aM\", @progbits, 256\n    \
        .global a_tables\n    .hidden a_tables\n    .set a_tables, .La_sbox\n    \
        .reloc .La_sbox, R_AVR_NONE, lpm_reaches_64_KiB__link_with_a_tables.ld\n#endif\n";
    const NOTE: &str = "#if defined(__linux__)\n\t.section .note.GNU-stack,\"\",@progbits\n#endif\n";

    #[test]
    fn what_stands_behind_the_code_is_taken_under_any_condition() {
        for text in [
            format!("\tnop\n{NOTE}"),
            format!("#define other section\n\t.macro m a\n\tnop\n\t.endm\n# a macro: section\n\tnop\n{NOTE}"),
            format!("\tnop\n{NOTE}\n{NOTE}"),
            format!("{SYMBOL}{NOTE}"),
            format!("#if !(defined(__AVR__))\n#elif FAST\n#error \"no\"\n#else\n{SYMBOL}#endif\n{NOTE}"),
            "\tnop\n\t.section .note.GNU-stack,\"\",@progbits\n".to_owned(),
        ] {
            assert_eq!(check(&text, true, false).err(), None, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let symbol = |from: &str, to: &str| {
            assert!(SYMBOL.contains(from), "{from}");
            SYMBOL.replacen(from, to, 1)
        };
        for text in [
            format!("{NOTE}\tnop\n"),
            format!("#if 1\n{NOTE}\tnop\n#endif\n"),
            format!("#if 1\n{NOTE}#endif\n\tnop\n"),
            format!("{NOTE}#include \"a.h\"\n"),
            format!("#define GNU x,\"\",@progbits; nop; .section .note.GNU\n\tnop\n{NOTE}"),
            format!("#define progbits progbits; nop\n\tnop\n{NOTE}"),
            format!("#define section(a) text; nop; .section\n\tnop\n{NOTE}"),
            format!("\t.macro .section a, b, c\n\tnop\n\t.endm\n\tnop\n{NOTE}"),
            format!("\t.MACRO .Section a, b, c\n\tnop\n\t.endm\n\tnop\n{NOTE}"),
            format!("#define of macro\n\t.of .section a, b, c\n\tnop\n\t.endm\n\tnop\n{NOTE}"),
            format!("#include \"a.h\"\n\tnop\n{NOTE}"),
            format!("#define hidden hidden a; nop; .hidden\n{SYMBOL}"),
            format!("#if defined(__thumb__)\n\tnop\n#endif\n#define section text; nop; .section\n{NOTE}"),
            format!("\tnop\n{}", NOTE.replace("\"\"", "\"x\"")),
            format!("\tnop\n{}", NOTE.replace("progbits", "progbits; nop")),
            format!("\tnop\n{}", NOTE.replace("#endif", "#else\n\tnop\n#endif")),
            format!("\tnop\n{}", NOTE.replace("#endif", "\tnop\n#endif")),
            format!("{SYMBOL}\tnop\n"),
            format!(".ifdef a_tables\n{SYMBOL}"),
            format!("\t.long a_tables - .La_sbox\n{SYMBOL}"),
            format!(".macro m a, b\n.long \\a\\()_\\b\n.endm\n{SYMBOL}"),
            format!(".altmacro\n{SYMBOL}"),
            format!("#include \"a.h\"\n{SYMBOL}"),
            symbol(".set a_tables, .La_sbox", ".set b_tables, .La_sbox"),
            symbol(".set a_tables, .La_sbox", ".set a_tables, .La_sbox $ nop"),
            symbol("_tables.ld", "_other.ld"),
            symbol("lpm_reaches_64_KiB__link_with_a_tables.ld", "other"),
            symbol("R_AVR_NONE", "R_AVR_LO8_LDI"),
            symbol("\"aM\"", "\"aM\" $ nop"),
            symbol("    .hidden a_tables\n", ""),
            symbol("    .global a_tables\n", "    .global other\n"),
        ] {
            assert!(check(&text, true, false).is_err(), "{text}");
        }
        // What follows a header is not known.
        assert!(check(NOTE, true, true).is_err());
        assert_eq!(check(NOTE, true, false).err(), None);
    }
}
