//! Checks a timing table for mistakes: unknown names, rules that can never apply.

use crate::Isa;

use super::{CUSTOM, Timing, is_in};

impl Timing {
    /// Checks the table against one of its instruction tables; the result is a sentence on the first mistake.
    pub fn check(&self, isa: &Isa) -> Result<(), String> {
        let wrong = |what: String| Err(format!("the timing of {}: {what}", isa.about.name));
        if self.source.is_empty() {
            return wrong("no source is named".into());
        }
        let limits = [("units", self.units.len(), 64), ("runs", self.runs.len(), 8)];
        let limits = limits.into_iter().chain([
            ("bypasses", self.bypasses.len(), 64),
            ("distances", self.distances.len(), 64),
            ("pairs", self.issue.together.len(), 64),
        ]);
        for (what, count, most) in limits {
            if count > most {
                return wrong(format!("it has {count} {what}, at most {most} are possible"));
            }
        }
        if self.issue.width == 0 {
            return wrong("nothing issues".into());
        }
        let known = |name: &&str| *name == CUSTOM || isa.rows.iter().any(|row| is_in(&row.class, &[name]));
        for (k, class) in self.classes.iter().enumerate() {
            if self.classes[..k].iter().any(|c| c.name == class.name) {
                return wrong(format!("there are two classes '{}'", class.name));
            }
            if class.source.is_empty() {
                return wrong(format!("the class '{}' names no source", class.name));
            }
            for unit in class.uses.iter().flat_map(|u| u.any_of) {
                if !self.units.contains(unit) {
                    return wrong(format!("'{}' occupies '{unit}', which is no unit", class.name));
                }
            }
        }
        if let Some(hint) = &self.hint {
            for row in isa.rows.iter().filter(|row| row.class == hint.class) {
                let lacks = |name: &&str| !row.fields.iter().any(|field| field.name == *name);
                if let Some(name) = [hint.branch, hint.to].iter().find(|name| lacks(name)) {
                    return wrong(format!("the hint '{}' has no field '{name}'", row.name));
                }
            }
        }
        let named = self.classes.iter().map(|c| c.name);
        let named = named.chain(self.runs.iter().flat_map(|r| r.after.iter().chain(r.classes)).copied());
        let named = named.chain(self.distances.iter().flat_map(|d| d.after.iter().chain(d.classes)).copied());
        let named = named.chain(self.bypasses.iter().flat_map(|b| b.from.iter().chain(b.to)).copied());
        let named = named.chain(self.hint.iter().map(|hint| hint.class));
        let pairs = self.issue.together.iter().flat_map(|p| p.first.iter().chain(p.second));
        match named.chain(pairs.copied()).find(|name| !known(name)) {
            Some(name) => wrong(format!("no instruction is of the class '{name}'")),
            None => Ok(()),
        }
    }
}
