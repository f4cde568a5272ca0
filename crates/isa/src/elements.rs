//! Text of meanings that do the same to each element of a register of 128 bits.

/// Bits of a register that is divided into elements.
const BITS: usize = 128;

/// An expression for each element of so many bits, the highest first. Letters in it stand for the element of a field's
/// register: pairs of a letter and the field's name.
pub fn each(bits: usize, letters: &[(&str, &str)], expression: &str) -> String {
    let part = |high: usize| {
        letters.iter().fold(expression.to_owned(), |text, (letter, register)| {
            text.replace(letter, &format!("{register}[{high}:{}]", high + 1 - bits))
        })
    };
    let parts: Vec<String> = (0..BITS / bits).map(|k| part(BITS - 1 - k * bits)).collect();
    format!("cat({})", parts.join(", "))
}

/// An expression repeated in all elements.
pub fn repeated(bits: usize, expression: &str) -> String {
    each(bits, &[], &format!("({expression})"))
}
