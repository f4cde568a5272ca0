//! Forms of the table whose fields cannot hold every register.

use super::table::isa;

/// A form whose byte would name another one is refused, and such bytes decode to the other.
#[test]
fn registers_that_a_form_cannot_name_are_refused() {
    let isa = isa();
    for (row, fields) in [
        ("mov_r_base0", [("b", 4), ("r", 1)]),
        ("mov_r_base0", [("b", 5), ("r", 1)]),
        ("mov_r_base8", [("b", 4), ("r", 1)]),
        ("mov_r_index0", [("b", 5), ("i", 1)]),
        ("mov_r_index32", [("b", 1), ("i", 4)]),
        ("mov_r_table", [("i", 4), ("r", 1)]),
    ] {
        let why = isa.encode(&isa.insn(row, &fields)).expect_err("is another");
        assert!(why.contains("another instruction"), "{why}");
    }
    let named = |bytes: &[u8]| isa.decode(bytes).map(|insn| isa.print(&insn, |_| None));
    assert_eq!(named(&[0x8b, 0x04, 0x24]).as_deref(), Some("movl (%esp), %eax"));
    assert_eq!(named(&[0x8b, 0x05, 1, 0, 2, 0]).as_deref(), Some("movl 131073, %eax"));
    assert_eq!(named(&[0x33, 0x0c, 0xc5, 3, 0, 2, 0]).as_deref(), Some("xorl 131075(,%eax,8), %ecx"));
    assert_eq!(named(&[0x0f, 0xb6, 0xff]).as_deref(), Some("movzbl %bh, %edi"));
    assert_eq!(named(&[0x0f]), None);
}
