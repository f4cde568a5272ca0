//! The sections of the page, in order. A section without data is left out; [`SECTIONS`] contains the reason and the
//! command that fills it, which the page lists at its end.

pub mod figures;
mod findings;
pub(crate) mod software;
mod times;

use crate::data::ReportData;
use figures::{convergence, figure3, loop_chart, sizes, surface};
use findings::{certificate, distance, machine, mix, outcomes, result};
use software::{accounting, profile};
use times::times;

/// A section: its names, the function that renders it, and the message when its data are absent.
pub struct Section {
    /// Anchor in the page.
    pub id: &'static str,
    /// Name in the table of contents.
    pub short: &'static str,
    /// Heading.
    pub heading: &'static str,
    /// True if it may share its row with a neighbour on a wide screen.
    pub beside: bool,
    /// The section's HTML, or `None` without data.
    pub write: fn(&ReportData) -> Option<String>,
    /// The reason why it may be absent, a sentence.
    pub absent: &'static str,
    /// The command that fills it; `{problem}` is the report's problem, `{key}` its key size.
    pub command: &'static str,
    /// True if it is about calls in steady state, so that a report of cold calls never has it.
    pub steady: bool,
}

impl Section {
    /// The reason why a page lacks it, a sentence, and the command that fills it.
    pub fn missing(&self, cold: bool) -> (&'static str, &'static str) {
        match cold && self.steady {
            true => (
                "it covers calls in steady state, but this report is about cold calls.",
                "aesmith report {problem}",
            ),
            false => (self.absent, self.command),
        }
    }
}

/// All sections, in the order of the page.
pub const SECTIONS: &[Section] = &[
    Section {
        id: "result",
        short: "Result",
        heading: "Result",
        beside: false,
        write: result,
        absent: "wisdom holds no confirmed winner for this problem on this processor.",
        command: "aesmith tune {problem}",
        steady: false,
    },
    Section {
        id: "sizes",
        short: "Sizes",
        heading: "Cost against message size",
        beside: true,
        write: sizes,
        absent: "this kernel has not been measured beside other libraries.",
        command: "aesmith tune {problem}",
        steady: false,
    },
    Section {
        id: "distance",
        short: "Bound",
        heading: "Distance to the bound",
        beside: true,
        write: distance,
        absent: "no kernel of this problem has a bound; bounds need the measured machine model.",
        command: "aesmith tune {problem}",
        steady: true,
    },
    Section {
        id: "loop",
        short: "Loop",
        heading: "The loop, cycle by cycle",
        beside: false,
        write: loop_chart,
        absent: "there is no confirmed winner with a loop to show.",
        command: "aesmith tune {problem}",
        steady: false,
    },
    Section {
        id: "mix",
        short: "Instructions",
        heading: "Instruction mix",
        beside: true,
        write: mix,
        absent: "there is no confirmed winner with instructions to count.",
        command: "aesmith tune {problem}",
        steady: false,
    },
    Section {
        id: "convergence",
        short: "Convergence",
        heading: "Convergence of the strategies",
        beside: true,
        write: convergence,
        absent: "no run of a strategy is recorded for this problem.",
        command: "aesmith tune {problem} --strategy annealing",
        steady: false,
    },
    Section {
        id: "figure3",
        short: "Figure 3",
        heading: "Figure 3: all modes, baseline to best",
        beside: false,
        write: figure3,
        absent: "no mode has both a baseline and a best cost on this processor.",
        command: "aesmith tune {problem}",
        steady: true,
    },
    Section {
        id: "figure1",
        short: "Figure 1",
        heading: "Figure 1: initiation interval and keys in registers",
        beside: true,
        write: |d| {
            surface(
                d.figure1.as_ref()?,
                "figure1",
                "Figure 1 of Manley, Magrath and Gregg (2010), measured here",
            )
        },
        absent: "wisdom holds no samples of this processor over initiation interval and key mask.",
        command: "aesmith tune {key}-ctr --strategy exhaustive",
        steady: true,
    },
    Section {
        id: "figure2",
        short: "Figure 2",
        heading: "Figure 2: interleave distance and keys in registers",
        beside: true,
        write: |d| {
            surface(
                d.figure2.as_ref()?,
                "figure2",
                "Figure 2 of Manley, Magrath and Gregg (2010), measured here",
            )
        },
        absent: "wisdom holds no samples of 4-stream CBC over interleave distance and key mask.",
        command: "aesmith tune {key}-cbc-x4 --strategy exhaustive",
        steady: true,
    },
    Section {
        id: "accounting",
        short: "Accounting",
        heading: "Instructions per block, from 720 to the winner",
        beside: false,
        write: accounting,
        absent: "the winner uses no tables, so Bernstein and Schwabe\u{2019}s accounting does not apply.",
        command: "aesmith report {problem} --technique table --allow-variable-time",
        steady: false,
    },
    Section {
        id: "profile",
        short: "Byte-wise",
        heading: "Time of byte-wise AES by function",
        beside: false,
        write: profile,
        absent: "the byte-wise cipher has not been profiled on this machine.",
        command: "aesmith profile bytewise --c",
        steady: false,
    },
    Section {
        id: "outcomes",
        short: "Trials",
        heading: "Outcomes of the trials",
        beside: false,
        write: outcomes,
        absent: "no trials are recorded for this problem on this processor.",
        command: "aesmith tune {problem}",
        steady: false,
    },
    Section {
        id: "times",
        short: "Time",
        heading: "Time of the search by stage",
        beside: false,
        write: times,
        absent: "no search of this problem recorded the time of its stages.",
        command: "aesmith tune {problem}",
        steady: false,
    },
    Section {
        id: "certificate",
        short: "Certificate",
        heading: "Certificate",
        beside: true,
        write: certificate,
        absent: "no certificate is stored for the winner.",
        command: "aesmith emit {problem} --as asm -o DIR",
        steady: false,
    },
    Section {
        id: "machine",
        short: "Machine",
        heading: "Machine and provenance",
        beside: true,
        write: machine,
        absent: "the machine was not recorded.",
        command: "aesmith doctor",
        steady: false,
    },
];
