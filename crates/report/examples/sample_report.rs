//! Writes a report of invented numbers, to look at: `cargo run -p aesmith-report --example sample_report`.

#[path = "../tests/sample/mod.rs"]
mod sample;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| std::env::temp_dir().display().to_string());
    let problem = sample::sample().problem;
    let full = aesmith_report::render(&sample::sample());
    let empty = aesmith_report::render(&aesmith_report::ReportData {
        problem,
        title: "AES-256-CTR".into(),
        unit: "cycles/byte".into(),
        ..Default::default()
    });
    for (name, page) in [("report.html", full), ("report-empty.html", empty)] {
        let path = std::path::Path::new(&folder).join(name);
        std::fs::write(&path, page)?;
        println!("{}", path.display());
    }
    Ok(())
}
