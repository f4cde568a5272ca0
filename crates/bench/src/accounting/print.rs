//! The accounting as a Markdown document and as a page of the report, and texts that all its forms share.

use super::{Account, Accounting, Row, Standing};
use aesmith_report::{AccountingPage, PageAccount, PageStep};
use aesmith_tune::count::{Mix, number};
use std::fmt::Write;

/// Sentences that explain the figures.
pub const ABOUT: [&str; 4] = [
    "Instructions per block of AES-128 in counter mode, classified as by Bernstein and Schwabe: loads, \
     stores, and all others as integer instructions; an instruction that loads and computes is an integer \
     instruction.",
    "The saving of a choice is the difference between kernels with and without it, counted as `aesmith \
     count` does: in the simulator or in the interpreter of the processor's table, for each further block \
     of a long message. A star marks a saving that every kernel of the processor has; it is computed from \
     the plain program.",
    "Each account starts with the published 720 instructions, ends with our kernel, and adds up. \
     Techniques are in the paper's order, except where a choice requires a later one. For a choice that \
     is not used, the figure is its saving relative to the final kernel.",
    "Counts neither prove a kernel nor determine its time: `aesmith emit --variant FILE` proves it, \
     `aesmith tune` measures it.",
];

impl Standing {
    /// The standing in words.
    pub fn words(self) -> &'static str {
        match self {
            Standing::Chosen => "uses",
            Standing::NotChosen => "does not use",
            Standing::Always => "always",
            Standing::Missing => "not available in this generator",
            Standing::DoesNotApply => "does not apply",
        }
    }
}

/// The standing of a technique in the kernel, its choice, and its remark.
pub fn reason(row: &Row) -> String {
    let standing = match row.technique {
        "kernel" if row.choice.is_empty() => return row.why.into(),
        "kernel" => "starts with",
        _ => row.standing.words(),
    };
    let said = [standing, row.choice].into_iter().filter(|text| !text.is_empty());
    let said = said.collect::<Vec<_>>().join(" ");
    if row.why.is_empty() { said } else { format!("{said}: {}", row.why) }
}

impl Row {
    /// The saving in words.
    pub fn saves(&self) -> String {
        let star = if self.by == Some("computed") { "*" } else { "" };
        self.saved.map_or(String::new(), |saved| format!("{}{star}", number(saved.instructions)))
    }

    /// The published saving in words.
    pub fn published_words(&self) -> String {
        let saved = self.published.map(|saved| saved.to_string()).unwrap_or_default();
        format!("{} {saved}", self.published_meant).trim().to_owned()
    }
}

impl Account {
    /// The architecture and the kernels that are counted, in words.
    pub fn kernels(&self) -> String {
        match self.level {
            Some(level) => format!("{}, kernels of {} for {level}", self.architecture, self.processor),
            None => format!("{}, kernels of {}", self.architecture, self.processor),
        }
    }
}

/// Renders the Markdown document.
pub fn document(all: &Accounting) -> String {
    let mut out = format!(
        "# Accounting of instructions\n\nWritten by `aesmith-bench accounting --markdown docs/ACCOUNTING.md` (aesmith {}).\n",
        env!("CARGO_PKG_VERSION")
    );
    for sentence in ABOUT {
        let _ = write!(out, "\n{sentence}\n");
    }
    let _ = write!(out, "\nSource of the published figures: {}.\n", all.source);
    out.push_str("\n| processor | kernels of | remaining of 720 | published | loads | stores | integer |\n|---|---|--:|--:|--:|--:|--:|\n");
    for account in &all.targets {
        let published = account.published.map_or("-".into(), |n| n.to_string());
        let mut cells =
            vec![account.name.into(), account.kernels(), number(account.remains.instructions), published];
        cells.extend(account.remains.rows().map(|(_, n)| number(n)));
        line(&mut out, cells);
    }
    let _ = write!(out, "\n## The plain program\n\n| part | class | instructions |\n|---|---|--:|\n");
    for part in &all.parts {
        line(&mut out, vec![part.name.into(), part.class.name().into(), number(part.instructions)]);
    }
    line(&mut out, vec!["all".into(), String::new(), number(all.baseline.instructions)]);
    for account in &all.targets {
        one(&mut out, all, account);
    }
    out
}

fn line(out: &mut String, cells: Vec<String>) {
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

fn one(out: &mut String, all: &Accounting, account: &Account) {
    let _ = write!(
        out,
        "\n## {}\n\n{}; published: {} ({}).\n\n",
        account.name,
        account.kernels(),
        account.published.map_or("no total".into(), |n| n.to_string()),
        account.about
    );
    out.push_str("| technique | saves | published | left | loads | stores | integer | how, or why not |\n|---|--:|--:|--:|--:|--:|--:|---|\n");
    let mix = |mix: &Mix| [mix.instructions, mix.loads, mix.stores, mix.integer].map(number);
    let full = |name: &str, left: [String; 4]| {
        let mut cells = vec![name.to_owned(), String::new(), String::new()];
        cells.extend(left);
        cells.push(String::new());
        cells
    };
    line(out, full("the plain program", mix(&all.baseline)));
    for row in &account.rows {
        let mut cells = vec![row.name.to_owned(), row.saves(), row.published_words()];
        cells.extend(row.left.as_ref().map_or([const { String::new() }; 4], mix));
        cells.push(reason(row));
        line(out, cells);
    }
    line(out, full("**remains**", mix(&account.remains)));
    let _ = write!(out, "\nThe kernel: `{}`\n", account.variant);
}

/// The report's page; `made` says when it was made.
pub fn page(all: &Accounting, made: &str) -> AccountingPage {
    let mix = |mix: &Mix| mix.rows().map(|(_, n)| n);
    let step = |row: &Row| PageStep {
        name: row.name.into(),
        saved: row.saved.map(|saved| saved.instructions),
        published: row.published_words(),
        left: row.left.as_ref().map(mix),
        computed: row.by == Some("computed"),
        how: reason(row),
    };
    AccountingPage {
        title: "Instructions per block".into(),
        about: "Bernstein and Schwabe\u{2019}s accounting of 2008, repeated for our kernels".into(),
        lead: ABOUT.iter().map(|sentence| sentence.replace('`', "")).collect(),
        baseline: mix(&all.baseline),
        parts: all.parts.iter().map(|p| (p.name.into(), p.class.name().into(), p.instructions)).collect(),
        accounts: all
            .targets
            .iter()
            .map(|account| PageAccount {
                id: account.target.into(),
                name: account.name.into(),
                about: account.kernels(),
                rows: account.rows.iter().map(step).collect(),
                remains: mix(&account.remains),
                published: account.published.map(|n| n as f64),
                source: account.about.into(),
                variant: account.variant.clone(),
            })
            .collect(),
        foot: vec![format!("Source of the published figures: {}.", all.source), format!("Created {made}.")],
    }
}
