//! Reads certificates without a proof and writes them with one: `find IN OUT` for files, or folders of them.

use aesmith_check::{Certificate, bytes, check};
use std::path::Path;
use std::time::Instant;

/// Finds the proof of a claim, as text.
fn find(text: &str) -> Result<String, String> {
    if bytes::is_meant(text) {
        let found = aesmith_witness::bytes::find(&bytes::Proof::read(text)?)?;
        return Ok(aesmith_witness::bytes::text(&found));
    }
    let claim = Certificate::read(text)?;
    let found = aesmith_witness::find(claim.contract, &claim.code, claim.constants)?;
    Ok(aesmith_witness::text(&found))
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = &paths[..] else { panic!("two paths are needed") };
    let is_folder = Path::new(from).is_dir();
    let mut files = vec![from.clone()];
    if is_folder {
        let entries = std::fs::read_dir(from).expect("a folder");
        files = entries.map(|entry| entry.expect("an entry").path().display().to_string()).collect();
        files.retain(|file| file.ends_with(".claim"));
        files.sort();
    }
    let (mut accepted, mut all) = (0, 0);
    let (mut times, mut sizes) = (Vec::new(), Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file");
        let begin = Instant::now();
        let found = find(&text);
        let search = begin.elapsed();
        all += 1;
        let text = match found {
            Ok(found) => found,
            Err(reason) => {
                println!("{file}: no proof: {reason}");
                continue;
            }
        };
        let name = if is_folder {
            let name = Path::new(&file).with_extension("proof");
            Path::new(to).join(name.file_name().expect("a name")).display().to_string()
        } else {
            to.clone()
        };
        std::fs::write(&name, &text).expect("a file is written");
        let once = || {
            let begin = Instant::now();
            let verdict = match bytes::is_meant(&text) {
                true => bytes::Proof::read(&text).and_then(|proof| bytes::check(&proof)),
                false => Certificate::read(&text).and_then(|certificate| check(&certificate)),
            };
            (verdict, begin.elapsed())
        };
        // The least time, since other programs run, too.
        let verdict = once().0;
        let time = (0..7).map(|_| once().1).min().unwrap_or_default();
        times.push(time);
        sizes.push(text.len());
        accepted += usize::from(verdict.is_ok());
        println!("{file}: {verdict:?}, found in {search:?}, checked in {time:?}, {} bytes", text.len());
    }
    times.sort();
    sizes.sort();
    let (time, size) = (times.get(times.len() / 2), sizes.get(sizes.len() / 2));
    println!(
        "check: median {time:?}, largest {:?}; size: median {size:?}, largest {:?}",
        times.last(),
        sizes.last()
    );
    println!("{accepted} of {all} accepted");
}
