//! Tests of memory rules that programs of a little-endian machine do not show.

use aesmith_isa::image::{Image, Segment};
use aesmith_isa::{ByteOrder, Description};

use crate::bits::access::byte_of;
use crate::bits::memory::{Memory, Role};
use crate::bits::symbols::Symbols;
use crate::bits::toy::ABOUT;
use crate::bits::value::Value;

fn number(value: &Value) -> u128 {
    match value {
        Value::Number(n) => *n,
        other => panic!("{other:?}"),
    }
}

/// A stored word lies in the processor's byte order, and is loaded back, whole and in pieces.
#[test]
fn words_lie_in_the_order_of_the_processor() {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let about = Description { order, ..ABOUT };
        let image = Image::default();
        let mut domain = Symbols::new(&image, &about);
        let stack = domain.memory.object(Role::Stack, 32, -8, 8, true);
        domain.memory.store(stack, -8, 4, &Value::Number(0x0102_0304)).expect("is its own");
        let lowest_first = order == ByteOrder::Little;
        for at in 0..4u8 {
            let cells = domain.memory.load(stack, i64::from(at) - 8, 1).expect("was written").to_vec();
            let byte = byte_of(&mut domain, cells[0].as_ref().expect("was written")).expect("is a byte");
            assert_eq!(number(&byte), if lowest_first { 4 - u128::from(at) } else { 1 + u128::from(at) });
        }
        assert_eq!(number(&domain.assembled(stack, -8, 4).expect("is known")), 0x0102_0304);
        // Halves of two neighbouring words are joined to the word between them.
        domain.memory.store(stack, -4, 4, &Value::Number(0x0506_0708)).expect("is its own");
        let between = number(&domain.assembled(stack, -6, 4).expect("is known"));
        assert_eq!(between, if lowest_first { 0x0708_0102 } else { 0x0304_0506 });
        // If a word is stored twice in a row, the inner halves are not that word.
        domain.memory.store(stack, -4, 4, &Value::Number(0x0102_0304)).expect("is its own");
        assert_eq!(number(&domain.assembled(stack, -6, 4).expect("is known")), 0x0304_0102);
    }
}

/// Loads and stores note alignment, tables and the stack.
#[test]
fn what_is_touched_is_noted() {
    let table = Segment { address: 0x100, bytes: vec![7; 8], writable: true };
    let image = Image { segments: vec![table], ..Image::default() };
    let mut memory = Memory::new(&image, &ABOUT);
    memory.stack_alignment = 4;
    let stack = memory.object(Role::Stack, 32, -16, 16, true);
    memory.store(stack, -8, 4, &Value::Number(1)).expect("is its own");
    assert_eq!((memory.stack_touched, memory.unaligned), (-8, false));
    memory.store(stack, -12, 4, &Value::Number(1)).expect("is its own");
    assert_eq!(std::mem::replace(&mut memory.stack_touched, i64::MAX), -12);
    assert!(memory.load(stack, -8, 4).is_ok() && memory.stack_touched == -8);
    assert!(memory.store(stack, -7, 2, &Value::Number(1)).is_ok() && memory.unaligned);
    memory.unaligned = false;
    assert!(memory.load(stack, -7, 2).is_ok() && memory.unaligned);
    assert!(!memory.tables_writable);
    assert_eq!(memory.constant(0x104, 4), Ok(0x0707_0707));
    assert!(memory.tables_writable && memory.tables == Some((0x104, 0x108)));
    assert!(memory.constant(0x106, 4).is_err() && memory.constant(0xfe, 4).is_err());
}
