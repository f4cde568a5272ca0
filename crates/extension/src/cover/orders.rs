//! Finds the order of the state in which rounds are cheapest. An instruction may read the bytes of a word in another
//! order than FIPS-197's, such as rows from the highest byte down, or tiles. Reordering words before and after it costs
//! each round; a state and round keys that are kept in its order are reordered only once, at the start and at the end.

use aesmith_cipher::KeySize;
use aesmith_cipher::problem::Direction;
use aesmith_isa::Isa;

use super::rows::doubles;
use super::{Costs, cover, forms};
use crate::file::{Extension, Layout};
use crate::order::Order;
use crate::program::{Goal, Program, Step};

/// The programs of a round and of the last round in an order of the state.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// The order.
    pub order: Order,
    /// The programs: a round, and the last round.
    pub programs: [Program; 2],
}

/// The cost of a block of AES-128 with rounds in an order, including the reordering at both ends.
fn cost(order: Order, programs: [&Program; 2], costs: &Costs) -> f64 {
    let rounds = KeySize::Aes128.rounds() as f64;
    (rounds - 1.0) * costs.of(programs[0]) + costs.of(programs[1]) + ends(order, costs)
}

/// The cost of converting columns to an order, and back.
fn ends(order: Order, costs: &Costs) -> f64 {
    let shuffled = costs.of(&Program::shuffling(order.bytes));
    // Two words exchange halves in five or six instructions, and bytes in six.
    let joined = match order.layout {
        Layout::Columns => 0.0,
        Layout::Tiles => 12.0,
        Layout::Rows => 23.0,
    };
    2.0 * (4.0 * shuffled + joined)
}

/// The order in which the instructions cover the rounds most cheaply, if it is cheaper than the rounds in the order of
/// the file, if any. There is no search if those consist only of the instructions and sums.
pub fn found(
    extension: &Extension,
    isa: &Isa,
    direction: Direction,
    stated: Option<[&Program; 2]>,
    costs: &Costs,
) -> Option<Ordered> {
    let plain = |step: &Step| matches!(step, Step::Turn(..) | Step::Keep(..) | Step::Mix(..));
    if stated.is_some_and(|[round, _]| !round.steps.iter().any(plain)) {
        return None;
    }
    let own = Order::from(extension.layout.unwrap_or_default());
    let mut least = stated.map(|programs| cost(own, programs, costs));
    let mut best = None;
    // A row's image needs doubling instructions and takes longest to search.
    let rows = forms(extension, isa).ok()?.iter().any(|(_, _, form)| doubles(form));
    let wanted = |order: &Order| *order != own && (rows || order.layout != Layout::Rows);
    for order in Order::candidates(extension.layout).into_iter().filter(wanted) {
        let of = |goal: Goal| cover(extension, isa, goal, order, costs);
        let Ok(round) = of(Goal::Round(direction)) else { continue };
        // The last round is skipped if the other rounds cost too much already.
        if least.is_some_and(|least| cost(order, [&round, &Program::default()], costs) >= least) {
            continue;
        }
        let Ok(last) = of(Goal::Last(direction)) else { continue };
        let cost = cost(order, [&round, &last], costs);
        if least.is_none_or(|least| cost < least) {
            least = Some(cost);
            best = Some(Ordered { order, programs: [round, last] });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::tests::{COSTS, reference};
    use super::*;
    use crate::{meaning, sets};

    /// The order found for a direction, after a check against the cipher; and the numbers of extension steps and other
    /// steps in a round, in the file's order and in the found one.
    fn orders(text: &str, direction: Direction) -> (Option<Order>, Option<[usize; 2]>, Option<[usize; 2]>) {
        let extension = Extension::parse(text).expect("parses");
        let isa = meaning::table(&extension).expect("compiles");
        let own = Order::from(extension.layout.unwrap_or_default());
        let goals = [Goal::Round(direction), Goal::Last(direction)];
        let [round, last] = goals.map(|goal| cover(&extension, &isa, goal, own, &COSTS).ok());
        let counted = |program: &Program| [program.customs(), program.steps.len() - program.customs()];
        let stated = round.as_ref().zip(last.as_ref()).map(|(round, last)| [round, last]);
        let found = found(&extension, &isa, direction, stated, &COSTS);
        let pieces =
            found.iter().flat_map(|f| f.programs.iter().zip(goals).map(|(p, goal)| (f.order, p, goal)));
        for (order, program, goal) in pieces {
            for k in 1..20u32 {
                let inputs: Vec<u32> =
                    (1..=8u32).map(|i| (k * 8 + i).wrapping_mul(0x9e37_79b9).rotate_left(k)).collect();
                let got = program.run(&extension, &isa, &inputs).expect("runs");
                assert_eq!(got, reference(goal, order, &inputs), "{goal:?}");
            }
        }
        (found.as_ref().map(|f| f.order), round.as_ref().map(counted), found.map(|f| counted(&f.programs[0])))
    }

    #[test]
    fn rows_from_the_highest_byte_down_are_kept_so() {
        let text = include_str!("../../tests/orders/high-row.toml");
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let (order, stated, found) = orders(text, direction);
            // The order is one of the four rotations of 3, 2, 1, 0, which are all equivalent for a round.
            let order = order.expect("an order is found");
            assert_eq!((order.layout, order.bytes.of([0, 1, 2, 3])), (Layout::Columns, [0, 3, 2, 1]));
            println!("{direction:?}: {stated:?} as the file says, {found:?} as it is found");
            assert_eq!(found, Some([8, 4]), "but for the round key only the extension's instructions");
            assert_eq!(stated, Some([8, 8]), "four of these are MixColumns in plain code");
        }
        let (order, stated, found) =
            orders(include_str!("../../tests/orders/high-byte.toml"), Direction::Encrypt);
        println!("{stated:?} as the file says, {found:?} as it is found");
        assert_eq!((order.map(|o| o.bytes.of([0, 1, 2, 3])), found), (Some([0, 3, 2, 1]), Some([16, 0])));
    }

    /// A file need not declare that the state is in tiles.
    #[test]
    fn tiles_are_found() {
        let text = sets::find("v5").expect("it is there");
        let silent = text.replacen("layout = \"tiles\"\n", "", 1);
        assert_ne!(text, silent);
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let (none, stated, _) = orders(text, direction);
            let (order, _, found) = orders(&silent, direction);
            assert_eq!((none, order.map(|o| o.layout)), (None, Some(Layout::Tiles)));
            assert_eq!(stated, found);
        }
    }

    /// Instructions that treat all bytes of a word alike suit rows: ShiftRows is a rotation of each row and MixColumns
    /// a sum of rows.
    #[test]
    fn rows_are_found() {
        for (direction, customs) in [(Direction::Encrypt, 8), (Direction::Decrypt, 12)] {
            let (order, stated, found) = orders(sets::find("packed").expect("it is there"), direction);
            println!("{direction:?}: {stated:?} as the file says, {found:?} as it is found");
            assert_eq!(order, Some(Order::from(Layout::Rows)));
            assert_eq!(found.map(|[added, _]| added), Some(customs));
        }
    }

    #[test]
    fn what_costs_nothing_is_left_as_it_is() {
        for name in ["zkn", "smix3", "pair", "v2", "bertoni-words"] {
            let (order, ..) = orders(sets::find(name).expect("it is there"), Direction::Encrypt);
            assert_eq!(order, None, "{name}");
        }
    }
}
