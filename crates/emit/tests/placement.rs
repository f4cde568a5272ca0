//! Kernels that were changed to depend on where a linker places their sections, each with a control that does not: the
//! cases in the folder `placement`, whose README describes their format.

use crate::assembled::{assembler, object};
use aesmith_cipher::Problem;
use aesmith_emit::evidence::evidence;
use aesmith_emit::gnu::assembly;
use aesmith_emit::objects::sections::contents;
use aesmith_emit::symbol_of_blocks;
use aesmith_processor::core::Core;
use aesmith_processor::cost::BuiltKernel;
use std::path::Path;

/// Functions may have variable time here: the test is only about whether they are proved.
const SUFFIX: &str = "_vt";

struct Case {
    name: String,
    processor: String,
    why: String,
    /// The line that `entry` follows, if it is not the label.
    after: String,
    /// Lines with their block.
    blocks: Vec<(String, String)>,
}

impl Case {
    fn read(path: &Path) -> Case {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let nothing = String::new;
        let mut case =
            Case { name, processor: nothing(), why: nothing(), after: nothing(), blocks: Vec::new() };
        let mut block = None;
        for line in text.lines() {
            match (&block, line.split_once(' ')) {
                (_, Some((mark, place))) if mark.starts_with('@') => block = Some(format!("{mark} {place}")),
                (Some(block), _) => case.blocks.push((block.clone(), format!("{line}\n"))),
                (None, Some(("#", _))) => {}
                (None, Some(("processor", name))) => case.processor = name.to_owned(),
                (None, Some(("why", why))) => case.why = why.to_owned(),
                (None, Some(("after", line))) => case.after = line.to_owned(),
                (None, other) => panic!("{}: {other:?} is no line of a case", case.name),
            }
        }
        let known =
            ["@both entry", "@both end", "@attack entry", "@attack end", "@control entry", "@control end"];
        assert!(case.blocks.iter().all(|(block, _)| known.contains(&block.as_str())), "{}", case.name);
        assert!(!case.why.is_empty(), "{} says not why it is refused", case.name);
        case
    }

    fn lines(&self, side: &str, place: &str) -> String {
        let of = |wanted: &str| {
            let lines =
                self.blocks.iter().filter(|(block, _)| block == wanted).map(|(_, line)| line.as_str());
            lines.collect::<String>()
        };
        of(&format!("@both {place}")) + &of(&format!("@{side} {place}"))
    }

    /// Returns a kernel with the lines of one side.
    fn text(&self, kernel: &str, symbol: &str, side: &str) -> String {
        let label = kernel.find(&format!("\n{symbol}:\n")).expect("the function's label") + 1;
        let line = kernel[label..].find(&self.after).unwrap_or_else(|| panic!("{}: no such line", self.name));
        let place = label + line;
        let place = place + kernel[place..].find('\n').expect("a line") + 1;
        let (before, behind) = kernel.split_at(place);
        format!("{before}{}{behind}{}", self.lines(side, "entry"), self.lines(side, "end"))
    }
}

/// Returns the reason why a text is refused; `None` if it is proved.
fn refused(core: &'static Core, text: &str, symbol: &str) -> Option<String> {
    let all = contents(&object(core, text).unwrap()).unwrap_or_else(|e| panic!("{symbol}: {e}"));
    let found = all.functions.into_iter().find(|f| f.symbol == symbol).expect("it is there");
    evidence(core, &found, None).and_then(|e| e.proof).err()
}

#[test]
fn where_linkers_put_sections_decides_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/placement");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "case"));
    paths.sort();
    assert!(paths.len() >= 53, "{} cases are found", paths.len());
    let only = std::env::var("AESMITH_CASE").unwrap_or_default();
    let mut wrong = Vec::new();
    for path in paths {
        let case = Case::read(&path);
        let core = aesmith_processors::core(&case.processor).expect("a processor");
        if assembler(core).is_none() || !case.name.contains(&only) {
            println!("skipped: {}", case.name);
            continue;
        }
        let problem: Problem = "aes128-ecb".parse().unwrap();
        let kernel = (core.build)(&core.table.plain(problem)).unwrap();
        let made = BuiltKernel::new(core, kernel).unwrap();
        let symbol = symbol_of_blocks(problem) + SUFFIX;
        let kernel = assembly::code(core, &core.gnu(), &made.kernel, &symbol);
        match refused(core, &case.text(&kernel, &symbol, "attack"), &symbol) {
            None => wrong.push(format!("{}: the attack is proved", case.name)),
            Some(why) if !why.contains(&case.why) => wrong.push(format!("{}: {why}", case.name)),
            Some(why) => println!("{}: {why}", case.name),
        }
        if let Some(why) = refused(core, &case.text(&kernel, &symbol, "control"), &symbol) {
            wrong.push(format!("{}: the control is refused: {why}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
