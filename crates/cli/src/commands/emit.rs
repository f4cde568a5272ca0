//! `aesmith emit`: the best known kernel, or a given variant, as code with its certificates.

use crate::arguments::{self, Form, Source};
use crate::failure::Failure;
use crate::handout::{Smith, write};
use crate::output::Output;
use crate::sources::{variant, what, wisdom_path};
use aesmith_tune::HandOut;
use serde_json::json;
use std::path::Path;

/// Writes the files and prints their paths.
pub fn run(options: &arguments::Emit, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    if let Some(core) = super::described::named(options.described.processor.as_deref())? {
        return super::described::emit::run(core, options, named, output);
    }
    let mut smith = Smith::new(&wisdom_path(named)?, &what(&options.choice, Some(options.problem))?)?;
    let main = match &options.variant {
        Some(file) => {
            let variant = variant(file, options.problem)?;
            if !smith.request.admits(&variant) {
                return Err(Failure::Usage(format!(
                    "{} has a variant of technique {} that is left out by --technique, --width or --only, or by \
                     constant time being asked for (the default): --allow-variable-time allows look-ups at \
                     secret addresses",
                    file.display(),
                    variant.technique
                )));
            }
            HandOut::of_variant(&variant, &smith.target, &smith.request, &mut smith.prover)?
        }
        None => smith.best(options.problem, options.size)?,
    };
    main.notes.iter().for_each(|note| eprintln!("{note}"));
    let set = smith.set(main)?;
    let in_c = options.form == Form::C || options.form == Form::Package && options.source == Source::C;
    if options.portable && !in_c {
        return Err(Failure::Usage(
            "--portable is of C: `--as c --portable`, or `--as package --source c --portable`".into(),
        ));
    }
    let files = match options.form {
        _ if in_c && (options.portable || set.is_on_words()) => {
            set.portable(options.form == Form::Package)?
        }
        Form::Asm => set.assembly()?,
        Form::C => set.c()?,
        Form::Package if options.source == Source::C => set.package_in_c()?,
        Form::Package => set.package()?,
    };
    let paths = write(&files, &options.output)?;
    if output.json {
        return output.object(&json!({
            "problem": options.problem.to_string(),
            "kernel": set.main.name,
            "variants": set.main.variants.iter().map(|(limit, v)| json!({
                "longest": limit,
                "variant": v.to_string(),
            })).collect::<Vec<_>>(),
            "certificate_level": set.main.certificate.level,
            "files": paths,
        }));
    }
    paths.iter().try_for_each(|path| output.line(path))
}
