//! A kernel as a package for OpenCL: its text in OpenCL C beside the proved one, host code for OpenCL 1.2 that embeds
//! the former, and a self-test with the cipher in C.

use aesmith_cipher::mode::{Next, Role};
use aesmith_processor::grid::certificate::ProvedGrid;
use aesmith_processor::grid::{Grids, Language};

use super::elements;
use super::fill::{Values, common, filled, only, quoted};
use super::{System, around, grid_files};
use crate::package::File;

/// Files with their templates: `@S@` stands for the kernel's name.
const FILES: [(&str, &str); 5] = [
    ("@S@.h", include_str!("template/host.h")),
    ("@S@.c", include_str!("template/host.c")),
    ("@S@_test.c", include_str!("template/test.c")),
    ("Makefile", include_str!("template/Makefile")),
    ("CMakeLists.txt", include_str!("template/CMakeLists.txt")),
];

/// Names in the templates, with their values.
fn values(proved: &ProvedGrid) -> Values {
    let program = &proved.kernel().program;
    let problem = proved.kernel().contract.problem;
    let (mode, has_iv) = (problem.mode(), problem.has_iv());
    let argument = |role: Role| match role {
        Role::Key | Role::CipherKey => "{ sizeof keys, &keys }",
        Role::Iv => "{ sizeof iv, &iv }",
        Role::Input => "{ sizeof in, &in }",
        Role::Output => "{ sizeof out, &out }",
        Role::Length => "{ sizeof elements, &elements }",
    };
    let local = (program.shared > 0).then_some("{ SHARED, NULL }");
    let arguments: Vec<&str> =
        program.parameters.iter().map(|parameter| argument(parameter.role)).chain(local).collect();
    let (interface, tests, tested, kept) = match mode.writes {
        None => (
            include_str!("template/message.h"),
            include_str!("template/message_test.c"),
            "texts of many lengths against the cipher in C",
            "Round keys are wiped in the memory that a launch is given. OpenCL may keep copies on their way there.",
        ),
        Some(_) => (
            include_str!("template/keys.h"),
            include_str!("template/keys_test.c"),
            "many keys against the key schedule in C",
            "The caller wipes keys in device memory; the host's function wipes its own. OpenCL may keep copies on their way there.",
        ),
    };
    let (constants, passing, launch) = match mode.writes {
        None => (
            format!(", cl_mem keys{}", only(has_iv, ", cl_mem iv")),
            include_str!("template/passing.c"),
            format!(
                "    return passed(kernel, queue, out, in, count, round_keys{});\n",
                only(has_iv, if mode.counts() { ", counter" } else { ", iv" })
            ),
        ),
        Some(_) => (String::new(), "", "    return launched(kernel, queue, out, in, count);\n".into()),
    };
    let (name, vector) = if mode.counts() { ("counter", "counter") } else { ("initial vector", "iv") };
    let copied =
        format!("    if (result == @S@_OK)\n        result = copied(kernel, &first, {vector}, 16);\n");
    let own: Values = vec![
        ("@INTERFACE@", interface.into()),
        ("@TESTS@", tests.into()),
        ("@CIPHER@", include_str!("template/cipher.c").into()),
        ("@PASSING@", passing.into()),
        ("@LAUNCH@", launch),
        ("@TESTED@", tested.into()),
        ("@KEPT@", kept.into()),
        ("@COUNTS@", u8::from(mode.counts()).to_string()),
        ("@CHAINS@", u8::from(mode.next() == Next::Text).to_string()),
        ("@CONSTANTS@", constants),
        ("@ARGUMENTS@", arguments.join(",\n        ")),
        ("@AND_COUNTER@", only(has_iv, &format!(" and this {name}"))),
        ("@IV_MEMORY@", only(has_iv, ", first = NULL")),
        ("@COPIED_IV@", only(has_iv, &copied)),
        ("@PASSED_IV@", only(has_iv, ", first")),
        (
            "@FORGOTTEN_IV@",
            only(has_iv, "    if (forgotten(queue, first, 16) != @S@_OK)\n        wiping = @S@_DRIVER;\n"),
        ),
    ];
    own.into_iter().chain(elements::values(proved)).collect()
}

/// Returns the files of a package for a kernel with its text in OpenCL C, without certificate and proof.
pub fn opencl_files(grids: &Grids, proved: &ProvedGrid, (language, text): (&Language, &str)) -> Vec<File> {
    let mut values = values(proved);
    values.push(("@SOURCE@", quoted(text)));
    values.extend(common(proved, "OpenCL"));
    let mut files = filled(&FILES, &values);
    files.extend(grid_files(grids, proved, Some((language, text))));
    let system = System { name: "OpenCL", form: language.name };
    files.extend(around(proved, &system, proved.certificate().restated.as_ref()));
    files
}
