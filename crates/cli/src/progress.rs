//! Progress on stderr: on a terminal a bar with rate, best cost so far and time left, otherwise plain lines.

use crate::output::say;
use crate::quantity::grouped;
use aesmith_search::Progress;
use aesmith_tune::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The number of steps of a bar that shows a share of a budget.
const WHOLE: u64 = 10_000;
/// The minimum time between plain lines.
const PLAIN: Duration = Duration::from_secs(5);

/// Shows the events of a run.
pub struct Reporter {
    bar: Option<ProgressBar>,
    last: Instant,
    /// The current stage, for plain lines.
    stage: String,
    /// The number of stages announced, and the total if known.
    stages: (usize, Option<usize>),
    unit: &'static str,
    /// The end of the time limit, if there is one.
    ends: Option<Instant>,
}

impl Reporter {
    /// A reporter for costs in `unit` (`c/B`).
    pub fn new(unit: &'static str) -> Reporter {
        Reporter::with(unit, None)
    }

    /// A reporter for work of at most `stages` stages.
    pub fn of_stages(unit: &'static str, stages: usize) -> Reporter {
        Reporter::with(unit, Some(stages))
    }

    fn with(unit: &'static str, stages: Option<usize>) -> Reporter {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
            bar.set_style(bar_style());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Reporter { bar, last: Instant::now(), stage: String::new(), stages: (0, stages), unit, ends: None }
    }

    /// Sets the end of the work: stages then show the time left.
    pub fn until(mut self, ends: Option<Instant>) -> Reporter {
        self.ends = ends;
        self
    }

    /// Shows one event.
    pub fn show(&mut self, event: Event<'_>) {
        match event {
            Event::Stage(stage) => {
                self.stages.0 += 1;
                match self.stages {
                    (number, Some(of)) => {
                        self.stage(&format!("stage {number} of {of}{}: {stage}", self.left()))
                    }
                    (_, None) => self.stage(stage),
                }
            }
            Event::LeftOut => self.stages.0 += 1,
            Event::Detail(detail) => self.detail(detail),
            Event::Progress(progress) => {
                let text = self.describe(progress);
                self.advance(progress.fraction, text);
            }
            Event::Step(done, of) => {
                let fraction = (of > 0).then(|| done as f64 / of as f64);
                self.advance(fraction, format!("{} of {}", grouped(done.into()), grouped(of.into())));
            }
            Event::Note(note) => self.say(note),
        }
    }

    /// Removes the bar.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// The time left, in words.
    fn left(&self) -> String {
        let left = self.ends.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64());
        left.map_or_else(String::new, |seconds| format!(", {seconds:.0} s left"))
    }

    fn stage(&mut self, stage: &str) {
        stage.clone_into(&mut self.stage);
        match &self.bar {
            Some(bar) => {
                bar.set_position(0);
                bar.set_prefix(stage.to_owned());
                bar.set_message("");
            }
            None => say(stage),
        }
    }

    fn detail(&mut self, detail: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(detail.to_owned()),
            None => say(format!("  {detail}")),
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say(line)),
            None => say(line),
        }
    }

    fn advance(&mut self, fraction: Option<f64>, text: String) {
        match &self.bar {
            Some(bar) => {
                bar.set_position((fraction.unwrap_or(0.0).clamp(0.0, 1.0) * WHOLE as f64) as u64);
                bar.set_message(text);
            }
            None if self.last.elapsed() >= PLAIN => {
                self.last = Instant::now();
                say(format!("{}: {text}", self.stage));
            }
            None => {}
        }
    }

    fn describe(&self, progress: &Progress<'_>) -> String {
        let best =
            progress.best.map_or_else(String::new, |(_, cost)| format!(", best {cost:.4} {}", self.unit));
        let left =
            progress.fraction.filter(|f| *f > 0.0).map(|f| progress.elapsed.as_secs_f64() * (1.0 - f) / f);
        let left = left.map_or_else(String::new, |seconds| format!(", {seconds:.0} s left"));
        format!("{} variants, {:.0}/s{best}{left}", grouped(progress.trials.into()), progress.rate)
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.finish();
    }
}

fn bar_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{spinner} {prefix}\n  [{bar:20}] {percent:>3}% {msg}");
    style.expect("the template is a constant").progress_chars("=> ")
}
