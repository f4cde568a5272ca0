//! Functions of vector kernels: blocks, the constants that they use, and the values that stay in registers.

use aesmith_isa::assemble::{Item, Section};
use aesmith_order::function::Loop;
use aesmith_order::modulo::Cut;

use crate::lower::Constants;
use crate::machine::{Flag, Machine, VectorTarget};

/// The label of the constants.
pub const CONSTANTS: &str = ".Lconstants";

/// A function under construction.
pub struct Function<'t> {
    /// The blocks, frame and registers.
    pub inner: aesmith_order::function::Function<'t, dyn VectorTarget + 't>,
    /// The constants.
    pub constants: Constants,
    /// The number of blocks per iteration of its loop.
    pub side_by_side: usize,
    kept: Vec<u8>,
}

impl<'t> Function<'t> {
    /// An empty function, see [`aesmith_order::function::Function::new`].
    pub fn new(inner: aesmith_order::function::Function<'t, dyn VectorTarget + 't>) -> Function<'t> {
        Function { inner, constants: Constants::default(), side_by_side: 1, kept: Vec::new() }
    }

    /// The processor.
    pub fn target(&self) -> &'t dyn VectorTarget {
        self.inner.target()
    }

    /// Writes a block.
    ///
    /// # Errors
    /// There are too few registers, or a program has an operation that no such machine has.
    pub fn block(
        &mut self,
        write: impl FnOnce(&mut dyn Machine, &mut Constants) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut writer = self.target().writer(&self.kept);
        self.constants.forget();
        write(&mut *writer, &mut self.constants)?;
        let block = std::mem::take(writer.block());
        self.inner.add(&block)
    }

    /// Arranges the iterations of a loop. Each begins the given number of rounds of the next iteration; for that, it
    /// may read the named regions of text ahead.
    ///
    /// # Errors
    /// There are too few registers, a program has an operation that no such machine has, or an iteration has fewer
    /// rounds.
    pub fn turns(
        &mut self,
        ahead: usize,
        regions: &[u16],
        write: impl FnOnce(&mut dyn Machine, &mut Constants) -> Result<(), String>,
    ) -> Result<Loop, String> {
        let mut writer = self.target().writer(&self.kept);
        self.constants.forget();
        write(&mut *writer, &mut self.constants)?;
        let block = std::mem::take(writer.block());
        let before = ahead.checked_sub(1).map(|cut| {
            let most = block.cuts.len();
            block.cuts.get(cut).copied().ok_or_else(|| format!("a turn has {most} rounds that may be ahead"))
        });
        let cut = before.transpose()?.map(|before| Cut { before, regions });
        self.inner.turns(&block, cut)
    }

    /// Reserves a free register for a value that stays in it: one for numbers, or with `vector` one for 16 bytes.
    ///
    /// # Errors
    /// No register is left.
    pub fn keep(&mut self, vector: bool) -> Result<u8, String> {
        let target = self.target();
        self.inner.keep_where(|r| target.fits(r, vector))
    }

    /// Prepares the values that the machine keeps in registers.
    ///
    /// # Errors
    /// There are too few registers.
    pub fn prepare(&mut self) -> Result<(), String> {
        let target = self.target();
        let kept: Vec<u8> = (0..target.keeps()).map(|_| self.keep(false)).collect::<Result<_, _>>()?;
        self.block(|w, _| {
            w.put_kept(&kept);
            Ok(())
        })?;
        self.kept = kept;
        Ok(())
    }

    /// Adds a jump to a label that is taken if the number in a register is below this one, or if it is not.
    ///
    /// # Errors
    /// None: the branch needs no additional register.
    pub fn branch(&mut self, register: u8, number: i32, below: bool, label: &str) -> Result<(), String> {
        self.block(|w, _| {
            w.compare(register.into(), number, Flag::Blocks);
            Ok(())
        })?;
        let jump = self.target().branch(Flag::Blocks, below, label);
        self.inner.items(vec![jump]);
        Ok(())
    }

    /// Keeps at most `most` constants in registers: those that this block loads most often.
    ///
    /// # Errors
    /// There are too few registers, or a program has an operation that no such machine has.
    pub(crate) fn keep_constants(
        &mut self,
        most: usize,
        block: impl FnOnce(&mut dyn Machine, &mut Constants) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut wanted = Constants::default();
        block(&mut *self.target().writer(&self.kept), &mut wanted)?;
        let mut order: Vec<usize> = (0..wanted.all.len()).collect();
        order.sort_by_key(|&place| std::cmp::Reverse(wanted.loads[place]));
        let mut kept = Vec::new();
        for place in order.into_iter().take(most) {
            kept.push((wanted.all[place], self.keep(true)?));
        }
        self.block(|w, constants| {
            for &(constant, register) in &kept {
                let loaded = constants.get(w, constant);
                w.block().leave(loaded, Some(register));
            }
            Ok(())
        })?;
        for (constant, register) in kept {
            let place = self.constants.all.iter().position(|one| *one == constant);
            self.constants.kept.push((place.expect("was asked for"), register));
        }
        Ok(())
    }

    /// The sections of the function and of its constants, which are padded to a multiple of `multiple` bytes.
    pub fn finish(self, code: u64, data: u64, multiple: usize) -> Vec<Section> {
        let mut bytes = self.constants.all.concat();
        bytes.resize(bytes.len().next_multiple_of(multiple), 0);
        let items = vec![Item::Align(16), Item::Label(CONSTANTS.into()), Item::Bytes(bytes)];
        let code = self.inner.finish(code);
        vec![code, Section { name: ".rodata", address: data, writable: false, items }]
    }
}
