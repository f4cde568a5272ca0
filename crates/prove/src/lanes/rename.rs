//! Renaming: values with their atoms replaced by those of another position in the message.

use crate::algebra::matrices::Coefficient;
use crate::lanes::bitwise::Instance;
use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::intern::FastMap;
use crate::lanes::schedule::{KeyWords, Schedule};
use crate::lanes::state::LowByte;
use crate::lanes::terms::{Atom, Index, Lane, Order, Terms};

/// The results of one renaming so far.
#[derive(Default)]
pub struct Renamed {
    /// Lanes.
    pub lanes: FastMap<Lane, Lane>,
    /// Forms; `None` for those that become unknown.
    pub forms: FastMap<Form, Option<Form>>,
    /// Counters that differ only in the last byte share their other bytes; in forms, these bytes are named by one of
    /// the counters.
    pub window: Option<Window>,
    /// The schedule by which round keys are replaced by those that are not sums of others.
    pub schedule: Option<Schedule>,
    /// Words of that schedule.
    words: KeyWords,
}

/// Facts about counters before and after a renaming.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// Facts about the counters in the form.
    pub before: LowByte,
    /// The number that is added to their indices.
    pub advance: i32,
    /// Facts about the renamed counters.
    pub after: LowByte,
    /// The counter by which all counters that share bytes with it are named, if any.
    pub sought: Option<i32>,
    /// Mask of the counters that share its high half: bit `i` is for the counter `i - 64` after it.
    pub high: u128,
    /// The first and last counter of those whose bytes 0 to 10 do not change until the end of the message.
    pub lasting: Option<(i32, i32)>,
}

impl Window {
    /// A window without renaming.
    pub fn still(known: LowByte) -> Self {
        Window { before: known, advance: 0, after: known, sought: None, high: 0, lasting: None }
    }

    /// The counter by which a byte of another one, except the last byte, is named.
    fn representative(&self, index: i32, byte: u8) -> Index {
        if self.lasting.is_some_and(|(first, last)| byte <= 10 && (first..=last).contains(&index)) {
            return Index::End(0);
        }
        Index::At(self.representative_at(index, byte))
    }

    fn representative_at(&self, index: i32, byte: u8) -> i32 {
        if let Some(sought) = self.sought {
            let apart = index - sought + 64;
            let high = byte < 8 && (0..128).contains(&apart) && self.high >> apart & 1 == 1;
            if high || self.advance == 0 && self.after.same_window(index, sought) {
                return sought;
            }
        }
        self.after.representative(self.before.representative(index) + self.advance)
    }
}

impl Renamed {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.lanes.clear();
        self.forms.clear();
        self.words.clear();
    }
}

/// The replacement of each atom, or `None` to keep it.
pub type Replacement<'a> = &'a mut dyn FnMut(&mut Terms, Atom) -> Option<Lane>;

impl Terms {
    /// `lane` with the atoms that `rename` chooses replaced; it is not called for atoms that are the same at every
    /// position of the message. `memo` is for one renaming.
    pub fn rename(&mut self, lane: Lane, memo: &mut Renamed, rename: Replacement) -> Lane {
        if lane.is_unknown() || self.is_fixed(lane) {
            return lane;
        }
        if let Some(&known) = memo.lanes.get(&lane) {
            return known;
        }
        let mut sum = self.constant(self.constant_part(lane));
        for k in 0..self.summands(lane) {
            let (number, map) = self.member(lane, k);
            let part = self.rename_atom(number, memo, rename);
            let part = self.moved(map, part);
            sum = self.xor(sum, part);
        }
        memo.lanes.insert(lane, sum);
        sum
    }

    fn rename_atom(&mut self, number: u32, memo: &mut Renamed, rename: Replacement) -> Lane {
        let atom = self.atoms[number as usize];
        let single = self.single(number);
        if self.is_fixed(single) {
            return single;
        }
        if let Some(part) = rename(self, atom) {
            return part;
        }
        match atom {
            Atom::Round { round, of } => {
                let of = self.rename(of, memo, rename);
                self.round(round, of)
            }
            Atom::InvMix { of } => {
                let of = self.rename(of, memo, rename);
                if of.is_unknown() { of } else { self.atom(Atom::InvMix { of }) }
            }
            Atom::Power { of, power } => {
                let of = self.rename(of, memo, rename);
                self.times_power(of, power).unwrap_or(Lane::UNKNOWN)
            }
            Atom::Partial { of } => {
                let of = self.rename(of, memo, rename);
                if of.is_unknown() { of } else { self.atom(Atom::Partial { of }) }
            }
            Atom::Product { .. } => Lane::UNKNOWN,
            Atom::Bytes { index } => {
                let mut bytes = self.bytes[index as usize];
                for byte in &mut bytes {
                    match self.rename_form(*byte, memo, rename) {
                        Some(renamed) => *byte = renamed,
                        None => return self.unknown(&[single]),
                    }
                }
                self.lane_of_bytes(bytes)
            }
            Atom::Cone { function, of } => {
                let of = self.rename(of, memo, rename);
                self.image(function, of)
            }
            Atom::Table { index } => {
                let mut lanes: Vec<Lane> = self.bitwise.lanes(index).to_vec();
                for lane in &mut lanes {
                    *lane = self.rename(*lane, memo, rename);
                    if lane.is_unknown() {
                        return self.unknown(&[single]);
                    }
                }
                self.table_over(index, &lanes).unwrap_or_else(|| self.unknown(&[single]))
            }
            Atom::Sliced { instance, bit } => {
                let Instance { inverse, mut lanes } = self.bitwise.instances[instance as usize];
                for lane in &mut lanes {
                    *lane = self.rename(*lane, memo, rename);
                    if lane.is_unknown() {
                        return self.unknown(&[single]);
                    }
                }
                let instance = self.bitwise.instance(Instance { inverse, lanes });
                self.atom(Atom::Sliced { instance, bit })
            }
            _ => single,
        }
    }

    /// A form with its atoms renamed; `None` if it becomes unknown.
    pub(crate) fn rename_form(
        &mut self,
        form: Form,
        memo: &mut Renamed,
        rename: Replacement,
    ) -> Option<Form> {
        if memo.schedule.is_none() && self.form_is_fixed(form) {
            return Some(form);
        }
        if let Some(&known) = memo.forms.get(&form) {
            return known;
        }
        let renamed = self.rename_terms(form, memo, rename);
        memo.forms.insert(form, renamed);
        renamed
    }

    /// The counter by which a byte of a counter, except the last, is named.
    fn in_window(&mut self, atom: u32, byte: u8, memo: &Renamed) -> Option<Lane> {
        let window = memo.window.filter(|_| byte != 15)?;
        let Atom::Counter { index: Index::At(i), order: Order::MEMORY } = self.atoms[atom as usize] else {
            return None;
        };
        let index = window.representative(i, byte);
        Some(self.atom(Atom::Counter { index, order: Order::MEMORY }))
    }

    /// Stream and round of an atom, if it is a round key.
    fn is_key(&self, atom: u32) -> Option<(u8, u8)> {
        match self.atoms[atom as usize] {
            Atom::Key { stream, round } => Some((stream, round)),
            _ => None,
        }
    }

    /// A lane with shared bytes of counters named by the counter that is sought, so that rounds of that counter get
    /// their names.
    pub(crate) fn lane_in_window(&mut self, lane: Lane, window: Window) -> Lane {
        let (mut memo, mut inner) = (Renamed::default(), Renamed::default());
        inner.window = Some(window);
        let mut nothing = |_: &mut Terms, _| None;
        let named = self.rename(lane, &mut memo, &mut |terms, atom| {
            if !matches!(atom, Atom::Bytes { .. } | Atom::Cone { .. }) {
                return None;
            }
            let lane = terms.atom(atom);
            let mut bytes = terms.plain_bytes(lane);
            for byte in &mut bytes {
                let open = terms.expand_form(*byte);
                *byte = terms.rename_form(open, &mut inner, &mut nothing)?;
            }
            let lane = terms.lane_of_bytes(bytes);
            Some(terms.coarse(lane))
        });
        self.coarse(named)
    }

    /// True if two bytes are equal, given that counters share bytes, and by the schedule if `memo` has one.
    pub(crate) fn same_byte_in_window(&mut self, a: Form, b: Form, memo: &mut Renamed) -> bool {
        let mut nothing = |_: &mut Terms, _| None;
        let [a, b] = [a, b].map(|form| {
            let open = self.expand_form(form);
            self.rename_form(open, memo, &mut nothing)
        });
        a.is_some() && a == b
    }

    fn rename_terms(&mut self, form: Form, memo: &mut Renamed, rename: Replacement) -> Option<Form> {
        let terms: Vec<(ByteAtom, Coefficient)> = self.forms.terms(form).collect();
        let mut parts = vec![(self.forms.constant(self.forms.constant_part(form)), 1)];
        for (atom, coefficient) in terms {
            let part = match atom {
                ByteAtom::Lane { atom, index } if self.in_window(atom, index, memo).is_some() => {
                    let lane = self.in_window(atom, index, memo)?;
                    self.byte(lane, index as usize)?
                }
                ByteAtom::Lane { atom, index } if memo.schedule.is_some() && self.is_key(atom).is_some() => {
                    let (key, schedule) = (self.is_key(atom)?, memo.schedule?);
                    self.scheduled(schedule, &mut memo.words, key, index)
                }
                ByteAtom::Lane { atom, index } => {
                    let lane = self.rename(self.single(atom), memo, rename);
                    self.byte(lane, index as usize)?
                }
                ByteAtom::Sbox { inverse, of } => {
                    let of = self.rename_form(of, memo, rename)?;
                    self.forms.sbox(inverse, of)
                }
                ByteAtom::Function { number } => {
                    let function = self.forms.functions[number as usize].clone();
                    let of = self.rename_form(function.of, memo, rename)?;
                    self.forms.function(of, &function.values)
                }
            };
            parts.push((part, coefficient));
        }
        Some(self.forms.combine(&parts))
    }
}
