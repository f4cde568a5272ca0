//! Compares a build file of a package with the expected one, line by line, except comments and versions.

use super::plain::{characters, goes_on, line_of};

/// Lines that packages of earlier versions have, and the lines that now stand for them.
const EARLIER: &[(&str, &str)] = &[
    (
        "\t  'Libs: -L$${libdir} -l$(NAME)' 'Cflags: -I$${includedir}' > \"$(DESTDIR)$(LIBDIR)/pkgconfig/$(NAME).pc\"",
        "\t  'Libs: -L\"$${libdir}\" -l$(NAME)' 'Cflags: -I\"$${includedir}\"' > \"$(DESTDIR)$(LIBDIR)/pkgconfig/$(NAME).pc\"",
    ),
    (
        "override CFLAGS := $(filter-out -Wa,$(subst $(COMMA)-msse2avx,,$(CFLAGS)))",
        "override CFLAGS := $(filter-out -Wa -mbranches-within-32B-boundaries,\
         $(subst $(COMMA)-mbranches-within-32B-boundaries,,$(subst $(COMMA)-msse2avx,,$(CFLAGS))))",
    ),
];

/// Returns a sentence on the first difference between the build file or library description `name` and the expected one.
/// Lines that are comments, empty lines and the version of the writer may differ; in a Kconfig file, also the help text
/// at its end, which is only displayed.
pub fn lines_differ(name: &str, wanted: &str, found: &str) -> Option<String> {
    let help = |text| if name.ends_with("Kconfig") { before_help(text) } else { text };
    if let Err(why) = characters(found) {
        return Some(why);
    }
    let (wanted, found) = match (read(name, help(wanted)), read(name, help(found))) {
        (Ok(wanted), Ok(found)) => (wanted, found),
        (Err(why), _) | (_, Err(why)) => return Some(why),
    };
    let at = (0..wanted.len().max(found.len()))
        .find(|&i| wanted.get(i).map(|(_, line)| line) != found.get(i).map(|(_, line)| line))?;
    Some(match (wanted.get(at), found.get(at)) {
        (Some((_, wanted)), Some((line, found))) if wanted.trim() == found.trim() => {
            format!("line {line}: it has other blanks at an end of `{}`", found.trim())
        }
        (Some((_, wanted)), Some((line, found))) => {
            format!("line {line}: it has `{}`, and aesmith writes `{}`", found.trim(), wanted.trim())
        }
        (Some((_, wanted)), None) => format!("it ends where `{}` belongs", wanted.trim()),
        (None, Some((line, found))) => format!("line {line}: `{}` is too much", found.trim()),
        (None, None) => return None,
    })
}

/// The lines that a tool acts upon, with their numbers.
fn read(name: &str, text: &str) -> Result<Vec<(usize, String)>, String> {
    if name.ends_with("Makefile")
        && let Some(at) = text.find('\r')
    {
        return Err(format!(
            "line {}: it ends with a carriage return, which some makes take for a part of it",
            line_of(text, at)
        ));
    }
    let has_comments = !name.ends_with(".json");
    let (mut lines, mut continued) = (Vec::new(), false);
    for (number, line) in (1..).zip(text.lines()) {
        // Behind a backslash a line belongs to the one before it, even an empty one.
        let is_comment = has_comments && !continued && line.starts_with('#');
        if is_comment && goes_on(line) {
            return Err(format!("line {number}: its comment goes on in the next line"));
        }
        if is_comment && line.starts_with("#[") {
            return Err(format!("line {number}: its comment goes on to a bracket"));
        }
        if !is_comment && (continued || !line.is_empty()) {
            let line = EARLIER.iter().find(|(then, _)| *then == line).map_or(line, |(_, now)| *now);
            lines.push((number, without_version(line)));
        }
        continued = goes_on(line);
    }
    Ok(lines)
}

/// Removes the version number behind the marks of versions from a line.
fn without_version(line: &str) -> String {
    for mark in ["Version: ", "version=", "\"version\": \""] {
        if let Some((before, behind)) = line.split_once(mark) {
            let rest = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            return format!("{before}{mark}{rest}");
        }
    }
    line.to_owned()
}

/// Returns the text before the help that ends a Kconfig file, or all of it if something else follows. Help lasts as
/// long as lines have at least the indentation of its first line.
fn before_help(text: &str) -> &str {
    let Some((before, help)) = text.split_once("\n\thelp\n") else { return text };
    let is_help = |line: &str| line.trim_matches([' ', '\t']).is_empty() || line.starts_with("\t  ");
    let first = help.lines().find(|line| !line.trim_matches([' ', '\t']).is_empty());
    let least = |line: &str| line.strip_prefix("\t  ").is_some_and(|rest| !rest.starts_with([' ', '\t']));
    let ends = !first.is_none_or(least) || help.lines().any(goes_on);
    if help.lines().all(is_help) && !ends { before } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# of 0.1\nA = b \\\n  c\n\nc:\n\tmake # so\n  'Version: 0.1.0' x\n";

    #[test]
    fn versions_and_comments_of_build_files_may_differ() {
        for same in [
            FILE.replace("0.1", "0.2"),
            FILE.replace("# of 0.1", "# of C:\\aes [so]\n\n#"),
            FILE.replace("c:\n", "c:\n# so\n"),
        ] {
            assert_eq!(lines_differ("Makefile", FILE, &same), None, "{same}");
        }
        let described = "{\n  \"a\": \"b\"\n}\n";
        assert_eq!(lines_differ("library.json", described, &described.replace('\n', "\r\n")), None);
    }

    #[test]
    fn what_a_tool_reads_in_a_build_file_counts() {
        for (from, to, why) in [
            ("A = b", "A = c", "aesmith writes `A = b"),
            ("\tmake", "\tcmake", "aesmith writes"),
            ("x\n", "x\nd:\n", "too much"),
            ("  'Version: 0.1.0' x\n", "", "it ends where"),
            ("# of 0.1", "# of \\", "goes on in the next line"),
            ("# of 0.1", "# of \\ \t", "goes on in the next line"),
            ("# of 0.1", "#[[", "goes on to a bracket"),
            ("# of 0.1", "#[=[ so ]=]", "goes on to a bracket"),
            ("# of 0.1", "# of\rB = c", "U+000D"),
            ("# of 0.1", "# of\u{c}\u{0}", "U+0000"),
            ("# of 0.1", "# of\u{2028}B: c", "U+2028"),
            ("  c\n", "# so\n  c\n", "aesmith writes `c`"),
            ("  c\n", "\n  c\n", "aesmith writes `c`"),
            ("  c\n", "  c \n", "other blanks"),
            ("b \\", "b \\ ", "other blanks"),
            ("c:\n", "c:\n\t\n", "aesmith writes"),
            ("# of 0.1", "\u{feff}# of 0.1", "byte order mark"),
            ("# of 0.1\n", "# of 0.1\r\n", "carriage return"),
        ] {
            let found = FILE.replacen(from, to, 1);
            let differs = lines_differ("Makefile", FILE, &found).expect(&found);
            assert!(differs.contains(why), "{found}: {differs}");
        }
        assert!(lines_differ("library.json", "{\n}\n", "# so\n{\n}\n").is_some());
    }

    #[test]
    fn lines_of_earlier_packages_stand_for_those_of_today() {
        for (then, now) in EARLIER {
            let file = |line: &str| format!("a:\n{line}\n");
            assert_eq!(lines_differ("Makefile", &file(now), &file(then)), None, "{then}");
            assert!(lines_differ("Makefile", &file(now), &file(&then[..then.len() - 1])).is_some(), "{then}");
        }
    }

    #[test]
    fn help_of_kconfig_may_be_another_and_nothing_behind_it() {
        let text = "config A\n\tbool \"a\"\n\thelp\n\t  It is so.\n";
        let differs = |found: &str| lines_differ("zephyr/Kconfig", text, found);
        assert_eq!(differs("config A\n\tbool \"a\"\n\thelp\n\t  More.\n\n\t    Yes.\n"), None);
        for more in ["\tdefault y\n", "\t default y\n", "    default y\n", "config B\n", "\t  so \\\n"] {
            assert!(differs(&format!("{text}{more}")).is_some(), "{more}");
        }
        assert!(differs(&text.replace("bool", "int")).is_some());
        // Help ends where lines stand further left than its first.
        assert!(differs("config A\n\tbool \"a\"\n\thelp\n\t      So.\n\t  default y\n").is_some());
    }
}
