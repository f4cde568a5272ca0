//! Escaping, numbers and tables: the only functions that turn text into HTML.

/// Text as HTML, safe in elements and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// JSON for a `script` element: nothing in it can end the element or open another.
pub fn json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(value).expect("report data are plain: no map keys that JSON refuses");
    text.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

/// The text shown for a missing number.
pub const MISSING: &str = "\u{2013}";

/// A cost with at most four significant digits: 0.1973, 2.611, 47.2.
pub fn cost(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => MISSING.into(),
        v if v < 1.0 => format!("{value:.4}"),
        v if v < 10.0 => format!("{value:.3}"),
        v if v < 100.0 => format!("{value:.2}"),
        _ => format!("{value:.1}"),
    }
}

/// A ratio: 2.31, 12.4.
pub fn ratio(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => MISSING.into(),
        v if v < 10.0 => format!("{value:.2}"),
        _ => format!("{value:.1}"),
    }
}

/// A ratio to a bound; with a third decimal if it is near the bound.
pub(crate) fn ratio_to_bound(value: f64) -> String {
    if value.abs() < 2.0 { format!("{value:.3}") } else { ratio(value) }
}

/// A share as a percentage.
pub fn percent(value: f64) -> String {
    match format!("{:.1}", 100.0 * value) {
        _ if !value.is_finite() => MISSING.into(),
        text if text == "-0.0" => "0.0\u{202f}%".into(),
        text => format!("{}\u{202f}%", text.replace('-', "\u{2212}")),
    }
}

/// A count with its thousands separated by narrow spaces.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A length in bytes, in the largest binary unit that divides it.
pub fn bytes(value: u64) -> String {
    match value {
        v if v >= 1 << 30 && v.is_multiple_of(1 << 30) => format!("{} GiB", count(v >> 30)),
        v if v >= 1 << 20 && v.is_multiple_of(1 << 20) => format!("{} MiB", count(v >> 20)),
        v if v >= 1 << 10 && v.is_multiple_of(1 << 10) => format!("{} KiB", count(v >> 10)),
        v => format!("{} B", count(v)),
    }
}

/// A table whose columns are text or numbers, in its own horizontally scrolling box.
pub struct Table {
    numeric: Vec<bool>,
    out: String,
}

impl Table {
    /// A table with these headings, separated by `|`; one that starts with `>` is for a column of numbers. `label`
    /// names the table for readers who cannot see it.
    pub fn new(label: &str, headings: &str) -> Self {
        let columns = headings.split('|').map(|h| (h.strip_prefix('>').unwrap_or(h), h.starts_with('>')));
        Table::with(label, &columns.collect::<Vec<_>>())
    }

    /// Like [`Table::new`], with headings that are data: each with true for a column of numbers.
    pub fn with(label: &str, columns: &[(&str, bool)]) -> Self {
        let mut out = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table><thead><tr>",
            escape(label)
        );
        for (heading, numeric) in columns {
            let class = if *numeric { " class=\"number\"" } else { "" };
            out.push_str(&format!("<th scope=\"col\"{class}>{}</th>", escape(heading)));
        }
        out.push_str("</tr></thead><tbody>");
        Table { numeric: columns.iter().map(|c| c.1).collect(), out }
    }

    /// Adds a row; the cells are HTML already, the first is the row's heading.
    pub fn row(&mut self, cells: &[String]) {
        self.out.push_str("<tr>");
        for (i, cell) in cells.iter().enumerate() {
            let class = if self.numeric[i] { " class=\"number\"" } else { "" };
            match i {
                0 => self.out.push_str(&format!("<th scope=\"row\"{class}>{cell}</th>")),
                _ => self.out.push_str(&format!("<td{class}>{cell}</td>")),
            }
        }
        self.out.push_str("</tr>");
    }

    /// The table's HTML.
    pub fn finish(self) -> String {
        self.out + "</tbody></table></div>"
    }
}

/// A warning beside the figure that it concerns.
pub(crate) fn doubt(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("<p class=\"doubt\">{}{}</p>", escape(&first), escape(letters.as_str()))
}

/// A list of names and values; the values are HTML already.
pub(crate) fn definitions(rows: &[(&str, String)]) -> String {
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("<div><dt>{}</dt><dd>{value}</dd></div>", escape(name)))
        .collect();
    format!("<dl>{rows}</dl>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_for_reading() {
        assert_eq!(cost(0.197_31), "0.1973");
        assert_eq!(cost(f64::NAN), MISSING);
        assert_eq!(count(221_184), "221\u{202f}184");
        assert_eq!(count(999), "999");
        assert_eq!(bytes(32 << 10), "32 KiB");
        assert_eq!(bytes(1 << 30), "1 GiB");
        assert_eq!(bytes(1000), "1\u{202f}000 B");
    }

    #[test]
    fn json_cannot_end_its_element() {
        let text = json(&"</script><!--");
        assert!(!text.contains('<'));
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), "</script><!--");
    }
}
