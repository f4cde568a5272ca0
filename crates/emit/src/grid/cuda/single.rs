//! The template values of CUDA packages for kernels whose launch takes one array: blocks of a message, or keys to
//! expand.

use aesmith_cipher::mode::Role;
use aesmith_processor::grid::certificate::ProvedGrid;

use crate::grid::elements;
use crate::grid::fill::Values;

/// Names in the templates, with their values.
pub fn values(proved: &ProvedGrid) -> Values {
    let mode = proved.kernel().contract.problem.mode();
    let argument = |role: Role| match role {
        Role::Key | Role::CipherKey => "(void *)round_keys",
        Role::Iv if mode.counts() => "(void *)counter",
        Role::Iv => "(void *)iv",
        Role::Input => "&in",
        Role::Output => "&out",
        Role::Length => "&elements",
    };
    let parameters = &proved.kernel().program.parameters;
    let arguments: Vec<&str> = parameters.iter().map(|parameter| argument(parameter.role)).collect();
    let (interface, tests, tested, kept) = match mode.writes {
        None => (
            include_str!("template/message.h"),
            include_str!("template/message_test.cu"),
            "texts of many lengths against the cipher on the host",
            "Round keys stay in the driver's copies of arguments after a call.",
        ),
        Some(_) => (
            include_str!("template/keys.h"),
            include_str!("template/keys_test.cu"),
            "many keys against the round keys that the host makes",
            "The caller wipes keys in device memory; the host's function wipes its own.",
        ),
    };
    let own: Values = vec![
        ("@INTERFACE@", interface.into()),
        ("@WORK@", include_str!("template/elements.cu").into()),
        ("@TESTS@", tests.into()),
        ("@TESTED@", tested.into()),
        ("@KEPT@", kept.into()),
        ("@ALIGNMENT_SAID@", "a pointer is at no multiple of 16".into()),
        ("@MORE_RESULTS@", String::new()),
        ("@MORE_SENTENCES@", String::new()),
        ("@ARGUMENTS@", arguments.join(", ")),
    ];
    own.into_iter().chain(elements::values(proved)).collect()
}
