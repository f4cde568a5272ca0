//! Pictures and tables in one self-contained page.
//!
//! [`render`] is pure: [`ReportData`] in, one HTML file out, which loads nothing from anywhere. Rust writes the words
//! and tables, so that the page is complete without scripts; the scripts in `src/page/` draw the plots from the same
//! data, which the page contains as JSON.
//!
//! ```
//! use aesmith_report::{ProcessorPage, render_processor};
//!
//! let text = |of: &str| of.to_owned();
//! let page = ProcessorPage {
//!     name: text("avr"),
//!     about: text("8 bits"),
//!     model: text("modelled"),
//!     time: text("constant"),
//!     made: text("today"),
//!     fronts: Vec::new(),
//! };
//! assert!(render_processor(&page).contains("<title>"));
//! ```

mod accounting;
mod compared;
mod data;
mod document;
mod doubts;
mod extension;
mod frame;
mod front;
mod grid;
mod html;
mod plot;
mod scale;
mod sections;

pub use accounting::{AccountingPage, PageAccount, PageStep, render_accounting};
pub use compared::*;
pub use data::*;
pub use document::render;
pub use extension::*;
pub use front::*;
pub use grid::*;
