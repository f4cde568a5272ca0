//! Objects from assembly. The C compiler's driver, which preprocesses, assembles `.S`, in the folder and by the name
//! that make uses in a package; GNU as assembles `.s`. Preprocessor and assembler report the files that they read: only
//! the source and headers beside it are allowed.

use super::{make, reads, source};
use crate::failure::Failure;
use crate::regular;
use crate::scratch::Scratch;
use aesmith_emit::gnu::assembly::NO_DATA_CACHE;
use aesmith_judge::outside::{built_binutils, find};
use aesmith_processor::core::Core;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Limits of time and of memory (in bytes) for an assembler: a text can demand any amount.
const PATIENCE: Duration = Duration::from_secs(60);
const MEMORY: libc::rlim_t = 4 << 30;

/// Assembles a file in memory: for `core`, or for x86-64.
pub fn assemble(file: &Path, core: Option<&Core>) -> Result<Vec<u8>, Failure> {
    // A missing file is reported here, not by the assembler.
    let text = regular::read_text(file)?;
    let preprocessed = file.extension().is_some_and(|e| e == "S");
    readable(file, &text, preprocessed)?;
    let place = Scratch::new("verify")?;
    within(file, core, place.path())
}

/// A source with the headers that it includes, after a check that every build reads all of them alike.
fn readable(file: &Path, text: &str, preprocessed: bool) -> Result<Vec<(PathBuf, String)>, Failure> {
    let mut all = vec![(file.to_path_buf(), text.to_owned())];
    let mut at = 0;
    while let Some((path, text)) = all.get(at).cloned() {
        let wrong = |why: String| Failure::NotProved(format!("{} is not assembled: {why}", path.display()));
        for name in source::check(&text, preprocessed, at > 0).map_err(wrong)? {
            let header = path.with_file_name(name);
            if all.iter().all(|(path, _)| *path != header) {
                all.push((header.clone(), regular::read_text(&header)?));
            }
        }
        at += 1;
    }
    Ok(all)
}

/// The folder in which make runs, and the source's name in make's commands: for a package with a folder of sources, the
/// parent folder.
fn as_make_has_it(file: &Path) -> std::io::Result<(PathBuf, PathBuf)> {
    let path = std::path::absolute(file)?;
    let name = PathBuf::from(path.file_name().unwrap_or_default());
    let folder = path.parent().unwrap_or(Path::new("/")).to_path_buf();
    let above = folder.parent().filter(|above| above.join("Makefile").is_file());
    let (place, name) = match (folder.file_name(), above) {
        (Some(own), Some(above)) if own == "src" => (above.to_path_buf(), Path::new(own).join(name)),
        _ => (folder, name),
    };
    // A name may begin with a dash.
    let dash = name.as_os_str().as_encoded_bytes().starts_with(b"-");
    Ok((place, if dash { Path::new(".").join(name) } else { name }))
}

/// The files that a tool has read according to its make rule.
fn read_by(rule: &Path) -> Vec<String> {
    let rule = regular::read(rule, regular::TEXT).unwrap_or_default();
    let rule = String::from_utf8_lossy(&rule).replace("\\\n", " ").replace("\\ ", "\0");
    let named = rule.split_once(": ").map_or("", |(_, named)| named);
    // As make reads names: a backslash stands before `#`, and a dollar is written twice.
    let name = |name: &str| name.replace('\0', " ").replace("\\#", "#").replace("$$", "$");
    named.split_whitespace().map(name).collect()
}

/// Refuses a source if anything but it and the headers beside it was read: the assembler's macros can name files that
/// no check of the text finds.
fn only_its_own(file: &Path, place: &Path, texts: &[(PathBuf, String)]) -> Result<(), Failure> {
    let refused = |name: &str| {
        Err(Failure::NotProved(format!(
            "{} is not proved: `{name}` is read into it, and another build may find another file there; write what it has \
             into the source",
            file.display()
        )))
    };
    // The assembler's list ends with the source itself. It has names in `.file`, too, which are not read.
    if let [others @ .., _] = &read_by(&place.join("assembler.d"))[..]
        && !others.is_empty()
    {
        let reads_none = texts.iter().all(|(_, text)| reads::reads_no_file(text));
        let names = |other: &str| reads_none && texts.iter().any(|(_, text)| reads::names(text, other));
        if let Some(name) = others.iter().find(|other| !names(other)) {
            return refused(name);
        }
    }
    let (_, own) = as_make_has_it(file).unwrap_or_default();
    let folder = own.parent().unwrap_or(Path::new(""));
    let beside = |name: &str| {
        let path = Path::new(name);
        path == own || (path.parent() == Some(folder) && path.extension().is_some_and(|e| e == "h"))
    };
    // GCC reads this file before any other.
    let predefined = |name: &String| name.starts_with('/') && name.ends_with("/stdc-predef.h");
    let read = read_by(&place.join("preprocessor.d"));
    read.iter().find(|name| !beside(name) && !predefined(name)).map_or(Ok(()), |name| refused(name))
}

/// Characters with a meaning for make or for the shell that it runs, which may stand for anything.
const EXPANDED: [char; 14] = ['$', '`', ';', '&', '|', '<', '>', '*', '?', '[', '{', '~', '\n', '#'];

/// The words of an environment variable that the Makefile of a package uses, without options that make a compiler hand
/// text to its assembler by a pipe: they change no object, and the assembler does not report what it reads by a pipe.
fn words(variable: &str, default: &str) -> Result<Vec<String>, Failure> {
    let text = std::env::var_os(variable).unwrap_or_default();
    let Some(text) = text.to_str().filter(|text| !text.contains(EXPANDED)) else {
        return Err(Failure::NotProved(format!(
            "nothing is assembled: {variable} has characters that make or a shell replaces by others, or that are no text; \
             unset it, or write what they stand for"
        )));
    };
    let mut all = split(if text.trim().is_empty() { default } else { text });
    all.retain(|word| !["-pipe", "--pipe"].contains(&word.as_str()));
    Ok(all)
}

/// The words of a line as a shell sees them, to which make hands the values of its variables.
pub(super) fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote): (Vec<String>, Option<String>, Option<char>) =
        (Vec::new(), None, None);
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        let blank = quote.is_none() && c.is_whitespace();
        let mark = (c == '\'' || c == '"') && quote.is_none_or(|open| open == c);
        if blank {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        if mark {
            quote = if quote.is_some() { None } else { Some(c) };
        } else if c == '\\' && quote != Some('\'') {
            let next = characters.next().unwrap_or(c);
            if quote.is_some() && !['"', '\\', '$', '`'].contains(&next) {
                word.push(c);
            }
            word.push(next);
        } else {
            word.push(c);
        }
    }
    words.extend(word);
    words
}

/// A program with its arguments.
#[derive(Clone)]
struct Tool {
    words: Vec<String>,
    /// The packages that provide it.
    packages: String,
    /// True if it assembles by the assembler in clang, which does not report what it reads.
    is_clang: bool,
}

impl Tool {
    fn new(words: Vec<String>, packages: &str) -> Tool {
        Tool { words, packages: packages.to_owned(), is_clang: false }
    }
}

fn words_of(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// The words of CFLAGS that a Makefile hands to the compiler. Those of packages take out options of the assembler that
/// change the bytes of a kernel.
fn left_by(makefile: &str, flags: Vec<String>) -> Vec<String> {
    let line = makefile.lines().find(|line| line.starts_with("override CFLAGS :=")).unwrap_or_default();
    let options = ["-msse2avx", "-mbranches-within-32B-boundaries"];
    let taken: Vec<&str> = options.into_iter().filter(|option| line.contains(option)).collect();
    let names = |word: &str| line.split([' ', ',']).any(|own| own == word);
    let without =
        |word: String| taken.iter().fold(word, |word, option| word.replace(&format!(",{option}"), ""));
    flags.into_iter().map(without).filter(|word| !names(word)).collect()
}

/// The tools for x86-64: the compiler for `.S`, as in the Makefile of a package. They run in `folder`.
fn native(preprocessed: bool, folder: &Path, makefile: &str) -> Result<Vec<Tool>, Failure> {
    if !preprocessed {
        return Ok(vec![Tool::new(words_of(&["as", "--64", "--MD", READ, "-o", OBJECT, FILE]), "binutils")]);
    }
    let mut all = words("CC", "cc")?;
    let compiler = all.len();
    all.extend(words("CPPFLAGS", "")?);
    all.extend(left_by(makefile, words("CFLAGS", "-O2")?));
    let is_clang = is_clang(&all, compiler, folder);
    all.extend(words_of(&["-fPIC", "-fcf-protection"]));
    all.extend(told(is_clang));
    all.extend(words_of(&["-c", "-o", OBJECT, FILE]));
    Ok(vec![Tool { is_clang, ..Tool::new(all, "gcc") }])
}

/// The tools for another processor: its cross compiler, as in the Makefile of a package. If there is only the
/// assembler, this machine's compiler preprocesses.
fn cross(core: &Core, preprocessed: bool, folder: &Path, in_package: bool) -> Result<Vec<Tool>, Failure> {
    let gnu = core.gnu();
    let prefix = words("CROSS", gnu.prefix)?.join(" ");
    let flags = words("TARGET", &gnu.flags)?;
    let packages = gnu.packages;
    // Packages of processors without a data cache define this, too.
    let uncached = (!core.cached).then(|| format!("-D{NO_DATA_CACHE}"));
    let compiler = format!("{prefix}gcc");
    // In a package, only the compiler that the Makefile names may assemble.
    if preprocessed && (find(&compiler).is_some() || (in_package && gnu.compiler)) {
        let mut all = vec![compiler];
        all.extend(flags.into_iter().chain(uncached));
        let is_clang = is_clang(&all, 1, folder);
        all.extend(told(is_clang));
        all.extend(words_of(&["-c", "-o", OBJECT, FILE]));
        return Ok(vec![Tool { is_clang, ..Tool::new(all, packages) }]);
    }
    let name = format!("{prefix}as");
    let assembler = match (find(&name), built_binutils(&name)) {
        (None, Some(built)) => built.display().to_string(),
        _ => name,
    };
    let mut all = vec![assembler];
    all.extend(flags.into_iter().filter(|flag| !["-marm", "-mlittle-endian"].contains(&flag.as_str())));
    all.extend(words_of(&["--MD", READ]));
    if !preprocessed {
        all.extend(words_of(&["-o", OBJECT, FILE]));
        return Ok(vec![Tool::new(all, packages)]);
    }
    let mut first = words("CC", "cc")?;
    first.extend(words_of(&["-E", "-undef", "-P", "-MD", "-MF", INCLUDED, "-x", "assembler-with-cpp"]));
    first.extend(gnu.defines());
    first.extend(uncached);
    first.extend(words_of(&["-o", PREPROCESSED, FILE]));
    all.extend(words_of(&["-o", OBJECT, PREPROCESSED]));
    Ok(vec![Tool::new(first, "gcc"), Tool::new(all, packages)])
}

/// Placeholders for paths in the arguments of tools.
const FILE: &str = "@FILE@";
const PREPROCESSED: &str = "@PREPROCESSED@";
const OBJECT: &str = "@OBJECT@";
/// Placeholders for the lists of files that preprocessor and assembler have read.
const INCLUDED: &str = "@INCLUDED@";
const READ: &str = "@READ@";

/// Additional compiler options that report the files read.
fn told(is_clang: bool) -> Vec<String> {
    let all = words_of(&["-MD", "-MF", INCLUDED]);
    // Clang's own assembler does not report them, so that [`reads::assembled`] checks the text instead.
    if is_clang { all } else { [all, to_assembler(&["--MD", READ])].concat() }
}

/// Compiler options that hand words to the assembler. `-Wa` would split them at commas.
fn to_assembler(words: &[&str]) -> Vec<String> {
    words.iter().flat_map(|word| ["-Xassembler".to_owned(), (*word).to_owned()]).collect()
}

/// True if a command assembles by the assembler in clang. Its first words name the compiler, which is asked once, in
/// `folder`: its name may be any.
fn is_clang(all: &[String], compiler: usize, folder: &Path) -> bool {
    static ASKED: Mutex<BTreeMap<(PathBuf, Vec<String>), bool>> = Mutex::new(BTreeMap::new());
    let compiler = all.get(..compiler).unwrap_or_default();
    let Some((program, words)) = compiler.split_first() else { return false };
    let ask = || {
        let mut command = Command::new(program);
        command.args(words).arg("--version").current_dir(folder).stdin(Stdio::null());
        limit(&mut command);
        let said = command.output().map(|said| said.stdout).unwrap_or_default();
        String::from_utf8_lossy(&said).to_ascii_lowercase().contains("clang")
    };
    let by_gnu = all.iter().any(|word| word == "-fno-integrated-as");
    let mut asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    *asked.entry((folder.to_path_buf(), compiler.to_vec())).or_insert_with(ask) && !by_gnu
}

fn within(file: &Path, core: Option<&Core>, place: &Path) -> Result<Vec<u8>, Failure> {
    let preprocessed = file.extension().is_some_and(|e| e == "S");
    let cannot = |e: std::io::Error| Failure::Other(format!("{} cannot be assembled: {e}", file.display()));
    let (folder, _) = as_make_has_it(file).map_err(cannot)?;
    let makefile = Some(folder.join("Makefile")).filter(|at| at.is_file());
    if makefile.is_some() {
        make::no_other()?;
    }
    let tools = match core {
        Some(core) => cross(core, preprocessed, &folder, makefile.is_some())?,
        // Other checks say that a Makefile cannot be read.
        None => {
            let text = makefile.and_then(|makefile| regular::read_text(&makefile).ok());
            native(preprocessed, &folder, &text.unwrap_or_default())?
        }
    };
    for tool in &tools {
        step(file, preprocessed, place, tool)?;
    }
    let texts = readable(file, &regular::read_text(file)?, preprocessed)?;
    if tools.iter().any(|tool| tool.is_clang) {
        for (path, text) in &texts {
            reads::assembled(text)
                .map_err(|why| Failure::NotProved(format!("{} is not proved: {why}", path.display())))?;
        }
    }
    only_its_own(file, place, &texts)?;
    let object = regular::read(&place.join("assembled.o"), regular::CODE)?;
    // Clang's own assembler has no such symbol, and no macros that compose names are left to it.
    if let Some(tool) = tools.last().filter(|tool| !tool.is_clang) {
        reads_no_version(file, preprocessed, place, tool)?;
    }
    Ok(object)
}

/// Refuses a text that asks for the version of the assembler by a name that macros make. With the symbol of the version
/// set to what is no number, it must give the same object as with another symbol.
fn reads_no_version(file: &Path, preprocessed: bool, place: &Path, tool: &Tool) -> Result<(), Failure> {
    let refused = || {
        Failure::NotProved(format!(
            "{} is not proved: a macro asks for the version of the assembler, so that others make other code",
            file.display()
        ))
    };
    let before = place.join("before.s");
    let mut objects = Vec::new();
    for name in [".gasversion.", ".aesmith_other."] {
        std::fs::write(&before, format!("\t.set {name}, aesmith_unknown\n"))
            .map_err(|e| Failure::Other(format!("{} cannot be written: {e}", before.display())))?;
        let mut tool = tool.clone();
        // GNU as reads files in turn, and compilers name what they were told before their own.
        let before = before.display().to_string();
        let compiles = tool.words.iter().any(|word| word == "-c");
        // A compiler's command may begin with another program's (`env`), and ends with four words.
        let place_of = if compiles { tool.words.len().saturating_sub(4) } else { 1 };
        let words = if compiles { to_assembler(&[&before]) } else { vec![before] };
        tool.words.splice(place_of..place_of, words);
        step(file, preprocessed, place, &tool).map_err(|_| refused())?;
        objects.push(regular::read(&place.join("assembled.o"), regular::CODE)?);
    }
    if objects[0] == objects[1] { Ok(()) } else { Err(refused()) }
}

/// Runs one tool.
fn step(file: &Path, preprocessed: bool, place: &Path, tool: &Tool) -> Result<(), Failure> {
    let (all, package) = (&tool.words, &tool.packages);
    let cannot = |e: std::io::Error| Failure::Other(format!("{} cannot be assembled: {e}", file.display()));
    let (folder, name) = as_make_has_it(file).map_err(cannot)?;
    let argument = |word: &String| match word.as_str() {
        FILE => name.clone(),
        OBJECT => place.join("assembled.o"),
        PREPROCESSED => place.join("preprocessed.s"),
        INCLUDED => place.join("preprocessor.d"),
        other => PathBuf::from(other.replace(READ, &place.join("assembler.d").to_string_lossy())),
    };
    let messages = place.join("messages");
    let said = File::create(&messages).map_err(cannot)?;
    let mut command = Command::new(&all[0]);
    command.args(all[1..].iter().map(argument)).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
    command.current_dir(folder);
    limit(&mut command);
    let started = command.spawn();
    let mut running = started.map_err(|e| {
        let as_make = if preprocessed { ", as its package's Makefile does it," } else { "" };
        Failure::Missing(format!(
            "{} must be assembled{as_make} and `{}` cannot be run ({e}); apt-get install {package} brings it",
            file.display(),
            all[0]
        ))
    })?;
    let since = Instant::now();
    let status = loop {
        match running.try_wait().map_err(cannot)? {
            Some(status) => break status,
            None if since.elapsed() > PATIENCE => {
                // SAFETY: kill takes numbers. The group was created for this child, which has not been waited for, so
                // that its number still belongs to it.
                unsafe { libc::kill(-(running.id() as libc::pid_t), libc::SIGKILL) };
                let _ = running.wait();
                return Err(Failure::NotProved(format!(
                    "{} is not assembled: `{}` took longer than {} s",
                    file.display(),
                    all[0],
                    PATIENCE.as_secs()
                )));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    if !status.success() {
        let said = regular::read(&messages, regular::TEXT).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let shown: String = said.trim().chars().take(4000).collect();
        // That is no verdict about the code: where there is no room for messages, there is none for an object either.
        if shown.is_empty() || shown.contains("No space left on device") {
            return Err(Failure::Other(format!(
                "{} cannot be assembled: `{}` failed in {}, which may be full; set TMPDIR to a folder with room",
                file.display(),
                all[0],
                place.display()
            )));
        }
        return Err(Failure::NotProved(format!("{} does not assemble: {shown}", file.display())));
    }
    Ok(())
}

fn limit(command: &mut Command) {
    let limits = [
        (libc::RLIMIT_AS, MEMORY),
        (libc::RLIMIT_CPU, PATIENCE.as_secs()),
        (libc::RLIMIT_FSIZE, regular::CODE),
    ];
    // SAFETY: between fork and exec only setrlimit is called, which is allowed there.
    unsafe {
        command.pre_exec(move || {
            for (what, most) in limits {
                let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
                if libc::setrlimit(what, &limit) != 0 {
                    return Err(std::io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{left_by, split};

    #[test]
    fn options_that_a_makefile_takes_out_are_left_out() {
        let flags = "-O2 -Wa,-msse2avx,--noexecstack -Wa,-mbranches-within-32B-boundaries \
                     -mbranches-within-32B-boundaries";
        let earlier = "override CFLAGS := $(filter-out -Wa,$(subst $(COMMA)-msse2avx,,$(CFLAGS)))\n";
        let last = "-mbranches-within-32B-boundaries";
        let now = include_str!("../../../../emit/src/package/template/texts/Makefile");
        for (makefile, left) in [
            ("", split(flags)),
            (earlier, split(&flags.replace(",-msse2avx", ""))),
            (now, split("-O2 -Wa,--noexecstack")),
        ] {
            assert!(makefile.is_empty() || makefile.contains("override CFLAGS :="));
            assert_eq!(left_by(makefile, split(flags)), left, "{makefile}");
            assert_eq!(left.iter().any(|word| word == last), makefile != now);
        }
    }

    #[test]
    fn words_are_split_as_by_a_shell() {
        for (line, words) in [
            ("", &[][..]),
            (" gcc  -O2\t-g ", &["gcc", "-O2", "-g"]),
            (r#"-DA="b c" -D'E=f "g"'"#, &["-DA=b c", "-DE=f \"g\""]),
            (r#""-DV=\"1 2\"" \"a\ b "\n""#, &["-DV=\"1 2\"", "\"a b", "\\n"]),
            ("'' a", &["", "a"]),
        ] {
            assert_eq!(split(line), words, "{line}");
        }
    }
}
