//! The palette: every page contains it once, and its colours are distinct for all readers.

use crate::sample;
use aesmith_report::{
    ExtensionPage, GridPage, ProcessorPage, ReportData, render, render_extension, render_grid,
    render_processor,
};

const PALETTE: &str = include_str!("../src/page/palette.css");

/// A colour in linear sRGB.
type Light = [f64; 3];

/// The numbered colours of a name in the light (0) or dark (1) scheme.
fn colours(name: char, numbers: std::ops::Range<u8>, scheme: usize) -> Vec<Light> {
    let value = |n: u8| {
        let open = format!("--{name}{n}: #");
        let text = PALETTE.split(&open).nth(scheme + 1).unwrap_or_else(|| panic!("{open}"));
        let part = |i: usize| f64::from(u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()) / 255.0;
        [0, 1, 2].map(|i| match part(i) {
            v if v <= 0.04045 => v / 12.92,
            v => ((v + 0.055) / 1.055).powf(2.4),
        })
    };
    numbers.map(value).collect()
}

fn times(matrix: &[[f64; 3]; 3], light: Light) -> Light {
    matrix.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum())
}

/// The Oklab coordinates of a colour (Ottosson, 2020).
fn oklab(light: Light) -> Light {
    let lms = times(
        &[
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ],
        light.map(|v| v.clamp(0.0, 1.0)),
    );
    times(
        &[
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ],
        lms.map(f64::cbrt),
    )
}

/// Colour vision with all cones, and without each kind of cone (Machado, Oliveira and Fernandes, 2009).
const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    ("three kinds of cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    ),
    (
        "deuteranopia",
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ),
    (
        "tritanopia",
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ),
];

fn contrast(a: Light, b: Light) -> f64 {
    let luminance = |c: Light| 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] + 0.05;
    let (a, b) = (luminance(a), luminance(b));
    a.max(b) / a.min(b)
}

#[test]
fn colours_are_told_apart_with_each_kind_of_colour_blindness() {
    // A just noticeable difference in Oklab is about 0.02.
    for (name, numbers, least) in [('c', 0..7, 0.09), ('r', 0..5, 0.06)] {
        for scheme in [0, 1] {
            let all = colours(name, numbers.clone(), scheme);
            for (eyes, matrix) in EYES {
                let seen: Vec<Light> = all.iter().map(|c| oklab(times(&matrix, *c))).collect();
                for (i, a) in seen.iter().enumerate() {
                    for (j, b) in seen.iter().enumerate().skip(i + 1) {
                        let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        assert!(
                            apart > least,
                            "--{name}{i} and --{name}{j} of scheme {scheme}, {eyes}: {apart}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn colours_stand_out_from_the_paper() {
    for (scheme, paper) in [[0.98; 3], [0.008; 3]].into_iter().enumerate() {
        for (n, colour) in colours('c', 0..7, scheme).into_iter().enumerate() {
            assert!(contrast(colour, paper) >= 3.0, "--c{n} of scheme {scheme}: {}", contrast(colour, paper));
        }
    }
}

/// A named colour that has one definition in each scheme.
fn named(name: &str, scheme: usize) -> Light {
    let text = PALETTE.split(&format!("--{name}: #")).nth(scheme + 1).expect("a colour");
    let part = |i: usize| f64::from(u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()) / 255.0;
    [0, 1, 2].map(|i| ((part(i) + 0.055) / 1.055).powf(2.4))
}

/// Heat maps have numbers in their cells: paper-coloured over the best two colours, ink over the last two, and the
/// colour `--on-r2` over the middle one.
#[test]
fn numbers_are_read_over_the_ramp() {
    for scheme in [0, 1] {
        let [paper, ink] = ["paper", "ink"].map(|name| named(name, scheme));
        let on = PALETTE.split("--on-r2: var(--").nth(scheme + 1).expect("in each scheme");
        let middle = if on.starts_with("ink") { ink } else { paper };
        let over = [paper, paper, middle, ink, ink];
        for (n, (colour, text)) in colours('r', 0..5, scheme).into_iter().zip(over).enumerate() {
            assert!(contrast(colour, text) >= 4.5, "--r{n} of scheme {scheme}: {}", contrast(colour, text));
        }
    }
}

#[test]
fn every_page_has_the_one_palette_and_no_colour_beside_it() {
    let text = || String::from("x");
    let processor = ProcessorPage {
        name: text(),
        about: text(),
        model: text(),
        time: text(),
        made: text(),
        fronts: Vec::new(),
    };
    let extension = ExtensionPage {
        name: text(),
        about: text(),
        source: text(),
        instructions: Vec::new(),
        made: text(),
        bases: Vec::new(),
        paper: Vec::new(),
        unit: Err(text()),
        trade: Err(text()),
    };
    for page in [
        render(&sample::sample()),
        render(&ReportData::default()),
        render_processor(&processor),
        render_extension(&extension),
        render_grid(&GridPage::default()),
    ] {
        assert_eq!(page.matches(PALETTE).count(), 1);
        let rest = page.replace(PALETTE, "").replace("href=\"#", "");
        // The only one mixes the ramp from the palette.
        assert_eq!(rest.matches("rgb(").count(), usize::from(page.contains("<script")));
        assert!(!rest.contains("rgba(") && !rest.contains("hsl("), "a colour beside the palette");
        let digits = |at: usize| rest[at + 1..].chars().take_while(char::is_ascii_hexdigit).count();
        let found: Vec<&str> = rest
            .match_indices('#')
            .filter(|(at, _)| matches!(digits(*at), 3 | 6))
            .map(|(at, _)| &rest[at..at + 7])
            .collect();
        assert!(found.is_empty(), "{found:?}");
    }
}
