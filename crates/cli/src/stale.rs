//! The folder of a package: what an earlier package left there, which builds and `verify` would take for a part of the
//! new one.

use crate::failure::Failure;
use crate::overwrite::is_ours;
use crate::regular;
use aesmith_cipher::Problem;
use aesmith_emit::package::File;
use aesmith_emit::{problem_of_blocks, problem_of_symbol};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const README: &str = "README.md";
/// The folders of a package with code or proofs.
const FOLDERS: [&str; 3] = ["", "src/", "certificates/"];
/// Endings of files that belong to one function or level. Headers and the C around kernels are named for the package,
/// which has its own.
const ENDINGS: [&str; 7] = [".S", ".ptx", ".cl", ".cu", ".c", ".certificate.json", ".proof"];

/// Refuses to put a package into a folder that holds another one, unless with `force`: only one of them would have its
/// README, Makefile and self-test, and the kernels of the other would lie beside them. Returns the files to remove: those
/// of an earlier version of the same package that the new one does not have; with `force`, all that a package of this name
/// left there.
///
/// # Errors
/// The folder holds a package of another name, or a function of another package of the same name.
pub fn in_folder(directory: &Path, files: &[File], force: bool) -> Result<Vec<PathBuf>, Failure> {
    // A function without an accepted proof has no file of a proof: that of its former kernel goes.
    let is_written = |symbol: &str| {
        let certificate = format!("{symbol}.certificate.json");
        files.iter().any(|file| file.name.rsplit('/').next() == Some(&*certificate))
    };
    let is_its_proof =
        |path: &Path, symbol: &str| path.extension().is_some_and(|e| e == "proof") && is_written(symbol);
    let name_of = |text: &str| text.lines().next()?.strip_prefix("# ").map(str::to_owned);
    let Some(new) = files.iter().find(|file| file.name == README).and_then(|file| name_of(&file.contents))
    else {
        let left = left_over(directory, files).into_iter();
        return Ok(left.filter(|(path, symbol)| is_its_proof(path, symbol)).map(|(path, _)| path).collect());
    };
    let Ok(text) = regular::read_text(&directory.join(README)) else { return Ok(Vec::new()) };
    let Some(there) = name_of(&text).filter(|_| text.contains("written by aesmith ")) else {
        return Ok(Vec::new());
    };
    if there != new && force {
        return Ok(Vec::new());
    }
    if there != new {
        return Err(Failure::Other(format!(
            "{} holds the package {there} already, so that nothing of {new} is written; name another place, or say \
             --force",
            directory.display()
        )));
    }
    let is_stale = |path: &Path, symbol: &str| is_helper(symbol) || is_its_proof(path, symbol);
    let (stale, others): (Vec<_>, Vec<_>) =
        left_over(directory, files).into_iter().partition(|(path, symbol)| is_stale(path, symbol));
    match others.first().filter(|_| !force) {
        // With `force`, nothing of another package of this name stays beside the new one.
        None => Ok(stale.into_iter().chain(others).map(|(path, _)| path).collect()),
        Some((path, _)) => Err(Failure::Other(format!(
            "{} is of another package {there}, of other problems, levels or languages, and would be built and verified \
             with the new one, so that nothing is written; name another place, or say --force",
            path.display()
        ))),
    }
}

/// The files of one function or level in a package's folders that aesmith wrote and the new package lacks, each with
/// the name before its ending.
fn left_over(directory: &Path, files: &[File]) -> Vec<(PathBuf, String)> {
    let new: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let mut all = Vec::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(directory.join(folder)).into_iter().flatten().filter_map(Result::ok) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let symbol = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
            // C files are named for a function only if they are its kernel.
            let symbol = symbol.filter(|s| !name.ends_with(".c") || problem_of(s).is_some());
            let Some(symbol) = symbol.filter(|_| !new.contains(format!("{folder}{name}").as_str())) else {
                continue;
            };
            let ours = entry.file_type().is_ok_and(|kind| kind.is_file())
                && regular::beginning(&entry.path()).is_ok_and(|text| is_ours(&name, &text));
            if ours {
                all.push((entry.path(), symbol.to_owned()));
            }
        }
    }
    all.sort();
    all
}

fn problem_of(symbol: &str) -> Option<Problem> {
    problem_of_blocks(symbol).or_else(|| problem_of_symbol(symbol))
}

/// True for a function that sets up the key of another: which of them a package has depends on the best kernels.
fn is_helper(symbol: &str) -> bool {
    problem_of(symbol).is_some_and(|problem| !problem.is_message())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_set_up_is_a_helper_and_functions_and_levels_are_none() {
        for helper in [
            "aesmith_aes128_ctr_schedule",
            "aesmith_aes128_ctr_table",
            "mine_aes128_sse2_schedule",
            "aesmith_aes128_expand",
            "aesmith_aes256_expand_decrypt_vt",
        ] {
            assert!(is_helper(helper), "{helper}");
        }
        for other in
            ["aesmith_aes128_ctr", "aesmith_aes128_ctr_sse2", "aesmith_aes_sse2", "mine_aes128_decrypt"]
        {
            assert!(!is_helper(other), "{other}");
        }
    }
}
