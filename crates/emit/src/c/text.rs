//! Lines of C with their indentation.

/// C in the making.
#[derive(Default)]
pub(super) struct Text {
    out: String,
    depth: usize,
}

impl Text {
    /// One line, indented; its own line breaks are kept.
    pub fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Text as it stands.
    pub fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The head of a function, and its brace on a line of its own.
    pub fn open(&mut self, head: &str) {
        self.line(head);
        self.line("{");
        self.depth += 1;
    }

    /// `head {`.
    pub fn open_bare(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
    }

    /// `} head {`.
    pub fn turn(&mut self, head: &str) {
        self.depth -= 1;
        self.line(&format!("}} {head} {{"));
        self.depth += 1;
    }

    /// `}`.
    pub fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// `} tail`.
    pub fn close_with(&mut self, tail: &str) {
        self.depth -= 1;
        self.line(&format!("}} {tail}"));
    }

    /// Everything written.
    pub fn finish(self) -> String {
        debug_assert_eq!(self.depth, 0, "every brace is closed");
        self.out
    }
}
