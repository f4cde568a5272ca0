//! The options of a strategy: a table at the top of its file checks and documents them and gives their defaults.

use aesmith_cipher::problem::nearest;

/// One option of a strategy.
#[derive(Debug)]
pub struct Knob {
    /// Its name, as in `annealing:start=0.1`.
    pub name: &'static str,
    /// Its default.
    pub default: f64,
    /// Minimum.
    pub least: f64,
    /// Maximum.
    pub most: f64,
    /// A one-sentence description for users.
    pub meaning: &'static str,
}

/// The values of a strategy's options.
#[derive(Clone, Debug)]
pub struct Knobs {
    table: &'static [Knob],
    values: Vec<f64>,
}

impl Knobs {
    /// Parses `name=value,name=value` (or an empty text) by a strategy's table.
    pub fn read(strategy: &str, table: &'static [Knob], text: &str) -> Result<Knobs, String> {
        let mut knobs = Knobs { table, values: table.iter().map(|k| k.default).collect() };
        for word in text.split(',').filter(|w| !w.is_empty()) {
            let (name, value) = word.split_once('=').ok_or_else(|| {
                format!("`{word}` in the options of {strategy} is not of the form name=value")
            })?;
            let Some(place) = table.iter().position(|k| k.name == name) else {
                let names: Vec<String> = table.iter().map(|k| k.name.to_owned()).collect();
                return Err(if names.is_empty() {
                    format!("the strategy {strategy} has no options, so no `{name}`")
                } else {
                    let near = nearest(name, &names, 2).join(", ");
                    format!("the strategy {strategy} has no option `{name}`; did you mean {near}?")
                });
            };
            let knob = &table[place];
            knobs.values[place] =
                value.parse().ok().filter(|v: &f64| knob.least <= *v && *v <= knob.most).ok_or_else(
                    || {
                        format!(
                            "`{value}` is no value of {strategy}'s option `{name}`, which is {} to {}",
                            knob.least, knob.most
                        )
                    },
                )?;
        }
        Ok(knobs)
    }

    /// The value of an option, which must be in the strategy's table.
    pub fn get(&self, name: &str) -> f64 {
        let place = self.table.iter().position(|k| k.name == name);
        self.values[place.expect("a strategy asks only for options in its own table")]
    }

    /// Every option with its value: `start=0.1,end=0.001`.
    pub fn text(&self) -> String {
        let words: Vec<String> =
            self.table.iter().zip(&self.values).map(|(k, v)| format!("{}={v}", k.name)).collect();
        words.join(",")
    }
}
