//! GNU as and objdump, one instruction per slot.

use iced_x86::{Decoder, DecoderOptions, EncodingKind, Formatter, GasFormatter, Instruction, OpKind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The slot of each instruction in bytes, so that an instruction of another length does not move the following
/// ones.
pub const SLOT: usize = 16;

/// A folder that is removed on drop.
pub struct Directory(pub PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        // Files left over in the temporary directory do no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn text(instruction: &Instruction) -> String {
    let mut formatter = GasFormatter::new();
    formatter.options_mut().set_rip_relative_addresses(true);
    let mut text = String::new();
    formatter.format(instruction, &mut text);
    text
}

pub fn decode(code: &[u8], ip: usize) -> Instruction {
    Decoder::with_ip(64, code, ip as u64, DecoderOptions::NONE).decode()
}

/// A line for `as` that fixes the encoding and contains no symbol to resolve.
pub fn for_as(i: &Instruction, line: &str) -> String {
    let op_code = i.code().op_code();
    let registers = i.op_count() >= 2 && i.op_kinds().take(2).all(|kind| kind == OpKind::Register);
    let in_memory_place = |k| format!("{:?}", op_code.op_kind(k)).ends_with("_or_mem");
    if i.op_count() == 1 && i.op0_kind() == OpKind::NearBranch64 {
        format!("{} .+{}", line.split_whitespace().next().unwrap(), i.near_branch64() - i.ip())
    } else if op_code.encoding() == EncodingKind::EVEX {
        let direction = if registers && in_memory_place(0) { "{store} " } else { "" };
        format!("{{evex}} {direction}{line}")
    } else if registers && in_memory_place(1) {
        format!("{{load}} {line}")
    } else if registers && in_memory_place(0) {
        format!("{{store}} {line}")
    } else {
        line.to_owned()
    }
}

/// Assembles one line per slot.
pub fn assemble(directory: &Path, name: &str, lines: &[String]) -> Vec<u8> {
    let source: String = lines
        .iter()
        .map(|line| format!(".balign {SLOT}, 0x90\n{line}\n"))
        .chain([format!(".balign {SLOT}, 0x90\n")])
        .collect();
    let [s, o, bin] = ["s", "o", "bin"].map(|e| directory.join(format!("{name}.{e}")));
    std::fs::write(&s, source).unwrap();
    let out = Command::new("as").arg(&s).arg("-o").arg(&o).output().unwrap();
    assert!(out.status.success(), "as refuses lines of {name}: {}", String::from_utf8_lossy(&out.stderr));
    let out =
        Command::new("objcopy").args(["-O", "binary", "-j", ".text"]).arg(&o).arg(&bin).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    std::fs::read(bin).unwrap()
}

/// The text that `objdump` prints for the instruction in each slot.
pub fn disassemble(directory: &Path, code: &[u8]) -> Vec<String> {
    let file = directory.join("code.bin");
    std::fs::write(&file, code).unwrap();
    let out = Command::new("objdump")
        .args(["-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut lines = vec![String::new(); code.len() / SLOT];
    for line in String::from_utf8(out.stdout).unwrap().lines() {
        let Some((address, rest)) = line.trim_start().split_once(":\t") else { continue };
        let address = usize::from_str_radix(address, 16).unwrap();
        if address.is_multiple_of(SLOT) {
            lines[address / SLOT] = rest.split(['#', '<']).next().unwrap().trim().to_owned();
        }
    }
    lines
}
