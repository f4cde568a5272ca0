//! simavr as the judge of AVR programs: it simulates an ATmega328P, whose cycles are those of Atmel's manual. For
//! processors with the same instructions but other cycles it confirms only the outputs.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use aesmith_judge::judge::{Answer, Emulator, Instrument, Kind, Question};
use aesmith_judge::outside::{built, find, need, runner, step};

const RUNNER: &str = include_str!("../judges/simavr/runner.c");

/// Compiles the runner on its first use; starts one process per question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simavr {
    /// True if its cycles are those of the processor.
    counts: bool,
}

impl Simavr {
    /// simavr for an ATmega.
    pub(crate) const COUNTING: Simavr = Simavr { counts: true };
    /// simavr for an AVRxt.
    pub const OUTPUTS: Simavr = Simavr { counts: false };
}

/// The version of libsimavr from its Debian package, as the library itself does not report one.
fn version() -> Option<String> {
    let output = step(
        Command::new(find("dpkg-query")?).args(["-W", "-f", "${Version}", "libsimavr-dev"]),
        Duration::from_secs(10),
    )
    .ok()?;
    let version = String::from_utf8(output.out).ok()?;
    version.split(['+', '-']).next().filter(|v| !v.is_empty()).map(str::to_owned)
}

/// The judge's name, with the version of the library if it is known.
fn named(version: Option<&str>) -> String {
    match version {
        Some(version) => format!("simavr {version}, ATmega328P"),
        None => "simavr, ATmega328P".to_owned(),
    }
}

fn built_runner() -> Result<PathBuf, String> {
    let place = built("simavr", &[RUNNER.as_bytes()], |work| {
        let source = work.join("runner.c");
        std::fs::write(&source, RUNNER)
            .map_err(|e| format!("{} cannot be written: {e}", source.display()))?;
        let mut compiler = Command::new(need("cc", "gcc")?);
        compiler.arg("-O2").arg("-o").arg(work.join("runner")).arg(&source).args(["-lsimavr", "-lelf"]);
        step(&mut compiler, Duration::from_secs(120)).map(|_| ())
    })?;
    Ok(place.join("runner"))
}

impl Instrument for Simavr {
    fn name(&self) -> String {
        named(version().as_deref())
    }

    fn needs(&self) -> &'static [&'static str] {
        &["gcc", "libsimavr-dev", "libelf-dev"]
    }

    fn present(&self) -> Result<(), String> {
        need("cc", "gcc")?;
        let headers = ["/usr/include/simavr/sim_avr.h", "/usr/local/include/simavr/sim_avr.h"];
        if !headers.iter().any(|path| std::path::Path::new(path).is_file()) {
            return Err("simavr's library is not installed; install it with `apt-get install libsimavr-dev libelf-dev`, or run `scripts/need.sh test`".into());
        }
        built_runner().map(|_| ())
    }

    fn kind(&self) -> Kind {
        if self.counts { Kind::Exact } else { Kind::Static }
    }
}

impl Emulator for Simavr {
    fn answer(&self, question: &Question) -> Result<Vec<Answer>, String> {
        // A few million instructions per second, even on a busy machine.
        let work = question.limit.saturating_mul(question.calls.len() as u64) / 1_000_000;
        let mut answers = runner::answers(
            &mut Command::new(built_runner()?),
            question,
            Duration::from_secs((60 + work).min(3600)),
        )?;
        if !self.counts {
            answers.iter_mut().for_each(|answer| answer.cycles = None);
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_isa::image::{Image, Segment};
    use aesmith_judge::judge::Call;

    /// A program of instruction words with a data segment.
    fn program(words: &[u16], data: &[u8]) -> Image {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut segments = vec![Segment { address: 0, bytes, writable: false }];
        if !data.is_empty() {
            segments.push(Segment { address: Image::DATA + 0x100, bytes: data.to_vec(), writable: true });
        }
        Image { segments, ..Image::default() }
    }

    fn asked(words: &[u16], call: Call, limit: u64) -> Option<Result<Vec<Answer>, String>> {
        if let Err(why) = Simavr::COUNTING.present() {
            println!("skipped: {why}");
            return None;
        }
        let image = program(words, &[5, 6, 7, 8]);
        let question = Question { image: &image, function: 0, calls: vec![call.clone(), call], limit };
        Some(Simavr::COUNTING.answer(&question))
    }

    #[test]
    fn the_name_has_the_version_only_where_it_is_known() {
        assert_eq!(named(Some("1.6")), "simavr 1.6, ATmega328P");
        assert_eq!(named(None), "simavr, ATmega328P");
    }

    #[test]
    fn arguments_memory_cycles_and_stack() {
        // movw r26,r24; movw r30,r22; ld r0,X+; ld r18,Z; add r0,r18; st X,r0; push r0; pop r18; ret
        let words = [0x01dc, 0x01fb, 0x900d, 0x8120, 0x0e02, 0x920c, 0x920f, 0x912f, 0x9508];
        let call = Call {
            arguments: vec![0x600, 0x102],
            writes: vec![(Image::DATA + 0x600, vec![30])],
            reads: vec![(Image::DATA + 0x600, 2), (Image::DATA + 0x100, 4)],
        };
        let Some(answers) = asked(&words, call, 100) else { return };
        let expected = Answer {
            read: vec![vec![30, 37], vec![5, 6, 7, 8]],
            // AVR instruction set manual, table for AVRe+: 1+1+2+2+1+2+2+2+4.
            cycles: Some(17),
            instructions: Some(9),
            stack: Some(1),
        };
        assert_eq!(answers, Ok(vec![expected.clone(), expected]));
    }

    #[test]
    fn a_loop_costs_what_the_manual_says() {
        // ldi r18,10; dec r18; brne .-4; lpm r18,Z; rcall .+2 (to the ret); nop; ret
        let words = [0xe02a, 0x952a, 0xf7f1, 0x9124, 0xd001, 0x0000, 0x9508];
        let Some(answers) = asked(&words, Call::default(), 100) else { return };
        let answer = &answers.unwrap()[0];
        // 1 + 10 dec + 9 * 2 + 1 for the branch + 3 lpm + 3 rcall + 4 ret + 1 nop + 4 ret.
        assert_eq!(answer.cycles, Some(45));
        assert_eq!(answer.instructions, Some(1 + 20 + 1 + 1 + 1 + 1 + 1));
        assert_eq!(answer.stack, Some(2));
    }

    #[test]
    fn arguments_beyond_the_registers_are_on_the_stack() {
        // The tenth argument: push r28; push r29; in r28,SPL; in r29,SPH; ldd r18,Y+5; ldd r19,Y+6;
        // sts 0x600,r18; sts 0x601,r19; pop r29; pop r28; ret
        let words = [
            0x93cf, 0x93df, 0xb7cd, 0xb7de, 0x812d, 0x813e, 0x9320, 0x0600, 0x9330, 0x0601, 0x91df, 0x91cf,
            0x9508,
        ];
        let arguments = (0..9).chain([0xbeef]).collect();
        let call = Call { arguments, writes: vec![], reads: vec![(Image::DATA + 0x600, 2)] };
        let Some(answers) = asked(&words, call, 100) else { return };
        assert_eq!(answers.unwrap()[0].read, [[0xef, 0xbe]]);
    }

    #[test]
    fn faults_are_sentences() {
        let cases: [(&[u16], &str); 5] = [
            (&[0xcfff], "did not return within 1000 instructions; it was at 0"),
            (&[0x2400, 0x9403, 0x2c20, 0x9508], "r2 changed"),
            (&[0x920f, 0x9508], "where it has no instruction"),
            (&[0x9588, 0x9508], "simavr stopped at 0"),
            (&[0x9403], "the program ran to 0x2, where it has no instruction"),
        ];
        for (words, part) in cases {
            let Some(answers) = asked(words, Call::default(), 1000) else { return };
            let error = answers.unwrap_err();
            assert!(error.contains(part), "{words:x?}: {error}");
        }
    }

    #[test]
    fn a_thousand_calls() {
        // ldi r18,200; dec; brne; st of the argument: movw r30,r22; st Z,r24; ret
        let words = [0xec28, 0x952a, 0xf7f1, 0x01fb, 0x8380, 0x9508];
        if let Err(why) = Simavr::COUNTING.present() {
            return println!("skipped: {why}");
        }
        let image = program(&words, &[]);
        let call = |i: u32| Call {
            arguments: vec![i, 0x600],
            writes: vec![],
            reads: vec![(Image::DATA + 0x600, 1)],
        };
        let question =
            Question { image: &image, function: 0, calls: (0..1000).map(call).collect(), limit: 10_000 };
        let answers = Simavr::COUNTING.answer(&question).unwrap();
        for (i, answer) in answers.iter().enumerate() {
            assert_eq!(
                (answer.cycles, &answer.read),
                (Some(1 + 199 * 3 + 2 + 1 + 2 + 4), &vec![vec![i as u8]])
            );
        }
    }
}
