//! The checker of proofs is asked about what is delivered and verified: its verdict is in certificates and in the output of
//! `verify`, with the proof beside the certificate.

use crate::support::{NOT_PROVED, Place, has};
use aesmith_check::{Certificate, bytes, check, grid};
use serde_json::Value;
use std::fs;

const ECB: &str = "aesmith_aes128_ecb";
const CTR: &str = "aesmith_aes128_ctr";

/// Emits a variant as assembly.
fn emitted(place: &Place, problem: &str, variant: &str, folder: &str) -> Value {
    place.write("variants", format!("{problem} {variant}\n"));
    place.json(&format!("emit {problem} --as asm -o {folder} --variant variants --json"))
}

/// The objects of `verify` for the functions that it names.
fn verified(place: &Place, what: &str, code: i32) -> Vec<Value> {
    place.ends(&format!("verify {what} --json"), code).objects()
}

#[test]
fn a_certificate_carries_the_proof_that_the_checker_accepts() {
    let place = Place::new("proofs-carried");
    for (problem, variant, is_here) in [
        ("aes128-ecb", "width=xmm", true),
        ("aes192-cbc-dec", "width=ymm wipe=yes", is_x86_feature_detected!("vaes")),
        ("aes256-ctr", "width=zmm interleave=4", is_x86_feature_detected!("avx512bw")),
    ] {
        if !is_here {
            println!("skipped: {variant}: this CPU has no registers of this width for AES");
            continue;
        }
        let object = emitted(&place, problem, variant, problem);
        let symbol = format!("aesmith_{}", problem.replace('-', "_"));
        let certificate = place.read_json(format!("{problem}/{symbol}.certificate.json"));
        let checked = &certificate["checked"];
        assert_eq!(checked["by"], aesmith_check::NAME, "{problem}: {certificate}");
        assert_eq!((&object["checked"], &object["unchecked"]), (checked, &Value::Null));
        assert_eq!(certificate.get("unchecked"), None);
        let wiped = if certificate["wiped"] == true { ", wiped" } else { "" };
        assert_eq!(checked["contract"], format!("{problem}{wiped}"));
        let proof = place.read(format!("{problem}/{symbol}.proof"));
        assert_eq!(checked["proof_bytes"], proof.len());
        let proof = Certificate::read(&proof).unwrap();
        assert_eq!(certificate["bytes"], proof.code.len());
        let accepted = check(&proof).unwrap();
        assert_eq!((&checked["paths"], &checked["steps"]), (&accepted.paths.into(), &accepted.steps.into()));
        // The same variant makes the same files.
        let again = format!("{problem}-again");
        emitted(&place, problem, variant, &again);
        for file in [format!("{symbol}.certificate.json"), format!("{symbol}.proof")] {
            assert!(
                place.read(format!("{problem}/{file}")) == place.read(format!("{again}/{file}")),
                "{file}"
            );
        }
    }
}

#[test]
fn what_the_checker_does_not_know_rests_on_the_prover_alone() {
    let place = Place::new("proofs-none");
    // The loop is software-pipelined, and its table is on the stack.
    let (problem, variant) = ("aes128-ctr", "width=xmm cached=2 interleave=1 ii=3");
    let object = emitted(&place, problem, variant, "of");
    let sentence = object["unchecked"].as_str().unwrap();
    assert!(
        sentence.starts_with("it rests on the prover alone: ")
            && sentence.contains("refuses the proof that was found"),
        "{sentence}"
    );
    assert!(object["checked"].is_null());
    let certificates = |ending: &str| {
        let all = fs::read_dir(place.path("of")).unwrap().map(|e| e.unwrap().path());
        all.filter(|path| path.to_string_lossy().ends_with(ending)).collect::<Vec<_>>()
    };
    // The key schedule beside it has a proof.
    let own = format!("aesmith_{}.proof", problem.replace('-', "_"));
    assert!(certificates(&own).is_empty(), "there is nothing to prove it");
    let all = certificates(".certificate.json").into_iter().map(|path| place.read_json(path));
    let certificate = all.into_iter().find(|one| one["problem"] == problem).expect("its certificate");
    assert!(certificate["checked"].is_null() && certificate["unchecked"] == sentence, "{certificate}");
    place.ok("emit aes128-ecb --as asm -o spu --processor spu");
    let files = fs::read_dir(place.path("spu")).unwrap().map(|e| e.unwrap().path());
    let file = files.into_iter().find(|path| path.to_string_lossy().ends_with(".certificate.json"));
    let certificate = place.read_json(file.expect("a certificate"));
    assert!(certificate["checked"].is_null(), "{certificate}");
    assert_eq!(
        certificate["unchecked"],
        "it rests on the prover alone: the checker of proofs does not know the instructions of spu"
    );
}

#[test]
fn kernels_for_rv32_carry_proofs() {
    let place = Place::new("proofs-rv32");
    let tool = has(&["riscv64-unknown-elf-gcc"]);
    for (number, (arguments, contract)) in [
        ("aes128-ecb --only technique=table", "aes128-ecb on rv32, look-ups"),
        ("aes256-ctr --only technique=bytewise", "aes256-ctr on rv32, look-ups"),
    ]
    .iter()
    .enumerate()
    {
        place.ok(&format!("emit {arguments} --only rounds=looped --as asm -o {number} --processor rv32i"));
        let folder = place.path(number.to_string());
        let files = || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let file =
            |ending: &str| files().find(|path| path.to_string_lossy().ends_with(ending)).expect(ending);
        let (proof, certificate) = (file(".proof"), place.read_json(file(".certificate.json")));
        let accepted =
            bytes::Proof::read(&place.read(&proof)).and_then(|proof| bytes::check(&proof)).unwrap();
        let checked = &certificate["checked"];
        assert_eq!((&checked["paths"], &checked["steps"]), (&accepted.paths.into(), &accepted.steps.into()));
        assert_eq!(checked["contract"], *contract, "{certificate}");
        if tool {
            let says = format!("accepts a proof of {contract}");
            place.ok(&format!("verify {}", file(".S").display())).says(&says);
        }
    }
}

#[test]
fn kernels_for_avr_carry_proofs() {
    let place = Place::new("proofs-avr");
    place.ok("emit aes128-ecb --as asm -o of --processor avr");
    let files = || fs::read_dir(place.path("of")).unwrap().map(|entry| entry.unwrap().path());
    let file = |ending: &str| files().find(|path| path.to_string_lossy().ends_with(ending)).expect(ending);
    let (proof, certificate) = (file(".proof"), place.read_json(file(".certificate.json")));
    let text = place.read(&proof);
    let accepted = bytes::Proof::read(&text).and_then(|proof| bytes::check(&proof)).unwrap();
    let checked = &certificate["checked"];
    assert_eq!((&checked["paths"], &checked["steps"]), (&accepted.paths.into(), &accepted.steps.into()));
    assert_eq!(checked["contract"], "aes128-ecb on avr, look-ups", "{certificate}");
    assert_eq!(checked["proof_bytes"], text.len());
    if !has(&["avr-gcc"]) {
        return;
    }
    let source = file(".S");
    let verify = format!("verify {}", source.display());
    place.ok(&verify).says("accepts a proof of aes128-ecb on avr, look-ups");
    // Another contract, other bytes, and a proof that is refused.
    let code = text.lines().find(|line| line.starts_with("code ")).unwrap();
    for (changed, why) in [
        (text.replacen("lookups\n", "", 1), "refuses the proof"),
        (text.replacen(code, &format!("{code}0000"), 1), "it is about other bytes"),
        (text.replacen("aes128-ecb", "aes128-ecb-dec", 1), "it is a proof of aes128-ecb-dec on avr"),
        (text.replacen("processor avr", "processor pdp11", 1), "it does not begin with"),
    ] {
        assert_ne!(changed, text, "{why}");
        place.write(&proof, &changed);
        let said = place.ends(&verify, NOT_PROVED);
        assert!(said.all().contains(why), "{why}: {}", said.all());
    }
    fs::remove_file(&proof).unwrap();
    place.ok(&verify).says("(found now; ");
}

#[test]
fn verify_says_what_the_checker_accepts() {
    if !has(&["as", "cc"]) {
        return;
    }
    let place = Place::new("proofs-verified");
    emitted(&place, "aes128-ecb", "width=xmm", "of");
    let (file, proof, certificate) =
        (format!("of/{ECB}.S"), format!("of/{ECB}.proof"), format!("of/{ECB}.certificate.json"));
    let said = place.ok(&format!("verify {file}"));
    assert!(said.out.contains(&format!("accepts a proof of aes128-ecb (of/{ECB}.proof; ")), "{}", said.out);
    let one = |what: &str, code: i32| -> Value {
        let all = verified(&place, what, code);
        all.into_iter().find(|object| object["function"] == ECB).expect("the function")
    };
    for what in [file.as_str(), "of", &certificate] {
        let object = one(what, 0);
        assert_eq!(object["checked"], place.read_json(&certificate)["checked"], "{what}: {object}");
        assert!(object["check_seconds"].as_f64() > Some(0.0) && object["carries_proof"] == true, "{object}");
        assert!(object["proof"].as_str().is_some_and(|path| path.ends_with(".proof")), "{object}");
    }

    // A proof that is refused, of other bytes, of another problem, or unreadable.
    let (text, json) = (place.read(&proof), place.read(&certificate));
    let code = text.lines().find(|line| line.starts_with("code ")).unwrap();
    for (changed, why) in [
        (text.replacen("done = 16*p", "done = 16*p + 1", 1), "refuses the proof"),
        (text.replacen(code, &code.replace("code f3", "code f2"), 1), "it is about other bytes"),
        (text.replacen("aes128-ecb", "aes128-cbc", 1), "it is a proof of aes128-cbc"),
        (text.replacen("certificate", "letter", 1), "it does not begin with"),
        (format!("{text}# a comment\n"), "`checked` is"),
    ] {
        assert_ne!(changed, text, "{why}");
        place.write(&proof, &changed);
        let object = one(&file, NOT_PROVED);
        assert_eq!((&object["holds"], &object["proved"]), (&false.into(), &true.into()));
        let differs = object["differs"].to_string();
        assert!(differs.contains(&why.replace('"', "\\\"")), "{why}: {differs}");
        // A package is refused as well, and its sentence names the checker.
        place.ends("verify of", NOT_PROVED);
    }

    // Without the file a proof is found.
    fs::remove_file(place.path(&proof)).unwrap();
    let object = one(&file, 0);
    assert_eq!(object["checked"]["contract"], "aes128-ecb");
    assert!(object["proof"].is_null() && place.ok(&format!("verify {file}")).out.contains("(found now; "));

    // A certificate of an older version carries no proof; one that claims another contract differs.
    let mut older: Value = serde_json::from_str(&json).unwrap();
    older.as_object_mut().unwrap().remove("checked");
    place.write(&certificate, older.to_string());
    assert!(one(&file, 0)["carries_proof"].is_null());
    place.ok(&format!("verify {file}")).says("of an older version, and carries no proof");
    place.write(
        &certificate,
        json.replace("\"aes128-ecb\",\n    \"heads\"", "\"aes128-ecb, wiped\",\n    \"heads\""),
    );
    assert!(one(&file, NOT_PROVED)["differs"].to_string().contains("`checked` is"));
}

#[test]
fn a_certificate_claims_no_acceptance_that_is_not_there() {
    if !has(&["as", "cc"]) {
        return;
    }
    let place = Place::new("proofs-claimed");
    emitted(&place, "aes128-ctr", "technique=bitsliced width=xmm", "of");
    emitted(&place, "aes128-ctr", "width=xmm", "good");
    let certificate = format!("of/{CTR}.certificate.json");
    let checked = place.read_json(format!("good/{CTR}.certificate.json"))["checked"].clone();
    let mut claims = place.read_json(&certificate);
    claims["checked"] = checked;
    claims.as_object_mut().unwrap().remove("unchecked");
    place.write(&certificate, claims.to_string());
    let said = place.ends(&format!("verify of/{CTR}.S"), NOT_PROVED);
    assert!(said.out.contains("accepts a proof, and it rests on the prover alone: "), "{}", said.all());
    // A proof without its function.
    fs::copy(place.path(format!("good/{CTR}.proof")), place.path("good/aesmith_aes256_cbc.proof")).unwrap();
    let said = place.ends("verify good", NOT_PROVED);
    assert!(said.all().contains("aesmith_aes256_cbc.proof promises it"), "{}", said.all());
}

#[test]
fn a_package_has_its_proofs_among_the_certificates() {
    if !has(&["make", "cc"]) {
        return;
    }
    let place = Place::new("proofs-package");
    place.write("variants", "aes128-ecb width=xmm wipe=yes\naes128-key\n");
    place.ok("emit aes128-ecb --as package -o p --variant variants");
    let proof = place.read(format!("p/{ECB}.proof"));
    check(&Certificate::read(&proof).unwrap()).unwrap();
    assert!(place.read("p/README.md").contains("`aesmith-check`"));
    let all = verified(&place, "p", 0);
    let of = |symbol: &str| all.iter().find(|object| object["function"] == symbol).expect("a function");
    assert_eq!(of(ECB)["checked"]["contract"], "aes128-ecb, wiped");
    let schedule = of(&format!("{ECB}_schedule"));
    assert_eq!(
        (&schedule["checked"]["contract"], &schedule["carries_proof"]),
        (&"aes128-key".into(), &true.into())
    );
    // The same holds of what make builds.
    place.shell("make -s -C p", &[]).ended(0);
    let built = verified(&place, &format!("p/lib{ECB}.a"), 0);
    let of_archive = built.iter().find(|object| object["function"] == ECB).expect("the function");
    assert!(of_archive["proof"].as_str().is_some_and(|path| path.ends_with(".proof")), "{of_archive}");
    // Files of packages are replaced without --force.
    place.ok("emit aes128-ecb --as package -o p --variant variants");
}

#[test]
fn texts_for_gpus_carry_proofs() {
    let place = Place::new("proofs-gpu");
    let some = "--processor gpu --only threads=128 --only loads=own --only registers=any";
    let object = place.json(&format!("emit aes128-ctr --as ptx -o of {some} --json"));
    let (text, proof) = (format!("of/{CTR}.ptx"), format!("of/{CTR}.proof"));
    let certificate = place.read_json(format!("of/{CTR}.certificate.json"));
    let given = place.read(&proof);
    let checked = &certificate["checked"];
    assert_eq!((&object["checked"], &object["unchecked"]), (checked, &Value::Null));
    let accepted = grid::Proof::read(&given).and_then(|proof| grid::check(&proof)).unwrap();
    assert_eq!((&checked["paths"], &checked["steps"]), (&accepted.paths.into(), &accepted.steps.into()));
    let contract = "aes128-ctr in PTX, 128 threads, 131072 bytes of shared memory, look-ups in own banks";
    assert_eq!(checked["contract"], contract, "{certificate}");
    place.ok(&format!("verify {text} --checked")).says(&format!("accepts a proof of {contract}"));
    // Comments say nothing.
    place.write(&text, "// More.\n".to_owned() + &place.read(&text));
    place.ok(&format!("verify {text} --checked"));
    for (from, to, why) in [
        ("banks\n", "banks\nlookups\n", "it admits look-ups at secret addresses"),
        ("contract aes128-ctr", "contract aes128-cbc-dec", "it is a proof of aes128-cbc-dec"),
        (".maxnreg", "", "it is about another text"),
        ("+65664]", "+65536]", "it is about another text"),
    ] {
        let changed = match to {
            "" => given.replacen(".reqntid 128, 1, 1\n", ".reqntid 128, 1, 1\n.maxnreg 255\n", 1),
            to => given.replacen(from, to, 1),
        };
        assert_ne!(changed, given, "{from}");
        place.write(&proof, changed);
        place.ends(&format!("verify {text}"), NOT_PROVED).says(why);
    }
    // Without the file a proof is found.
    fs::remove_file(place.path(&proof)).unwrap();
    place.ok(&format!("verify {text}")).says(&format!("accepts a proof of {contract}"));
}

#[test]
fn bit_slices_for_gpus_rest_on_the_prover_alone() {
    let place = Place::new("proofs-gpu-slices");
    let object =
        place.json("emit aes128-ecb --as ptx -o of --processor gpu --only technique=bitsliced --json");
    let sentence = object["unchecked"].as_str().unwrap();
    assert!(sentence.starts_with("it rests on the prover alone: no proof for the checker was found"));
    assert!(object["checked"].is_null() && !place.path(format!("of/{ECB}.proof")).exists());
    place.ok("verify of");
    place.ends("verify of --checked", NOT_PROVED).says("--checked forbids that");
}
