//! The area of a unit in gate equivalents and its depth, measured by yosys: synthesis for static CMOS gates, whose
//! transistor count is divided by the four of a NAND gate. The transistor counts are those of yosys
//! (`stat -tech cmos`): XOR, XNOR and MUX 12, NAND and NOR 4, AND-OR-inverters 6 and 8; a D flip-flop 16. Flip-flops
//! with enable and reset have no count there; they are converted to plain ones with gates before them, so that
//! everything is counted.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::file::Extension;
use crate::verilog::sbox::{self, Kind, SboxForm};
use crate::verilog::{Unit, identifier, unit};

/// The yosys script: the recipe `proc; synth -flatten; abc -g cmos; opt -fast`, whose results are within 3 % of
/// published areas of combinational units, with conversion to plain flip-flops. `opt -fast` is expanded, because it
/// would convert them back.
const SCRIPT: &str = "proc; synth -flatten; dfflegalize -cell $_DFF_P_ x; opt_clean; abc -g cmos; \
                      opt_expr; opt_merge; opt_clean; stat -tech cmos; ltp -noff";

/// The definitions of area and depth, and their exclusions.
pub const ASSUMPTIONS: &str = "a gate equivalent is the four transistors of a NAND gate in static CMOS, as yosys counts \
                               them; depth is in gates, on the longest way between inputs, flip-flops and outputs; wires, \
                               the delays of a technology, and the logic of the core and its port are not in them";

/// The number of transistors in a gate equivalent, a NAND gate with two inputs.
const NAND: f64 = 4.0;

/// The area of a unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Area {
    /// The number of transistors, divided by that of a NAND gate.
    pub gate_equivalents: f64,
    /// The number of gates on the longest path from an input or flip-flop to an output or flip-flop.
    pub depth: u32,
    /// The number of flip-flops.
    pub flip_flops: u32,
    /// The number of cells of each kind, by yosys' names.
    pub cells: BTreeMap<String, u32>,
}

impl Area {
    /// Parses the output of yosys.
    fn read(text: &str) -> Option<Area> {
        let last = |start: &str| text.lines().rev().find_map(|l| l.trim().strip_prefix(start));
        let transistors = last("Estimated number of transistors:")?.trim().parse::<f64>().ok()?;
        let depth = last("Longest topological path in ")?;
        let depth = depth.split_once("(length=")?.1.split(')').next()?.parse().ok()?;
        let statistics = text.rfind("Number of cells:")?;
        let cells: BTreeMap<String, u32> = text[statistics..]
            .lines()
            .skip(1)
            .map_while(|line| {
                let (name, count) = line.trim().split_once(' ')?;
                Some((name.trim_matches(['$', '_']).to_owned(), count.trim().parse().ok()?))
            })
            .collect();
        let flip_flops = cells.iter().filter(|(name, _)| name.contains("DFF")).map(|(_, n)| n).sum();
        Some(Area { gate_equivalents: transistors / NAND, depth, flip_flops, cells })
    }
}

/// The areas measured before in this process.
static KNOWN: Mutex<Option<HashMap<u64, Area>>> = Mutex::new(None);

/// The area of a module, measured by yosys or read from the build cache of aesmith, whose key is the text and yosys'
/// version.
pub fn measure(text: &str, module: &str) -> Result<Area, String> {
    let version = version()?;
    let key = key(&[text, module, &version, SCRIPT]);
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let known = known.get_or_insert_default();
    if let Some(area) = known.get(&key) {
        return Ok(area.clone());
    }
    let folder = folder();
    let place = folder.join(format!("{module}-{key:016x}.txt"));
    let area = match std::fs::read_to_string(&place).ok().and_then(|text| Area::read(&text)) {
        Some(area) => area,
        None => {
            let printed = yosys(text, &format!("hierarchy -top {module}; {SCRIPT}"))?;
            let area = Area::read(&printed).ok_or_else(|| {
                let last: Vec<&str> = printed.lines().rev().take(3).collect();
                format!("yosys does not say how large {module} is; its last lines: {}", last.join(" / "))
            })?;
            remember(&folder, &place, &printed);
            area
        }
    };
    known.insert(key, area.clone());
    Ok(area)
}

/// Stores the lines that [`Area::read`] reads; a failure to write is not an error.
fn remember(folder: &std::path::Path, place: &std::path::Path, printed: &str) {
    let start = printed.rfind("Number of cells:").unwrap_or(0);
    let scratch = folder.join(format!("{}.part", std::process::id()));
    if std::fs::create_dir_all(folder).is_ok() && std::fs::write(&scratch, &printed[start..]).is_ok() {
        let _ = std::fs::rename(&scratch, place);
    }
}

/// The output of yosys for a script on a Verilog text.
pub fn yosys(text: &str, script: &str) -> Result<String, String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("aesmith-area-{}-{number}.v", std::process::id()));
    std::fs::write(&file, text).map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
    let script = format!("read_verilog \"{}\"; {script}", file.display());
    let output = Command::new("yosys").args(["-p", &script]).output();
    let _ = std::fs::remove_file(&file);
    let output = output.map_err(missing)?;
    if !output.status.success() {
        return Err(format!("yosys failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn missing(why: std::io::Error) -> String {
    format!("yosys cannot be run ({why}); install it with `apt-get install yosys`")
}

fn version() -> Result<String, String> {
    static VERSION: Mutex<Option<String>> = Mutex::new(None);
    let mut version = VERSION.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(version) = &*version {
        return Ok(version.clone());
    }
    let output = Command::new("yosys").arg("-V").output();
    let output = output.map_err(missing)?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    *version = Some(text.clone());
    Ok(text)
}

/// The folder `$XDG_CACHE_HOME/aesmith/area`, or in `~/.cache`, or in the folder of temporary files.
fn folder() -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| set("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("aesmith/area")
}

/// The FNV-1a hash: a cache key, not a signature.
fn key(inputs: &[&str]) -> u64 {
    let bytes = inputs.iter().flat_map(|input| input.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// The smaller form of an S-box by measurement; without yosys, the circuit.
pub fn smaller(kind: Kind) -> SboxForm {
    let size = |form: SboxForm| measure(&sbox::module(kind, form), kind.module()).map(|a| a.gate_equivalents);
    match (size(SboxForm::Table), size(SboxForm::Circuit)) {
        (Ok(table), Ok(circuit)) if table < circuit => SboxForm::Table,
        _ => SboxForm::Circuit,
    }
}

/// The area of an extension's unit.
pub fn area(extension: &Extension, built: Unit) -> Result<Area, String> {
    let text = unit(extension, built).map_err(|mistake| mistake.to_string())?;
    measure(&text, &format!("{}_unit", identifier(&extension.name)))
}

/// A configuration of a unit, with its area and cycles.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// The form of the S-boxes.
    pub form: SboxForm,
    /// The maximum number of S-boxes.
    pub sboxes: u8,
    /// Its area and depth.
    pub area: Area,
    /// Cycles of each instruction, in the file's order.
    pub cycles: Vec<u8>,
}

/// The trade of area for cycles: both forms of the S-box, and one to four of them. Numbers of S-boxes that change
/// nothing, or that are too few for an instruction, are left out.
pub fn curve(extension: &Extension) -> Result<Vec<Point>, String> {
    let mut points: Vec<Point> = Vec::new();
    let mut refused = None;
    for form in SboxForm::ALL {
        for sboxes in 1..=4 {
            let built = Unit { form: Some(form), sboxes };
            let cycles = match built.cycles(extension) {
                Ok(cycles) => cycles,
                Err(mistake) => {
                    refused = Some(mistake.to_string());
                    continue;
                }
            };
            let area = area(extension, built)?;
            let same = |p: &Point| p.form == form && p.cycles == cycles && p.area == area;
            if !points.iter().any(same) {
                points.push(Point { form, sboxes, area, cycles });
            }
        }
    }
    match refused {
        Some(why) if points.is_empty() => Err(why),
        _ => Ok(points),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nand_gate_is_one_gate_equivalent_and_flip_flops_are_counted() {
        if version().is_err() {
            println!("skipped: yosys is not installed (package yosys)");
            return;
        }
        let text = "module one(input a, b, output y); assign y = ~(a & b); endmodule\n";
        let area = measure(text, "one").expect("measures");
        assert_eq!((area.gate_equivalents, area.depth, area.flip_flops), (1.0, 1, 0));
        let text = "module two(input clk, e, d, output reg [1:0] q); always @(posedge clk) if (e) q <= {d, q[1]}; endmodule\n";
        let area = measure(text, "two").expect("measures");
        // The area is two D flip-flops of 16 transistors, and the multiplexers between old and new values.
        assert_eq!(area.flip_flops, 2);
        assert!(area.gate_equivalents >= 8.0 + 2.0 * 2.5 && area.gate_equivalents <= 16.0, "{area:?}");
    }
}
