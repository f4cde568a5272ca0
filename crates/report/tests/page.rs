//! The page as text: it loads nothing, escapes everything, and says which sections are missing and why.

use crate::sample;
use aesmith_report::{ReportData, render};
use proptest::prelude::*;
use serde_json::Value;

/// Splits the page into the part without its data, and the data's JSON.
fn split(page: &str) -> (String, String) {
    let open = "<script type=\"application/json\" id=\"data\">";
    let start = page.find(open).expect("the page carries its data") + open.len();
    let end = start + page[start..].find("</script>").expect("the data end");
    (format!("{}{}", &page[..start], &page[end..]), page[start..end].to_owned())
}

/// Replaces every string in a value by `text`.
fn with_strings(value: Value, text: &str) -> Value {
    match value {
        Value::String(_) => text.into(),
        Value::Array(items) => items.into_iter().map(|v| with_strings(v, text)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(k, v)| (k, with_strings(v, text))).collect())
        }
        other => other,
    }
}

fn sample_saying(text: &str) -> ReportData {
    let value = serde_json::to_value(sample::sample()).unwrap();
    serde_json::from_value(with_strings(value, text)).unwrap()
}

/// Counts each character with a meaning in HTML.
fn markup(page: &str) -> [usize; 4] {
    ['<', '>', '"', '\''].map(|c| page.matches(c).count())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_of_the_data_becomes_markup(text in r#"[a-c<>"'&/!=\-; ]{1,40}"#) {
        let benign = markup(&split(&render(&sample_saying("plain"))).0);
        let data = sample_saying(&text);
        let (page, json) = split(&render(&data));
        prop_assert_eq!(markup(&page), benign);
        prop_assert!(!json.contains('<'));
        let plain = serde_json::to_string(&data).unwrap();
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        prop_assert!(parse(&json) == parse(&plain), "the page's JSON says something else than the data");
    }
}

#[test]
fn the_page_loads_nothing() {
    for data in [sample::sample(), ReportData::default()] {
        // The SVG namespace is only a name; no browser fetches it.
        let page = render(&data).replace("\"http://www.w3.org/2000/svg\"", "");
        for scheme in ["http:", "https:", "//cdn", "file:", "ws:", "wss:"] {
            assert!(!page.contains(scheme), "the page names {scheme}");
        }
        for loader in [" src=", "@import", "url(", "fetch(", "XMLHttpRequest", "importScripts", "import("] {
            assert!(!page.contains(loader), "the page has a loader: {loader}");
        }
        let links: Vec<&str> = page.split("href=\"").skip(1).map(|p| p.split('"').next().unwrap()).collect();
        assert!(links.iter().all(|l| l.starts_with('#') || *l == "data:,"), "{links:?}");
        assert!(page.contains("Content-Security-Policy"));
        assert!(page.len() < 400_000, "{} bytes", page.len());
    }
}

#[test]
fn an_empty_report_says_why_and_what_to_do() {
    let page = render(&ReportData { problem: "aes256-ctr".into(), ..Default::default() });
    let full = render(&sample::sample());
    assert_eq!(page.matches("<section").count(), 0, "empty sections are left out");
    assert_eq!(page.matches("class=\"absent\"").count(), full.matches("<section").count());
    assert_eq!(full.matches("class=\"absent\"").count(), 0);
    assert!(!page.contains("class=\"plot\""), "an empty plot");
    for command in
        ["aesmith tune aes256-ctr<", "aesmith tune aes256-cbc-x4 --strategy exhaustive<", "aesmith doctor<"]
    {
        assert!(page.contains(command), "{command}");
    }
}

#[test]
fn numbers_that_are_not_finite_are_shown_as_missing() {
    let mut data = sample::sample();
    let summary = data.summary.as_mut().unwrap();
    summary.bound = 0.0;
    summary.baseline.median = f64::NAN;
    summary.seconds = 0.0;
    let (page, _) = split(&render(&data));
    let text = page.split("<script").next().unwrap();
    for wrong in ["NaN", "inf", "Infinity"] {
        assert!(!text.contains(&format!(">{wrong}")), "{wrong}");
    }
}

/// The cells of a section's first table, row by row, tags removed.
fn table(page: &str, section: &str) -> Vec<Vec<String>> {
    let from = page.find(&format!("<section id=\"{section}\"")).unwrap();
    let table = page[from..].split("<table>").nth(1).unwrap().split("</table>").next().unwrap();
    let text = |cell: &str| {
        let mut inside = true;
        let keep = |c: &char| match c {
            '<' => {
                inside = true;
                false
            }
            '>' => {
                inside = false;
                false
            }
            _ => !inside,
        };
        cell.chars().filter(keep).collect::<String>()
    };
    let cells = |row: &str| {
        let marked = row.replace("<td", "\n<td").replace("<th ", "\n<th ");
        marked.lines().skip(1).map(text).collect()
    };
    table.split("<tr>").skip(1).map(cells).collect()
}

/// A report of cold calls says so beside every cost, and says that bounds and the paper's figures are of other calls.
#[test]
fn a_report_of_cold_calls_says_so_and_has_no_bound() {
    let cold = |data: ReportData| split(&render(&ReportData { cold: true, ..data })).0;
    let full = cold(sample::sample());
    for section in ["result", "sizes"] {
        let from = full.find(&format!("<section id=\"{section}\"")).unwrap();
        let caption = &full[from..from + 600];
        assert!(
            caption.to_lowercase().contains("one call after 100 microseconds of other work"),
            "{caption}"
        );
        assert!(!caption.contains("back to back"), "{caption}");
    }
    let verdict = full.split("class=\"verdict\">").nth(1).unwrap().split("</p>").next().unwrap();
    assert!(verdict.contains("one call after 100 microseconds"), "{verdict}");
    let empty = cold(ReportData { problem: "aes256-ctr".into(), ..Default::default() });
    let why = "it covers calls in steady state, but this report is about cold calls.";
    assert_eq!(empty.matches(why).count(), 4, "bounds, and three figures");
    assert!(!render(&ReportData::default()).contains(why));
}

#[test]
fn the_time_of_a_search_is_shown_by_stage_and_by_cpu() {
    let page = render(&sample::sample());
    let rows = table(&page, "times");
    assert_eq!(rows[0], ["stage", "seconds", "of its CPU", "what it did"]);
    assert_eq!(rows[2][..3], ["reduce", "5.20", "33.3\u{202f}%"]);
    assert!(rows[2][3].starts_with("17\u{202f}655 proofs reduced to another"), "{rows:?}");
    assert_eq!((&*rows[3][3], &*rows[4][3]), ("549 proofs made; 3 refused", "\u{2013}"));
    assert!(page.contains("The search that found this kernel"));
    assert_eq!(rows[5][..3], ["measure", "14.80", "100.0\u{202f}%"]);
    let bars = page.split("id=\"times-plot\"").nth(1).unwrap().split("<table>").next().unwrap();
    // The longer one of the two bars has full width.
    let width = |bar: &str| -> f64 {
        let parts = bar.split("width:").skip(1).map(|p| p.split('%').next().unwrap());
        parts.map(|part| part.parse::<f64>().unwrap()).sum()
    };
    let cpus: Vec<f64> = bars.split("class=\"step\"").skip(1).map(width).collect();
    assert!((cpus[0] - 100.0).abs() < 0.01 && (94.0..95.0).contains(&cpus[1]), "{cpus:?}");
    let mut data = sample::sample();
    data.search.as_mut().unwrap().own = false;
    assert!(render(&data).contains("not the one that found this kernel"));
    // Unknown or zero times give no picture.
    data.search.as_mut().unwrap().stages.iter_mut().for_each(|s| s.seconds = 0.0);
    assert!(!render(&data).contains("<section id=\"times\""));
}

#[test]
fn cells_stand_under_their_headings() {
    let page = render(&sample::sample());
    let result = table(&page, "result");
    assert_eq!(result[0], ["", "cycles/byte", "\u{d7} bound", "\u{d7} best", "quartiles"]);
    assert_eq!(result[1], ["best, confirmed", "0.1972", "1.052", "1.00", "0.1964 to 0.1985"]);
    let figure3 = table(&page, "figure3");
    assert_eq!(
        figure3[0][..7],
        ["mode", "key, bits", "baseline", "best", "speedup", "bound", "above the bound"]
    );
    assert_eq!(figure3[1][..7], ["CTR", "128", "2.050", "0.3190", "6.43\u{d7}", "0.3125", "2.1\u{202f}%"]);
    for section in
        ["result", "figure1", "figure2", "figure3", "convergence", "sizes", "mix", "outcomes", "times"]
    {
        let rows = table(&page, section);
        assert!(rows.iter().all(|r| r.len() == rows[0].len()), "{section}");
    }
}
