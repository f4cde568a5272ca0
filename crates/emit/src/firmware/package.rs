//! A package for firmware: assembly and its header, the same in C, a self-test, and what Arduino,
//! PlatformIO, Zephyr and make ask of a library.

use std::fmt::Write;
use std::io;
use std::path::Path;

use crate::VARIABLE_TIME_SUFFIX;
use crate::package::File;
use crate::package::vectors::vector;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::{Problem, Task};
use aesmith_processor::core::Core;
use serde_json::json;

use crate::firmware::gnu::{Gnu, UNCACHED_PLATFORMS, gnu};
use crate::firmware::header::{contract, costs};
use crate::firmware::part::{Part, Role, schedule_of, schedule_symbol};
use crate::firmware::{assembly, header, portable};

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Assembly, header and certificates.
    Assembly,
    /// The same functions in C, and the header.
    C,
    /// All of it, as a library.
    Package,
}

/// Kernels that belong together.
pub struct Package {
    core: &'static Core,
    gnu: Gnu,
    name: String,
    parts: Vec<Part>,
    run_time: bool,
}

impl Package {
    /// Of kernels for one processor: messages, and the key schedules that they ask for. `run_time`
    /// adds functions that take any of the key sizes.
    pub fn new(core: &'static Core, parts: Vec<Part>, run_time: bool) -> Result<Package, String> {
        let first = parts.first().ok_or("a package needs a kernel")?;
        for part in parts.iter().filter(|p| p.role() == Role::Message) {
            let contract = part.made.kernel.contract;
            let given = |wanted: (Problem, Packing)| {
                let fits = |c: &Firmware| (c.problem, c.packing) == wanted;
                parts.iter().any(|p| fits(&p.made.kernel.contract))
            };
            if schedule_of(&contract).is_some_and(|wanted| !given(wanted)) {
                return Err(format!(
                    "{} reads {}, and no key schedule that makes them was given",
                    contract.problem,
                    contract.packing.name()
                ));
            }
        }
        let problem = first.problem();
        let of = if run_time {
            let task = problem.to_string();
            format!("aes_{}", task.split_once('-').map_or("", |(_, t)| t).replace('-', "_"))
        } else {
            problem.c_name()
        };
        let vt =
            if parts.iter().any(|p| p.certificate.is_variable_time()) { VARIABLE_TIME_SUFFIX } else { "" };
        let name = format!("aesmith_{of}_{}{vt}", core.name.replace(['-', '+', '.'], "_"));
        Ok(Package { core, gnu: gnu(core)?, name, parts, run_time })
    }

    /// What all files are named after.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The files; names may have folders in them.
    pub fn files(&self, form: Form) -> Result<Vec<File>, String> {
        let folder = if form == Form::Package { "src/" } else { "" };
        let file = |name: String, contents: String| File { name, contents };
        let name = &self.name;
        let mut files = vec![file(
            format!("{folder}{name}.h"),
            header::file(self.core, name, &self.parts, self.run_time),
        )];
        if form != Form::C {
            for part in &self.parts {
                let contents = assembly::file(self.core, &self.gnu, part);
                files.push(file(format!("{folder}{}.S", part.symbol()), contents));
            }
        }
        if form != Form::Assembly {
            let everywhere = form == Form::C;
            let contents = portable::file(self.core, &self.gnu, name, &self.parts, everywhere);
            files.push(file(format!("{folder}{name}.c"), contents));
        }
        if self.run_time {
            let contents = portable::run_time_file(self.core, name, &self.parts);
            files.push(file(format!("{folder}{name}_any_key.c"), contents));
        }
        if form != Form::C {
            for part in &self.parts {
                let json = serde_json::to_string_pretty(&part.certificate).map_err(|e| e.to_string())?;
                let place = if form == Form::Package { "certificates/" } else { "" };
                files.push(file(format!("{place}{}.certificate.json", part.symbol()), json + "\n"));
            }
        }
        if form == Form::Package {
            files.extend([
                file(format!("examples/selftest/{name}_selftest.c"), self.selftest()),
                file("examples/selftest/selftest.ino".into(), self.sketch()),
                file("README.md".into(), self.readme()),
                file("Makefile".into(), self.makefile()),
                file("library.properties".into(), self.arduino()),
                file("library.json".into(), self.platformio()?),
                file("zephyr/module.yml".into(), self.zephyr_module()),
                file("zephyr/CMakeLists.txt".into(), self.zephyr_cmake()),
                file("zephyr/Kconfig".into(), self.zephyr_kconfig()),
            ]);
        }
        Ok(files)
    }

    fn sentence(&self) -> String {
        let problem = self.parts[0].problem();
        let what = if self.run_time {
            "AES with keys of 128, 192 and 256 bits".into()
        } else {
            format!("{problem}")
        };
        format!("{what} for {}, in assembly proved to be AES, with the same in C", self.core.name)
    }

    fn sources(&self) -> Vec<String> {
        let mut all: Vec<String> = self.parts.iter().map(|p| format!("{}.S", p.symbol())).collect();
        all.push(format!("{}.c", self.name));
        if self.run_time {
            all.push(format!("{}_any_key.c", self.name));
        }
        all
    }

    fn makefile(&self) -> String {
        let objects: Vec<String> =
            self.sources().iter().map(|s| s.replace(".S", ".o").replace(".c", ".o")).collect();
        include_str!("template/Makefile")
            .replace("@LICENCE@", env!("CARGO_PKG_LICENSE"))
            .replace("@NAME@", &self.name)
            .replace("@PROCESSOR@", self.core.name)
            .replace("@PREFIX@", self.gnu.prefix)
            .replace("@FLAGS@", &self.flags())
            .replace("@OBJECTS@", &objects.join(" "))
    }

    /// What compiler and assembler are told: the processor, and that it has no data cache where that matters.
    fn flags(&self) -> String {
        match self.needs_no_cache() {
            true => format!("{} -D{}", self.gnu.flags, assembly::NO_DATA_CACHE),
            false => self.gnu.flags.clone(),
        }
    }

    /// Whether any of its functions must not run beside a data cache.
    fn needs_no_cache(&self) -> bool {
        self.gnu.uncached != "1" && self.parts.iter().any(Part::needs_no_cache)
    }

    fn arduino(&self) -> String {
        // Arduino IDE, library specification 1.5, "library.properties file format".
        format!(
            "name={name}\nversion={version}\nauthor=aesmith\nmaintainer=aesmith\nsentence={sentence}.\n\
             paragraph=Cycles, flash, RAM and stack of each function stand in its header.\n\
             category=Data Processing\nurl=https://csrc.nist.gov/pubs/fips/197/final\narchitectures=*\nincludes={name}.h\n",
            name = self.name,
            version = env!("CARGO_PKG_VERSION"),
            sentence = self.sentence(),
        )
    }

    fn platformio(&self) -> Result<String, String> {
        let uncached = |p: &&&str| !self.needs_no_cache() || UNCACHED_PLATFORMS.contains(*p);
        let platforms: Vec<&&str> = self.gnu.platforms.iter().filter(uncached).collect();
        let platforms = if self.gnu.platforms.is_empty() { json!("*") } else { json!(platforms) };
        let object = json!({
            "name": self.name,
            "version": env!("CARGO_PKG_VERSION"),
            "description": self.sentence(),
            "keywords": "aes, encryption",
            "license": env!("CARGO_PKG_LICENSE"),
            "headers": format!("{}.h", self.name),
            "frameworks": "*",
            "platforms": platforms,
            "build": { "srcDir": "src", "includeDir": "src" },
        });
        serde_json::to_string_pretty(&object).map(|t| t + "\n").map_err(|e| e.to_string())
    }

    fn option(&self) -> String {
        self.name.to_ascii_uppercase()
    }

    fn zephyr_module(&self) -> String {
        format!("name: {}\nbuild:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n", self.name)
    }

    fn zephyr_cmake(&self) -> String {
        let sources: Vec<String> = self.sources().iter().map(|s| format!("    ../src/{s}")).collect();
        format!(
            "# SPDX-License-Identifier: {}\nif(CONFIG_{})\n  zephyr_include_directories(../src)\n  \
             zephyr_library()\n  zephyr_library_sources(\n{}\n  )\nendif()\n",
            env!("CARGO_PKG_LICENSE"),
            self.option(),
            sources.join("\n")
        )
    }

    fn zephyr_kconfig(&self) -> String {
        format!(
            "# SPDX-License-Identifier: {}\nconfig {}\n\tbool \"{}\"\n\thelp\n\t  On processors that the \
             assembly is not for, the functions are those in C.\n",
            env!("CARGO_PKG_LICENSE"),
            self.option(),
            self.sentence()
        )
    }

    fn selftest(&self) -> String {
        let mut out = format!(
            "/* SPDX-License-Identifier: {} */\n/* Published vectors (FIPS-197, SP 800-38A). \
             {name}_selftest returns how many functions fail. */\n#include \"{name}.h\"\n\n",
            env!("CARGO_PKG_LICENSE"),
            name = self.name
        );
        out.push_str(include_str!("template/selftest.c"));
        let _ = write!(out, "\nint {}_selftest(void);\n\nint {}_selftest(void)\n{{\n", self.name, self.name);
        let messages: Vec<&Part> = self.parts.iter().filter(|p| p.role() == Role::Message).collect();
        let most = self.parts.iter().map(|p| p.made.kernel.contract.key_size()).max().unwrap_or(16);
        let _ = writeln!(out, "    static uint32_t key[{}];", most.div_ceil(4).max(8));
        out.push_str("    static uint32_t cipher_key[8], text[16], result[16];\n");
        if messages.iter().any(|p| p.problem().has_iv()) {
            out.push_str("    static uint32_t iv[4];\n");
        }
        out.push_str("    int failed = 0;\n\n");
        for part in &self.parts {
            out.push_str(&one_test(part, &self.parts, messages.is_empty()));
        }
        out.push_str(
            "    return failed;\n}\n\n#ifdef SELFTEST_MAIN\n#include <stdio.h>\n\nint main(void)\n{\n",
        );
        let _ = write!(
            out,
            "    int failed = {}_selftest();\n    puts(failed ? \"FAILED\" : \"ok\");\n    return failed;\n}}\n#endif\n",
            self.name
        );
        out
    }

    fn sketch(&self) -> String {
        format!(
            "// SPDX-License-Identifier: {licence}\n// Says on the serial line whether the library computes what is published.\n\
             #include <{name}.h>\n\nextern \"C\" int {name}_selftest(void);\n\n\
             void setup() {{\n    Serial.begin(9600);\n    Serial.println({name}_selftest() ? \"FAILED\" : \"ok\");\n}}\n\n\
             void loop() {{\n}}\n",
            licence = env!("CARGO_PKG_LICENSE"),
            name = self.name
        )
    }

    fn readme(&self) -> String {
        let name = &self.name;
        let mut out = format!(
            "# {name}\n\n{}, written by aesmith {}.\n\n`src/{name}.h` is the interface. The assembly is for GNU as ({}).\n\n",
            self.sentence(),
            env!("CARGO_PKG_VERSION"),
            self.gnu.packages
        );
        out.push_str("- Arduino: put this folder into `libraries`.\n- PlatformIO: put it into `lib`.\n");
        let _ = write!(
            out,
            "- Zephyr: name it in `ZEPHYR_EXTRA_MODULES` and set `CONFIG_{}=y`.\n\
             - make: `make` builds `lib{name}.a`, `make check` runs the self-test on this machine, in C.\n\n",
            self.option()
        );
        if self.needs_no_cache() {
            let _ = write!(
                out,
                "Its functions look tables up at addresses that depend on secrets, which takes the same time at \
                 any address only where there is no data cache. The assembly refuses to be built where the \
                 compiler does not say that there is none (a Cortex-M7 has one, and compilers do not tell it \
                 from a Cortex-M4): define `{}` for a processor without one.\n\n",
                assembly::NO_DATA_CACHE
            );
        }
        for part in &self.parts {
            let _ = write!(out, "## {}\n\n", part.symbol());
            for line in contract(self.core, part).iter().chain(&costs(part)) {
                let _ = writeln!(out, "{line}  ");
            }
            out.push('\n');
        }
        let _ = write!(
            out,
            "What is proved of each function's bytes stands in `certificates/`.\n\nLicence: {}\n",
            env!("CARGO_PKG_LICENSE")
        );
        out
    }
}

/// The test of a message's function with its key schedule; of a key schedule, where there are none.
fn one_test(part: &Part, parts: &[Part], schedules_alone: bool) -> String {
    let problem = part.problem();
    let contract = part.made.kernel.contract;
    let v = vector(problem.key, problem.task);
    let cipher_key = format!("    bytes((uint8_t *)cipher_key, \"{}\", {});\n", v.key, problem.key.bytes());
    if part.role() == Role::Schedule {
        if !schedules_alone {
            return String::new();
        }
        let wanted: String = contract.key_bytes(&bytes(v.key)).iter().map(|b| format!("{b:02x}")).collect();
        // A literal may have 509 characters in C90, and 4095 in C99.
        return format!(
            "{cipher_key}    {}(key, (uint8_t *)cipher_key);\n    failed += differs((uint8_t *)key, \"{wanted}\", {});\n",
            part.symbol(),
            wanted.len() / 2
        );
    }
    let mut out = cipher_key;
    let key = match schedule_symbol(&contract, parts) {
        None => "cipher_key",
        Some(schedule) => {
            let _ = writeln!(out, "    {schedule}(key, (uint8_t *)cipher_key);");
            "key"
        }
    };
    let whole = if problem.has_iv() { 4 } else { usize::from(contract.blocks.max(1)) };
    if problem.has_iv() {
        let _ = writeln!(out, "    bytes((uint8_t *)iv, \"{}\", 16);", v.iv);
    }
    let size = 16 * whole;
    let _ = writeln!(out, "    bytes((uint8_t *)text, \"{}\", {size});", &v.input[..2 * size]);
    let call = match problem.task {
        Task::Ecb(_) => format!("{key}, (uint8_t *)text, (uint8_t *)result"),
        _ => format!("{key}, (uint8_t *)iv, (uint8_t *)text, (uint8_t *)result, {whole}"),
    };
    let _ = write!(
        out,
        "    {}({call});\n    failed += differs((uint8_t *)result, \"{}\", {size});\n\n",
        part.symbol(),
        &v.output[..2 * size]
    );
    out
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap_or(""), 16).unwrap_or(0)).collect()
}

/// Writes files into a folder, which is made if it is not there, with the folders in their names. Each
/// is written beside its place and moved there, so that none is ever half-written.
pub fn write(files: &[File], folder: &Path) -> io::Result<()> {
    for file in files {
        let place = folder.join(&file.name);
        let beside = place.with_extension("unfinished");
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent)?;
        }
        // Never through a link that stands there; what is left of a run that was killed goes.
        let _ = std::fs::remove_file(&beside);
        let mut made = std::fs::File::create_new(&beside)?;
        io::Write::write_all(&mut made, file.contents.as_bytes())?;
        std::fs::rename(&beside, &place)?;
    }
    Ok(())
}
