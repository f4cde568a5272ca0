//! The symbolic domain's state: the terms of lanes and the scalars of a path, and queries on them.

mod shapes;
mod values;

pub use values::{CarryFlag, Flags, Mask, OverflowFlag};

use std::collections::BTreeSet;

use aesmith_cipher::mode::Next;
use aesmith_cipher::problem::MOST_STREAMS;
use aesmith_cipher::{Mode, Problem};
use aesmith_isa::convention::Convention;
use aesmith_isa::lanes::{Condition, Unsupported, Width};

use crate::lanes::coverage::ByteSet;
use crate::lanes::forms::Form;
use crate::lanes::intern::{FastMap, Memo, Numbered};
use crate::lanes::lookups::Lookups;
use crate::lanes::memory::Place;
use crate::lanes::rename::Renamed;
use crate::lanes::scalar::{Split, Word};
use crate::lanes::state::Path;
use crate::lanes::terms::{Atom, Index, Lane, Order, Terms};
use crate::lanes::words::{Operand, ScalarOp};

/// The most terms that are kept from one kernel to the next.
const MOST_TERMS: usize = 1 << 20;

/// A counter before all that a proof names. Counters of 32 bits share bytes 0 to 11 in every message.
const FIRST_COUNTER: i32 = -(1 << 28);

/// The reason why an instruction was not executed.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The path must first decide if the low half of the counter overflows between these.
    Overflow(i32, Index),
    /// The path must first decide on which side of a bound a length lies.
    Split(Split),
    /// An error.
    Refused(String),
}

impl From<Unsupported> for Stop {
    fn from(unsupported: Unsupported) -> Self {
        Stop::Refused(unsupported.what)
    }
}

/// A refusal.
pub fn refuse<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(why.into()))
}

/// Terms, the current path, and the kernel that is interpreted.
pub struct Symbolic {
    /// The calling convention.
    pub convention: &'static Convention,
    /// Lanes and bytes.
    pub terms: Terms,
    /// The path in execution.
    pub path: Path,
    /// The specified problem.
    pub problem: Problem,
    /// The mode of that problem: [`Problem::mode`].
    pub(crate) mode: &'static Mode,
    /// The kernel.
    pub code: Vec<u8>,
    /// The offset at which its constants begin: the first multiple of 64 behind every instruction.
    pub constants_from: usize,
    /// The offset of the current instruction.
    pub ip: u64,
    /// The stack pointer before that instruction.
    pub stack_pointer: Word,
    /// The condition of an undecided branch.
    pub undecided: Option<(Condition, Flags)>,
    /// True if entries of a counter table were loaded.
    pub reads_table: bool,
    /// Number of times that a result depended on no blocks having been processed yet.
    pub start_uses: usize,
    /// The first inexact value of the proof, for refutations.
    pub blur: Option<(u64, &'static str)>,
    /// Numbers given to counter tables so far ([`crate::lanes::tables`]).
    pub tables: u16,
    /// True if a secret was left where the stack pointer no longer protects it.
    pub left_secret: bool,
    /// Maximum stack use in bytes before the stack pointer was raised.
    pub deepest: usize,
    /// The lowest stack address that the current instruction reads or writes.
    pub accessed: Option<Place>,
    /// The farthest access below the stack pointer, in bytes.
    pub below: usize,
    /// The lanes whose elements' highest bits form masks, by number.
    pub(crate) signs: Numbered<(Width, Vec<Lane>)>,
    /// Lanes that are permuted together, by number.
    pub(crate) permuted: FastMap<(usize, [Lane; 8]), u32>,
    /// Loads at addresses that depend on bytes.
    pub(crate) lookups: Lookups,
    /// Results of operations on scalars of bytes.
    pub(crate) scalars: Memo<(ScalarOp, Operand, Operand), Option<Word>>,
    /// True if parts of eight bytes of memory were written, and the others never.
    pub(crate) keeps_stale: bool,
    /// Bytes renamed by the facts about counters.
    pub(crate) window_memo: Renamed,
    /// Bytes renamed by round keys that are not sums of others.
    pub(crate) schedule_memo: Renamed,
    /// Offsets of the instructions that load at secret-dependent addresses.
    pub secret_loads: BTreeSet<u64>,
    /// Bytes of the kernel that were read as constants.
    pub(crate) constants_read: ByteSet,
    /// Bytes of the caller's key structures that were read.
    pub(crate) key_read: ByteSet,
    words: Numbered<[Form; 8]>,
    /// Memos of halves of lanes of bytes, and of lanes of halves that are bytes.
    halves: Memo<(Lane, bool), Word>,
    pairs: Memo<(u64, u64), Lane>,
    /// The specification's output blocks, by stream and block.
    pub outputs: Memo<(u8, i32), Lane>,
    /// The specification's values of GHASH after a block.
    pub(crate) hashes: Memo<i32, Lane>,
}

impl Symbolic {
    /// A state for any problem; [`Symbolic::begin`] sets the actual one.
    pub fn new(problem: Problem, convention: &'static Convention) -> Self {
        Symbolic {
            convention,
            terms: Terms::new(),
            path: Path::new(0, [Lane::ZERO; MOST_STREAMS], convention),
            problem,
            mode: problem.mode(),
            code: Vec::new(),
            constants_from: 0,
            ip: 0,
            stack_pointer: Word::Public,
            undecided: None,
            start_uses: 0,
            reads_table: false,
            blur: None,
            tables: 0,
            left_secret: false,
            deepest: 0,
            accessed: None,
            below: 0,
            signs: Numbered::default(),
            permuted: FastMap::default(),
            lookups: Lookups::default(),
            scalars: Memo::default(),
            keeps_stale: false,
            window_memo: Renamed::default(),
            schedule_memo: Renamed::default(),
            secret_loads: BTreeSet::new(),
            constants_read: ByteSet::default(),
            key_read: ByteSet::default(),
            words: Numbered::default(),
            halves: Memo::default(),
            pairs: Memo::default(),
            outputs: Memo::default(),
            hashes: Memo::default(),
        }
    }

    /// Makes every memo compute its results again when they are first requested in a proof, and compare them: a
    /// debugging aid, which panics if a key does not hold everything that a result depends on.
    pub(crate) fn check_memos(&mut self, begin: bool) {
        self.terms.check_memos(begin);
        self.lookups.check_memos(begin);
        self.scalars.check_if(begin);
        self.halves.check_if(begin);
        self.pairs.check_if(begin);
        self.outputs.check_if(begin);
        self.hashes.check_if(begin);
    }

    /// Begins another kernel. Terms are kept while they are few: kernels of one problem share most of them.
    pub fn begin(&mut self, problem: Problem, code: &[u8]) {
        if self.terms.size() > MOST_TERMS {
            self.terms.clear();
            self.signs.clear();
            self.lookups.clear();
            self.scalars.clear();
            self.permuted.clear();
            self.words.clear();
            self.halves.clear();
            self.pairs.clear();
            self.outputs.clear();
            self.hashes.clear();
        }
        if problem != self.problem {
            self.outputs.clear();
            self.hashes.clear();
        }
        self.problem = problem;
        self.mode = problem.mode();
        self.code.clear();
        self.code.extend_from_slice(code);
        self.constants_from = code.len();
        self.ip = 0;
        self.blur = None;
        self.reads_table = false;
        self.lookups.begin();
        self.keeps_stale = false;
        self.window_memo.clear();
        self.schedule_memo.clear();
        self.secret_loads.clear();
        self.constants_read.clear();
        self.key_read.clear();
        self.tables = 0;
        self.left_secret = false;
        self.deepest = 0;
        self.below = 0;
        let mut iv = [Lane::ZERO; MOST_STREAMS];
        for (stream, lane) in iv.iter_mut().enumerate().take(problem.streams()) {
            *lane = self.chain(stream as u8);
        }
        self.path = Path::new(problem.streams(), iv, self.convention);
        if self.mode.next() == Next::Counter32 {
            self.path.upper_fixed = Some(FIRST_COUNTER);
        }
        if self.mode.hashed().is_some() {
            self.path.hash = self.hash_before(0);
        }
        self.check_memos(false);
    }

    /// Notes an inexact value.
    pub(crate) fn blurred(&mut self, why: &'static str) {
        if self.blur.is_none() {
            self.blur = Some((self.ip, why));
        }
    }

    /// A counter block.
    pub fn counter(&mut self, index: Index, order: Order) -> Lane {
        self.terms.atom(Atom::Counter { index, order })
    }

    /// The number of a list of lanes whose elements' highest bits form a mask.
    pub(crate) fn signs_number(&mut self, element: Width, lanes: &[Lane]) -> u32 {
        self.signs.number((element, lanes.to_vec()))
    }

    /// The number of a list of up to eight lanes.
    pub(crate) fn tables_number(&mut self, lanes: &[Lane]) -> u32 {
        // The key includes the number of lanes: a missing lane differs from a zero one.
        let key = (lanes.len(), std::array::from_fn(|i| lanes.get(i).copied().unwrap_or(Lane::ZERO)));
        let fresh = self.permuted.len() as u32;
        *self.permuted.entry(key).or_insert(fresh)
    }
}
