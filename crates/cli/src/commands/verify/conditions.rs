//! A text's lines as a tree: a condition of the preprocessor has the lines of each of its branches.

use super::lines::{directive, has_odd_letters};
use aesmith_emit::package::plain::BLANKS;

/// A line of code, or lines under a condition.
#[derive(Debug)]
pub(super) enum Node {
    Line { number: usize, text: String },
    Block { number: usize, branches: Vec<Branch> },
}

/// The lines after `#if`, `#elif` or `#else`, with the condition.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) condition: Option<String>,
    pub(super) nodes: Vec<Node>,
}

/// The maximum number of conditions within one another.
const DEEPEST: usize = 256;

/// The tree of a text's numbered lines.
///
/// # Errors
/// A condition has no beginning or no end, is within more than [`DEEPEST`], or is written in a way that only some
/// compilers know.
pub(super) fn tree(lines: Vec<(usize, String)>) -> Result<Vec<Node>, String> {
    nodes(&mut lines.into_iter().peekable(), 0)
}

type Lines = std::iter::Peekable<std::vec::IntoIter<(usize, String)>>;

/// Reads the lines up to the end of the enclosing branch, which is within `depth` conditions.
fn nodes(lines: &mut Lines, depth: usize) -> Result<Vec<Node>, String> {
    let inside = depth > 0;
    let mut nodes = Vec::new();
    while let Some((number, line)) = lines.peek().cloned() {
        if has_odd_letters(&line) {
            return Err(format!(
                "line {number}: `{}` has letters that some compilers do not know",
                line.trim()
            ));
        }
        match directive(&line) {
            Some(("elifdef" | "elifndef", _)) => {
                return Err(format!("line {number}: `{}` is for newer compilers alone", line.trim()));
            }
            Some(("if" | "ifdef" | "ifndef", _)) if depth == DEEPEST => {
                return Err(format!("line {number}: more than {DEEPEST} conditions are within one another"));
            }
            Some(("if" | "ifdef" | "ifndef", _)) => nodes.push(block(lines, depth + 1)?),
            Some(("elif" | "else" | "endif", _)) => {
                if inside {
                    return Ok(nodes);
                }
                return Err(format!("line {number}: `{}` has no #if", line.trim()));
            }
            _ => {
                lines.next();
                nodes.push(Node::Line { number, text: line });
            }
        }
    }
    if inside { Err("an #if has no #endif".into()) } else { Ok(nodes) }
}

/// Reads the lines from an `#if` to its `#endif`; the lines between are within `depth` conditions.
fn block(lines: &mut Lines, depth: usize) -> Result<Node, String> {
    let mut branches = Vec::new();
    let first = lines.peek().map_or(0, |(number, _)| *number);
    loop {
        let (number, line) = lines.next().ok_or_else(|| format!("line {first}: #if has no #endif"))?;
        let condition = match directive(&line) {
            Some(("endif", _)) => return Ok(Node::Block { number: first, branches }),
            Some(("else", _)) => None,
            Some(("if" | "elif", rest)) => Some(rest.to_owned()),
            Some((_, rest)) => Some(format!("defined({rest})")),
            None => return Err(format!("line {number}: a line stands between the branches of a condition")),
        };
        branches.push(Branch { condition, nodes: nodes(lines, depth)? });
    }
}

/// True for a branch that refuses to be built: regardless of its condition, a successful build contains none of it.
pub(super) fn refuses(branch: &Branch) -> bool {
    let is_error = |node: &Node| match node {
        Node::Line { text, .. } => directive(text).is_some_and(|(word, _)| word == "error"),
        Node::Block { .. } => false,
    };
    branch.nodes.iter().any(is_error) && branch.nodes.iter().all(|node| is_error(node) || is_empty(node))
}

/// True for a line of blanks.
pub(super) fn is_empty(node: &Node) -> bool {
    matches!(node, Node::Line { text, .. } if text.trim_matches(BLANKS).is_empty())
}

/// The macro of an include guard: `#ifndef NAME`, immediately `#define NAME`, and no other branch.
pub(super) fn included_once(nodes: &[Node], at: usize, branches: &[Branch]) -> Option<String> {
    let alone = nodes.iter().enumerate().all(|(other, node)| other == at || is_empty(node));
    let [Branch { condition: Some(condition), nodes }] = branches else { return None };
    let name = condition.strip_prefix("defined(")?.strip_suffix(')')?;
    let defines = nodes.iter().find(|node| !is_empty(node)).is_some_and(|node| match node {
        Node::Line { text, .. } => directive(text) == Some(("define", name)),
        Node::Block { .. } => false,
    });
    (alone && defines).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, tree};

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| {
            let lines = std::iter::repeat_n("#if 1", depth).chain(std::iter::repeat_n("#endif", depth));
            tree((1..).zip(lines.map(str::to_owned)).collect())
        };
        assert!(nested(DEEPEST).is_ok());
        for depth in [DEEPEST + 1, 20_000] {
            let refused = nested(depth).expect_err("too deep");
            assert!(refused.contains("within one another"), "{refused}");
        }
    }
}
