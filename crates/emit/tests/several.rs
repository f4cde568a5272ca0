//! Packages of several problems: one key structure for all that have the same round keys, one query of CPU features,
//! and names that do not change with levels or techniques.

use crate::built::{level, run, scratch, there_is};
use aesmith_cipher::Problem;
use aesmith_emit::package::{self, File, Form, FunctionSet, Package};
use aesmith_emit::recipe::{Recipe, prefix, problems};
use aesmith_emit::{Naming, problem_of_symbol};

const PROBLEMS: [&str; 5] = ["aes128-ecb", "aes128-ctr", "aes256-ctr", "aes128-cbc-dec", "aes128-ecb-dec"];

fn of(naming: &Naming, problems: &[&str], levels: &[&str]) -> Package {
    let sets = |problem: &&str| -> Vec<FunctionSet> {
        let problem: Problem = problem.parse().unwrap();
        levels.iter().map(|name| level(problem, naming, name, false)).collect()
    };
    Package::of_problems(&problems.iter().map(sets).collect::<Vec<_>>()).unwrap()
}

fn contents<'f>(files: &'f [File], name: &str) -> &'f str {
    let names: Vec<&str> = files.iter().map(|f| f.name.as_str()).collect();
    &files.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no {name} in {names:?}")).contents
}

/// A program that uses one key for two modes: a block of counter mode is a block of ECB over the counter.
const APP: &str = r#"
#include "mine_aes.h"
#include <string.h>
int main(void)
{
    static mine_aes128_key key, copy;
    static mine_aes128_dec_key back;
    uint8_t bytes[16] = {1, 2, 3}, iv[16] = {9}, counter[16] = {9}, zero[16] = {0}, a[16], b[16];
    if (!mine_aes_supported() || mine_aes_kernel()[0] == 0) {
        return 0;
    }
    mine_aes128_init(&key, bytes);
    mine_aes128_dec_init(&back, bytes);
    mine_aes128_ctr(&key, iv, zero, a, 16);
    mine_aes128_ecb(&key, counter, b, 16);
    if (memcmp(a, b, 16)) {
        return 1;
    }
    mine_aes128_ecb_dec(&back, b, b, 16);
    if (memcmp(b, counter, 16)) {
        return 2;
    }
    mine_aes128_wipe(&key);
    mine_aes128_dec_wipe(&back);
    return memcmp(&key, &copy, sizeof key) ? 3 : 0;
}
"#;

#[test]
fn several_problems_share_keys_and_the_question_to_the_cpu() {
    let mine = Naming::with_prefix("mine").unwrap();
    for levels in [&["avx2-aesni", "sse2"][..], &["sse2"]] {
        let package = of(&mine, &PROBLEMS, levels);
        let files = package.files(Form::Package);
        let header = contents(&files, "mine_aes.h");
        for declared in [
            "} mine_aes128_key;",
            "} mine_aes256_key;",
            "} mine_aes128_dec_key;",
            "void mine_aes128_ctr(const mine_aes128_key *key,",
            "void mine_aes128_ecb(const mine_aes128_key *key,",
            "void mine_aes256_ctr(const mine_aes256_key *key,",
            "void mine_aes128_cbc_dec(const mine_aes128_dec_key *key,",
            "int mine_aes_supported(void);",
            "It is the key of mine_aes128_ecb, mine_aes128_ctr.",
        ] {
            assert!(header.contains(declared), "{declared}\n{header}");
        }
        let support = contents(&files, "mine_aes_support.c");
        assert_eq!(support.matches("__get_cpuid(1,").count(), usize::from(levels.len() > 1), "{support}");
        for file in [header, contents(&files, "README.md")] {
            assert_eq!(prefix(file), Some("mine"));
            let named: Vec<String> = problems(file).unwrap().iter().map(Problem::to_string).collect();
            assert_eq!(named, PROBLEMS);
            let recipe = Recipe::parse(file, "aes256-ctr".parse().unwrap()).unwrap();
            assert_eq!(recipe.parts.len(), levels.len());
            assert!(recipe.parts.iter().all(|part| part.level.is_some() == (levels.len() > 1)), "{recipe:?}");
        }
        for file in files.iter().filter(|file| file.name.ends_with(".certificate.json")) {
            assert!(problem_of_symbol(file.name.split('.').next().unwrap()).is_some(), "{}", file.name);
        }
        if !there_is("make") || !there_is("cc") {
            continue;
        }
        let folder = scratch(&format!("several-{}", levels.len()));
        package::write(&files, &folder).unwrap();
        let said = run(&folder, "make", &["-s", "check", "CFLAGS=-O2 -Werror"]);
        assert_eq!(said.matches(" passed, 0 failed").count(), PROBLEMS.len(), "{said}");
        std::fs::write(folder.join("app.c"), APP).unwrap();
        run(&folder, "cc", &["-Wall", "-Wextra", "-Werror", "app.c", "-L.", "-lmine_aes", "-o", "app"]);
        run(&folder, "./app", &[]);
        run(&folder, "make", &["-s", "shared"]);
        if there_is("nm") {
            let seen = run(&folder, "nm", &["-D", "--defined-only", "-j", "libmine_aes.so"]);
            let outside = |name: &&str| !name.starts_with("mine_aes") || name.contains("schedule");
            assert_eq!(seen.lines().filter(outside).count(), 0, "{seen}");
            assert_eq!(seen.lines().count(), PROBLEMS.len() + 3 * 2 + 2, "{seen}");
        }
    }
}

#[test]
fn problems_that_do_not_go_into_one_package_are_refused() {
    let set = |problem: &str, name: &str| level(problem.parse().unwrap(), &Naming::default(), name, false);
    let refused = |problems: &[Vec<FunctionSet>]| Package::of_problems(problems).unwrap_err().0;
    let twice = [vec![set("aes128-ecb", "sse2")], vec![set("aes128-ecb", "sse2")]];
    assert!(refused(&twice).contains("aes128-ecb is there twice"));
    let key = [vec![set("aes128-ecb", "sse2")], vec![set("aes128-key", "sse2")]];
    assert!(refused(&key).contains("makes the keys that its functions read"));
    let levels = [vec![set("aes128-ecb", "sse2")], vec![set("aes128-ctr", "aesni")]];
    assert!(refused(&levels).contains("at the same levels"));
}
