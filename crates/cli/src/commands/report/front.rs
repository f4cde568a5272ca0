//! `aesmith report --processor`: the tuned fronts as one HTML file.

use crate::arguments;
use crate::failure::Failure;
use crate::output::Output;
use crate::overwrite;
use crate::quantity::show_moment;
use crate::sources::{request_on, wisdom_path};
use aesmith_cipher::Problem;
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::core::Core;
use aesmith_report::{Front, FrontPoint, ProcessorPage, render_processor};
use aesmith_tune::Request;
use aesmith_tune::evaluate::stored::in_full;
use aesmith_tune::front::front;
use aesmith_wisdom::write::now_ms;
use aesmith_wisdom::{Costed, Filter, Store};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Writes the page and prints its path.
pub fn run(
    core: &'static Core,
    options: &arguments::Report,
    named: Option<&Path>,
    output: &mut Output,
) -> Result<(), Failure> {
    let request = request_on(core, options.problem, &options.choice)?;
    let store = Store::open_to_read(&wisdom_path(named)?)?;
    let file = options.output.clone().unwrap_or_else(|| PathBuf::from(format!("aesmith-{}.html", core.name)));
    write(core, &store, options.problem, &request, (&file, options.force))?;
    if output.json {
        return output.object(&json!({ "processor": core.name, "report": file.display().to_string() }));
    }
    output.line(file.display().to_string())
}

/// Writes the page of a problem, or of all known ones, with the kernels that meet the request.
pub fn write(
    core: &'static Core,
    store: &Store,
    problem: Option<Problem>,
    request: &Request,
    (file, force): (&Path, bool),
) -> Result<(), Failure> {
    let filter = Filter { processor: Some(core.name.into()), problem, ..Filter::default() };
    let rows = store.costed(&filter, None, &|_, text| core.table.today(text).into_owned())?;
    let mut fronts = Vec::new();
    for problem in Problem::all() {
        let name = problem.to_string();
        let rows: Vec<&Costed> = rows.iter().filter(|d| d.problem == name).collect();
        fronts.extend(one(core, problem, &rows, request));
    }
    if fronts.is_empty() {
        let problem = problem.map_or("aes128-ecb".to_owned(), |p| p.to_string());
        return Err(Failure::NothingKnown(format!(
            "nothing is confirmed on {0} yet; `aesmith tune {problem} --processor {0} --objective pareto` finds a front",
            core.name
        )));
    }
    let page = ProcessorPage {
        name: core.name.into(),
        about: core.about.into(),
        model: core.model_about.into(),
        time: request.timing.about(core),
        made: format!("{} UTC", show_moment(now_ms())),
        fronts,
    };
    overwrite::put(file, &render_processor(&page), force)
}

/// The front of a problem, from confirmed kernels.
fn one(core: &Core, problem: Problem, rows: &[&Costed], request: &Request) -> Option<Front> {
    let kept = |text: &str| core.table.parse(text).is_ok_and(|variant| request.names(&variant));
    let rows: Vec<&Costed> = rows.iter().copied().filter(|row| kept(&row.variant)).collect();
    let all: Vec<BitsCertificate> = rows
        .iter()
        .filter_map(|row| in_full(row))
        .filter(|c| request.timing.admits(core, &c.proof))
        .collect();
    let costs: Vec<_> = all.iter().map(|c| (c.cost, c.is_constant_time())).collect();
    let points: Vec<FrontPoint> = front(&costs).into_iter().map(|i| point(core, problem, &all[i])).collect();
    (!points.is_empty()).then(|| Front {
        problem: problem.to_string(),
        unit: if problem.is_message() { "per block" } else { "per key" }.into(),
        cost: core.timing.unit.into(),
        points,
        costed: rows.len() as u64,
    })
}

fn point(core: &Core, problem: Problem, c: &BitsCertificate) -> FrontPoint {
    let start = format!("{problem} processor={} ", core.name);
    let choices = c.variant.strip_prefix(&start).unwrap_or(&c.variant).to_owned();
    let variant = core.table.read(problem, &choices).ok();
    FrontPoint {
        cycles: c.cycles(),
        model: c.cost.cycles,
        bound: variant.and_then(|v| (core.bound)(&v)).map(|b| b.0 / f64::from(c.proof.blocks_a_call())),
        flash: c.cost.flash,
        ram: c.cost.ram,
        stack: c.cost.stack,
        constant_time: c.is_constant_time(),
        judge: c.judge.clone(),
        counted: c.judged_cycles.is_some(),
        variant: choices,
    }
}
