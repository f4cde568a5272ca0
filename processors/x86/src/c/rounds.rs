//! Prints a technique's round as a function of vectors: its program, one intrinsic a line.

use super::words::Words;
use aesmith_dataflow::Round;
use aesmith_dataflow::program::{Element, Matrix, Node, Program, Table, Value};
use aesmith_processor::c::Text;

/// Writes `name(state, key)`.
pub(super) fn function(t: &mut Text, w: &Words, name: &str, program: &Program) {
    t.open(&format!("INLINE{} {vec} {name}({vec} s, {vec} k)", w.bits, vec = w.vec));
    let outputs = statements(t, w, program, &["s".into(), "k".into()], "v");
    t.line(&format!("return {};", outputs[0]));
    t.close();
    t.blank();
}

/// Writes a loop over the inner rounds of a state `s`, with counter `r`.
pub(super) fn inner(t: &mut Text, w: &Words, round: Round, rounds: usize) {
    t.open_bare(&format!("for (r = 1; r < {rounds}; r++)"));
    t.line(&format!("s = {};", w.round(round, "s", &format!("round_key{}(key, r)", w.bits))));
    t.close();
}

/// Writes the statements of a program with the given inputs, and returns the names of its outputs. Names of values
/// begin with `prefix`.
pub(super) fn statements(
    t: &mut Text,
    w: &Words,
    program: &Program,
    inputs: &[String],
    prefix: &str,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(program.nodes.len());
    for (i, node) in program.nodes.iter().enumerate() {
        let name = match *node {
            Node::Input(n) => inputs[usize::from(n)].clone(),
            _ => {
                let name = format!("{prefix}{i}");
                let value = expression(w, node, |v: Value| names[usize::from(v.0)].as_str());
                t.line(&format!("const {} {name} = {value};", w.vec));
                name
            }
        };
        names.push(name);
    }
    program.outputs.iter().map(|v| names[usize::from(v.0)].clone()).collect()
}

/// Writes the tables that the programs look up in four registers, and the functions that do so.
pub(super) fn look_ups(t: &mut Text, programs: &[Program], widths: &[usize]) {
    const TABLES: [Table; 4] = [Table::Sbox, Table::InverseSbox, Table::SboxWith1b, Table::InverseSboxWith36];
    for table in TABLES {
        let uses = |n: &Node| matches!(n, Node::Substitute(of, _) if *of == table);
        if !programs.iter().any(|p| p.nodes.iter().any(uses)) {
            continue;
        }
        let name = table_name(table);
        t.line(&format!("static const uint8_t {name}_bytes[256] = {{"));
        for line in table.bytes().chunks(12) {
            let bytes: Vec<String> = line.iter().map(|b| format!("{b:#04x}")).collect();
            t.line(&format!("    {},", bytes.join(", ")));
        }
        t.line("};");
        t.blank();
        t.line("/* All four quarters are read, whatever the bytes: bit 7 chooses among two look-ups. */");
        t.open(&format!("INLINE512 __m512i {name}512(__m512i x)"));
        t.line(&format!(
            "const __m512i low = _mm512_permutex2var_epi8(load512({name}_bytes), x, load512({name}_bytes + 64));"
        ));
        t.line(&format!(
            "const __m512i high = _mm512_permutex2var_epi8(load512({name}_bytes + 128), x, load512({name}_bytes + 192));"
        ));
        t.line("return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);");
        t.close();
        t.blank();
        for bits in [128, 256].into_iter().filter(|b| widths.contains(&(b / 128))) {
            let ty = format!("__m{bits}i");
            let (from, to) = match bits {
                128 => ("_mm512_castsi512_si128", "_mm512_castsi128_si512"),
                _ => ("_mm512_castsi512_si256", "_mm512_castsi256_si512"),
            };
            t.open(&format!("INLINE{bits} {ty} {name}{bits}({ty} x)"));
            t.line(&format!("return {from}({name}512({to}(x)));"));
            t.close();
            t.blank();
        }
    }
}

fn table_name(table: Table) -> &'static str {
    match table {
        Table::Sbox => "sbox",
        Table::InverseSbox => "inverse_sbox",
        Table::SboxWith1b => "sbox_with_1b",
        Table::InverseSboxWith36 => "inverse_sbox_with_36",
    }
}

/// A constant of 16 bytes in every lane.
fn constant(w: &Words, bytes: [u8; 16]) -> String {
    if bytes.iter().all(|b| *b == bytes[0]) {
        return w.every_lane(&format!("_mm_set1_epi8({})", bytes[0] as i8));
    }
    let value = u128::from_le_bytes(bytes);
    let half = |x: u64| format!("(long long){x:#x}u");
    w.every_lane(&format!("_mm_set_epi64x({}, {})", half((value >> 64) as u64), half(value as u64)))
}

/// The operand of the affine instructions: row 0 is the highest byte (Intel SDM, GF2P8AFFINEQB).
fn matrix(w: &Words, matrix: Matrix) -> String {
    let mut rows = matrix.0;
    rows.reverse();
    let eight = u64::from_le_bytes(rows);
    w.every_lane(&format!("_mm_set1_epi64x((long long){eight:#x}u)"))
}

fn expression<'n>(w: &Words, node: &Node, name: impl Fn(Value) -> &'n str) -> String {
    use Node::*;
    let call = |f: String, a: &str, b: &str| format!("{f}({a}, {b})");
    let shift = |direction: &str, e: Element, a: &str, n: u8| {
        // There are no shifts of bytes: words are shifted, and bits from the neighbour are masked off.
        let size = e.bits().max(16);
        let shifted = call(w.intrinsic(&format!("{direction}_epi{size}")), a, &n.to_string());
        if e != Element::B8 {
            return shifted;
        }
        let mask = if direction == "slli" { 0xffu8 << n } else { 0xffu8 >> n };
        call(w.bitwise("and"), &shifted, &constant(w, [mask; 16]))
    };
    match *node {
        Input(_) => unreachable!("inputs have names"),
        Constant(bytes) => constant(w, bytes),
        Xor(a, b) => w.xor(name(a), name(b)),
        And(a, b) => call(w.bitwise("and"), name(a), name(b)),
        Or(a, b) => call(w.bitwise("or"), name(a), name(b)),
        AndNot(a, b) => call(w.bitwise("andnot"), name(a), name(b)),
        Not(a) => w.xor(name(a), &constant(w, [0xff; 16])),
        ShiftLeft(e, a, n) => shift("slli", e, name(a), n),
        ShiftRight(e, a, n) => shift("srli", e, name(a), n),
        RotateRight(e, a, n) => call(
            w.bitwise("or"),
            &shift("srli", e, name(a), n),
            &shift("slli", e, name(a), e.bits() as u8 - n),
        ),
        Bytes(a, control) => w.shuffle(name(a), &constant(w, control)),
        Nibble(table, a) => w.shuffle(&constant(w, table), name(a)),
        Substitute(table, a) => format!("{}{}({})", table_name(table), w.bits, name(a)),
        Sign(a) if w.lanes == 4 => format!("_mm512_movm_epi8(_mm512_movepi8_mask({}))", name(a)),
        Sign(a) => call(w.intrinsic("cmpgt_epi8"), &constant(w, [0; 16]), name(a)),
        Affine { inverse, matrix: of, constant, of: a } => {
            let f = if inverse { "gf2p8affineinv_epi64_epi8" } else { "gf2p8affine_epi64_epi8" };
            format!("{}({}, {}, {constant:#04x})", w.intrinsic(f), name(a), matrix(w, of))
        }
        Multiply(by, a) => call(w.intrinsic("gf2p8mul_epi8"), name(a), &constant(w, [by; 16])),
        Interleave { element, high, a, b } => {
            let half = if high { "unpackhi" } else { "unpacklo" };
            call(w.intrinsic(&format!("{half}_epi{}", element.bits())), name(a), name(b))
        }
        ref other => panic!("{other:?} is of words in general registers"),
    }
}
