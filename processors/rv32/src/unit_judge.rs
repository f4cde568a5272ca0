//! The RTL of PicoRV32 and VexRiscv with the unit of an extension attached. The core is built once, with its
//! port exported; a unit is a small shared object that the runner loads, so a new extension takes only one or
//! two seconds.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use aesmith_extension::file::{Extension, Mistake};
use aesmith_extension::verilog::wrapper::{cfu, pcpi};
use aesmith_extension::verilog::{Unit, identifier};

use super::judge::{More, PICORV32, Rtl, UNIT_HEADER, VEXRISCV, written};
use aesmith_judge::judge::{Answer, Emulator, Instrument, Kind, Question};
use aesmith_judge::outside::{built, step, there, version};
use aesmith_processor::attach::Attached;

/// The port of a core.
#[derive(Clone, Copy)]
struct Port {
    rtl: &'static Rtl,
    /// Options to Verilator for the core with its port exported.
    options: &'static [&'static str],
    /// The module `unit`, around the module named by the macro UNIT.
    end: &'static str,
    /// The suffix of module names for this port, and the function that writes these modules.
    suffix: &'static str,
    wrapped: fn(&Extension, Unit) -> Result<String, Mistake>,
}

const PCPI: Port = Port {
    rtl: &PICORV32,
    options: &["-DPORT"],
    end: include_str!("../judges/rtl/pcpi.sv"),
    suffix: "pcpi",
    wrapped: pcpi,
};

/// Bit 31 of CSR 0xbc0 enables the unit: `lui t0, 0x80000; csrs 0xbc0, t0`.
const CFU: Port = Port {
    rtl: &VEXRISCV,
    options: &["-DPORT", "-CFLAGS", "-DPRELUDE=0x800002b7,0xbc02a073"],
    end: include_str!("../judges/rtl/cfu.sv"),
    suffix: "cfu",
    wrapped: cfu,
};

const UNIT: &str = include_str!("../judges/rtl/unit.cpp");

/// A core with a unit.
struct WithUnit {
    port: Port,
    name: String,
    /// The name of the module to attach, and its Verilog source.
    module: String,
    verilog: Result<String, String>,
}

/// PicoRV32 with the unit of an extension on its co-processor interface.
pub(crate) fn pico_with(attached: &'static Attached) -> Box<dyn Emulator> {
    Box::new(WithUnit::new(PCPI, attached))
}

/// VexRiscv with the unit of an extension as its custom function unit.
pub(crate) fn vex_with(attached: &'static Attached) -> Box<dyn Emulator> {
    Box::new(WithUnit::new(CFU, attached))
}

/// Verilator's version, queried once.
fn verilator_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| version("verilator"))
}

impl WithUnit {
    fn new(port: Port, attached: &Attached) -> WithUnit {
        let extension = attached.extension;
        WithUnit {
            port,
            name: format!("{} with {}", port.rtl.name, extension.name),
            module: format!("{}_{}", identifier(&extension.name), port.suffix),
            verilog: (port.wrapped)(extension, attached.unit)
                .map_err(|mistake| format!("{} has no unit here: {mistake}", extension.name)),
        }
    }

    fn verilog(&self) -> Result<&str, String> {
        self.verilog.as_deref().map_err(Clone::clone)
    }

    /// Calls `with` for the core with its port exported. The runner contains Verilator's library, which the
    /// units use: both are built by the same version.
    fn ported<T>(&self, with: impl FnOnce(More) -> T) -> T {
        let version = verilator_version();
        let options = [self.port.options, &["-CFLAGS", "-DPORT", "-LDFLAGS", "-rdynamic"]].concat();
        with(More { key: "-port", options: &options, files: &[], by: version })
    }

    /// The shared object of the unit.
    fn unit(&self) -> Result<PathBuf, String> {
        let verilog = self.verilog()?;
        let version = verilator_version();
        let inputs = [verilog, self.port.end, UNIT, UNIT_HEADER, version].map(str::as_bytes);
        let name = format!("unit-{}", self.port.suffix);
        if let Some(place) = there(&name, &inputs) {
            return Ok(place.join("unit.so"));
        }
        let verilator = Rtl::tools()?;
        let place = built(&name, &inputs, |work| {
            let (attached, end) =
                (written(work, "attached.v", verilog)?, written(work, "unit.sv", self.port.end)?);
            written(work, "unit.cpp", UNIT)?;
            written(work, "unit.h", UNIT_HEADER)?;
            let objects = work.join("objects");
            let mut command = Command::new(&verilator);
            command.args(["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert"]);
            command.args(["-Wno-fatal", "-Wno-lint", "-Wno-style", "--top-module", "unit"]);
            command
                .args(["--prefix", "Vunit", "--Mdir"])
                .arg(&objects)
                .arg(format!("-DUNIT={}", self.module));
            step(command.arg(end).arg(attached), Duration::from_secs(300))?;
            let root = step(Command::new(&verilator).args(["--getenv", "VERILATOR_ROOT"]), PATIENCE)?;
            let root = String::from_utf8_lossy(&root.out).trim().to_owned();
            // As one compilation unit: most of the time is spent in Verilator's headers.
            let mut all = String::from("#include \"unit.cpp\"\n");
            let files = std::fs::read_dir(&objects).map_err(|e| e.to_string())?;
            let mut models: Vec<_> = files.filter_map(|f| f.ok()?.file_name().into_string().ok()).collect();
            models.sort();
            for model in models.iter().filter(|m| m.ends_with(".cpp")) {
                all.push_str(&format!("#include \"objects/{model}\"\n"));
            }
            let all = written(work, "all.cpp", &all)?;
            let mut compiler = Command::new("g++");
            compiler.args(["-std=gnu++17", "-O1", "-fPIC", "-shared", "-w"]);
            compiler.arg(format!("-I{root}/include")).arg(format!("-I{root}/include/vltstd"));
            compiler.arg("-I").arg(&objects).arg("-I").arg(work);
            compiler.arg("-o").arg(work.join("unit.so")).arg(all);
            step(&mut compiler, PATIENCE)?;
            std::fs::remove_dir_all(&objects)
                .map_err(|e| format!("{} cannot be removed: {e}", objects.display()))
        })?;
        Ok(place.join("unit.so"))
    }
}

const PATIENCE: Duration = Duration::from_secs(300);

impl Instrument for WithUnit {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn needs(&self) -> &'static [&'static str] {
        self.port.rtl.needs()
    }

    fn present(&self) -> Result<(), String> {
        self.verilog()?;
        Rtl::tools()?;
        self.ported(|more| self.port.rtl.buildable(more))
    }

    fn kind(&self) -> Kind {
        Kind::Exact
    }
}

impl Emulator for WithUnit {
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        let unit = self.unit()?;
        let runner = self.ported(|more| self.port.rtl.runner(more))?;
        Rtl::answers(Command::new(runner).arg(unit), question)
    }
}

#[cfg(test)]
mod tests;
