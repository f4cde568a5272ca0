//! Instructions of PTX in numbers, by sections 9.7.1 to 9.7.9 of NVIDIA's PTX ISA manual: one function for each, written
//! without the rows of the checker.

/// The number of an instruction's destinations, and their values, for the values of its sources and the carry before it; the
/// carry behind it.
pub fn execute(name: &str, s: &[u64], carry: bool) -> (Vec<u64>, bool) {
    let w = |k: usize| s[k] as u32;
    let same = |value: u64| (vec![value], carry);
    let word = |value: u32| (vec![u64::from(value)], carry);
    match name {
        "mov.b32" | "mov.u32" => word(w(0)),
        "mov.b64" | "mov.u64" if s.len() == 1 => same(s[0]),
        "pack" => same((u64::from(w(1)) << 32) + u64::from(w(0))),
        "unpack" => (vec![s[0] & 0xffff_ffff, s[0] >> 32], carry),
        "cvt.u64.u32" => same(u64::from(w(0))),
        "cvt.u32.u64" => word(s[0] as u32),
        "add.u32" => word(w(0).wrapping_add(w(1))),
        "sub.u32" => word(w(0).wrapping_sub(w(1))),
        "add.u64" => same(s[0].wrapping_add(s[1])),
        "sub.u64" => same(s[0].wrapping_sub(s[1])),
        "add.cc.u64" => {
            let (sum, carry) = s[0].overflowing_add(s[1]);
            (vec![sum], carry)
        }
        "addc.u64" => same(s[0].wrapping_add(s[1]).wrapping_add(carry.into())),
        "mul.lo.u32" => word(w(0).wrapping_mul(w(1))),
        "mul.lo.u64" => same(s[0].wrapping_mul(s[1])),
        "mul.wide.u32" => same(u64::from(w(0)) * u64::from(w(1))),
        "mad.lo.u32" => word(w(0).wrapping_mul(w(1)).wrapping_add(w(2))),
        "mad.wide.u32" => same((u64::from(w(0)) * u64::from(w(1))).wrapping_add(s[2])),
        "and.b32" => word(w(0) & w(1)),
        "or.b32" => word(w(0) | w(1)),
        "xor.b32" => word(w(0) ^ w(1)),
        "not.b32" => word(!w(0)),
        "and.b64" => same(s[0] & s[1]),
        "or.b64" => same(s[0] | s[1]),
        "xor.b64" => same(s[0] ^ s[1]),
        // Amounts greater than the width are clamped to it.
        "shl.b32" => word(w(0).checked_shl(w(1)).unwrap_or(0)),
        "shr.u32" => word(w(0).checked_shr(w(1)).unwrap_or(0)),
        "shl.b64" => same(s[0].checked_shl(w(1)).unwrap_or(0)),
        "shr.u64" => same(s[0].checked_shr(w(1)).unwrap_or(0)),
        // The 64 bits of the second and the first operand are shifted; `wrap` takes the amount modulo 32.
        "shf.l.wrap.b32" => {
            let both = u64::from(w(1)) << 32 | u64::from(w(0));
            word(((both << (w(2) % 32)) >> 32) as u32)
        }
        "shf.r.wrap.b32" => {
            let both = u64::from(w(1)) << 32 | u64::from(w(0));
            word((both >> (w(2) % 32)) as u32)
        }
        // Bit by bit; what is behind the word is 0.
        "bfe.u32" => {
            let (from, count) = (w(1) & 0xff, w(2) & 0xff);
            let bit = |k: u32| if from + k < 32 { w(0) >> (from + k) & 1 } else { 0 };
            word((0..count.min(32)).fold(0, |all, k| all | bit(k) << k))
        }
        "prmt.b32" => {
            let [a, b] = [w(0).to_le_bytes(), w(1).to_le_bytes()];
            let all = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
            let byte = |k: u32| {
                let selector = w(2) >> (4 * k) & 0xf;
                let byte = all[(selector & 7) as usize];
                if selector < 8 { byte } else { ((byte as i8) >> 7) as u8 }
            };
            word(u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]))
        }
        "lop3.b32" => {
            let bit = |k: u32| {
                let place = (w(0) >> k & 1) << 2 | (w(1) >> k & 1) << 1 | (w(2) >> k & 1);
                (s[3] >> place & 1) as u32
            };
            word((0..32).fold(0, |all, k| all | bit(k) << k))
        }
        "selp.b32" | "selp.b64" => same(if s[2] == 1 { s[0] } else { s[1] }),
        _ => {
            let compared = name.strip_prefix("setp.").expect("an instruction of the model");
            let (kind, bits) = compared.split_once(".u").expect("a type");
            let order = if bits == "32" { w(0).cmp(&w(1)) } else { s[0].cmp(&s[1]) };
            same(u64::from(match kind {
                "lt" => order.is_lt(),
                "le" => order.is_le(),
                "gt" => order.is_gt(),
                "ge" => order.is_ge(),
                "eq" => order.is_eq(),
                _ => order.is_ne(),
            }))
        }
    }
}
