//! Pictures and tables in one self-contained page.
//!
//! [`render`] is pure: [`ReportData`] in, one HTML file out, which loads nothing from anywhere. Rust
//! writes the words and tables, so that the page says everything without scripts; the scripts in
//! `src/page/` draw the plots from the same data, which the page carries as JSON.

mod data;
mod document;
mod doubts;
mod extension;
mod frame;
mod front;
mod html;
mod plot;
mod scale;
mod sections;

pub use data::*;
pub use document::render;
pub use extension::*;
pub use front::*;
