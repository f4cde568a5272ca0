//! The table of a processor's dimensions: it creates, parses and checks variants.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::dimension::{Dimension, Handle, Role};
use crate::space::{Axis, Space};
use crate::variant::{Variant, VariantError};
use aesmith_cipher::Problem;
use aesmith_cipher::problem::nearest;
use aesmith_dataflow::{Choices, Technique};

/// The dimensions of the kernels of a processor, in the order in which they depend on each other, and other properties
/// of its variants.
pub struct Table {
    /// The processor's name.
    pub processor: &'static str,
    /// True if text forms name the processor. The oldest ones do not.
    pub named: bool,
    /// The dimensions, with indices from [`numbered`](crate::dimension::numbered).
    pub dimensions: &'static [Dimension],
    /// The technique of a round; `None` if it is chosen independently of the dimensions.
    pub technique: Option<fn(&Variant) -> Technique>,
    /// Representation of other orders of instructions in text forms and strategies.
    pub orders: Orders,
    /// The reason why a dimension that does not apply must keep its default.
    pub idle: fn(&Variant, &Dimension) -> VariantError,
    /// Further checks of a variant, beyond values that are out of range or do not apply.
    pub check: fn(&Variant) -> Result<(), VariantError>,
    /// Clamps values that depend on others to the ranges that those allow.
    pub settle: fn(&mut Variant),
    /// The number of variants of a space, if counting them one by one takes too long.
    pub count: Option<fn(&Space) -> u128>,
    /// True if searches may give a dimension of a plain variant a value, on registers of at most some number of blocks.
    pub offers: fn(&Dimension, u16, &Variant, usize) -> bool,
    /// A published subspace of a problem, for registers of a number of blocks: see [`Table::paper`].
    pub paper: fn(Problem, usize) -> Option<Space>,
    /// See [`Variant::choices`].
    pub choices: fn(&Variant) -> Choices,
    /// See [`Variant::sliced`].
    pub sliced: fn(&Variant) -> bool,
}

/// Representation of another order of a variant's instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orders {
    /// Moves of single instructions: `order=12>5`.
    Moves,
    /// The number of the order and allocation that the processor's own scheduler finds: `seed=7`.
    Numbers,
}

/// The reason why a dimension of a named processor keeps its default.
fn idle(variant: &Variant, d: &Dimension) -> VariantError {
    VariantError(format!(
        "{}={} means nothing for {} on {} beside the other choices: take {}={}",
        d.name,
        d.show(variant.get(d)),
        variant.problem,
        variant.table.processor,
        d.name,
        d.show(d.default),
    ))
}

impl Table {
    /// The table of a processor whose choices depend on each other only by [`Dimension::applies`].
    pub const fn new(
        processor: &'static str,
        dimensions: &'static [Dimension],
        technique: fn(&Variant) -> Technique,
    ) -> Table {
        Table {
            processor,
            named: true,
            dimensions,
            technique: Some(technique),
            orders: Orders::Numbers,
            idle,
            check: |_| Ok(()),
            settle: |_| (),
            count: None,
            offers: |_, _, _, _| true,
            paper: |_, _| None,
            choices: |_| Choices::default(),
            sliced: |_| false,
        }
    }

    /// The dimensions that a problem has with a technique, in table order.
    pub fn dimensions(
        &self,
        problem: Problem,
        technique: Technique,
    ) -> impl Iterator<Item = &'static Dimension> + use<> {
        self.dimensions.iter().filter(move |d| (d.has)(problem, technique))
    }

    /// The variant without any optimization: every dimension at its default.
    pub fn plain(&'static self, problem: Problem) -> Variant {
        Variant::of(self, problem, Technique::default())
    }

    /// The variant of a technique without any optimization: every dimension at its default.
    pub fn plain_by(&'static self, problem: Problem, technique: Technique) -> Variant {
        Variant::of(self, problem, technique)
    }

    /// The dimension with a role, if there is one.
    pub fn dimension(&self, role: Role) -> Option<&'static Dimension> {
        role.place(self).map(|place| &self.dimensions[usize::from(place.0)])
    }

    /// The space of all variants of a problem.
    pub fn space(&'static self, problem: Problem) -> Space {
        self.space_by(problem, Technique::default(), usize::MAX)
    }

    /// The space of all variants of a problem with a technique, on registers of at most `lanes` blocks, and without
    /// values that are used only on request.
    pub fn space_by(&'static self, problem: Problem, technique: Technique, lanes: usize) -> Space {
        let plain = self.plain_by(problem, technique);
        let axes = self.dimensions(problem, plain.technique).map(|dimension| {
            let searched = |value: &u16| !dimension.search.on_request || *value == dimension.default;
            let offered = |value: &u16| (self.offers)(dimension, *value, &plain, lanes);
            Axis::new(dimension, dimension.all().filter(searched).filter(offered).collect())
        });
        Space { axes: axes.collect(), plain }
    }

    /// The subspace of Manley, Magrath and Gregg (2010) of a problem on registers of `lanes` blocks; `None` if they
    /// have none for it.
    pub fn paper(&self, problem: Problem, lanes: usize) -> Option<Space> {
        (self.paper)(problem, lanes)
    }

    /// All variants of a problem, in a fixed order, the plain one first.
    pub fn all(&'static self, problem: Problem) -> Vec<Variant> {
        self.space(problem).variants()
    }

    /// Parses a variant's text form of any version: the problem, the processor, and values for some dimensions.
    pub fn parse(&'static self, text: &str) -> Result<Variant, VariantError> {
        let text = text.trim_start();
        let (problem, values) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if problem.is_empty() {
            return Err(VariantError("an empty text is no variant".into()));
        }
        self.read(problem.parse().map_err(|e| VariantError(format!("{e}")))?, values)
    }

    /// Parses a variant of a problem from the values of some dimensions: `name=value ...`.
    pub fn read(&'static self, problem: Problem, text: &str) -> Result<Variant, VariantError> {
        let technique =
            match (self.technique, text.split_whitespace().find_map(|w| w.strip_prefix("technique="))) {
                (None, Some(name)) => name.parse().map_err(|e| VariantError(format!("{e}")))?,
                _ => Technique::default(),
            };
        let mut variant = Variant::of(self, problem, technique);
        let words: Vec<&str> = text.split_whitespace().collect();
        let (mut named, mut allowed) = (Vec::new(), Vec::new());
        for word in &words {
            if let Some(earlier) = self.earlier(word, &words) {
                self.narrow((problem, technique), &mut allowed, earlier)?;
                continue;
            }
            let (name, value) = word
                .split_once('=')
                .ok_or_else(|| VariantError(format!("`{word}` is not of the form name=value")))?;
            match name {
                "technique" if self.technique.is_none() => {}
                "processor" if value == self.processor => {}
                "processor" => {
                    return Err(VariantError(format!(
                        "`{word}` names another processor than {}",
                        self.processor
                    )));
                }
                "order" if self.orders == Orders::Moves => variant.order = crate::variant::read_order(value)?,
                "seed" if self.orders == Orders::Numbers => {
                    let bad = |_| VariantError(format!("`{value}` is not the number of a seed"));
                    variant.seed = value.parse().map_err(bad)?;
                }
                _ => {
                    let dimension = self.find(problem, variant.technique, name)?;
                    variant.set(dimension, dimension.read(value)?);
                    named.push(dimension);
                }
            }
        }
        variant.take(&allowed, &named)?;
        variant.follow();
        variant.check()?;
        Ok(variant)
    }

    /// The dimension that has this name, or had it in an earlier version.
    ///
    /// # Errors
    /// A sentence with similar names.
    pub fn find(
        &self,
        problem: Problem,
        technique: Technique,
        name: &str,
    ) -> Result<&'static Dimension, VariantError> {
        let now = self.dimensions(problem, technique).find(|d| d.name == name);
        now.or_else(|| self.renamed(name)).ok_or_else(|| {
            let names: Vec<String> = self.dimensions(problem, technique).map(|d| d.name.to_owned()).collect();
            let near = nearest(name, &names, 2).join(", ");
            let what = match self.technique {
                None => format!("{problem} by technique {technique}"),
                Some(_) => self.processor.to_owned(),
            };
            VariantError(format!("{what} has no dimension `{name}`; did you mean {near}?"))
        })
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the dimensions of {}", self.processor)
    }
}

/// Each processor has one table, so its name identifies it.
impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.processor == other.processor
    }
}

impl Eq for Table {}

impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.processor.hash(state);
    }
}
