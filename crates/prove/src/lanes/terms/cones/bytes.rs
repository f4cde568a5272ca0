//! The bytes of cones: those of the function, with the bytes of its argument substituted.

use crate::lanes::atoms::{Atom, Lane};
use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::intern::FastMap;
use crate::lanes::terms::Terms;

/// A cone with a byte that is a sum of more terms than this is not opened. Those of kernels have up to 6; the states of
/// a wrong kernel may not be states of the cipher, and their sums would grow with each round.
const MOST_TERMS: usize = 16;

impl Terms {
    /// The bytes of a cone.
    pub(crate) fn cone_bytes(&mut self, number: u32) -> [Form; 16] {
        if let Some(known) = self.cones.bytes.get(&number) {
            return known;
        }
        // Cones nest as deep as rounds: the inner ones first, without recursion.
        let mut under_way = vec![number];
        let mut bytes = [Form(0); 16];
        while let Some(&number) = under_way.last() {
            let Atom::Cone { function, of } = self.atoms[number as usize] else {
                unreachable!("a cone has this number")
            };
            let before = under_way.len();
            for k in 0..self.summands(of) {
                let (inner, _) = self.member(of, k);
                let cone = matches!(self.atoms[inner as usize], Atom::Cone { .. });
                if cone && self.cones.bytes.get(&inner).is_none() {
                    under_way.push(inner);
                }
            }
            if under_way.len() > before {
                continue;
            }
            under_way.pop();
            let argument = self.plain_bytes(of);
            let mut known = FastMap::default();
            let of_argument = self.plain_bytes(function);
            bytes = of_argument.map(|form| self.form_of(form, (of, &argument), &mut known));
            if bytes.iter().any(|&form| self.forms.terms(form).len() > MOST_TERMS) {
                bytes = self.closed_cone(number);
            }
            self.cones.bytes.insert(number, bytes);
        }
        bytes
    }

    /// The bytes of a cone as opaque bytes.
    fn closed_cone(&mut self, number: u32) -> [Form; 16] {
        std::array::from_fn(|i| self.forms.atom(ByteAtom::Lane { atom: number, index: i as u8 }))
    }

    /// True if the bytes of a cone are opaque.
    pub(crate) fn is_closed_cone(&mut self, number: u32) -> bool {
        self.cone_bytes(number)[0] == self.forms.atom(ByteAtom::Lane { atom: number, index: 0 })
    }

    /// A byte of a function, for given bytes of its argument.
    fn form_of(
        &mut self,
        form: Form,
        argument: (Lane, &[Form; 16]),
        known: &mut FastMap<Form, Form>,
    ) -> Form {
        if !self.forms.facts(form).argument {
            return form;
        }
        if let Some(&known) = known.get(&form) {
            return known;
        }
        let constant = self.forms.constant(self.forms.constant_part(form));
        let terms: Vec<_> = self.forms.terms(form).collect();
        let mut parts = vec![(constant, 1)];
        for (atom, coefficient) in terms {
            let part = match atom {
                ByteAtom::Lane { atom, index } => match self.atoms[atom as usize] {
                    Atom::Argument => argument.1[index as usize],
                    _ => {
                        let lane = self.image(self.single(atom), argument.0);
                        self.byte(lane, index as usize).expect("no deeper than the cone")
                    }
                },
                ByteAtom::Sbox { inverse, of } => {
                    let of = self.form_of(of, argument, known);
                    self.forms.sbox(inverse, of)
                }
                ByteAtom::Function { number } => {
                    let function = self.forms.functions[number as usize].clone();
                    let of = self.form_of(function.of, argument, known);
                    self.forms.function(of, &function.values)
                }
            };
            parts.push((part, coefficient));
        }
        let result = self.forms.combine(&parts);
        known.insert(form, result);
        result
    }
}
