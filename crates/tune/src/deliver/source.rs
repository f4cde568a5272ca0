//! The source of kernels of this machine: an open store and a prover. A [`KernelSet`] is what is delivered: a kernel with the key set-up
//! that it needs.

use aesmith_cipher::Problem;
use aesmith_processor::measured::Target;
use aesmith_prove::Prover;
use aesmith_wisdom::Store;
use std::path::Path;

use crate::deliver::Delivery;
use crate::deliver::dispatch::{KernelRequest, best_known, confirmed, fewest_bytes, tune_command};
use crate::deliver::judged::Judged;
use crate::error::TuneError;
use crate::request::Request;
use crate::workplace::{Workplace, this_processor};

/// The source of kernels that are delivered.
pub struct Source<'a> {
    /// The wisdom, if there is any.
    pub store: Option<&'a Store>,
    /// The path of the wisdom, beside which proofs that the checker refuses are kept.
    pub wisdom: &'a Path,
    /// The key of the processor in the wisdom.
    pub processor: &'a str,
    /// CPU features that kernels may use.
    pub target: &'a Target,
    /// Requirements on kernels that are delivered.
    pub request: &'a Request,
    /// The prover of all kernels that are delivered.
    pub prover: &'a mut Prover,
}

/// A kernel with the key set-up that it needs.
#[derive(Clone, Debug)]
pub struct KernelSet {
    /// The requested kernel.
    pub main: Judged,
    /// The kernel that computes its round keys; `None` if `main` is a key schedule itself.
    pub schedule: Option<Judged>,
    /// The kernel that computes the counter table, if the proof of `main` saw it read.
    pub table: Option<Judged>,
}

impl Workplace {
    /// The source of kernels with its store and its prover.
    pub fn source(&mut self) -> Source<'_> {
        let Workplace { store, key, target, prover, settings, .. } = self;
        Source {
            store: Some(store),
            wisdom: &settings.wisdom,
            processor: key,
            target,
            request: &settings.request,
            prover,
        }
    }

    /// The best known deliverable kernel of a problem: see [`best_known`].
    ///
    /// # Errors
    /// See [`best_known`].
    pub fn best_known(&mut self, problem: Problem, size: usize) -> Result<Delivery, TuneError> {
        let mut source = self.source();
        source.best_on(source.processor, problem, size)
    }
}

impl Source<'_> {
    /// The best known kernel of a problem for messages of `size` bytes, by results of one processor.
    fn best_on(&mut self, processor: &str, problem: Problem, size: usize) -> Result<Delivery, TuneError> {
        let wanted = KernelRequest::new(problem, size, self.target, self.request);
        best_known(self.store, processor, wanted, self.prover)
    }

    /// The best known kernel of a problem for messages of `size` bytes. For a lesser CPU than this machine, results of the machine
    /// itself count too, if their kernel needs no more than that CPU.
    ///
    /// # Errors
    /// See [`best_known`].
    pub fn best(&mut self, problem: Problem, size: usize) -> Result<Delivery, TuneError> {
        let own = self.best_on(self.processor, problem, size)?;
        let machine = this_processor(None).key;
        if machine == self.processor {
            return Ok(own);
        }
        let of_machine = self.best_on(&machine, problem, size)?;
        Ok(match (own.cost, of_machine.cost) {
            (None, Some(_)) => of_machine,
            (Some(own_cost), Some(other)) if other < own_cost => of_machine,
            _ => own,
        })
    }

    /// The bytes of the smallest known kernel of a problem; `None` if none is known.
    ///
    /// # Errors
    /// The store failed.
    pub fn fewest_bytes(&self, problem: Problem, size: usize) -> Result<Option<u64>, TuneError> {
        let wanted = KernelRequest::new(problem, size, self.target, self.request);
        let machine = this_processor(None).key;
        let others = (machine != self.processor).then_some(machine.as_str());
        fewest_bytes(self.store, [self.processor].into_iter().chain(others), wanted)
    }

    /// A kernel given by its variants, completed with its known cost.
    ///
    /// # Errors
    /// The store failed.
    pub fn given(&self, kernel: Delivery) -> Result<Delivery, TuneError> {
        let own = confirmed(self.store, (self.processor, self.target), &kernel)?;
        let confirmed = match own.is_empty() {
            true => confirmed(self.store, (&this_processor(None).key, self.target), &kernel)?,
            false => own,
        };
        let hint = tune_command(self.store, kernel.problem, self.target);
        let cost = confirmed.last().map(|best| best.median);
        Ok(Delivery { confirmed, hint, cost, ..kernel })
    }

    /// A kernel with these parts of its key set-up, and the best known for the missing ones.
    ///
    /// # Errors
    /// See [`Source::best`] and [`Delivery::keeps_to`].
    pub fn set(
        &mut self,
        main: Delivery,
        schedule: Option<Delivery>,
        table: Option<Delivery>,
    ) -> Result<KernelSet, TuneError> {
        let problem = main.problem;
        let schedule = match schedule {
            None if problem.is_message() => Some(self.best(problem.key_schedule(), 0)?),
            given => given,
        };
        // A recipe of an older version may name a table that no code reads: it is left out.
        let wanted = problem.key_table().filter(|_| main.coverage.reads_table());
        let table = match (table, wanted) {
            (_, None) => None,
            (None, Some(wanted)) => Some(self.best(wanted, 0)?),
            (given, _) => given,
        };
        for kernel in [&main].into_iter().chain(&schedule).chain(&table) {
            kernel.keeps_to(self.request)?;
        }
        let judged = |kernel: Delivery| Judged::new(kernel, self.wisdom);
        Ok(KernelSet { main: judged(main), schedule: schedule.map(judged), table: table.map(judged) })
    }
}
