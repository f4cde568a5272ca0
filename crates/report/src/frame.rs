//! The frame of every report's page: head, palette, header, contents, sections, footer. It loads nothing.

use crate::html::escape;

const STYLE: [&str; 3] =
    [include_str!("page/palette.css"), include_str!("page/style.css"), include_str!("page/print.css")];

/// A page.
pub struct Frame<'a> {
    /// Its heading.
    pub title: &'a str,
    /// The class of its sections: `run` or `pictures`.
    pub about: &'static str,
    /// HTML under the heading.
    pub lead: String,
    /// HTML of the sections, with their anchors and names.
    pub sections: Vec<Part>,
    /// HTML of the footer.
    pub foot: String,
    /// HTML after everything else: data and scripts, if there are any.
    pub scripts: String,
}

/// A section of a page.
pub struct Part {
    /// Anchor in the page.
    pub id: String,
    /// Name in the table of contents.
    pub short: String,
    /// Heading.
    pub heading: String,
    /// True if it may share its row with a neighbour on a wide screen.
    pub beside: bool,
    /// HTML of the section.
    pub inner: String,
}

impl Frame<'_> {
    /// Renders the page as one file.
    pub fn page(&self) -> String {
        let contents: String = self
            .sections
            .iter()
            .map(|s| format!("<li><a href=\"#{}\">{}</a></li>", escape(&s.id), escape(&s.short)))
            .collect();
        let contents = if contents.is_empty() {
            String::new()
        } else {
            format!("<nav aria-label=\"Contents\"><ul>{contents}</ul></nav>")
        };
        // The policy makes the browser refuse to load anything; the empty icon stops its request for one.
        let scripts = if self.scripts.is_empty() { "" } else { "script-src 'unsafe-inline'; " };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"aesmith {version}\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; {scripts}img-src data:\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}: aesmith report</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
             <header><p class=\"kicker\">aesmith report</p><h1>{title}</h1>{lead}{contents}</header>\n\
             <main class=\"{about}\">\n{body}</main>\n<footer>{foot}</footer>\n{behind}</body>\n</html>\n",
            version = env!("CARGO_PKG_VERSION"),
            title = escape(self.title),
            style = STYLE.concat(),
            about = self.about,
            lead = self.lead,
            body = rows(&self.sections),
            foot = self.foot,
            behind = self.scripts,
        )
    }
}

/// Renders the sections; neighbours that may share a row are paired.
fn rows(sections: &[Part]) -> String {
    let mut body = String::new();
    let mut rest = sections;
    while let Some((first, after)) = rest.split_first() {
        let second = after.first().filter(|s| first.beside && s.beside);
        let pair = std::iter::once(first).chain(second);
        let inner: String = pair.map(section).collect();
        rest = &after[usize::from(second.is_some())..];
        match first.beside {
            true => body.push_str(&format!("<div class=\"pair\">{inner}</div>\n")),
            false => body.push_str(&inner),
        }
    }
    body
}

fn section(part: &Part) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-heading\"><h2 id=\"{id}-heading\">{}</h2>{}</section>\n",
        escape(&part.heading),
        part.inner,
        id = escape(&part.id),
    )
}
