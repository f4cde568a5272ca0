//! The texts in the files of a package for firmware: the README, the banner of the header, the recipe.

use super::{Blocks, Scope};
use crate::Naming;
use crate::banner::{comment, contract};
use crate::gnu::assembly;
use crate::gnu::builds::has_addresses;
use crate::gnu::reach::Near;
use crate::names::prefix_of_blocks;
use crate::part::{Part, by_code};
use aesmith_cipher::Problem;
use std::fmt::Write;

impl Blocks<'_> {
    /// The builds of the processor that the assembly refuses.
    fn refused(&self) -> Vec<&'static str> {
        let builds = &self.gnu.builds;
        let moved = if self.parts.iter().any(has_addresses) { builds.wrong_with_addresses } else { &[] };
        builds.wrong.iter().chain(moved).map(|wrong| wrong.what).collect()
    }

    /// The prefix of all names, if it is not aesmith's.
    fn prefix(&self) -> Option<String> {
        Naming::with_prefix(prefix_of_blocks(&self.name)).ok()?.prefix().map(str::to_owned)
    }

    /// The comment at the top of the header: problems, processor, version, prefix.
    pub fn banner(&self) -> String {
        let prefix = self.prefix().map_or(String::new(), |prefix| format!(" * prefix {prefix}\n"));
        let sentence = comment(&format!("{}.", self.sentence()));
        format!(
            "/*\n{sentence} *\n * Written by aesmith,\n * version {}\n{prefix} */\n",
            env!("CARGO_PKG_VERSION")
        )
    }

    /// The command that reproduces the package from its README.
    fn command(&self) -> String {
        let problems = self.problems();
        let both = problems.iter().any(|p| p.mode().direction != problems[0].mode().direction);
        let (of, more) = match self.scope {
            Scope::Several => (problems.iter().map(Problem::to_string).collect::<Vec<_>>().join(","), ""),
            Scope::AnyKey => (problems[0].to_string(), " --keys all"),
            Scope::Problem => (problems[0].to_string(), ""),
        };
        let both = if both && self.scope != Scope::Several { " --directions both" } else { "" };
        // Functions with equal code were merged for their size.
        let shared = by_code(&self.parts).iter().any(|file| file.len() > 1);
        let objective = if shared { " --objective code" } else { "" };
        let timing =
            if self.parts.iter().any(|p| p.facts.is_variable_time()) { " --allow-variable-time" } else { "" };
        format!(
            "aesmith emit {of} --processor {}{more}{both}{objective}{timing} --as package --variant README.md -o FOLDER",
            self.core.name
        )
    }

    /// The README's section with the command and the variants that reproduce the package.
    fn recipe(&self) -> String {
        let prefix = self.prefix().map_or(String::new(), |prefix| format!("prefix {prefix}\n"));
        let variant = |p: &Part<'_>| format!("variant {}\n", p.kernel.variant);
        let variants: String = self.parts.iter().map(variant).collect();
        format!(
            "## Recipe\n\nThis makes the same package again from the lines below:\n\n```sh\n{}\n```\n\n```\nversion {}\n{prefix}{variants}```\n",
            self.command(),
            env!("CARGO_PKG_VERSION"),
        )
    }

    /// The known parts that the assembly refuses, as a part of a sentence.
    fn uneven(&self) -> String {
        let in_flash = self.parts.iter().any(|p| p.facts.uncached && p.facts.in_flash);
        let names: Vec<&str> = self.gnu.uneven.iter().map(|known| known.name).collect();
        match in_flash && !names.is_empty() {
            true => format!(", and on parts whose flash is known to be otherwise ({})", names.join("; ")),
            false => String::new(),
        }
    }

    pub fn readme(&self) -> String {
        let name = &self.name;
        let mut out = format!(
            "`src/{name}.h` is the interface. The assembly is for GNU as ({}).\n\n",
            self.gnu.packages
        );
        out.push_str(&self.ecosystems().sentences());
        let assembly = match self.gnu.emulator {
            Some(emulator) => format!(
                ", then the assembly in {} where that is installed ({})",
                emulator.command.split(' ').next().unwrap_or_default(),
                emulator.package
            ),
            None => ". No emulator that it knows runs the assembly".into(),
        };
        let _ = write!(
            out,
            "- make: as follows, with {}. `make check` runs the self-test in C on this machine{assembly}.\n\n\
             ```sh\nmake\nmake check\n```\n\n",
            if self.gnu.compiler {
                "GNU's compiler and assembler"
            } else {
                "GNU's assembler and this machine's C preprocessor"
            },
        );
        if !self.gnu.compiler {
            let _ = write!(
                out,
                "No distribution has a C compiler for {}: `lib{name}.a` has the assembly alone, and a program that \
                 calls it is compiled by {}{}.\n\n",
                self.core.name,
                self.gnu.compiled_by,
                if self.any_key() { format!(", as is `src/{name}_any_key.c`") } else { String::new() },
            );
        }
        let _ = write!(
            out,
            "`src/{name}.c` is an alternative for other processors: compiled for {} it is empty, so it adds no code to the \
             assembly.",
            self.core.name
        );
        if self.any_key() {
            let _ = write!(
                out,
                " `src/{name}_any_key.c` is linked with the assembly: `aesmith emit --json` and memory limits count its \
                 compiled code, too."
            );
        }
        out.push_str("\n\n");
        let refused = self.refused();
        if !refused.is_empty() {
            let _ = write!(
                out,
                "The assembly is for {}. It stops the build with one error message for {}.\n\n",
                self.gnu.builds.form,
                refused.join("; ")
            );
        }
        if let Some(pie) = self.gnu.pie.filter(|_| self.parts.iter().any(has_addresses)) {
            let _ = write!(
                out,
                "It holds addresses of its tables, so link programs that call it with `-no-pie`. {pie}\n\n"
            );
        }
        if self.needs_no_cache() {
            let _ = write!(
                out,
                "Its functions read tables at addresses that depend on secrets. That takes the same time at any \
                 address only if the processor has no data cache and the tables are in memory whose access time does \
                 not depend on the address: SRAM inside the chip, or flash without a cache, buffers or a serial \
                 interface before it, but not external memory. The assembly does not build unless the compiler \
                 declares that there is no data cache (a Cortex-M7 has one, and compilers do not distinguish it from a \
                 Cortex-M4){}: define `{}` for a processor without a data cache whose tables are in such memory.\n\n",
                self.uneven(),
                assembly::NO_DATA_CACHE
            );
        }
        for file in by_code(&self.parts) {
            let placed = Near::of(&self.gnu, &file[0]).map(|near| near.sentence());
            for part in &file {
                let _ = write!(out, "## {}\n\n", part.symbol);
                for line in contract(part).iter().chain(&placed).chain(&part.facts.costs) {
                    let _ = writeln!(out, "{line}  ");
                }
                out.push('\n');
            }
        }
        out + &self.recipe()
    }
}
