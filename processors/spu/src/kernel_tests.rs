//! Kernels in the interpreter and in the prover.

use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::judged;

use super::CORES;
use super::table::isa;

#[test]
fn kernels_are_right_and_proved() {
    let core = &CORES[0];
    for problem in Problem::all().into_iter().filter(|&p| (core.solves)(p)) {
        let plain = core.table.plain(problem);
        let near: Vec<Variant> = plain.neighbours();
        for variant in std::iter::once(plain).chain(near) {
            let kernel = (core.build)(&variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
            let ours = judged(core, &kernel, &Interpreter::new(core), 5);
            let (bound, _) = (core.bound)(&variant).expect("there is one");
            let cycles = ours[0].cycles.expect("cycles");
            println!(
                "{variant}: {cycles} cycles, bound {bound}, {:?}",
                cycles as f64 / 16.0 / f64::from(kernel.contract.blocks)
            );
            let image = kernel.image(isa()).expect("assembles");
            let function = image.symbol(&kernel.symbol).expect("the function");
            let started = std::time::Instant::now();
            let proof =
                aesmith_prove::bits::prove(isa(), core.convention, &image, function, &kernel.contract);
            println!("{:?}", started.elapsed());
            match proof {
                Ok(proof) => assert!(proof.constant_time, "{variant}: {:?}", proof.hangs),
                Err(why) => panic!("{variant}: {why}"),
            }
        }
    }
}
