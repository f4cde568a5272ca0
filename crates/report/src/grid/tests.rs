use super::*;

fn cell(bits: f64, constant_time: bool) -> Option<GridCell> {
    let variants = 6;
    Some(GridCell {
        bits,
        limit: "logic".into(),
        constant_time,
        allowed: constant_time,
        variants,
        ..GridCell::default()
    })
}

pub(crate) fn page() -> GridPage {
    let unit = |name: &str, clocks: f64| GridUnit {
        name: name.into(),
        instructions: 32.0 * clocks,
        rate: 32,
        clocks,
    };
    let counted = GridCounted {
        registers: Some(31),
        spilled: Some(8),
        clocks: 4.25,
        bits: 30.12,
        limit: "shared <memory>".into(),
        units: vec![unit("shared <memory>", 4.25), unit("logic", 3.4), unit("issue", 2.9)],
        ..GridCounted::default()
    };
    let limits = |memory| vec![("registers".to_owned(), Some(2)), ("shared memory".to_owned(), Some(memory))];
    let room = |blocks: u32| GridRoom {
        limits: limits(blocks),
        blocks,
        limit: "shared memory".into(),
        warps: 32 * blocks,
        most_warps: 64,
    };
    let point = |bytes, turns| GridReachPoint { bytes, turns, all: turns / 2.0 };
    GridPage {
        title: "AES-128-CTR on gpu".into(),
        winner: GridWinner {
            variant: "aes128-ctr threads=1024".into(),
            class: "CT".into(),
            threads: 1024,
            shared: 128 << 10,
            a_turn: vec![8],
            notes: vec!["a <note>".into()],
            ..GridWinner::default()
        },
        bounds: vec![
            GridBound {
                architecture: "sm_75".into(),
                counted: Err("too <much> memory".into()),
                room: room(0),
            },
            GridBound { architecture: "sm_90".into(), counted: Ok(counted), room: room(1) },
        ],
        landscapes: vec![GridLandscape {
            technique: "table".into(),
            across: ("threads".into(), vec!["128".into(), "1024".into()]),
            down: Some(("replicas".into(), vec!["4".into(), "32".into()])),
            cells: vec![
                cell(22.6, false),
                None,
                cell(28.5, true).map(|cell| GridCell { by_text: true, ..cell }),
                cell(30.12, true).map(|cell| GridCell { wins: true, ..cell }),
            ],
        }],
        candidates: vec![
            GridCandidate {
                variant: "threads=1024".into(),
                constant_time: Some(true),
                ..GridCandidate::default()
            },
            GridCandidate { variant: "threads=128".into(), by_text: true, ..GridCandidate::default() },
        ],
        reach: Some(Ok(GridReach {
            architecture: "sm_90".into(),
            device: "H100".into(),
            multiprocessors: 132,
            resident: 1,
            of_a_turn: 8192,
            filling: 1024.0,
            bits: 3975.8,
            points: vec![point(4096, 0.01), point(16 << 20, 1.0), point(1 << 30, 0.99)],
            told: vec![point(1 << 30, 0.99)],
            ..GridReach::default()
        })),
        ..GridPage::default()
    }
}

#[test]
fn every_figure_is_shown_and_is_called_a_static_bound() {
    let html = render_grid(&page());
    // It appears in the verdict, in the table, over the bars and under the curve.
    assert_eq!(html.matches("static bound, sm_90 - not measured").count(), 4, "{html}");
    for shown in
        ["30.12 bits", ">31<", ">8<", "128 KiB", "1\u{202f}024 threads per block", "32 of 64", "0 of 64"]
    {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    assert!(html.contains("too &lt;much&gt; memory") && html.contains("A &lt;note&gt;"), "{html}");
    assert!(!html.contains("<much>") && !html.contains("<note>") && !html.contains("<memory>"));
    for loads in ["<script", "http://", "https://", "url("] {
        assert!(!html.contains(loads), "{loads}");
    }
}

#[test]
fn the_bound_is_the_longest_bar() {
    let html = winner::units(&page());
    assert!(html.contains("<i class=\"mark best\" style=\"width:100.00%\">"), "{html}");
    assert_eq!(html.matches("class=\"mark best\"").count(), 1);
    assert!(html.contains("<i class=\"mark other\" style=\"width:80.00%\">"), "{html}");
    let none = GridPage { bounds: page().bounds[..1].to_vec(), ..page() };
    assert!(winner::units(&none).contains("<p class=\"absent\">too &lt;much&gt; memory"));
}

#[test]
fn a_landscape_tells_what_may_be_compared() {
    let all = landscape::landscape(&page().landscapes[0]);
    // The winner has the first colour, a cell a quarter below it the last, and a cell counted in another way none.
    for (class, bits) in [("h0 wins", "30.12"), ("h4", "22.60"), ("text", "28.50")] {
        assert!(all.contains(&format!("<td class=\"{class}\"><b>{bits}</b>")), "{class} {bits}: {all}");
    }
    assert_eq!(all.matches("no kernel").count(), 1);
    assert_eq!(all.matches("variable time, not allowed").count(), 1);
    assert!(
        all.contains("1 of 3 cells are counted by rows of the text") && all.contains("best of 6"),
        "{all}"
    );
    // If all cells are counted by their text, all have colours.
    let mut texts = page().landscapes[0].clone();
    texts.cells.iter_mut().flatten().for_each(|cell| cell.by_text = true);
    assert!(!landscape::landscape(&texts).contains("class=\"text\""));
    // With one choice there is one row.
    let row = GridLandscape { down: None, cells: texts.cells[..2].to_vec(), ..texts };
    assert_eq!(landscape::landscape(&row).matches("<th scope=\"row\">").count(), 1);
    assert!(landscape::candidates(&page()).contains("2 variants, the best first; of these 1 were"));
}

#[test]
fn messages_reach_what_is_told_or_the_page_says_why_not() {
    let html = reach::reach(&page());
    assert!(
        html.contains("on 132 multiprocessors, as H100 has") && html.contains("takes 1\u{202f}024 clocks"),
        "{html}"
    );
    // The value is half of 99 per cent of the bits.
    assert!(html.contains(">1968<"), "{html}");
    assert_eq!(html.matches("<path class=\"line").count(), 2);
    let none = GridPage { reach: Some(Err("a <reason>".into())), ..page() };
    assert!(reach::reach(&none).contains("Neither measured nor modelled: a &lt;reason&gt;."));
}
