//! Circuits of the S-box as data: straight-line programs of gates, each with its source. The tests check them for all
//! 256 bytes.

use crate::logic;
use crate::program::{Program, Value};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The S-box and its inverse as gates.
///
/// Gates are written `d=a^b`, `d=a&b`, `d=a#b` for the complement of `a^b`, or `d=TT(a,b,c)` for the function with the
/// truth table `TT` in hexadecimal (see [`Gate::table`]). Inputs are `u0` to `u7` and outputs `s0` to `s7`, where 0 is
/// the most significant bit of the byte, as in the sources. The order of the gates keeps few values live at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// The name in reports.
    pub name: &'static str,
    /// The source of the gates.
    pub source: &'static str,
    /// The gates of the S-box.
    pub sbox: &'static str,
    /// The gates of its inverse.
    pub inverse: &'static str,
}

/// The circuits among which a variant may choose, by number.
pub const CIRCUITS: [Circuit; 2] = [
    Circuit {
        name: "boyar-peralta-calik",
        source: "S-box: SLP_AES_113.txt (Boyar, Peralta, Calik); inverse: Sinv.txt (Boyar, Peralta, \
             IFIP SEC 2012); both of the Circuit Minimization Team, Yale",
        sbox: SBOX_113,
        inverse: INVERSE_121,
    },
    Circuit {
        name: "three-input",
        source: "found for this project: the sums of boyar-peralta-calik associated at random and mapped to \
                 functions of three inputs (berkeley-abc), then gates replaced by others over all 256 bytes",
        sbox: SBOX_THREE,
        inverse: INVERSE_THREE,
    },
];

const SBOX_113: &str = "
    y14=u3^u5 y13=u0^u6 y12=y13^y14 y8=u0^u5 y9=u0^u3 t0=u1^u2 y1=t0^u7 y4=y1^u3 y5=y1^u6 t1=u4^y12
    y15=t1^u5 y20=t1^u1 y10=y15^t0 y11=y20^y9 y16=t0^y11 y18=u0^y16 y2=y1^u0 t12=y9&y11 t15=y8&y10
    t16=t15^t12 t5=y4&u7 t2=y12&y15 t6=t5^t2 t18=t6^t16 y19=y10^y8 t22=t18^y19 t7=y13&y16 t8=y5&y1
    t9=t8^t7 y7=u7^y11 t10=y2&y7 t11=t10^t7 t20=t11^t16 t24=t20^y18 y17=y10^y11 t13=y14&y17
    t14=t13^t12 t19=t9^t14 y21=y13^y16 t23=t19^y21 y6=y15^u7 y3=y5^y8 t3=y3&y6 t4=t3^t2 t17=t4^y20
    t21=t17^t14 t25=t21^t22 t26=t21&t23 t31=t22^t26 t30=t23^t24 t32=t31&t30 t27=t24^t26 t33=t32^t24
    t34=t23^t33 t35=t27^t33 t36=t24&t35 t37=t36^t34 t38=t27^t36 t28=t25&t27 t29=t28^t22 t39=t29&t38
    t40=t25^t39 z5=t29&y7 t43=t29^t40 z3=t43&y16 z12=t43&y13 z4=t40&y1 tc6=z3^z4 tc12=z3^z5
    z13=t40&y5 t41=t40^t37 z10=t37&y3 z1=t37&y6 t44=t33^t37 z0=t44&y15 z9=t44&y12 z2=t33&u7
    tc5=z1^z0 tc4=z0^z2 z14=t29&y2 t42=t29^t33 z11=t33&y4 z15=t42&y9 z6=t42&y11 t45=t42^t41
    z7=t45&y17 z16=t45&y14 z17=t41&y8 z8=t41&y10 tc11=tc6^tc5 tc8=z7^tc6 tc1=z15^z16 tc13=z13^tc1
    tc2=z10^tc1 tc3=z9^tc2 tc21=tc2^z11 tc7=z12^tc4 tc9=z8^tc7 tc16=z6^tc8 s3=tc3^tc11
    tc14=tc4^tc12 tc10=tc8^tc9 tc17=z14^tc10 tc18=tc13^tc14 tc20=z15^tc16 s5=tc21^tc17 s6=tc10#tc18
    s4=tc14^s3 s7=z12#tc18 tc26=tc17^tc20 s2=tc26#z17 s1=s3#tc16 s0=tc3^tc16";

const INVERSE_121: &str = "
    y2=u1#u3 rtl1=u3^u4 rtl0=u6^u7 y6=u7#rtl1 y1=y2^rtl0 y4=u0^y2 rtl2=u0#u2 y0=u0^u3 ah=y0^y1
    y3=y1^rtl1 sa0=y1^y3 y7=u2#y1 y5=u5^rtl2 bh=y4^y5 sb0=y5^y7 t01=y1&y5 abcd1=ah&bh
    ph01=t01^abcd1 ab20=sa0^sb0 ph11=ab20^abcd1 rr1=y0&y4 ab0=ph11^rr1 r2=y3&y7 bl=y6^y7 al=y2^y3
    abcd2=al&bl pl01=r2^abcd2 ab22=al^bl pl11=ab22^abcd2 r1=y2&y6 ab2=pl11^r1 sb1=y4^y6 sa1=y0^y2
    ab21=sa1^sb1 ab1=ph01^ab21 r3=sa0&sb0 wr1=sa1&sb1 qr1=wr1^r3 cp2=ab1^qr1 ab3=pl01^qr1
    ab23=y3^y7 cp4=ab3^ab23 aa=sa0^sa1 bb=sb0^sb1 vr1=aa&bb pr1=vr1^r3 cp3=ab2^pr1 cp1=ab0^pr1
    tinv11=cp2&cp3 tinv1=cp3^cp4 tinv2=cp3&cp1 tinv12=tinv1&tinv11 tinv3=cp2^tinv2
    tinv7=tinv3&tinv1 tinv13=tinv1^tinv2 d3=tinv12^tinv13 d2=cp4^tinv7 tinv5=cp4^tinv2
    tinv8=cp1&cp4 tinv4=cp1^cp2 tinv6=tinv5&tinv4 d0=cp2^tinv6 tinv9=tinv4&tinv8 tinv10=tinv4^tinv2
    d1=tinv9^tinv10 r7=d3&y0 dh=d2^d3 abcd5=dh&ah abcd3=dh&bh r8=d2&y1 ph03=r8^abcd5 ph13=r7^abcd5
    rr2=d3&y4 t02=d2&y5 ph12=rr2^abcd3 ph02=t02^abcd3 sd0=d0^d2 r6=sd0&sb0 sd1=d1^d3 r11=sd0&sa0
    wr3=sd1&sa1 wr2=sd1&sb1 dd=sd0^sd1 vr2=dd&bb vr3=dd&aa qr3=wr3^r11 pr3=vr3^r11 r5=d0&y7
    r9=d1&y2 r10=d0&y3 dl=d0^d1 r4=d1&y6 pr2=vr2^r6 qr2=wr2^r6 abcd4=dl&bl abcd6=dl&al
    pl02=r5^abcd4 p1=ph02^qr2 pl03=r10^abcd6 p0=ph12^pr2 p4=ph13^pr3 pl12=r4^abcd4 s7=ph03^qr3
    x18=p0^p4 p3=pl02^qr2 pl13=r9^abcd6 p7=pl03^qr3 x13=p4^p7 p2=pl12^pr2 x11=p0^p2 p6=pl13^pr3
    s0=p3^p6 x16=p1^s7 s6=p2^p6 s3=p1^p6 x14=x11^x13 s1=s3^x14 s5=s0^x11 s2=x14^x16 x19=s5^x16
    s4=x18^x19";

const SBOX_THREE: &str = "
    t1=u5#u3 t2=96(u6,u0,t1) t3=96(u4,u1,t2) t13=96(u4,t2,u5) t4=96(t3,u3,u0) t0=69(u2,u1,u7)
    t9=t0^u0 t5=96(t4,u2,u1) t17=21(u0,t1,u2) t8=u5#u0 t10=96(u6,u5,t9) t25=21(t13,t10,u7)
    t26=t3^t25 t12=44(t4,t3) t20=t12#t17 t14=96(t4,t5,t13) t15=56(t12,t8,t14) t18=11(t13,t2)
    t27=69(t20,t18,t26) t16=96(t8,t15,t14) t11=48(t2,u7,t10) t19=96(t16,t18,t11) t23=48(u7,t9,t4)
    t6=06(t1,t2,t5) t24=69(t6,t23,t15) t7=1e(t0,u6,t6) t21=96(t7,t20,t5) t22=96(u0,u6,t21)
    t28=a9(t19,t27,t22) t29=ca(t22,t24,t28) t30=a9(t24,t27,t22) t32=12(t30,t24,t29)
    t31=d8(t30,t19,t27) t33=09(t32,t30,t31) t34=69(t27,t33,t19) t36=21(t22,t32,t29) t35=t31#t34
    t57=06(t22,t21,t35) t63=09(u3,t0,t29) t67=41(t34,u6,t0) t53=21(u7,t36,t13) t41=14(t13,t29,t36)
    t42=4b(t29,u7,t41) t45=11(t0,t34) t54=69(t45,t53,t41) t43=12(t5,t31,t0) t40=11(t35,t5)
    t37=96(t35,t36,t29) t48=14(t2,t35,t37) t38=06(t14,t4,t37) t46=69(t45,t38,t40) t39=t29#t31
    t47=e1(t39,t4,t46) t49=12(t8,t39,t1) t50=1e(t37,t1,t49) t56=t36#t34 t51=e1(t36,t10,t50)
    t58=e1(t56,t14,t42) t44=96(t40,t42,t43) t59=69(t57,t58,t46) t68=69(t50,t44,t67)
    t60=e1(t31,t9,t59) s0=96(t47,t48,t51) t61=e1(t56,t8,t60) s1=96(s0,t54,t40) s3=t47^s1 s7=t57^t68
    s2=69(t61,t47,t49) s6=t68#t59 s5=96(t60,t51,t63) s4=t44#s3";

const INVERSE_THREE: &str = "
    t2=u4#u3 t1=u3^u1 t3=u7#t2 t4=69(t1,u0,t3) t8=t3#u6 t5=69(u6,u4,t4) t9=t1#t8 t10=t9#t2
    t0=96(u5,u0,u2) t12=96(t10,u2,t0) t20=e7(t10,t2,u2) t6=t1^u0 t25=b4(t6,u1,t12)
    t16=12(u3,t12,u4) t14=u4#t6 t15=69(t14,u3,u4) t13=t12#t4 t17=56(t16,t4,t15) t24=a6(t16,t14,t13)
    t26=t24^t25 t11=c9(t0,t6,t10) t18=96(t11,t15,t17) t7=14(t5,t0,t6) t27=69(t2,t7,t26)
    t19=69(t3,t7,t18) t21=96(t6,t0,t13) t22=ac(t9,t1,t21) t23=96(t17,t20,t22) t29=78(t8,t21,t24)
    t30=e1(t1,t3,t29) t33=9a(t23,t30,t19) t28=a7(t19,t23,t27) t37=t30#t23 t32=2d(t27,t30,t19)
    t38=ca(t32,t30,t37) t34=e4(t33,t27,t19) t39=a9(t28,t37,t33) t31=a9(t28,t30,t27) t40=t39#t31
    t58=12(u3,t40,u0) t41=t38#t40 t42=96(t41,t31,t34) t48=14(t12,t42,t39) t61=1e(t42,t13,t48)
    t49=56(t48,t39,t4) t44=12(t42,t2,t39) t64=56(t44,t15,t39) t45=39(t14,t44,t42)
    t43=14(t8,t41,t42) t57=11(t5,t41) t59=96(t45,t57,t58) t46=t43^t45 t47=c9(t31,t46,t1)
    t67=t64^t57 s7=1e(t10,t38,t67) t60=a9(t59,t34,t9) t50=14(t34,t3,t21) t35=06(t31,t34,t21)
    t36=1e(t31,t3,t35) t51=96(t49,t35,t50) t53=12(t6,t41,t0) t54=t53^t49 t55=a9(t54,t0,t38)
    s0=t47^t51 s6=69(t47,t36,t61) t62=t36^t53 t63=c9(t6,t62,t40) t65=96(t60,t63,t64) s5=t63#s0
    t71=96(s6,t51,t55) s3=t47^t55 s4=69(s7,t59,t71) s1=69(s3,t65,t43) s2=69(s1,t47,s7)";

/// A gate of a circuit. Wires are numbered: 0 to 7 are the inputs `u0` to `u7`, and gate `n` drives wire `8 + n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The truth table: bit `a + 2 b + 4 c` is the result for arguments `a`, `b`, `c`.
    pub table: u8,
    /// The argument wires; a gate with two arguments has the second one twice.
    pub arguments: [usize; 3],
}

/// `a & b`
pub const AND: u8 = 0x88;
/// `a ^ b`
const XOR: u8 = 0x66;
/// `!(a ^ b)`
pub const XNOR: u8 = 0x99;

/// A circuit ready for use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gates {
    /// The gates, in an order in which each follows its arguments.
    pub gates: Vec<Gate>,
    /// The wires of `s0` to `s7`.
    pub outputs: [usize; 8],
    /// True for the inverse S-box.
    pub inverse: bool,
}

/// The size of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// AND gates.
    pub and: usize,
    /// XOR gates.
    pub xor: usize,
    /// XNOR gates.
    pub xnor: usize,
    /// Other gates, of up to three arguments.
    pub other: usize,
    /// The number of gates on the longest path from an input to an output.
    pub depth: usize,
}

impl Gates {
    /// Parses the text form. The texts are constants of this file, so an error in one is a bug of the program.
    fn read(text: &'static str, inverse: bool) -> Gates {
        let mut wires: HashMap<&str, usize> =
            ["u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7"].into_iter().zip(0..).collect();
        let mut gates = Vec::new();
        for gate in text.split_whitespace() {
            let (to, of) = gate.split_once('=').expect("a gate has a result");
            let at = of.find(['^', '&', '#', '(']).expect("a gate has an operation");
            let table = match &of[at..=at] {
                "&" => AND,
                "^" => XOR,
                "#" => XNOR,
                _ => u8::from_str_radix(&of[..at], 16).expect("a gate's table has two digits"),
            };
            let names = of.strip_suffix(')').map_or(of, |of| &of[at + 1..]);
            let arguments: Vec<usize> = names.split(['^', '&', '#', ',']).map(|name| wires[name]).collect();
            let last = arguments.len() - 1;
            gates.push(Gate { table, arguments: [0, 1, 2].map(|k| arguments[last.min(k)]) });
            wires.insert(to, 7 + gates.len());
        }
        let outputs = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"].map(|s| wires[s]);
        Gates { gates, outputs, inverse }
    }

    /// The gates of circuit `number` of [`CIRCUITS`], or of its inverse.
    pub fn of(number: u8, inverse: bool) -> &'static Gates {
        static READ: OnceLock<Vec<[Gates; 2]>> = OnceLock::new();
        let read = READ.get_or_init(|| {
            CIRCUITS.iter().map(|c| [Gates::read(c.sbox, false), Gates::read(c.inverse, true)]).collect()
        });
        &read[usize::from(number)][usize::from(inverse)]
    }

    /// Computes the outputs gate by gate: `put` gets a gate's table and its two argument values. Only for circuits
    /// whose gates have two arguments.
    pub fn write<V: Copy>(&self, inputs: [V; 8], put: impl FnMut(u8, V, V) -> V) -> [V; 8] {
        self.write_in(0..self.gates.len(), inputs, put)
    }

    /// Computes [`Gates::write`] with the gates in another order, in which each follows its arguments.
    pub fn write_in<V: Copy>(
        &self,
        order: impl IntoIterator<Item = usize>,
        inputs: [V; 8],
        mut put: impl FnMut(u8, V, V) -> V,
    ) -> [V; 8] {
        let mut wires = inputs.to_vec();
        wires.resize(8 + self.gates.len(), inputs[0]);
        for number in order {
            let gate = &self.gates[number];
            let [a, b, _] = gate.arguments.map(|k| wires[k]);
            wires[8 + number] = put(gate.table, a, b);
        }
        self.outputs.map(|wire| wires[wire])
    }

    /// Computes the outputs of circuits with gates of up to three arguments: `put` gets a gate's table and its
    /// arguments.
    pub fn write_by_three<V: Copy>(&self, inputs: [V; 8], mut put: impl FnMut(u8, [V; 3]) -> V) -> [V; 8] {
        let mut wires = inputs.to_vec();
        for gate in &self.gates {
            wires.push(put(gate.table, gate.arguments.map(|k| wires[k])));
        }
        self.outputs.map(|wire| wires[wire])
    }

    /// The size of the circuit.
    pub fn size(&self) -> Size {
        let count = |table| self.gates.iter().filter(|g| g.table == table).count();
        let mut depths = vec![0; 8];
        for gate in &self.gates {
            depths.push(1 + gate.arguments.map(|a| depths[a]).into_iter().max().unwrap_or(0));
        }
        let depth = self.outputs.map(|w| depths[w]).into_iter().max().unwrap_or(0);
        let [and, xor, xnor] = [count(AND), count(XOR), count(XNOR)];
        Size { and, xor, xnor, other: self.gates.len() - and - xor - xnor, depth }
    }

    /// Appends the circuit without its constant: it computes the S-box plus 0x63, or the inverse S-box of its argument
    /// plus 0x63, because the constant can be added to a round key for free. Bit 0 comes first in `bits` and in the
    /// result.
    pub fn append(&self, p: &mut Program, bits: [Value; 8]) -> [Value; 8] {
        let mut complemented = vec![false; 8 + self.gates.len()];
        for k in 0..8 {
            complemented[if self.inverse { k } else { self.outputs[k] }] = 0x63 >> (7 - k) & 1 == 1;
        }
        let mut wires: Vec<Value> = bits.into_iter().rev().collect();
        for (n, gate) in self.gates.iter().enumerate() {
            let flipped = |k: usize| u8::from(complemented[gate.arguments[k]]) << k;
            let flips = flipped(0) | flipped(1) | flipped(2);
            let table = (0..8).fold(0, |table, i| table | (gate.table >> (i ^ flips) & 1) << i);
            let table = if complemented[8 + n] { !table } else { table };
            wires.push(logic::append(p, table, gate.arguments.map(|w| wires[w])));
        }
        let mut out = self.outputs.map(|w| wires[w]);
        out.reverse();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Word;
    use aesmith_cipher::block::{INV_SBOX, SBOX};

    fn table(gates: &Gates) -> [u8; 256] {
        std::array::from_fn(|x| {
            let mut wires: Vec<bool> = (0..8).map(|k| x >> (7 - k) & 1 == 1).collect();
            for gate in &gates.gates {
                let [a, b, c] = gate.arguments.map(|w| u8::from(wires[w]));
                wires.push(gate.table >> (a + 2 * b + 4 * c) & 1 == 1);
            }
            gates.outputs.iter().fold(0, |y, &w| y << 1 | u8::from(wires[w]))
        })
    }

    fn without_complements(gates: &Gates) -> [u8; 256] {
        let mut p = Program::new(Word::U32, 8);
        let bits = std::array::from_fn(|b| p.input(b));
        p.outputs = gates.append(&mut p, bits).to_vec();
        std::array::from_fn(|x| {
            let inputs: Vec<u128> = (0..8).map(|b| (x >> b & 1) as u128).collect();
            p.run(&inputs).iter().rev().fold(0, |y, &bit| y << 1 | bit as u8)
        })
    }

    #[test]
    fn every_circuit_is_the_sbox() {
        for number in 0..CIRCUITS.len() as u8 {
            assert_eq!(table(Gates::of(number, false)), SBOX);
            assert_eq!(table(Gates::of(number, true)), INV_SBOX);
            let plain = without_complements(Gates::of(number, false));
            assert_eq!(plain, SBOX.map(|s| s ^ 0x63));
            let inverse = without_complements(Gates::of(number, true));
            for x in 0..256 {
                assert_eq!(inverse[x ^ 0x63], INV_SBOX[x]);
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_sources() {
        let sizes = |inverse| Gates::of(0, inverse).size();
        assert_eq!(sizes(false), Size { and: 32, xor: 77, xnor: 4, other: 0, depth: 27 });
        let three = [false, true].map(|inverse| Gates::of(1, inverse).gates.len());
        assert_eq!(three, [71, 74]);
        assert_eq!(sizes(true), Size { and: 34, xor: 83, xnor: 4, other: 0, depth: 21 });
    }
}
