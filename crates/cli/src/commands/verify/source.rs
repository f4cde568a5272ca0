//! Assembly text that every build reads alike. Only such text is assembled for a proof: its result may not depend on
//! the file's name, the folder, the time, or on files or options that a build may have and `verify` lacks. An
//! allow-list decides: an unknown directive, condition or reserved name is refused.

use super::behind::{Macros, adds_no_code, is_named_nowhere_else};
use super::conditions::{Branch, Node, included_once, is_empty, refuses, tree};
use super::lines::{directive, lines, names};
use super::words::{OF_THE_MACHINE, OF_THE_STATE, is_of_builds, is_of_gnu_modes, is_reserved, unsettled};
use aesmith_emit::package::plain::BLANKS;
use std::collections::BTreeSet;

/// The directive by which GNU's assembler reads another language.
const OTHER_LANGUAGE: &str = "mri";
/// The symbol with the assembler's version. It may not occur in any text.
const OF_THE_ASSEMBLER: &str = "gasversion";

/// Checks a text, and returns the files beside it that it includes. `is_header`: another text goes on behind it.
///
/// # Errors
/// Builds may read a line differently; the sentence names the line.
pub fn check(text: &str, preprocessed: bool, is_header: bool) -> Result<Vec<String>, String> {
    if text.to_ascii_lowercase().contains(OF_THE_ASSEMBLER) {
        return Err(format!("it has `.{OF_THE_ASSEMBLER}.`, which differs by the version of the assembler"));
    }
    if !preprocessed {
        return match text.to_ascii_lowercase().contains(&format!(".{OTHER_LANGUAGE}")) {
            false => Ok(Vec::new()),
            true => Err(format!("it has `.{OTHER_LANGUAGE}`, behind which assemblers read another language")),
        };
    }
    let lines = lines(text)?;
    let nodes = tree(lines.clone())?;
    let macros = Macros::of(&lines);
    // What follows a header is not known.
    let guarded = if is_header { None } else { guard(&nodes, &macros) };
    let mut reader = Reader { guarded, macros, unsettled: unsettled(&lines), lines, ..Reader::default() };
    reader.free(&nodes, !is_header);
    reader.read(&nodes)?;
    Ok(reader.includes)
}

/// The line number of the block that contains all of the file's code, if only one of its branches has code.
fn guard(nodes: &[Node], macros: &Macros) -> Option<usize> {
    let has_code = |branch: &&Branch| !refuses(branch) && !branch.nodes.iter().all(is_empty);
    let may_have = |node: &&Node| match node {
        Node::Line { .. } => !is_empty(node),
        Node::Block { branches, .. } => branches.iter().any(|branch| has_code(&branch)),
    };
    let mut all = nodes.iter().filter(|node| may_have(node) && !adds_no_code(node, macros));
    match (all.next(), all.next()) {
        (Some(Node::Block { number, branches }), None) if branches.iter().filter(has_code).count() == 1 => {
            Some(*number)
        }
        _ => None,
    }
}

#[derive(Default)]
struct Reader {
    /// Macros that the text itself has defined up to the current line, and that have the same value in all builds.
    defined: BTreeSet<String>,
    /// Macros in the order of their definitions; a header may have defined some of them anew.
    order: Vec<String>,
    /// Macros that [`unsettled`] returns.
    unsettled: BTreeSet<String>,
    /// Macros that may change lines behind the code.
    macros: Macros,
    includes: Vec<String>,
    /// The line of the block that [`guard`] returns.
    guarded: Option<usize>,
    /// Lines of blocks whose conditions need not be known: they stand behind all code and change nothing of it.
    free: BTreeSet<usize>,
    lines: Vec<(usize, String)>,
}

impl Reader {
    /// Finds the blocks behind the last code of the file, which ends with `nodes` if `last` is true.
    fn free(&mut self, nodes: &[Node], last: bool) {
        let behind = |node: &&Node| is_empty(node) || adds_no_code(node, &self.macros);
        let tail = nodes.iter().rev().take_while(behind).count();
        let (before, tail) = nodes.split_at(nodes.len() - tail);
        for node in tail {
            if let (Node::Block { number, .. }, true) =
                (node, last && is_named_nowhere_else(node, &self.lines))
            {
                self.free.insert(*number);
            }
        }
        if let (Some(Node::Block { branches, .. }), true) = (before.last(), last) {
            branches.iter().for_each(|branch| self.free(&branch.nodes, true));
        }
    }

    fn define(&mut self, name: &str) {
        if !self.unsettled.contains(name) && self.defined.insert(name.to_owned()) {
            self.order.push(name.to_owned());
        }
    }

    fn read(&mut self, nodes: &[Node]) -> Result<(), String> {
        for (at, node) in nodes.iter().enumerate() {
            match node {
                Node::Line { number, text } => self.line(*number, text)?,
                Node::Block { number, .. } if self.free.contains(number) => {}
                Node::Block { number, branches } => {
                    // An include guard: the name is the file's own, and is defined at once.
                    if let Some(own) = included_once(nodes, at, branches) {
                        self.define(&own);
                    }
                    let taken = branches.iter().filter(|branch| !refuses(branch));
                    for condition in taken.filter_map(|branch| branch.condition.as_deref()) {
                        self.condition(*number, condition)?;
                    }
                    for branch in branches {
                        // What a branch defines, another text may define elsewhere.
                        let before = self.order.len();
                        self.read(&branch.nodes)?;
                        for name in self.order.drain(before..) {
                            self.defined.remove(&name);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn condition(&self, number: usize, condition: &str) -> Result<(), String> {
        let known = |name: &str| {
            name == "defined"
                || OF_THE_MACHINE.contains(&name)
                || (self.guarded == Some(number) && OF_THE_STATE.contains(&name))
                || self.defined.contains(name)
        };
        if condition.contains('\'') {
            return Err(format!(
                "line {number}: the condition `{condition}` has a character, whose value compilers choose"
            ));
        }
        match names(condition).find(|name| !known(name)) {
            None => Ok(()),
            Some(name) => Err(format!(
                "line {number}: the condition `{condition}` is on `{name}`, which builds may define or not: what is proved \
                 would be one of several texts"
            )),
        }
    }

    fn line(&mut self, number: usize, text: &str) -> Result<(), String> {
        let refused = |what: &str| {
            let shown: String = text.trim().chars().take(80).collect();
            Err(format!("line {number}: `{shown}` {what}"))
        };
        if text.contains("??") || text.contains("%:") {
            return refused("has another spelling of a character, which compilers read by their options");
        }
        let hexadecimal = |rest: &str| rest.len() >= 4 && rest.bytes().take(4).all(|b| b.is_ascii_hexdigit());
        if ["\\u", "\\U"].iter().any(|mark| text.split(mark).skip(1).any(hexadecimal)) {
            return refused("has a character by its number");
        }
        let mut live = text;
        match directive(text) {
            Some(("include", rest)) => {
                let name = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
                let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || ['_', '-', '.'].contains(&c));
                if !plain || !name.ends_with(".h") || name.starts_with(['-', '.']) {
                    return refused(
                        "includes what is no header beside the file, by a plain name in quotation marks",
                    );
                }
                self.includes.push(name.to_owned());
                // The header may define any of them anew.
                self.defined.clear();
                return Ok(());
            }
            Some(("define", rest)) => {
                if rest.contains("##") {
                    return refused("puts names together, which may then be any");
                }
                if names(rest).any(|name| name == "defined") {
                    return refused("hides a condition");
                }
                if let Some(name) = names(rest).next() {
                    if OF_THE_MACHINE.contains(&name) {
                        return refused("defines a name that the compiler defines for the machine");
                    }
                    self.define(name);
                }
                live = rest;
            }
            Some(("undef" | "error", rest)) => {
                if directive(text).is_some_and(|(word, _)| word == "undef") {
                    live = rest;
                } else {
                    return Ok(());
                }
            }
            Some(_) => return refused("is a directive that no kernel needs"),
            None => {}
        }
        // These are words of comments, too: lines that begin with `#`, and what stands behind `//`.
        let is_comment = directive(text).is_none() && text.trim_matches(BLANKS).starts_with('#');
        let code = if is_comment { "" } else { live.split("//").next().unwrap_or_default() };
        if names(code).any(|name| name.eq_ignore_ascii_case(OTHER_LANGUAGE)) {
            return refused("makes assemblers read another language");
        }
        if let Some(name) = names(code).find(|name| is_of_builds(name)) {
            return refused(&format!("has `{name}`, which some builds define: what stands for it differs"));
        }
        let of_compilers = names(live).filter(|name| is_reserved(name));
        match of_compilers.chain(names(code).filter(|name| is_of_gnu_modes(name))).next() {
            None => Ok(()),
            Some(name) => refused(&format!(
                "has `{name}`, a name of the compiler's: what stands for it may differ by file, folder, time and options"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_every_build_reads_alike_is_taken() {
        for text in [
            "\tnop\n",
            "/* __FILE__, it's in a comment */\n\tnop\n",
            "\t.ascii \"__FILE__ /* is text */\"\n",
            "# a comment of the assembler's, with _ in no name\n\tnop\n",
            "#define unused vaesenc\n#define of(a, b) a, b\n\tnop\n",
            "#define one 1\n#define more one\n#if more && one\n\tnop\n#endif\n",
            "#undef __amd64__\n#ifdef __amd64__\n\tud2\n#endif\n\tnop\n",
            "\tmov %fs:8, %rax // ARDUINO\n\tmov $CONFIGURED, %al\n\t.ifc ESP,esp\n\t.endif\n",
            "#include \"a.h\"\n#define once 1\n#if once\n\tnop\n#endif\n",
            "#define once 1\n#if once && defined(__x86_64__)\n\tnop\n#else\n\tud2\n#endif\n",
            "#ifndef __x86_64__\n\tud2\n#endif\n\tnop\n",
            "#if 1\n\tnop\n#endif\n",
            "#if defined(__arm__) && !defined(__thumb2__)\n\tnop\n#endif\n#if defined(__linux__) && defined(__ELF__)\n\
             \t.section .note.GNU-stack, \"\", %progbits\n#endif\n",
            "#if defined(__AVR__) && !(1) && !defined(AESMITH_NO_DATA_CACHE)\n#error \"it's refused\"\n#endif\n\tnop\n",
            "#if FAST\n#error \"no\"\n#endif\n#if defined(__arm__) && !defined(__thumb2__)\n\tnop\n#endif\n",
            "#if !defined(__thumb__)\n#elif FAST\n#error \"it's refused\"\n#else\n\tnop\n#endif\n",
            "#if FAST\n#error \"refused\"\n#elif defined(__x86_64__)\n\tnop\n#else\n\tud2\n#endif\n\tnop\n",
            "#ifndef A_H\n#define A_H\n#define b c\n#endif\n",
            "#ifdef __x86_64__\n#define once 1\n#if once\n\tnop\n#endif\n#endif\n",
            "/* C:\\aes \\ and\n é */\n\tmov $eight, %al\r\n\tnop // C:\\aes\n",
            "# linux, é\n#error \"é, $\"\n",
            "\tnop // on linux, AVR and sparc\n",
            "\t.machine \"PPC\"\n",
            "#include \"a.h\"\n\tnop\n",
            "\tin r28, __SP_L__\n",
            "\tmov $'a, %al\n",
            "\tnop // and so on\n",
        ] {
            assert_eq!(check(text, true, false).err(), None, "{text}");
        }
        assert_eq!(check("#include \"a.h\"\n", true, false), Ok(vec!["a.h".to_owned()]));
    }

    #[test]
    fn what_builds_may_read_otherwise_is_refused() {
        for (text, why) in [
            ("\t.ifeqs __FILE__, \"a.S\"\n", "`__FILE__`"),
            ("#define where __FILE__\n", "`__FILE__`"),
            ("\t.ascii __DATE__\n", "`__DATE__`"),
            ("\t.ascii __TIMESTAMP__\n", "`__TIMESTAMP__`"),
            ("\t.long __COUNTER__\n", "`__COUNTER__`"),
            ("\t.if __OPTIMIZE__\n", "`__OPTIMIZE__`"),
            ("__FI\\\nLE__\n", "`__FILE__`"),
            ("__FI\\  \nLE__\n", "`__FILE__`"),
            ("// /*\n__FILE__\n// */\n", "comment begins"),
            ("\t' /*\n__FILE__\n\t' */\n", "comment begins"),
            ("\t/\\\n* */ nop\n", "continued"),
            ("#define put(a, b) a##b\nput(__FI, LE__)\n", "puts names together"),
            ("#ifdef FAST\n\tnop\n#endif\n", "`FAST`"),
            ("#ifndef SLOW\n#define SLOW\n#endif\n\tnop\n", "`SLOW`"),
            ("#ifdef __ZEPHYR__\n\tnop\n#endif\n", "`__ZEPHYR__`"),
            ("#if FAST\n#error \"refused\"\n\tnop\n#else\n\tud2\n#endif\n", "`FAST`"),
            ("#if FAST\n#else\n\tud2\n#endif\n", "`FAST`"),
            (
                "#if defined(__thumb__)\n\tnop\n#elif FAST\n#error \"refused\"\n#else\n\tud2\n#endif\n",
                "`__thumb__`",
            ),
            ("#if defined(__thumb2__)\n\tnop\n#else\n\tud2\n#endif\n", "`__thumb2__`"),
            ("#if defined(__thumb2__)\n\tnop\n#endif\n\tnop\n", "`__thumb2__`"),
            ("#if defined(__linux__)\n\t.section .note.GNU-stack, \"\"; nop\n#endif\n", "`__linux__`"),
            ("#if __has_include(\"x.o\")\n\tnop\n#endif\n", "`__has_include`"),
            ("#if __INCLUDE_LEVEL__\n\tnop\n#endif\n", "`__INCLUDE_LEVEL__`"),
            ("#define has defined(X)\n#if has\n\tnop\n#endif\n", "hides a condition"),
            ("#define A UNKNOWN\n#if A\n\tud2\n#endif\n", "`A`"),
            ("#define B 1\n#define A B\n#undef B\n#define B FAST\n#if A\n\tud2\n#endif\n", "`A`"),
            ("#define A 1\n#include \"a.h\"\n#if A\n\tud2\n#endif\n", "`A`"),
            ("#define B 1\n#include \"a.h\"\n#define A B\n#if A\n\tud2\n#endif\n", "`A`"),
            ("#if 1\n#include \"a.h\"\n#endif\n#define B 1\n#define A B\n#if A\n\tud2\n#endif\n", "`A`"),
            ("#define A '\\377'\n#if A > 0\n\tud2\n#endif\n", "`A`"),
            ("#if '\\377' > 0\n\tud2\n#endif\n", "a character"),
            ("#define __amd64__ 0\n", "for the machine"),
            ("\t.ifc ARDUINO,10819\n\tud2\n\t.endif\n", "some builds"),
            ("\t.ifc ARDUINO_ARCH_AVR,1\n\tud2\n\t.endif\n", "some builds"),
            ("#define a CONFIG_SMP\n", "some builds"),
            ("\t.ifnc ESP32,ESP32\n\t.endif\n", "some builds"),
            ("\t.ifnc NDEBUG,NDEBUG\n\t.endif\n", "some builds"),
            ("\t.ifc powerpc,1\n\t.endif\n", "`powerpc`"),
            ("\t.ifc vector,1\n\t.endif\n", "`vector`"),
            ("\t.mri 1\n", "another language"),
            ("#define a MRI\n", "another language"),
            ("#define p(a,b) a%:%:b\n", "another spelling"),
            ("#define p(a) %:a\n", "another spelling"),
            ("%:define a b\n", "another spelling"),
            ("\u{feff}#define p(a,b) a##b\n", "byte order mark"),
            ("#include <stdint.h>\n", "no header beside"),
            ("#include \"../a.h\"\n", "no header beside"),
            ("#include \"a.o\"\n", "no header beside"),
            ("#include NAME\n", "no header beside"),
            ("#include_next \"a.h\"\n", "no kernel needs"),
            ("#embed \"a.bin\"\n", "no kernel needs"),
            ("#pragma push_macro(\"a\")\n", "no kernel needs"),
            ("#line 3 \"b.S\"\n", "no kernel needs"),
            ("??=define a b\n", "another spelling"),
            ("#if 1\n\tnop\n", "no #endif"),
            ("/* *\\\n/\n__DATE__\n/* */\n", "within a comment"),
            ("/* *\\ \u{c}\n/\n__DATE__\n/* */\n", "within a comment"),
            ("/* *??/\n/\n__DATE__\n/* */\n", "a backslash"),
            ("\t.ascii \"??/\"\n", "a backslash"),
            ("\t.ascii \"??=\"\n", "`??` in a string"),
            ("\t.ascii R\"(\" /* )\"\n__DATE__\n/* */\n", "`R` before a string"),
            ("\t' \\ \nnop\n", "is continued"),
            ("\tnop // \r\tud2\n", "U+000D"),
            ("/* \0 */\n", "U+0000"),
            ("\tmov $__DATE__, %al\n", "`__DATE__`"),
            ("\t.ifc é__DATE__, é\n", "`__DATE__`"),
            ("\t.ifc linux, 1\n", "`linux`"),
            ("#define a unix\n", "`unix`"),
            ("\t.ifc AVR, 1\n", "`AVR`"),
            ("#define a PPC\n", "`PPC`"),
            ("\t.ifc i386, 1\n", "`i386`"),
            ("\t.ifc sparc, 1\n", "`sparc`"),
            ("#ifdefé __x86_64__\n#endif\n", "letters"),
            ("#if defined(__x86_64__$)\n#endif\n", "letters"),
            ("#erroré\n", "letters"),
            ("#if 0\n#elifdef __x86_64__\n#endif\n", "newer compilers"),
            ("#ifdef FAST\n\tnop // \\ \n#error \"no\"\n#endif\n", "is continued"),
            ("#ifdef FAST\n\u{a0}#error \"no\"\n#endif\n", "`FAST`"),
            ("#ifdef __x86_64__\n#define FAST\n#endif\n#ifdef FAST\n\tnop\n#endif\n", "`FAST`"),
            ("\t.if .gasversion. < 23900\n", "the version of the assembler"),
            ("\tnop \"\n", "does not end"),
        ] {
            let refused = check(text, true, false).expect_err(text);
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
}
