//! Assembly files: machine code as its processor's dialect prints it, sections for GNU's assembler.

use crate::c::has_c_form;
use crate::objects::constants_symbol;
use crate::part::{Part, by_code};
use crate::{Code, EmitError, Function, banner, gnu};
use aesmith_processor::dialect::Printed;

/// Returns an assembly file with these functions, which are all machine code or all sections.
///
/// # Errors
/// Functions that are no kernels, or that contradict their certificates.
pub fn file(functions: &[Function]) -> Result<String, EmitError> {
    if let Some(Function { code: Code::Sections { core, .. }, .. }) = functions.first() {
        let gnu = core.gnu();
        let parts = functions.iter().map(Part::of).collect::<Result<Vec<_>, _>>()?;
        let files = by_code(&parts);
        return Ok(files
            .iter()
            .map(|file| gnu::assembly::file(&gnu, file, &parts))
            .collect::<Vec<_>>()
            .join("\n"));
    }
    let mut dialect = None;
    let mut printed = Vec::new();
    for function in functions {
        function.check_promises()?;
        let code = function.machine_code()?;
        dialect = Some(code.dialect);
        printed.push(Printed {
            symbol: &function.symbol,
            constants: constants_symbol(&function.symbol),
            hidden: function.hidden,
            bytes: &code.bytes,
            places: &code.places,
            banner: banner::of_machine_code(function)?,
            in_c: has_c_form(function.problem).is_ok(),
        });
    }
    let dialect = dialect.ok_or_else(|| EmitError("a file of assembly needs a function".into()))?;
    (dialect.assembly)(&printed).map_err(EmitError)
}
