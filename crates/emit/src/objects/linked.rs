//! Joins the functions of a linked file with their constants. Only loaded bytes are used; of the unloaded data only the
//! symbols that tell where constants begin and end.

use super::apart::{Constants, MOST_CONSTANTS, Together, put_together, unbounded};
use super::constants_symbol;
use crate::EmitError;
use crate::objects::loaded::{Loaded, wrong};
use crate::objects::symbols::{Definition, check_function, for_debuggers, is_part};
use aesmith_processor::dialect::Dialect;
use std::collections::HashSet;

/// A linked file.
pub struct Linked<'f> {
    dialect: &'static Dialect,
    loaded: Loaded<'f>,
    /// Symbols that are not loaded.
    names: Vec<Definition>,
}

/// A function of a linked file, and the reason if another may run under its name.
pub struct LinkedFunction {
    /// Its symbol.
    pub definition: Definition,
    found: Result<(), String>,
}

impl<'f> Linked<'f> {
    /// Reads the loaded parts of a file.
    ///
    /// # Errors
    /// See [`Loaded::new`].
    pub fn new(
        dialect: &'static Dialect,
        file: &'f [u8],
        claims: impl Fn(&str) -> bool,
    ) -> Result<Linked<'f>, EmitError> {
        Ok(Linked { dialect, loaded: Loaded::new(dialect, file, claims)?, names: for_debuggers(file) })
    }

    /// True if the symbols that are not loaded were stripped from the file.
    pub(crate) fn is_stripped(&self) -> bool {
        self.names.is_empty()
    }

    /// Names that the loader looks up in other files.
    pub fn undefined(&self) -> impl Iterator<Item = &str> {
        self.loaded.dynamic.iter().flat_map(|dynamic| &dynamic.undefined).map(String::as_str)
    }

    /// Returns the symbols that the file exports, and its other functions that claim a problem.
    pub fn functions(&self, claims: impl Fn(&Definition) -> bool) -> Vec<LinkedFunction> {
        let exported = self.loaded.dynamic.iter().flat_map(|dynamic| &dynamic.defined);
        let mut all: Vec<LinkedFunction> = exported
            .map(|symbol| LinkedFunction {
                definition: Definition {
                    name: symbol.name.clone(),
                    versioned: false,
                    value: symbol.value,
                    size: symbol.size,
                    kind: symbol.kind,
                    binding: symbol.binding,
                    other: 0,
                    section: None,
                },
                found: symbol.found.clone(),
            })
            .collect();
        let callable: HashSet<&str> = all.iter().map(|found| found.definition.name.as_str()).collect();
        let own: Vec<LinkedFunction> = self
            .names
            .iter()
            .filter(|definition| claims(definition) && !callable.contains(definition.name.as_str()))
            .map(|definition| {
                let part = is_part(&definition.name, all.iter().map(|found| found.definition.name.as_str()));
                let found = if part && !definition.is_global() {
                    Ok(())
                } else {
                    Err("is not among the symbols that the loader finds, so that a call of it finds another of its \
                         name, or none: verify the objects or the archive that the file was linked of"
                        .to_owned())
                };
                LinkedFunction { definition: definition.clone(), found }
            })
            .collect();
        all.extend(own);
        all
    }

    /// Returns the bytes that run when a function is called.
    ///
    /// # Errors
    /// The reason why other bytes may run.
    pub fn together(
        &self,
        LinkedFunction { definition: of, found }: &LinkedFunction,
    ) -> Result<Together, EmitError> {
        let name = &of.name;
        found.clone().map_err(|why| wrong(format!("`{name}` {why}")))?;
        check_function(of)?;
        let end = of.value.checked_add(of.size);
        let end = end.ok_or_else(|| wrong(format!("the function `{name}` reaches out of its segment")))?;
        let code = self.loaded.bytes(name, of.value..end, true)?;
        // The caller checks the alignment later, once the function is known to be a kernel.
        let targets = (self.dialect.linked)(code, of.value);
        if targets.is_empty() {
            return Ok(Together { bytes: code.to_vec(), bounded: true });
        }
        let constants = constants_symbol(name);
        let mut known =
            self.names.iter().filter(|d| d.name == constants && d.size > 0 && d.size <= MOST_CONSTANTS);
        if let (Some(there), None) = (known.next(), known.next())
            && there.value.is_multiple_of(self.dialect.constants_alignment as u64)
            && let Some(end) = there.value.checked_add(there.size)
        {
            let bytes = self.loaded.bytes(&constants, there.value..end, false)?;
            let constants = Constants { address: there.value, bytes };
            let bytes = put_together(self.dialect, name, code, &constants, &targets)?;
            return Ok(Together { bytes, bounded: true });
        }
        let first = targets.values().min().copied().unwrap_or_default() as u64;
        // The target is relative to the first field, so the constant lies a little behind it.
        let segment = self.loaded.segment(first.saturating_add(8));
        let segment = segment.ok_or_else(|| wrong(format!("`{constants}` are in no segment of the file")))?;
        unbounded(self.dialect, name, code, &targets, segment, |range| {
            let range = range.start..self.loaded.dynamic.as_ref().map_or(range.end, |d| d.clear(&range));
            self.loaded.bytes(&constants, range, false).ok()
        })
    }
}
