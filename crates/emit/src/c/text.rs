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
    pub fn close_with(&mut self, tail: &str) {
        self.depth -= 1;
        self.line(&format!("}} {tail}"));
    }

    /// A loop while a condition holds, tested above (`top`) or below: there the first pass is taken untested.
    pub fn open_loop(&mut self, top: bool, more: &str) {
        self.open_bare(&if top { format!("while ({more})") } else { "do".to_owned() });
    }

    /// The end of that loop.
    pub fn close_loop(&mut self, top: bool, more: &str) {
        if top {
            self.close();
        } else {
            self.close_with(&format!("while ({more});"));
        }
    }

    /// The first statement whose condition holds; the last has an empty one, and takes what is left.
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

    /// Everything written.
    pub fn finish(self) -> String {
        debug_assert_eq!(self.depth, 0, "every brace is closed");
        self.out
    }
}
