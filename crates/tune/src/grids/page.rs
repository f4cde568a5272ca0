//! Converts the result of a search to the data of a report's page.

use aesmith_processor::grid::occupancy::Needs;
use aesmith_processor::grid::reach::Reach;
use aesmith_processor::grid::{Architecture, Counted, Grids};
use aesmith_report::{
    GridBound, GridCandidate, GridCell, GridCounted, GridElement, GridLandscape, GridPage, GridReach,
    GridReachPoint, GridRoom, GridUnit, GridWinner,
};

use super::landscape::{Axis, Cell, Landscape};
use crate::decide::grids::GridDecision;
use crate::deliver::grids::admits_time;
use crate::evaluate::bounding::Candidate;
use crate::figures::title;
use crate::request::Request;

/// Shortest and longest message of the curve, in bytes.
const LENGTHS: (u64, u64) = (1 << 12, 1 << 30);
/// Points of the curve per doubling of the length.
const AN_OCTAVE: i32 = 12;
/// Number of iterations of all multiprocessors for whose ends the curve has points.
const TURNS: u64 = 64;
/// Ratio of successive lengths in the printed list.
const TOLD: u64 = 4;

/// Counts of a kernel on an architecture; `by_text` is true if only its text was counted.
struct Known<'a> {
    architecture: &'static Architecture,
    counted: &'a Counted,
    by_text: bool,
}

/// The page of a problem's best kernel; `made` is its date as text.
pub fn page(
    grids: &Grids,
    found: &GridDecision,
    landscapes: &[Landscape],
    request: &Request,
    made: String,
) -> GridPage {
    let certificate = found.winner.certificate();
    let proof = &certificate.proof;
    let known = known(grids, found);
    let contract = found.winner.kernel().contract;
    let element = match contract.problem.mode().writes {
        Some(_) => GridElement::keys(contract.elements()[0] as u64),
        None => GridElement::default(),
    };
    let winner = GridWinner {
        variant: certificate.variant.clone(),
        symbol: certificate.symbol.clone(),
        class: certificate.class.clone(),
        time: certificate.constant_time.clone(),
        sha256: certificate.sha256.clone(),
        proof_ms: proof.microseconds / 1000,
        tested_blocks: certificate.tested_blocks,
        threads: proof.threads,
        shared: proof.shared,
        a_turn: proof.kinds().iter().map(|kind| kind.a_turn).collect(),
        assumptions: proof.assumptions.clone(),
        notes: certificate.notes.clone(),
    };
    let architectures = grids.translator.architectures().iter();
    GridPage {
        title: format!("{} on {}", title(contract.problem), grids.name),
        about: grids.about.into(),
        model: grids.model_about.into(),
        made,
        element,
        winner,
        bounds: architectures.map(|architecture| bound(grids, found, &known, architecture)).collect(),
        landscapes: landscapes.iter().map(|landscape| shown(landscape, request)).collect(),
        candidates: candidates(grids, found, landscapes),
        reach: Some(match known.last() {
            Some(newest) => reach(grids, found, newest),
            None => Err("its instructions were not counted".into()),
        }),
    }
}

/// The winner's counts: of machine code, or of its text without a translator.
fn known<'a>(grids: &Grids, found: &'a GridDecision) -> Vec<Known<'a>> {
    let architectures = grids.translator.architectures().iter();
    let counts = &found.winner.certificate().counts;
    if counts.is_empty() {
        let own = found.candidates.iter().find(|c| c.variant == found.winner.kernel().variant);
        let of = |own: &'a Candidate| {
            let mut named = architectures.filter(|a| own.counted.architecture.starts_with(a.name));
            Some(Known { architecture: named.next()?, counted: &own.counted, by_text: true })
        };
        return own.and_then(of).into_iter().collect();
    }
    let of = |architecture: &'static Architecture| {
        let counted = counts.iter().find(|counted| counted.architecture == architecture.name)?;
        Some(Known { architecture, counted, by_text: false })
    };
    architectures.filter_map(of).collect()
}

fn bound(grids: &Grids, found: &GridDecision, known: &[Known], architecture: &Architecture) -> GridBound {
    let certificate = found.winner.certificate();
    let proof = &certificate.proof;
    let here = known.iter().find(|known| known.architecture.name == architecture.name);
    let registers = here.and_then(|known| (!known.by_text).then_some(known.counted.registers));
    let needs = Needs { threads: proof.threads, registers, shared: proof.shared };
    let occupancy = architecture.occupancy(grids.launch.warp.into(), &needs);
    let (blocks, limit) = occupancy.resident();
    let counted = here.map(|known| figures(known.counted, known.architecture, known.by_text));
    let why = || match proof.shared > architecture.memory {
        true => format!(
            "it needs {} bytes of shared memory per block, but {} provides {}",
            proof.shared, architecture.name, architecture.memory
        ),
        false => "no machine code was counted".to_owned(),
    };
    GridBound {
        architecture: architecture.name.into(),
        counted: counted.ok_or_else(why),
        room: GridRoom {
            limits: occupancy.limits().map(|(name, most)| (name.to_owned(), most)).into(),
            blocks,
            limit: limit.into(),
            warps: occupancy.resident_warps(),
            most_warps: architecture.room.warps,
        },
    }
}

fn figures(counted: &Counted, architecture: &Architecture, by_text: bool) -> GridCounted {
    let units = counted.units(architecture).map(|unit| GridUnit {
        name: unit.name.into(),
        instructions: unit.instructions,
        rate: unit.rate,
        clocks: unit.clocks,
    });
    GridCounted {
        by_text,
        registers: (!by_text).then_some(counted.registers),
        spilled: (!by_text).then_some(counted.spilled),
        clocks: counted.clocks,
        bits: counted.bits,
        limit: counted.limit.clone(),
        units: units.into(),
    }
}

fn shown(landscape: &Landscape, request: &Request) -> GridLandscape {
    let axis = |axis: &Axis| (axis.name.to_owned(), axis.values.clone());
    let cell = |cell: &Cell| GridCell {
        bits: cell.candidate.counted.bits,
        limit: cell.candidate.counted.limit.clone(),
        by_text: cell.by_text,
        constant_time: cell.constant_time,
        allowed: admits_time(request.timing, cell.constant_time),
        wins: cell.wins,
        variants: cell.variants,
    };
    GridLandscape {
        technique: landscape.technique.to_owned(),
        across: axis(&landscape.across),
        down: landscape.down.as_ref().map(axis),
        cells: landscape.cells.iter().map(|of| of.as_ref().map(cell)).collect(),
    }
}

/// All variants, with the facts known about their timing.
fn candidates(grids: &Grids, found: &GridDecision, landscapes: &[Landscape]) -> Vec<GridCandidate> {
    let by_machine = grids.translator.present().is_ok();
    let cells = || landscapes.iter().flat_map(|landscape| &landscape.cells).flatten();
    let one = |candidate: &Candidate, by_text: bool| {
        let (counted, variant) = (&candidate.counted, &candidate.variant);
        let cell = cells().find(|cell| cell.candidate.variant == *variant);
        let variable = found.variable.contains(variant).then_some(false);
        let architectures = grids.translator.architectures().iter();
        let architecture = architectures.map(|a| a.name).find(|name| counted.architecture.starts_with(name));
        GridCandidate {
            variant: choices(grids, variant),
            bits: counted.bits,
            limit: counted.limit.clone(),
            architecture: architecture.unwrap_or(&counted.architecture).into(),
            by_text,
            registers: (!by_text).then_some(counted.registers),
            spilled: (!by_text).then_some(counted.spilled),
            shared: candidate.shared,
            constant_time: cell.map(|cell| cell.constant_time).or(variable),
        }
    };
    let counted = found.candidates.iter().map(|candidate| one(candidate, !by_machine));
    counted.chain(found.rest.iter().map(|candidate| one(candidate, true))).collect()
}

/// A variant without its problem and processor, which the page names.
fn choices(grids: &Grids, variant: &aesmith_arrange::Variant) -> String {
    let text = variant.to_string();
    let start = format!("{} processor={} ", variant.problem, grids.name);
    text.strip_prefix(&start).unwrap_or(&text).to_owned()
}

fn reach(grids: &Grids, found: &GridDecision, known: &Known) -> Result<GridReach, String> {
    let Known { architecture, counted, by_text } = *known;
    let reach = Reach::of(grids, &found.winner, counted, architecture)?;
    let size = found.winner.kernel().contract.elements()[0] as u64;
    let point = |blocks: u64| GridReachPoint {
        bytes: size * blocks,
        turns: reach.share(blocks, false),
        all: reach.share(blocks, true),
    };
    let a_turn = reach.of_a_turn();
    let of_all = a_turn * reach.multiprocessors;
    // Lengths at a few steps per doubling; lengths at which an iteration of all multiprocessors ends; and
    // lengths with one more iteration on a single multiprocessor, which the others wait for.
    let (shortest, longest) = (LENGTHS.0 / size, LENGTHS.1 / size);
    let mut lengths: Vec<u64> = (0..)
        .map(|step| (shortest as f64 * 2f64.powf(f64::from(step) / f64::from(AN_OCTAVE))).round() as u64)
        .take_while(|blocks| *blocks <= longest)
        .chain((1..=TURNS).flat_map(|turns| [turns * of_all, turns * of_all + a_turn]))
        .filter(|blocks| (shortest..=longest).contains(blocks))
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    let told = std::iter::successors(Some(shortest), |blocks| Some(blocks * TOLD));
    Ok(GridReach {
        architecture: architecture.name.into(),
        by_text,
        device: architecture.device.name.into(),
        multiprocessors: architecture.device.multiprocessors,
        resident: reach.resident,
        of_a_turn: a_turn,
        filling: reach.filling.into_iter().fold(0.0, f64::max),
        bits: counted.bits * f64::from(architecture.device.multiprocessors),
        points: lengths.into_iter().map(point).collect(),
        told: told.take_while(|blocks| *blocks <= longest).map(point).collect(),
    })
}
