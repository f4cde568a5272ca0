//! Compares a C file of a package with the expected one, ignoring everything that does not matter to a compiler: comments
//! and layout.

use super::plain::{BLANKS, characters, trigraphs, uncontinued};

/// A word, number, string, punctuation mark or preprocessor line, and the comment before it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    line: usize,
    comment: String,
}

/// Punctuation marks of several characters, in C (C99, 6.4.6, without digraphs) and in C++ and CUDA; longer ones stand
/// before their beginnings.
const MARKS: &[&str] = &[
    "<<<", ">>>", "<=>", "...", "<<=", ">>=", "->*", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&", "||", "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "::", ".*",
];

/// Returns a sentence on the first difference between a C file and the expected one. Comments may differ, and so may
/// strings that a function returns, which name the kernel for people.
pub fn c_differs(wanted: &str, found: &str) -> Option<String> {
    let found = match tokens(found) {
        Ok(found) => found,
        Err(why) => return Some(why),
    };
    differs(tokens(wanted).unwrap_or_default(), found)
}

/// Like [`c_differs`], for a text in OpenCL C that begins with lines of `//` comments.
pub fn opencl_differs(wanted: &str, found: &str) -> Option<String> {
    if let Err(why) = alike(found) {
        return Some(why);
    }
    let is_above = |line: &&str| line.starts_with("//") || line.trim().is_empty();
    let below = |text: &str| text.lines().skip_while(is_above).collect::<Vec<_>>().join("\n");
    c_differs(&below(wanted), &below(found))
}

fn differs(wanted: Vec<Token>, found: Vec<Token>) -> Option<String> {
    let (wanted, found) = (without_names(wanted), without_names(found));
    let at = (0..wanted.len().max(found.len())).find(|&i| text_at(&wanted, i) != text_at(&found, i))?;
    let line = found.get(at).or(found.last()).map_or(1, |token| token.line);
    Some(match (statement(&wanted, at), statement(&found, at)) {
        (wanted, None) => format!("it ends where `{}` belongs", wanted.unwrap_or_default()),
        (None, Some(found)) => format!("line {line}: `{found}` is too much"),
        (Some(wanted), Some(found)) => {
            format!("line {line}: it has `{found}`, and what was proved is `{wanted}`")
        }
    })
}

fn text_at(tokens: &[Token], at: usize) -> Option<&str> {
    tokens.get(at).map(|token| token.text.as_str())
}

/// Returns the declaration or statement that contains a token.
fn statement(tokens: &[Token], at: usize) -> Option<String> {
    tokens.get(at)?;
    let ends = |token: &Token| [";", "{", "}"].contains(&token.text.as_str()) || token.text.starts_with('#');
    let start = tokens[..at].iter().rposition(ends).map_or(0, |last| last + 1);
    let end = tokens[at..].iter().position(ends).map_or(tokens.len(), |n| at + n + 1);
    let words: Vec<&str> = tokens[start..end].iter().map(|token| token.text.as_str()).collect();
    let all = words.join(" ");
    Some(match all.char_indices().nth(160) {
        Some((cut, _)) => format!("{}...", &all[..cut]),
        None => all,
    })
}

/// Replaces strings behind `return` by one empty string.
fn without_names(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    for mut token in tokens {
        let returned = |out: &[Token]| out.last().is_some_and(|last| last.text == "return");
        let named = |out: &[Token]| {
            out.last().is_some_and(|last| last.text == "\"\"")
                && out.iter().rev().nth(1).is_some_and(|before| before.text == "return")
        };
        if token.text.starts_with('"') {
            if named(&out) {
                continue;
            }
            if returned(&out) {
                token.text = "\"\"".into();
            }
        }
        out.push(token);
    }
    out
}

/// Returns the comment before a function's declaration, its words separated by single spaces.
pub fn comment_before(header: &str, function: &str) -> Option<String> {
    let tokens = tokens(header).ok()?;
    let name = (1..tokens.len()).find(|&i| tokens[i].text == "(" && tokens[i - 1].text == function)? - 1;
    let ends = |token: &Token| [";", "}", "{"].contains(&token.text.as_str()) || token.text.starts_with('#');
    let start = tokens[..name].iter().rposition(ends).map_or(0, |last| last + 1);
    Some(tokens[start].comment.clone())
}

/// Returns the names in a C text.
///
/// # Errors
/// The text cannot be tokenized.
pub fn names(text: &str) -> Result<Vec<String>, String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let all = tokens(text)?;
    let parts =
        all.iter().flat_map(|token| token.text.split(|c: char| !word(c)).filter(|part| !part.is_empty()));
    Ok(parts.map(str::to_owned).collect())
}

/// Checks that a whole C file, except the line that includes its header, is inside one preprocessor condition whose
/// first line is one of `wanted`.
pub fn is_behind(include: &str, wanted: &[String], text: &str) -> Result<(), String> {
    let all = tokens(text)?;
    let mut code = all.iter().skip_while(|token| token.text == include);
    let refused = |token: &Token| {
        Err(format!("line {}: `{}` stands where only `{}` may", token.line, token.text, wanted[0]))
    };
    match code.next() {
        Some(first) if wanted.contains(&first.text) => {}
        Some(first) => return refused(first),
        None => return Ok(()),
    }
    let mut depth = 1;
    for token in code {
        if depth == 0 {
            return refused(token);
        }
        match token.text.strip_prefix('#').map(word_of) {
            Some("if" | "ifdef" | "ifndef") => depth += 1,
            Some("endif") => depth -= 1,
            Some("elif" | "else") if depth == 1 => return refused(token),
            Some("elif" | "else" | "define" | "undef" | "include" | "error" | "pragma" | "") | None => {}
            // Compilers overlook it in what they skip; whether it is a condition depends on their version.
            Some(_) => return refused(token),
        }
    }
    if depth == 0 { Ok(()) } else { Err("its condition does not end".into()) }
}

/// The word behind the `#` of a preprocessor line.
fn word_of(rest: &str) -> &str {
    let rest = rest.trim_start();
    &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
}

/// Checks that all compilers see the same lines in a C text.
fn alike(text: &str) -> Result<(), String> {
    characters(text)?;
    trigraphs(text)?;
    uncontinued(text)
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    alike(text)?;
    let text = text.replace("\r\n", "\n");
    let chars: Vec<char> = text.chars().collect();
    let (mut out, mut comment): (Vec<Token>, String) = (Vec::new(), String::new());
    let (mut at, mut line, mut fresh) = (0, 1, true);
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while at < chars.len() {
        let c = chars[at];
        let next = chars.get(at + 1).copied();
        if c == '\n' {
            (at, line, fresh) = (at + 1, line + 1, true);
        } else if BLANKS.contains(&c) {
            at += 1;
        } else if c == '/' && next == Some('*') {
            let (begun, first) = (at + 2, line);
            at += 2;
            while chars.get(at..at + 2).is_some_and(|two| two != ['*', '/']) {
                line += usize::from(chars[at] == '\n');
                at += 1;
            }
            if at + 1 >= chars.len() {
                return Err(format!("line {first}: its comment does not end"));
            }
            let said: String = chars[begun..at].iter().collect();
            let words =
                said.lines().map(|l| l.trim().trim_start_matches('*')).flat_map(str::split_whitespace);
            comment = words.collect::<Vec<_>>().join(" ");
            at += 2;
        } else if c == '/' && next == Some('/') {
            return Err(format!(
                "line {line}: `//` begins a comment in some languages of C, and in others none"
            ));
        } else if [('?', Some('?')), ('%', Some(':'))].contains(&(c, next)) {
            return Err(format!("line {line}: `{c}` stands where compilers may read another character"));
        } else if c == '\\' || c == '$' || !c.is_ascii() {
            return Err(format!("line {line}: `{c}` stands where only some compilers allow it"));
        } else if fresh && c == '#' {
            let (text, end, lines) = directive(&chars, at, line)?;
            out.push(Token { text, line, comment: std::mem::take(&mut comment) });
            (at, line) = (end, line + lines);
        } else {
            let begun = at;
            if c == '"' || c == '\'' {
                at += 1;
                while chars.get(at).is_some_and(|&d| d != c && d != '\n') {
                    at += if chars[at] == '\\' { 2 } else { 1 };
                }
                if chars.get(at) != Some(&c) {
                    return Err(format!("line {line}: a string does not end on its line"));
                }
                at += 1;
                if chars[begun..at].windows(2).any(|two| two == ['?', '?']) {
                    return Err(format!(
                        "line {line}: `??` stands where compilers may read another character"
                    ));
                }
            } else if word(c) {
                while chars.get(at).is_some_and(|&c| word(c)) {
                    at += 1;
                }
                // A raw string (`R"(...)"`) ends elsewhere, and a quotation mark may separate digits.
                if chars.get(at).is_some_and(|c| ['"', '\''].contains(c)) {
                    return Err(format!(
                        "line {line}: a quotation mark behind a word begins a string for some compilers only"
                    ));
                }
            } else {
                let is_here = |mark: &&&str| mark.chars().eq(chars[at..].iter().copied().take(mark.len()));
                at += MARKS.iter().find(is_here).map_or(1, |mark| mark.len());
            }
            let text: String = chars[begun..at].iter().collect();
            out.push(Token { text, line, comment: std::mem::take(&mut comment) });
            fresh = false;
        }
    }
    Ok(out)
}

/// Returns a preprocessor line with runs of blanks reduced to one, its end, and the number of further lines that it
/// spans.
fn directive(chars: &[char], at: usize, line: usize) -> Result<(String, usize, usize), String> {
    let end = chars[at..].iter().position(|&c| c == '\n').map_or(chars.len(), |n| at + n);
    let all: String = chars[at..end].iter().collect();
    if all.contains('\\') || all.contains("??") || all.contains("//") {
        return Err(format!(
            "line {line}: `{}` is continued, or has what compilers may read differently",
            all.trim()
        ));
    }
    let mut words = String::new();
    let mut rest = all.as_str();
    while let Some((before, behind)) = rest.split_once("/*") {
        let opened = before.matches('"').count() % 2 == 1 || before.contains('\'');
        let named = before.contains("include") && before.contains('<') && !before.contains('>');
        if opened || named {
            return Err(format!("line {line}: within a string of `{}` a comment begins", before.trim()));
        }
        let Some((_, after)) = behind.split_once("*/") else {
            return Err(format!("line {line}: a comment begins behind `{}` and goes on", before.trim()));
        };
        words.push_str(before);
        words.push(' ');
        rest = after;
    }
    words.push_str(rest);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok((words.replacen("# ", "#", 1), end, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "/* So. */\n#ifndef A_H\n#define A_H\n/*\n * Of 4\n * blocks.\n */\nvoid a(int b[4],\n    int c);\n#endif\n";

    #[test]
    fn comments_and_layout_say_nothing() {
        for same in [
            HEADER.to_owned(),
            HEADER.replace("/* So. */\n", ""),
            HEADER.replace(",\n    int", ", /* in */ int"),
            HEADER.replace("#define A_H", "#  define   A_H /* once */"),
            HEADER.replace('\n', "\r\n"),
        ] {
            assert_eq!(c_differs(HEADER, &same), None, "{same}");
        }
        assert_eq!(comment_before(HEADER, "a").as_deref(), Some("Of 4 blocks."));
        let kernel = |name: &str| format!("int b;\nconst char *k(void)\n{{\n    return {name};\n}}\n");
        assert_eq!(c_differs(&kernel("\"\""), &kernel("\"aes\"\n \"so\"")), None);
        assert!(c_differs(&kernel("\"\""), &kernel("\"aes\"; b = 1; return \"\"")).is_some());
        // With trigraphs, the first string goes on, and the assignment stands outside of the second.
        let trigraph = kernel("\"??/\" \"; b = 1; \" /* ??/\" */ /*\"//*/");
        assert!(c_differs(&kernel("\"\""), &trigraph).is_some());
    }

    #[test]
    fn punctuation_marks_are_read_at_their_longest() {
        for (mark, apart) in [
            ("a ++ b", "a + + b"),
            ("a && b", "a & & b"),
            ("a >>= b", "a >> = b"),
            ("a -> b", "a - > b"),
            ("f<<<a>>>", "f<< <a>>>"),
            ("f(...)", "f(. ..)"),
            ("a +++ b", "a + ++ b"),
        ] {
            assert!(c_differs(mark, apart).is_some(), "{apart}");
            assert!(c_differs(apart, mark).is_some(), "{mark}");
            let loose = mark.replace(' ', "\n\t");
            assert_eq!(c_differs(mark, &loose), None, "{loose}");
        }
        assert_eq!(c_differs("a+++b;", "a ++ + b ;"), None);
    }

    #[test]
    fn lines_of_comment_in_opencl_say_nothing() {
        let text = "// a kernel\nkernel void a() { b(); }\n";
        assert_eq!(opencl_differs(text, &text.replace("// a kernel", "// the same")), None);
        for changed in [
            "// a \\\nkernel void a() { b(); }\n",
            "// a\nkernel void a() { c(); }\n",
            "// a\nkernel void a() { b(); } // so\n",
            "// a??/\nkernel void c();\nkernel void a() { b(); }\n",
        ] {
            assert!(opencl_differs(text, changed).is_some(), "{changed}");
        }
    }

    #[test]
    fn what_a_compiler_reads_counts() {
        for (from, to, why) in [
            (
                "int b[4]",
                "int b[1]",
                "`void a ( int b [ 1 ] , int c ) ;`, and what was proved is `void a ( int b [ 4 ]",
            ),
            ("int c);", "int c);\n#define a b\n", "`#define a b`"),
            ("int c);", "int c);\nextern int d;", "`extern int d ;`"),
            ("#endif\n", "", "`#endif` belongs"),
            ("/* So. */", "// *\n", "`//`"),
            ("/* So. */", "??/", "another character"),
            ("/* So. */", "/* *\\\n/\n#define a b\n/* */", "continued"),
            ("/* So. */", "/* *\\ \n/\n#define a b\n/* */", "continued"),
            ("/* So. */", "/* *??/\n/\n#define a b\n/* */", "another character"),
            ("/* So. */", "/* \0 */", "U+0000"),
            ("/* So. */", "/* So. */\r#define a b\r", "U+000D"),
            ("int c", "int\u{2028}c", "U+2028"),
            ("int c", "int\u{a0}c", "only some compilers"),
            ("#ifndef A_H", "%:ifndef A_H", "another character"),
            ("#define A_H", "#include \"/*\" */\"", "a comment begins"),
            ("#define A_H", "#define A_H \\\n", "continued"),
            ("#define A_H", "#define A_H /* \n */", "goes on"),
            ("int c", "int \\\nc", "continued"),
            ("/* So. */", "\"", "does not end"),
        ] {
            let changed = HEADER.replace(from, to);
            let why_not = c_differs(HEADER, &changed).expect(to);
            assert!(why_not.contains(why), "{to}: {why_not}");
        }
    }

    #[test]
    fn a_condition_holds_all_of_a_file() {
        let held = "#include \"a.h\"\n#if !(defined(B))\nint a;\n#ifdef C\n#else\n#endif\n#endif\n";
        assert_eq!(is_behind("#include \"a.h\"", &["#if !(defined(B))".to_owned()], held), Ok(()));
        for (from, to) in [
            ("#if !", "int b;\n#if !"),
            ("#if !", "#include \"b.h\"\n#if !"),
            ("!(defined(B))", "1"),
            ("int a;\n", "int a;\n#else\n"),
            ("#endif\n#endif\n", "#endif\n#endif\nint b;\n"),
            ("#endif\n#endif\n", "#endif\n"),
            // Compilers overlook these within what they skip, so that the condition ends behind them.
            ("int a;\n", "#iffy\n#endif\nint b;\n#if 0\n"),
            ("int a;\n", "%:endif\nint b;\n%:if 0\n"),
            // A raw string of C++ and of GNU's C, which ends within the comment.
            ("int a;\n", "R\"(\" /* )\"\n#endif\nint b;\n#if 0\n/* */\n"),
            ("int a;\n", "1'0/*'\n#endif\nint b;\n#if 0\n/**/\n"),
            ("#else", "#elifdef D"),
        ] {
            assert!(
                is_behind("#include \"a.h\"", &["#if !(defined(B))".to_owned()], &held.replacen(from, to, 1))
                    .is_err(),
                "{to}"
            );
        }
    }
}
