//! The files that Arduino, PlatformIO and Zephyr need for a library: its description and its build.

use super::File;
use crate::EmitError;
use aesmith_processor::gnu::{Platform, Reach};
use serde_json::json;
use std::fmt::Write;

/// A caveat for Zephyr: threads in user mode, and tables in RAM.
const USER_THREADS: &str = "with `CONFIG_USERSPACE` they are in no memory partition, and a user thread that calls it faults: \
                            call it from supervisor threads, or emit it with `--max-ram 0`, so that its tables lie in flash.";

/// A caveat for Zephyr: two packages in one program.
const EVERY_MEMBER: &str = "It links every member of a library, so that two packages with a function of one name, such as a key \
                            schedule, do not link: emit one package of both problems, or one of them with `--prefix`.";

/// The data of a library for these systems.
pub(super) struct Ecosystems<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its description.
    pub sentence: String,
    /// Files to be compiled.
    pub sources: Vec<String>,
    /// Arduino's architectures with the processor.
    pub arduino: Option<&'static str>,
    /// PlatformIO's platforms with the processor.
    pub platforms: &'static [Platform],
    /// True if Zephyr runs on it.
    pub zephyr: bool,
    /// True if it is only for processors without a data cache.
    pub uncached: bool,
    /// The reach of its look-ups in program memory, if boards may have more.
    pub reach: Option<Reach>,
    /// Size of the tables in RAM, in bytes.
    pub ram: u64,
}

impl Ecosystems<'_> {
    /// Returns the files for the systems that support the processor.
    pub fn files(&self) -> Result<Vec<File>, EmitError> {
        let file = |name: &str, contents: String| File { name: name.to_owned(), contents };
        let mut files = Vec::new();
        if let Some(architectures) = self.arduino {
            files.push(file("library.properties", self.properties(architectures)));
        }
        if !self.platforms().is_empty() {
            files.push(file("library.json", self.platformio()?));
        }
        if self.zephyr {
            files.extend([
                file("zephyr/module.yml", self.zephyr_module()),
                file("zephyr/CMakeLists.txt", self.zephyr_cmake()),
                file("zephyr/Kconfig", self.zephyr_kconfig()),
            ]);
        }
        Ok(files)
    }

    /// How to use the package with each of them, one a line.
    pub fn sentences(&self) -> String {
        let mut out = String::new();
        if self.arduino.is_some() {
            out.push_str("- Arduino: put this folder into `libraries`.");
            if let Some(reach) = self.reach {
                out.push(' ');
                out.push_str(&reach.on_arduino());
            }
            out.push('\n');
        }
        if !self.platforms().is_empty() {
            out.push_str("- PlatformIO: put it into `lib`.\n");
        }
        if self.zephyr {
            out.push_str("- Zephyr: name it in `ZEPHYR_EXTRA_MODULES` and set `CONFIG_");
            out.push_str(&self.option());
            out.push_str("=y`. ");
            out.push_str(EVERY_MEMBER);
            if self.ram > 0 {
                let _ = write!(out, " Its {} bytes of tables in RAM: {USER_THREADS}", self.ram);
            }
            out.push('\n');
        }
        out
    }

    /// PlatformIO's platforms that may use it.
    fn platforms(&self) -> Vec<&'static str> {
        let kept = |platform: &&Platform| !self.uncached || platform.uncached;
        self.platforms.iter().filter(kept).map(|platform| platform.name).collect()
    }

    fn properties(&self, architectures: &str) -> String {
        // Arduino IDE, library specification 1.5, "library.properties file format".
        format!(
            "name={name}\nversion={version}\nauthor=aesmith\nmaintainer=aesmith\nsentence={sentence}.\n\
             paragraph={about}Cycles, flash, RAM and stack of each function stand in its header.\n\
             category=Data Processing\nurl=https://csrc.nist.gov/pubs/fips/197/final\narchitectures={architectures}\nincludes={name}.h\n",
            name = self.name,
            version = env!("CARGO_PKG_VERSION"),
            sentence = self.sentence,
            about = self.reach.map_or(String::new(), |reach| reach.on_arduino().replace('`', "") + " "),
        )
    }

    fn platformio(&self) -> Result<String, EmitError> {
        let object = json!({
            "name": self.name,
            "version": env!("CARGO_PKG_VERSION"),
            "description": self.sentence,
            "keywords": "aes, encryption",
            "license": env!("CARGO_PKG_LICENSE"),
            "headers": format!("{}.h", self.name),
            "frameworks": "*",
            "platforms": self.platforms(),
            "build": { "srcDir": "src", "includeDir": "src" },
        });
        serde_json::to_string_pretty(&object)
            .map(|t| t + "\n")
            .map_err(|e| EmitError(format!("library.json cannot be written: {e}")))
    }

    /// Zephyr's name of the option that builds it.
    fn option(&self) -> String {
        self.name.to_ascii_uppercase()
    }

    fn zephyr_module(&self) -> String {
        format!("name: {}\nbuild:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n", self.name)
    }

    fn zephyr_cmake(&self) -> String {
        let sources: Vec<String> = self.sources.iter().map(|s| format!("    ../src/{s}")).collect();
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
             assembly is not for, the functions are those in C.\n\n\t  Tables in RAM, which the README counts: {}\n",
            env!("CARGO_PKG_LICENSE"),
            self.option(),
            self.sentence,
            USER_THREADS.replace('`', ""),
        )
    }
}
