//! The kernels in which faults are planted (`corpus.txt`).

/// A kernel, by its processor and variant.
pub struct Source {
    /// The processor.
    pub core: &'static str,
    /// The set of custom instructions attached to it, or an empty string.
    pub set: &'static str,
    /// The problem and the choices.
    pub variant: &'static str,
    /// The number of faults of each kind to try; with 0, the kernel is only tried in a soak.
    pub of_each: usize,
}

/// The kernels of a family.
pub fn family(name: &str) -> Vec<Source> {
    let mut lines = include_str!("corpus.txt").lines().filter(|line| !line.starts_with('#'));
    assert!(lines.any(|line| line.strip_suffix(':') == Some(name)), "no kernels are of {name}");
    lines.take_while(|line| !line.is_empty()).map(source).collect()
}

fn source(line: &'static str) -> Source {
    let mut words = line.splitn(3, "  ").map(str::trim);
    let [of_each, processor, variant] =
        std::array::from_fn(|_| words.next().expect("a number and two names"));
    let (core, set) = processor.split_once('+').unwrap_or((processor, ""));
    Source { core, set, variant, of_each: of_each.parse().expect("a number") }
}
