//! `aesmith isa list`: the sets of custom instructions that come with aesmith.

use crate::failure::Failure;
use crate::output::Output;
use aesmith_extension::file::Extension;
use aesmith_extension::sets;
use serde_json::json;

/// Prints every set: its description, instructions and source.
pub fn run(output: &mut Output) -> Result<(), Failure> {
    for (number, (name, text)) in sets::ALL.iter().enumerate() {
        let set = Extension::parse(text).map_err(|m| Failure::Other(format!("{name}.toml, {m}")))?;
        if output.json {
            output.object(&object(&set))?;
            continue;
        }
        if number > 0 {
            output.line("")?;
        }
        output.line(*name)?;
        let instructions: Vec<&str> = set.instructions.iter().map(|i| i.name.as_str()).collect();
        for line in [&set.about, &instructions.join(", "), &format!("From: {}", set.source)] {
            output.sentence(line, "    ")?;
        }
    }
    Ok(())
}

fn object(set: &Extension) -> serde_json::Value {
    let instructions = set.instructions.iter().map(|i| {
        json!({
            "name": i.name,
            "about": i.about,
            "reads": i.reads,
            "wired": i.fixed,
            "writes": i.writes,
            "selectors": i.selectors.iter().map(|(n, bits)| json!({ "name": n, "bits": bits })).collect::<Vec<_>>(),
            "meaning": i.meaning,
        })
    });
    json!({
        "set": set.name,
        "about": set.about,
        "source": set.source,
        "instructions": instructions.collect::<Vec<_>>(),
    })
}
