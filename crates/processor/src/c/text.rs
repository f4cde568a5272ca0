//! Lines of C with their indentation.

/// A C text that is being written.
#[derive(Default, Debug)]
pub struct Text {
    out: String,
    depth: usize,
}

impl Text {
    /// Writes one line, indented; line breaks in it are kept.
    pub fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Writes an empty line.
    pub fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Writes text unchanged.
    pub fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Opens a function, with its brace on a line of its own.
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

    /// `{`.
    pub fn open_block(&mut self) {
        self.line("{");
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
    pub(crate) fn close_with(&mut self, tail: &str) {
        self.depth -= 1;
        self.line(&format!("}} {tail}"));
    }

    /// Opens a loop with its condition at the top (`top`) or at the bottom; at the bottom the first iteration is
    /// unconditional.
    pub fn open_loop(&mut self, top: bool, more: &str) {
        self.open_bare(&if top { format!("while ({more})") } else { "do".to_owned() });
    }

    /// Closes that loop.
    pub fn close_loop(&mut self, top: bool, more: &str) {
        if top {
            self.close();
        } else {
            self.close_with(&format!("while ({more});"));
        }
    }

    /// Writes a chain of conditions, of which the first that holds selects its statement; an empty condition at the end
    /// means `else`.
    pub fn cases(&mut self, cases: &[(String, String)]) {
        for (i, (condition, statement)) in cases.iter().enumerate() {
            match (i, condition.is_empty()) {
                (0, true) => return self.line(statement),
                (0, false) => self.open_bare(&format!("if ({condition})")),
                (_, false) => self.turn(&format!("else if ({condition})")),
                (_, true) => self.turn("else"),
            }
            self.line(statement);
        }
        self.close();
    }

    /// Returns the whole text.
    pub fn finish(self) -> String {
        debug_assert_eq!(self.depth, 0, "every brace is closed");
        self.out
    }
}
