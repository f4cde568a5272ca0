//! Builds texts of meanings that apply the same operation to each element of a 128-bit register.

/// Bits of a register that is divided into elements.
const BITS: usize = 128;

/// Joins one copy of `expression` for each element of `bits` bits, the highest first. Each pair in `letters` is a
/// letter and a field's name; the letter stands for the element of that field's register.
pub fn each(bits: usize, letters: &[(&str, &str)], expression: &str) -> String {
    let part = |high: usize| {
        letters.iter().fold(expression.to_owned(), |text, (letter, register)| {
            text.replace(letter, &format!("{register}[{high}:{}]", high + 1 - bits))
        })
    };
    let parts: Vec<String> = (0..BITS / bits).map(|k| part(BITS - 1 - k * bits)).collect();
    format!("cat({})", parts.join(", "))
}

/// Joins copies of an expression without operands, one for each element.
pub fn repeated(bits: usize, expression: &str) -> String {
    each(bits, &[], &format!("({expression})"))
}
