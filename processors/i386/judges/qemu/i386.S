# The harness of qemu.rs for i386. eax is the number of a system call, ebx, ecx and edx its arguments.
    .text
next:
    movl $3, %eax               # read(0, record, RECORD_SIZE)
    movl $0, %ebx
    movl $RECORD, %ecx
    movl $RECORD_SIZE, %edx
    int $0x80
    movl $RECORD, %esi
    cmpl $0, (%esi)
    jne call
    movl 4(%esi), %eax          # a system call
    movl 12(%esi), %ebx
    movl 16(%esi), %ecx
    movl 20(%esi), %edx
    int $0x80
    jmp next
call:
    movl 4(%esi), %eax
    movl 8(%esi), %esp
    movl $KEPT_FIRST, %ebx
    movl $KEPT_FIRST + 1, %esi
    movl $KEPT_FIRST + 2, %edi
    movl $KEPT_FIRST + 3, %ebp
    call *%eax
    movl $KEPT, %eax
    movl %ebx, (%eax)
    movl %esi, 4(%eax)
    movl %edi, 8(%eax)
    movl %ebp, 12(%eax)
    movl %esp, 16(%eax)
    jmp next
