//! Assembly text that every build reads alike. Only such text is assembled for a proof: its result may not depend on
//! the file's name, the folder, the time, or on files or options that a build may have and `verify` lacks. An
//! allow-list decides: an unknown directive, condition or reserved name is refused.

use std::collections::BTreeSet;

/// Macros that every compiler for a machine defines alike, so that conditions on them are the same in each build of an
/// object for it: machine, class of the object's addresses, format.
const OF_THE_MACHINE: &[&str] = &[
    "__x86_64__",
    "__amd64__",
    "__i386__",
    "__AVR__",
    "__arm__",
    "__riscv",
    "__riscv_xlen",
    "__MICROBLAZE__",
    "__powerpc__",
    "__powerpc64__",
    "__sparc__",
    "__arch64__",
    "__SPU__",
    "__ELF__",
];
/// Macros that differ among builds for one machine: they may only decide that a file is empty.
const OF_THE_STATE: &[&str] = &["__thumb__", "__thumb2__"];
/// Names that the manuals of avr-gcc use in assembly; they are symbols, not macros.
const SYMBOLS: &[&str] = &["__SREG__", "__SP_L__", "__SP_H__", "__tmp_reg__", "__zero_reg__"];
/// Words after `#` that the preprocessor acts upon; in assembly it passes on lines with any other word.
const DIRECTIVES: &[&str] = &[
    "include",
    "include_next",
    "import",
    "embed",
    "define",
    "undef",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "elifdef",
    "elifndef",
    "else",
    "endif",
    "line",
    "error",
    "warning",
    "pragma",
    "ident",
    "sccs",
    "assert",
    "unassert",
];

/// A line of code, or lines under a condition.
enum Node {
    Line { number: usize, text: String },
    Block { number: usize, branches: Vec<Branch> },
}

/// The lines after `#if`, `#elif` or `#else`, with the condition.
struct Branch {
    condition: Option<String>,
    nodes: Vec<Node>,
}

/// Checks a text, and returns the files beside it that it includes.
///
/// # Errors
/// Builds may read a line differently; the sentence names the line.
pub fn check(text: &str, preprocessed: bool) -> Result<Vec<String>, String> {
    if !preprocessed {
        return Ok(Vec::new());
    }
    let mut lines = lines(text)?.into_iter().peekable();
    let nodes = nodes(&mut lines, false)?;
    let mut reader = Reader { guarded: guard(&nodes), ..Reader::default() };
    reader.read(&nodes)?;
    Ok(reader.includes)
}

/// Checks a text for an assembler that does not report the files that it reads: macros may not compose words, and no
/// word may name a directive that reads a file.
///
/// # Errors
/// A sentence with the line.
pub fn assembled(text: &str) -> Result<(), String> {
    for (number, line) in lines(text)? {
        let low = line.to_ascii_lowercase();
        if let Some(word) = [".incbin", ".include", ".altmacro"].iter().find(|word| low.contains(*word)) {
            return Err(format!(
                "line {number}: `{word}` is refused where the assembler does not say what it reads"
            ));
        }
        if line.contains('\\') {
            return Err(format!(
                "line {number}: arguments of macros may make any directive; a compiler with GNU's assembler says what is read"
            ));
        }
    }
    Ok(())
}

/// The lines of a text with their numbers, as the preprocessor sees them: continued lines are joined, comments are
/// removed, and strings are empty.
fn lines(text: &str) -> Result<Vec<(usize, String)>, String> {
    let bytes: Vec<char> = text.replace("\r\n", "\n").chars().collect();
    let (mut out, mut line) = (Vec::new(), String::new());
    let (mut at, mut number, mut begun) = (0, 1, 1);
    let splice = |at: usize| -> Option<usize> {
        let rest = bytes.get(at..)?;
        let blank = rest.iter().skip(1).take_while(|c| [' ', '\t', '\u{b}', '\u{c}'].contains(c)).count();
        (rest.first() == Some(&'\\') && rest.get(1 + blank) == Some(&'\n')).then_some(at + 2 + blank)
    };
    let starts = |at: usize, what: [char; 2]| bytes.get(at..at + 2) == Some(&what);
    while at < bytes.len() {
        if let Some(next) = splice(at) {
            // The marks of a comment or a string may themselves be continued; this is refused, not followed.
            let marks = ['/', '*', '"', '\''];
            let before = at.checked_sub(1).is_some_and(|at| marks.contains(&bytes[at]));
            if before || bytes.get(next).is_some_and(|c| marks.contains(c)) {
                return Err(format!(
                    "line {number}: a line is continued within a mark of a comment or a string"
                ));
            }
            (at, number) = (next, number + 1);
        } else if bytes[at] == '\n' {
            out.push((begun, std::mem::take(&mut line)));
            (at, number) = (at + 1, number + 1);
            begun = number;
        } else if bytes[at] == '\r' || bytes[at] == '\0' {
            return Err(format!("line {number}: it has a character that ends no line and is no text"));
        } else if starts(at, ['/', '*']) {
            let first = number;
            at += 2;
            while !starts(at, ['*', '/']) {
                match bytes.get(at) {
                    None => return Err(format!("line {first}: its comment does not end")),
                    Some('\n') => number += 1,
                    Some(_) => {}
                }
                at += 1;
            }
            at += 2;
            line.push(' ');
        } else if bytes[at] == '"' {
            let directive = line.trim_start().starts_with('#');
            let start = at;
            at += 1;
            loop {
                match bytes.get(at) {
                    None | Some('\n') => {
                        return Err(format!("line {number}: its string does not end on the line"));
                    }
                    Some('\\') if bytes.get(at + 1).is_some_and(|c| *c != '\n') && splice(at).is_none() => {
                        at += 2
                    }
                    Some('\\') => {
                        return Err(format!("line {number}: its string does not end on the line"));
                    }
                    Some('"') => break,
                    Some(_) => at += 1,
                }
            }
            at += 1;
            // The names of files are kept for inspection.
            line.extend(if directive { bytes[start..at].to_vec() } else { vec!['"', '"'] });
        } else if bytes[at] == '\'' || starts(at, ['/', '/']) {
            // This may be a comment or a character: it makes no difference if nothing on the line begins a comment.
            let end = bytes[at..].iter().position(|&c| c == '\n').map_or(bytes.len(), |n| at + n);
            let rest: String = bytes[at..end].iter().collect();
            if rest.contains("/*") || rest.ends_with('\\') {
                return Err(format!(
                    "line {number}: behind a quotation mark or `//` a comment begins or the line is continued, which tools \
                     read differently"
                ));
            }
            line.push_str(&rest);
            at = end;
        } else {
            line.push(bytes[at]);
            at += 1;
        }
    }
    out.push((begun, line));
    Ok(out)
}

/// The word after a line's `#`, if the preprocessor acts upon it, and the rest.
fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    DIRECTIVES.contains(&&rest[..end]).then(|| (&rest[..end], rest[end..].trim()))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The names in a text, without numbers.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
}

type Lines = std::iter::Peekable<std::vec::IntoIter<(usize, String)>>;

/// Reads the lines up to the end of the enclosing branch.
fn nodes(lines: &mut Lines, inside: bool) -> Result<Vec<Node>, String> {
    let mut nodes = Vec::new();
    while let Some((number, line)) = lines.peek().cloned() {
        match directive(&line) {
            Some(("if" | "ifdef" | "ifndef", _)) => nodes.push(block(lines)?),
            Some(("elif" | "elifdef" | "elifndef" | "else" | "endif", _)) => {
                if inside {
                    return Ok(nodes);
                }
                return Err(format!("line {number}: `{}` has no #if", line.trim()));
            }
            _ => {
                lines.next();
                nodes.push(Node::Line { number, text: line });
            }
        }
    }
    if inside { Err("an #if has no #endif".into()) } else { Ok(nodes) }
}

/// Reads the lines from an `#if` to its `#endif`.
fn block(lines: &mut Lines) -> Result<Node, String> {
    let mut branches = Vec::new();
    let first = lines.peek().map_or(0, |(number, _)| *number);
    loop {
        let (number, line) = lines.next().ok_or_else(|| format!("line {first}: #if has no #endif"))?;
        let condition = match directive(&line) {
            Some(("endif", _)) => return Ok(Node::Block { number: first, branches }),
            Some(("else", _)) => None,
            Some(("if" | "elif", rest)) => Some(rest.to_owned()),
            Some((_, rest)) => Some(format!("defined({rest})")),
            None => return Err(format!("line {number}: a line stands between the branches of a condition")),
        };
        branches.push(Branch { condition, nodes: nodes(lines, true)? });
    }
}

/// The line number of the block that contains all of the file's code, if only one of its branches has code.
fn guard(nodes: &[Node]) -> Option<usize> {
    let mut all = nodes.iter().filter(|node| !is_harmless(node));
    let has_code = |branch: &&Branch| !branch.nodes.iter().all(is_harmless);
    match (all.next(), all.next()) {
        (Some(Node::Block { number, branches }), None) if branches.iter().filter(has_code).count() == 1 => {
            Some(*number)
        }
        _ => None,
    }
}

/// True for a branch that refuses to be built: regardless of its condition, a successful build contains none of it.
fn refuses(branch: &Branch) -> bool {
    let is_error = |node: &Node| match node {
        Node::Line { text, .. } => directive(text).is_some_and(|(word, _)| word == "error"),
        Node::Block { .. } => false,
    };
    branch.nodes.iter().any(is_error) && branch.nodes.iter().all(is_harmless)
}

/// True if lines make no code under any condition: a refusal to be built, properties of the stack, and symbols that
/// keep tables within a linker's reach.
fn is_harmless(node: &Node) -> bool {
    match node {
        Node::Line { text, .. } => {
            let text = text.trim();
            let reached =
                |rest: &str| rest.split(',').next().is_some_and(|name| name.trim().ends_with("_tables"));
            let note = [".section .note.GNU-stack", ".section\t.note.GNU-stack"];
            text.is_empty()
                || directive(text).is_some_and(|(word, _)| word == "error")
                || (note.iter().any(|note| text.starts_with(note)) && !text.contains(';'))
                || (!text.contains(';')
                    && [".set ", ".global ", ".hidden "]
                        .iter()
                        .any(|d| text.strip_prefix(d).is_some_and(reached)))
                || (text.starts_with(".reloc ") && text.contains(", R_AVR_NONE, ") && !text.contains(';'))
                || (text.starts_with(".section .progmem") && !text.contains(';'))
        }
        Node::Block { branches, .. } => branches.iter().all(|b| b.nodes.iter().all(is_harmless)),
    }
}

#[derive(Default)]
struct Reader {
    /// Macros that the text itself defines.
    defined: BTreeSet<String>,
    includes: Vec<String>,
    /// The line of the block that [`guard`] returns.
    guarded: Option<usize>,
}

impl Reader {
    fn read(&mut self, nodes: &[Node]) -> Result<(), String> {
        for (at, node) in nodes.iter().enumerate() {
            match node {
                Node::Line { number, text } => self.line(*number, text)?,
                Node::Block { .. } if is_harmless(node) => {}
                Node::Block { number, branches } => {
                    // An include guard: the name is the file's own, and is defined at once.
                    if let Some(own) = included_once(nodes, at, branches) {
                        self.defined.insert(own);
                    }
                    let taken = branches.iter().filter(|branch| !refuses(branch));
                    for condition in taken.filter_map(|branch| branch.condition.as_deref()) {
                        self.condition(*number, condition)?;
                    }
                    for branch in branches {
                        self.read(&branch.nodes)?;
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
        if text.contains("??") || text.trim_start().starts_with("%:") {
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
                return Ok(());
            }
            Some(("define", rest)) => {
                if rest.contains("##") {
                    return refused("puts names together, which may then be any");
                }
                if names(rest).any(|name| name == "defined") {
                    return refused("hides a condition");
                }
                self.defined.extend(names(rest).next().map(str::to_owned));
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
        let reserved = |name: &&str| {
            let rest = name.strip_prefix('_').unwrap_or_default();
            rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase())
        };
        match names(live)
            .filter(reserved)
            .find(|name| !SYMBOLS.contains(name) && !OF_THE_MACHINE.contains(name))
        {
            None => Ok(()),
            Some(name) => refused(&format!(
                "has `{name}`, a name of the compiler's: what stands for it may differ by file, folder, time and options"
            )),
        }
    }
}

/// The macro of an include guard: `#ifndef NAME`, immediately `#define NAME`, and no other branch.
fn included_once(nodes: &[Node], at: usize, branches: &[Branch]) -> Option<String> {
    let blank = |node: &Node| matches!(node, Node::Line { text, .. } if text.trim().is_empty());
    let alone = nodes.iter().enumerate().all(|(other, node)| other == at || blank(node));
    let [Branch { condition: Some(condition), nodes }] = branches else { return None };
    let name = condition.strip_prefix("defined(")?.strip_suffix(')')?;
    let defines = nodes.iter().find(|node| !blank(node)).is_some_and(|node| match node {
        Node::Line { text, .. } => directive(text) == Some(("define", name)),
        Node::Block { .. } => false,
    });
    (alone && defines).then(|| name.to_owned())
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
            "#define once 1\n#if once && defined(__x86_64__)\n\tnop\n#else\n\tud2\n#endif\n",
            "#ifndef __x86_64__\n\tud2\n#endif\n\tnop\n",
            "#if 1\n\tnop\n#endif\n",
            "#if defined(__arm__) && !defined(__thumb2__)\n\tnop\n#endif\n#if defined(__linux__) && defined(__ELF__)\n\
             \t.section .note.GNU-stack, \"\", %progbits\n#endif\n",
            "#if defined(__AVR__) && !(1) && !defined(AESMITH_NO_DATA_CACHE)\n#error \"it's refused\"\n#endif\n\tnop\n",
            "#if !defined(__thumb__)\n#elif FAST\n#error \"it's refused\"\n#else\n\tnop\n#endif\n",
            "#if FAST\n#error \"refused\"\n#elif defined(__x86_64__)\n\tnop\n#else\n\tud2\n#endif\n\tnop\n",
            "#ifndef A_H\n#define A_H\n#define b c\n#endif\n",
            "#include \"a.h\"\n\tnop\n",
            "\tin r28, __SP_L__\n",
            "\tmov $'a, %al\n",
            "\tnop // and so on\n",
        ] {
            assert_eq!(check(text, true).err(), None, "{text}");
        }
        assert_eq!(check("#include \"a.h\"\n", true), Ok(vec!["a.h".to_owned()]));
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
            ("\tnop \"\n", "does not end"),
        ] {
            let refused = check(text, true).expect_err(text);
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
}
