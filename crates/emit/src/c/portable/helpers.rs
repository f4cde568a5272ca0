//! Small functions for portable files. A file contains only those that it uses, because compilers warn about unused
//! ones.

/// The helpers, each after those that it calls, with blank lines between them.
const HELPERS: &str = include_str!("template/helpers.c");

/// The name of a helper.
fn name(definition: &str) -> &str {
    let head =
        definition.lines().find(|line| line.starts_with("static")).and_then(|line| line.split('(').next());
    head.and_then(|head| head.split(' ').next_back()).expect("a helper is a static function")
}

/// Returns the helpers that `body` uses, directly or indirectly.
pub(super) fn used_in(body: &str) -> String {
    let mut text = body.to_owned();
    let mut chosen = Vec::new();
    for definition in HELPERS.trim_end().split("\n\n").collect::<Vec<_>>().into_iter().rev() {
        if calls(&text, name(definition)) {
            text.push_str(definition);
            chosen.push(definition.to_owned() + "\n");
        }
    }
    chosen.reverse();
    chosen.join("\n")
}

/// True if `text` calls `name`, not merely a longer name with the same end.
fn calls(text: &str, name: &str) -> bool {
    let call = format!("{name}(");
    let part_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(&call).any(|(at, _)| !text[..at].ends_with(part_of_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_is_there() {
        assert_eq!(used_in("preload32(x);"), "");
        let text = used_in("inverse_mix(x);");
        assert!(text.contains(" rotate(uint32_t") && text.contains(" double_bytes(uint32_t"));
        assert!(!text.contains("load32"));
    }
}
