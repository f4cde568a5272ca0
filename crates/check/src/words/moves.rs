//! Movements of bits by 0 to 255 places, and the bit that is moved out last, as ARM has them. Both functions of the language of
//! rows have a kind (0 up, 1 down, 2 down with copies of the highest, 3 down in a circle), a word, and one whose low byte is the
//! number of places:
//!
//! | function | value |
//! |---|---|
//! | `shift(KIND, E, N)` | the word with its bits moved |
//! | `out(KIND, E, N, C)` | the bit that is moved out last; the bit C if the number is 0 |

use crate::words::execute::{Domain, Execution, Move};

impl<D: Domain> Execution<'_, D> {
    /// The kind of a movement, and the number of places.
    fn movement(&mut self, kind: D::Word, by: D::Word) -> Result<(Move, u32), D::Stop> {
        let how = match self.domain.count(kind, false)? {
            0 => Move::Up,
            1 => Move::Down,
            2 => Move::Signed,
            3 => Move::Circle,
            _ => return Err(self.domain.unknown()),
        };
        Ok((how, self.domain.count(by, how == Move::Circle)?))
    }

    /// The word with its bits moved.
    pub(crate) fn shifted(&mut self, kind: D::Word, value: D::Word, by: D::Word) -> Result<D::Word, D::Stop> {
        let (how, by) = self.movement(kind, by)?;
        let by = match how {
            Move::Up | Move::Down if by > 31 => return Ok(self.domain.number(0)),
            Move::Up | Move::Down => by,
            Move::Signed => by.min(31),
            Move::Circle | Move::Swap => by % 32,
        };
        let by = self.domain.number(by);
        self.domain.moved(value, by, how)
    }

    /// The bit that is moved out last.
    pub(crate) fn shifted_out(
        &mut self,
        kind: D::Word,
        value: D::Word,
        by: D::Word,
        carry: D::Word,
    ) -> Result<D::Word, D::Stop> {
        let place = match self.movement(kind, by)? {
            (_, 0) => return Ok(carry),
            (Move::Up | Move::Down, 33..) => return Ok(self.domain.number(0)),
            (Move::Up, by) => 32 - by,
            (Move::Down, by) => by - 1,
            (Move::Signed, by) => by.min(32) - 1,
            (Move::Circle | Move::Swap, by) => (by - 1) % 32,
        };
        let (place, one) = (self.domain.number(place), self.domain.number(1));
        let moved = self.domain.moved(value, place, Move::Down)?;
        Ok(self.domain.and(moved, one))
    }
}
