//! GNU binutils for the SPU. No free program runs its code: interpreter and machine model are aesmith's own.

use std::path::PathBuf;

use aesmith_judge::outside;

/// A program of GNU binutils for the SPU (`as`, `ld`, `objdump`, `objcopy`, `nm`), from PATH or from the folder
/// in which the script builds them.
pub fn binutils(program: &str) -> Result<PathBuf, String> {
    let name = format!("spu-elf-{program}");
    outside::binutils(&name).ok_or_else(|| {
        format!(
            "'{name}' is not there, and no Debian package has it; `apt-get install binutils-source gcc make bison flex` and build it with `scripts/judges/binutils.sh spu-elf SPU` (under two minutes)"
        )
    })
}
