//! The page in a browser: no message on the console, no empty plot, no horizontal scrolling, at the width of a screen
//! and of a phone.
//!
//! Needs Chromium. Without it the tests say so and pass, except under `CI=true`.

use crate::sample;
use aesmith_report::{
    AccountingPage, ComparedPage, GridBound, GridCell, GridCounted, GridLandscape, GridPage, GridReach,
    GridReachPoint, GridRoom, GridUnit, GridWinner, PageAccount, PageLine, PageLines, PageStep, PageSurface,
    PageTable, ReportData, Surface, render, render_accounting, render_compared, render_grid,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn chromium() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    ["chromium", "chromium-browser", "google-chrome"]
        .iter()
        .find_map(|name| folders.iter().map(|f| f.join(name)).find(|path| path.is_file()))
}

/// The page's self-check at this width, or `None` without a browser.
///
/// A window cannot be as narrow as a phone, so the page is in a frame of that width, and the outer page copies the
/// frame's result.
fn open(name: &str, data: &ReportData, width: u32) -> Option<Value> {
    open_page(name, &render(data), width)
}

fn open_page(name: &str, page: &str, width: u32) -> Option<Value> {
    let frame = format!("<iframe width=\"{width}\" height=\"900\" style=\"border:0\"></iframe>");
    let script =
        format!("const f = document.querySelector('iframe'); f.onload = () => {{ {USE} }}; f.srcdoc = PAGE;");
    framed(name, page, &frame, &script)
}

/// A folder for the browser, removed when the test ends.
fn folder(name: &str) -> TempDir {
    tempfile::Builder::new().prefix(&format!("aesmith-report-{name}")).tempdir().unwrap()
}

/// The result of a script around frames, in which PAGE is a page; `None` without a browser.
fn framed(name: &str, page: &str, frames: &str, script: &str) -> Option<Value> {
    let Some(browser) = chromium() else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI has no Chromium: install it in .ci/run");
        println!("skipped: no chromium, chromium-browser or google-chrome in PATH");
        return None;
    };
    let page = serde_json::to_string(page).unwrap().replace('<', "\\u003c");
    let script = format!("const PAGE = {page};\n{script}");
    let outer = format!("<!DOCTYPE html><body style=\"margin:0\">{frames}<script>{script}</script>");
    let folder = folder(name);
    let file = folder.path().join("outer.html");
    std::fs::write(&file, outer).unwrap();
    Some(outcome(name, &dump(&browser, folder.path(), &file)))
}

/// The result that the outer page wrote.
fn outcome(name: &str, dom: &str) -> Value {
    let open = "data-outcome=\"";
    let start = dom.find(open).unwrap_or_else(|| panic!("{name}: no self-check in the page")) + open.len();
    let text = dom[start..].split('"').next().unwrap();
    let text = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{a0}"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}: {text}"))
}

/// The actions of a user: every switch on and back, the pointer over every plot, the arrow keys. Counts the read-outs
/// that then contain a number.
const USE: &str = include_str!("browser/use.js");

/// The document after its scripts ran. Panics on any console message of the page.
fn dump(browser: &Path, folder: &Path, file: &Path) -> String {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--window-size=1500,1000"])
        .args(["--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap_or_else(|e| panic!("{} does not start: {e}", browser.display()));
    let messages = String::from_utf8_lossy(&output.stderr);
    let console: Vec<&str> = messages.lines().filter(|l| l.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "the console says: {console:#?}");
    assert!(output.status.success(), "{} failed:\n{messages}", browser.display());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn plot<'a>(check: &'a Value, id: &str) -> &'a Value {
    let plots = check["plots"].as_array().expect("plots");
    plots.iter().find(|p| p["id"] == id).unwrap_or_else(|| panic!("{id} is not drawn: {check}"))
}

#[test]
fn every_plot_is_drawn_on_a_screen_and_on_a_phone() {
    for width in [1400, 768, 390] {
        let Some(check) = open(&format!("full-{width}"), &sample::sample(), width) else { return };
        assert_eq!(check["done"], true, "{check}");
        assert_eq!(check["errors"], serde_json::json!([]), "at {width}");
        assert_eq!(check["sideways"], 0, "the page scrolls sideways at {width}");
        for (id, least) in
            [("convergence", 40), ("sizes", 85), ("loop", 71), ("mix", 3), ("distance", 8), ("times", 5)]
        {
            assert!(plot(&check, id)["marks"].as_u64() >= Some(least), "{id} at {width}: {check}");
        }
        assert_eq!(check["read"], 5, "plots that say what is under the pointer, at {width}");
        for id in ["figure1", "figure2"] {
            let surface = plot(&check, id);
            assert!(surface["marks"].as_u64() > Some(150), "{id} at {width}: {surface}");
            assert!(surface["inked"].as_f64() > Some(0.1), "{id} at {width}: {surface}");
            assert!(surface["colours"].as_u64() > Some(100), "{id} at {width}: {surface}");
        }
    }
}

/// Measures pages without scripts from outside, on a screen and on a phone: horizontal scrolling, the part of its track
/// that each bar fills, and the drawn lines.
fn plain(name: &str, page: &str) -> Option<Value> {
    let frames = [1400, 400].map(|width| format!("<iframe width=\"{width}\" height=\"900\"></iframe>"));
    let seen = framed(name, page, &frames.concat(), include_str!("browser/plain.js"))?;
    assert_eq!(seen.as_array().map(Vec::len), Some(2), "{seen}");
    Some(seen)
}

/// The parts of their tracks that the bars in a frame fill.
fn bars(frame: &Value) -> Vec<f64> {
    assert_eq!(frame["sideways"], 0, "{frame}");
    frame["bars"].as_array().unwrap().iter().map(|b| b.as_f64().unwrap()).collect()
}

#[test]
fn accounts_are_drawn_on_a_screen_and_on_a_phone() {
    let step = |name: &str, saved: f64, left: f64| PageStep {
        name: name.into(),
        saved: Some(saved),
        left: Some([200.0, 8.0, left - 208.0]),
        how: "made: a sentence that says in as many words as there may be why a technique is not in a kernel"
            .into(),
        ..PageStep::default()
    };
    let account = PageAccount {
        id: "one".into(),
        name: "UltraSPARC III".into(),
        about: "sparcv9, kernels of ultrasparc3".into(),
        rows: vec![
            step("beside the plain program", -39.0, 759.0),
            step("what counters share is made once", 179.0, 580.0),
        ],
        remains: [200.0, 8.0, 372.0],
        published: Some(505.0),
        variant: "aes128-ctr words=narrow tables=2x2 last=2 columns=together counter=cached ".repeat(3),
        ..PageAccount::default()
    };
    let accounts = vec![account];
    let page = AccountingPage { baseline: [208.0, 4.0, 508.0], accounts, ..AccountingPage::default() };
    let Some(seen) = plain("accounts", &render_accounting(&page)) else { return };
    for frame in seen.as_array().unwrap() {
        let bars = bars(frame);
        let expected = [720.0, 39.0, 179.0, 580.0, 505.0].map(|n| n / 759.0);
        assert_eq!(bars.len(), expected.len(), "{frame}");
        for (bar, expected) in bars.iter().zip(expected) {
            assert!((bar - expected).abs() < 0.01, "{expected}: {frame}");
        }
    }
}

#[test]
fn kernels_of_grids_are_drawn_on_a_screen_and_on_a_phone() {
    let unit = |name: &str, clocks: f64| GridUnit { name: name.into(), clocks, ..GridUnit::default() };
    let units = vec![unit("shared memory", 4.0), unit("logic", 3.0), unit("issue", 1.0)];
    let counted = GridCounted { limit: "shared memory".into(), units, ..GridCounted::default() };
    let room = GridRoom { warps: 16, most_warps: 64, ..GridRoom::default() };
    let values = |n: u32| (0..n).map(|k| k.to_string()).collect::<Vec<_>>();
    let landscape = GridLandscape {
        across: ("threads".into(), values(9)),
        down: Some(("replicas".into(), values(2))),
        cells: vec![Some(GridCell { bits: 30.0, limit: "shared memory".into(), ..GridCell::default() }); 18],
        ..GridLandscape::default()
    };
    let points = (12..30).map(|k| GridReachPoint { bytes: 1 << k, turns: 0.9, all: 0.5 }).collect();
    let page = GridPage {
        winner: GridWinner { variant: "technique=table ".repeat(20), ..GridWinner::default() },
        bounds: vec![GridBound { architecture: "sm_90".into(), counted: Ok(counted), room }],
        landscapes: vec![landscape],
        reach: Some(Ok(GridReach { points, ..GridReach::default() })),
        ..GridPage::default()
    };
    let Some(seen) = plain("grid", &render_grid(&page)) else { return };
    for frame in seen.as_array().unwrap() {
        let bars = bars(frame);
        let close = bars.iter().zip([1.0, 0.75, 0.25, 0.25]).all(|(bar, right)| (bar - right).abs() < 0.01);
        assert!(bars.len() == 4 && close, "{frame}");
        let lines = frame["lines"].as_array().unwrap();
        assert!(lines.len() == 2 && lines.iter().all(|wide| wide.as_f64() > Some(200.0)), "{frame}");
    }
}

/// Pages of comparisons: tables, surfaces with their noise, lines with bands.
#[test]
fn comparisons_are_drawn_on_a_screen_and_on_a_phone() {
    let data = sample::sample();
    let surface = |id: &str, surface: Option<Surface>| PageSurface {
        id: id.into(),
        heading: id.into(),
        rule: "The best of a cell".into(),
        surface: surface.unwrap(),
    };
    let line = |name: &str, low: f64| PageLine {
        name: name.into(),
        points: (1..40).map(|k| (k * k, low + 1.0 / k as f64, low, low + 1.5 / k as f64)).collect(),
    };
    let page = ComparedPage {
        title: "A comparison".into(),
        tables: vec![PageTable {
            id: "strategies".into(),
            heading: "Strategies".into(),
            caption: "What each found.".into(),
            columns: vec![("strategy".into(), false), ("cost".into(), true)],
            rows: vec![vec!["memetic".into(), "0.4".into()]],
        }],
        surfaces: vec![surface("figure1-0", data.figure1), surface("figure2-0", data.figure2)],
        lines: Some(PageLines {
            behind: "strategies".into(),
            caption: "The lowest so far.".into(),
            lines: vec![line("memetic", 0.4), line("random", 0.5)],
        }),
        ..ComparedPage::default()
    };
    for width in [1400, 390] {
        let Some(check) = open_page(&format!("compared-{width}"), &render_compared(&page), width) else {
            return;
        };
        assert_eq!((&check["done"], &check["errors"]), (&true.into(), &serde_json::json!([])), "at {width}");
        assert_eq!(check["sideways"], 0, "the page scrolls sideways at {width}");
        assert_eq!(check["read"], 3, "plots that say what is under the pointer, at {width}");
        assert!(plot(&check, "lines")["marks"].as_u64() >= Some(2), "{check}");
        assert!(plot(&check, "figure1-0")["marks"].as_u64() > Some(150), "{check}");
    }
}

/// Gaps, single cells, lines of one point and missing numbers must not break a plot.
#[test]
fn scarce_data_draw_without_errors() {
    let mut data = sample::sample();
    let surface = data.figure1.as_mut().unwrap();
    for (i, cell) in surface.cells.iter_mut().enumerate() {
        *cell = cell.filter(|_| i == 40);
    }
    data.figure2.as_mut().unwrap().cells.truncate(30);
    let strategies = &mut data.convergence.as_mut().unwrap().strategies;
    strategies.truncate(2);
    strategies[0].best = vec![(1, 0.3)];
    strategies[1].best.clear();
    let sizes = data.sizes.as_mut().unwrap();
    sizes.subjects.truncate(1);
    sizes.subjects[0].points.truncate(1);
    sizes.bound.clear();
    data.loop_chart.as_mut().unwrap().instructions.truncate(1);
    let Some(check) = open("scarce", &data, 800) else { return };
    assert_eq!(check["errors"], serde_json::json!([]), "{check}");
    for id in ["figure1", "figure2", "convergence", "sizes", "loop"] {
        assert!(plot(&check, id)["marks"].as_u64() >= Some(1), "{id}: {check}");
    }
}

#[test]
fn without_data_there_is_no_plot_and_no_error() {
    let Some(check) = open("empty", &ReportData::default(), 390) else { return };
    assert_eq!(check["plots"], serde_json::json!([]));
    assert_eq!(check["errors"], serde_json::json!([]));
    assert_eq!(check["sideways"], 0);
}

/// Splits a line of CSV into its cells by RFC 4180.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

#[test]
fn the_data_are_saved_as_json_and_as_csv() {
    let data = sample::sample();
    let Some(check) = open("saved", &data, 1000) else { return };
    let [json, csv] = [0, 1].map(|i| check["saved"][i].as_str().unwrap_or_else(|| panic!("{check}")));
    let plain = serde_json::to_string(&data).unwrap();
    let parse = |text: &str| serde_json::from_str::<ReportData>(text).unwrap();
    assert!(parse(json) == parse(&plain), "the file says something else than the data");
    let rows: Vec<Vec<String>> = csv.lines().map(cells).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    let count = |part: &str| rows.iter().filter(|row| row[0] == part).count();
    assert_eq!(count("loop"), 4 * data.loop_chart.as_ref().unwrap().instructions.len());
    assert_eq!(count("figure 1"), data.figure1.as_ref().unwrap().cells.iter().flatten().count());
    for part in
        ["result", "figure 3", "sizes", "convergence", "mix", "distance", "outcomes", "search", "machine"]
    {
        assert!(count(part) > 2, "{part} in {csv}");
    }
    let best = ["result", "best", "message bytes", "32768", "", "", "median", "0.1972", "cycles/byte"];
    assert!(rows.iter().any(|row| row[..] == best), "{csv}");
}

#[test]
fn a_report_prints_on_four_pages() {
    let Some(browser) = chromium() else { return };
    let mut data = sample::sample();
    // No report has both: one is about look-up tables, the other about the paper's figures.
    (data.accounting, data.profile) = (Vec::new(), None);
    let folder = folder("print");
    let (page, paper) = (folder.path().join("report.html"), folder.path().join("report.pdf"));
    std::fs::write(&page, render(&data)).unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"])
        .args(["--virtual-time-budget=3000"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("--print-to-pdf={}", paper.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let pdf = std::fs::read(&paper).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    let pages = pdf.windows(12).filter(|w| w.starts_with(b"/Type /Page") && w[11] != b's').count();
    assert!((1..=4).contains(&pages), "{pages} pages");
}

#[test]
fn every_instruction_of_the_loop_is_drawn_on_its_axis() {
    let mut data = sample::sample();
    let chart = data.loop_chart.as_mut().unwrap();
    let count = chart.instructions.len();
    let Some(check) = open("loop", &data, 1000) else { return };
    assert_eq!(check["errors"], serde_json::json!([]), "{check}");
    assert_eq!(plot(&check, "loop")["marks"], count, "{check}");
    // An instruction that starts after the iteration's end is detected as beyond the axis.
    data.loop_chart.as_mut().unwrap().instructions[0].start = 398.0;
    let wrong = open("beyond", &data, 1000).unwrap();
    assert!(wrong["errors"].to_string().contains("beyond the axis of loop"), "{wrong}");
}

/// The checks above would detect an error.
#[test]
fn a_plot_that_cannot_be_drawn_fails_the_check() {
    let Some(browser) = chromium() else { return };
    let folder = folder("broken");
    let file = folder.path().join("broken.html");
    let broken = render(&sample::sample()).replace("drawConvergence);", "() => missing());");
    std::fs::write(&file, broken).unwrap();
    let seen = std::panic::catch_unwind(|| dump(&browser, folder.path(), &file));
    let message = *seen.expect_err("an error on the console fails").downcast::<String>().unwrap();
    assert!(message.contains("missing is not defined"), "{message}");
}
