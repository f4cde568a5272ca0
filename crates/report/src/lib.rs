//! Pictures and tables in one self-contained page.
