//! The keys of a package for firmware: for each key, a structure, the function that sets it up, and the function that
//! wipes it. Their names contain only the key size and the direction, so that a program stays unchanged when it takes
//! other kernels, with round keys of another form.

use crate::Naming;
use crate::VARIABLE_TIME_SUFFIX;
use crate::names::{key_symbol, prefix_of_blocks};
use crate::part::{Part, Role, aligned, alignment, name_in_c, schedule_symbol};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Packing;
use std::fmt::Write;

/// A key structure, which functions share.
pub(in crate::package) struct Key<'p> {
    /// `STEM_key` is the structure, `STEM_init` sets it up and `STEM_wipe` overwrites it.
    pub stem: String,
    /// The key schedule that names it.
    pub problem: Problem,
    /// The functions that read it, all in the same form.
    pub readers: Vec<&'p str>,
    /// Its size in bytes.
    pub bytes: usize,
    /// The function that computes its round keys; `None` if the cipher key itself is read.
    pub schedule: Option<String>,
    /// The form of the key and its alignment, as a part of a macro's name.
    form: String,
}

/// Returns the keys of the functions, in their order.
pub(in crate::package) fn all<'p>(parts: &[Part<'p>]) -> Vec<Key<'p>> {
    let mut keys: Vec<Key<'p>> = Vec::new();
    for part in parts.iter().filter(|part| part.role() == Role::Message) {
        let contract = part.kernel.contract;
        let problem = contract.problem.key_schedule();
        if let Some(key) = keys.iter_mut().find(|key| key.problem == problem) {
            key.readers.push(part.symbol);
            continue;
        }
        let schedule = schedule_symbol(&contract, parts);
        let varies = schedule.as_ref().is_some_and(|symbol| symbol.ends_with(VARIABLE_TIME_SUFFIX));
        let naming = Naming::with_prefix(prefix_of_blocks(part.symbol)).unwrap_or_default();
        let stem = naming.apply(&key_symbol(problem)) + if varies { VARIABLE_TIME_SUFFIX } else { "" };
        let form = match contract.packing {
            Packing::ForwardKeys => Packing::ForwardKeys.name(),
            packing => packing.written().name(),
        };
        keys.push(Key {
            stem,
            problem,
            readers: vec![part.symbol],
            bytes: contract.key_size(),
            schedule,
            form: name_in_c(form).to_uppercase()
                + &alignment(parts).map_or(String::new(), |bytes| format!("_ALIGNED_{bytes}")),
        });
    }
    keys
}

impl Key<'_> {
    /// Its name without the package's prefix.
    pub fn member(&self) -> &str {
        &self.stem[prefix_of_blocks(&self.stem).len()..]
    }

    /// Its structure and functions in C, for the header.
    pub fn declared(&self, parts: &[Part<'_>]) -> String {
        let Key { stem, problem, readers, bytes, schedule, form } = self;
        let size = problem.key.bytes();
        let made = match schedule {
            Some(schedule) => format!("    {schedule}(key->words, cipher_key);\n"),
            None => format!(
                "    uint8_t *to = (uint8_t *)key->words;\n    unsigned n;\n\n    for (n = 0; n < {size}; n++) {{\n        \
                 to[n] = cipher_key[n];\n    }}\n"
            ),
        };
        // The headers of several packages may declare it in one program: identically, or it is an error.
        let declared = format!("{}_KEY", stem.to_uppercase());
        let mut out = format!(
            "\n#if defined({declared}) && !defined({declared}_IS_{form})\n#error \"{stem}_key is declared for round keys of another \
             form by the header of another package: make one package of both, or give one a prefix\"\n#endif\n\
             #ifndef {declared}\n#define {declared}\n#define {declared}_IS_{form}\n"
        );
        let _ = write!(
            out,
            "\n/* The key of {}, in the form that the code reads. */\ntypedef struct {stem}_key {{\n    \
             uint32_t words[{}]{};\n}} {stem}_key;\n",
            readers.join(", "),
            bytes.div_ceil(4),
            aligned(parts)
        );
        let _ = write!(
            out,
            "\n/* Makes a key ready from the {size} bytes of a cipher key. */\n\
             static inline void {stem}_init({stem}_key *key, const uint8_t *cipher_key)\n{{\n{made}}}\n"
        );
        let _ = write!(
            out,
            "\n/* Overwrites a key with zeros. */\n\
             static inline void {stem}_wipe({stem}_key *key)\n{{\n    volatile uint32_t *word = key->words;\n    \
             unsigned n;\n\n    for (n = 0; n < sizeof key->words / sizeof key->words[0]; n++) {{\n        \
             word[n] = 0;\n    }}\n}}\n\n#endif\n"
        );
        out
    }
}
