//! Prints a variant's kernel as GNU assembly with offsets.
use aesmith_arrange::Variant;
use aesmith_kernel::{Target, build};
use iced_x86::{Decoder, DecoderOptions, Formatter, GasFormatter};
fn main() {
    let variant: Variant = std::env::args().nth(1).expect("a variant").parse().expect("valid");
    let kernel = build(&variant, &Target::ALL).expect("fits");
    let mut decoder = Decoder::with_ip(64, &kernel.bytes[..kernel.code_end], 0, DecoderOptions::NONE);
    let mut formatter = GasFormatter::new();
    while decoder.can_decode() {
        let i = decoder.decode();
        let mut text = String::new();
        formatter.format(&i, &mut text);
        println!("{:#x}: {text}", i.ip());
    }
}
