//! Instructions whose time does not depend on their data, by mnemonic: Intel's list "Data Operand Independent
//! Timing Instructions", restricted to the rows of this table.
//!
//! Intel publishes it at intel.com, under software-security-guidance/resources/
//! data-operand-independent-timing-instructions.html, and guarantees it for processors that do not enumerate
//! DOITM. On those that do (Ice Lake, Gracemont and later) it holds while the bit DOITM of IA32_UARCH_MISC_CTL
//! is set, which only the operating system can do (same place,
//! best-practices/data-operand-independent-timing-isa-guidance.html). It does not cover AMD's processors: AMD
//! publishes no such list.
//!
//! The page itself was not available. The list was checked against two second-hand sources, which [`Source`]
//! names. Instructions in neither are not listed, however likely they are: VPERMB, VPERMI2B, VPERMT2B, BZHI,
//! MOVBE, and MOVAPS and MOVUPS with their VEX forms.

use iced_x86::Mnemonic;

/// The source for a mnemonic being on the list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// The transcription `doit-ins.hpp` of github.com/CharlieQiu2017/doit-enforcer, commit 91ea9534, of July
    /// 2024: names of the decoder XED, one for all encodings of a mnemonic.
    July2024,
    /// The page as updated on 23 February 2026, according to reports; we know of no transcription.
    February2026,
}

impl Source {
    /// The source in words, with its date.
    pub const fn text(self) -> &'static str {
        match self {
            Source::July2024 => "Intel's list as transcribed in July 2024",
            Source::February2026 => "Intel's list as updated on 23 February 2026",
        }
    }
}

/// An upper bound on iced's number of mnemonics.
const MNEMONICS: usize = 2048;

/// Defines the list and the table from mnemonics to their sources.
macro_rules! listed {
    ($($source:ident { $($mnemonic:ident)* })*) => {
        /// Every mnemonic of the list that this table has rows for.
        pub(crate) const LIST: &[(Mnemonic, Source)] = &[$($((Mnemonic::$mnemonic, Source::$source),)*)*];
    };
}

listed! {
    July2024 {
        Adc Add And Cmp Dec Inc Lea Mov Movzx Neg Not Or Pop Push Sbb Shl Shr Sub Test Xor
        Cmova Cmovae Cmovb Cmovbe Cmove Cmovg Cmovge Cmovl Cmovle Cmovne Cmovno Cmovnp Cmovns Cmovo Cmovp Cmovs
        Seta Setae Setb Setbe Sete Setg Setge Setl Setle Setne Setno Setnp Setns Seto Setp Sets
        Aesdec Aesdeclast Aesenc Aesenclast Aesimc Aeskeygenassist
        Gf2p8affineinvqb Gf2p8affineqb Gf2p8mulb
        Movd Movdqa Movdqu Movntdq Movq
        Paddb Paddd Paddq Paddw Palignr Pand Pandn Pblendw Pclmulqdq Pcmpeqb Pcmpeqd Pcmpeqq Pcmpeqw Pcmpgtb Pcmpgtd
        Pextrb Pextrd Pextrq Pinsrb Pinsrd Pinsrq Por Pshufb Pshufd Pshufhw Pshuflw Pslld Pslldq Psllq Psllw
        Psrld Psrldq Psrlq Psrlw Psubb Psubd Psubq Psubw Punpckhbw Punpckhdq Punpckhqdq Punpckhwd Punpcklbw
        Punpckldq Punpcklqdq Punpcklwd Pxor
        Kmovb Kmovd Kmovq Kmovw Kxnorb Kxnord Kxnorq Kxnorw Kxorb Kxord Kxorq Kxorw
        Vaesdec Vaesdeclast Vaesenc Vaesenclast Vaesimc Vaeskeygenassist Valignq
        Vbroadcasti128 Vbroadcasti32x4 Vbroadcasti32x8 Vbroadcasti64x2 Vbroadcasti64x4
        Vextracti128 Vextracti32x4 Vextracti32x8 Vextracti64x2 Vextracti64x4
        Vgf2p8affineinvqb Vgf2p8affineqb Vgf2p8mulb
        Vinserti128 Vinserti32x4 Vinserti32x8 Vinserti64x2 Vinserti64x4
        Vmovd Vmovdqa Vmovdqa32 Vmovdqa64 Vmovdqu Vmovdqu32 Vmovdqu64 Vmovdqu8 Vmovntdq Vmovq
        Vpaddb Vpaddd Vpaddq Vpaddw Vpalignr Vpand Vpandd Vpandn Vpandnd Vpandnq Vpandq Vpblendd Vpblendmb Vpblendw Vpclmulqdq
        Vpbroadcastb Vpbroadcastd Vpbroadcastq Vpbroadcastw Vpcmpeqb Vpcmpeqd Vpcmpeqq Vpcmpeqw Vpcmpgtb Vpcmpgtd
        Vperm2i128 Vpermq Vpextrb Vpextrd Vpextrq Vpinsrb Vpinsrd Vpinsrq Vpmovb2m Vpmovm2b Vpmovzxbd
        Vpor Vpord Vporq Vprold Vprolq Vprord Vprorq Vpshufb Vpshufd Vpshufhw Vpshuflw
        Vpslld Vpslldq Vpsllq Vpsllw Vpsrld Vpsrldq Vpsrlq Vpsrlw Vpsubb Vpsubd Vpsubq Vpsubw
        Vpternlogd Vpternlogq Vpunpckhbw Vpunpckhdq Vpunpckhqdq Vpunpckhwd Vpunpcklbw Vpunpckldq Vpunpcklqdq Vpunpcklwd
        Vpxor Vpxord Vpxorq Vshufi32x4 Vshufi64x2 Vzeroall Vzeroupper
    }
    February2026 {
        Bswap Ror Rorx
    }
}

static BY_MNEMONIC: [Option<Source>; MNEMONICS] = {
    let mut by_mnemonic = [None; MNEMONICS];
    let mut i = 0;
    while i < LIST.len() {
        let slot = LIST[i].0 as usize;
        assert!(by_mnemonic[slot].is_none(), "a mnemonic is listed twice");
        by_mnemonic[slot] = Some(LIST[i].1);
        i += 1;
    }
    by_mnemonic
};

/// The source that lists a mnemonic; `None` if it is not listed.
pub fn source(mnemonic: Mnemonic) -> Option<Source> {
    BY_MNEMONIC.get(mnemonic as usize).copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{DataTiming, Operation, forms};
    use std::collections::BTreeSet;

    #[test]
    fn the_list_has_no_mnemonic_without_a_row() {
        let rows: BTreeSet<Mnemonic> = forms().map(|f| f.code.mnemonic()).collect();
        for (mnemonic, source) in LIST {
            assert!(rows.contains(mnemonic), "{mnemonic:?}, of {}, has no row", source.text());
        }
    }

    /// Instructions that compute on data and are not listed are named here, so that each new row requires a
    /// decision.
    #[test]
    fn what_is_not_listed_is_known() {
        let unlisted: BTreeSet<String> = forms()
            .filter(|f| f.data_timing() == DataTiming::Unlisted)
            .map(|f| format!("{:?}", f.code.mnemonic()))
            .collect();
        let unlisted: Vec<&str> = unlisted.iter().map(String::as_str).collect();
        let known =
            ["Bzhi", "Movaps", "Movbe", "Movups", "Vmovaps", "Vmovups", "Vpermb", "Vpermi2b", "Vpermt2b"];
        assert_eq!(unlisted, known);
    }

    #[test]
    fn what_computes_on_no_data_is_not_listed() {
        for form in forms().filter(|f| f.data_timing() == DataTiming::NoData) {
            assert!(source(form.code.mnemonic()).is_none(), "{:?}", form.code);
        }
        assert!(forms().any(|f| f.operation == Operation::Return && f.data_timing() == DataTiming::NoData));
    }
}
