# The three entries and the exit: see x86_64.rs, whose `Entry` has the fields that are addressed by offset.

    .p2align 6
    .globl aesmith_judge_timed; .hidden aesmith_judge_timed
aesmith_judge_timed:
    push rbx; push rbp; push r12; push r13; push r14; push r15
    sub rsp, 24
    mov rbx, rdi
    mov [rbx], rsp
    mov r12, [rbx + 56]
    lfence
    rdtsc
    lfence
    shl rdx, 32
    or rax, rdx
    mov r13, rax
    .p2align 5
2:
    mov eax, r12d
    and eax, 7
    mov rdi, [rbx + 16]
    mov rsi, [rbx + rax * 8 + 128]
    mov rdx, [rbx + 32]
    mov rcx, [rbx + 40]
    mov r8, [rbx + 48]
    call qword ptr [rbx + 8]
    dec r12
    jnz 2b
    rdtscp
    lfence
    shl rdx, 32
    or rax, rdx
    sub rax, r13
    mov [rbx + 64], rax
    jmp aesmith_judge_leave

    .p2align 6
    .globl aesmith_judge_chained; .hidden aesmith_judge_chained
aesmith_judge_chained:
    push rbx; push rbp; push r12; push r13; push r14; push r15
    sub rsp, 24
    mov rbx, rdi
    mov [rbx], rsp
    mov r12, [rbx + 56]
    mov r15, [rbx + 192]
    xor r14d, r14d
    lfence
    rdtsc
    lfence
    shl rdx, 32
    or rax, rdx
    mov r13, rax
    .p2align 5
2:
    mov rdi, [rbx + 16]; add rdi, r14
    mov rsi, [rbx + 24]; add rsi, r14
    mov rdx, [rbx + 32]; add rdx, r14
    mov rcx, [rbx + 40]; add rcx, r14
    mov r8, [rbx + 48]; add r8, r14
    call qword ptr [rbx + 8]
    # The result is always 0, but no processor knows that before the load completes.
    mov r14, [r15]
    and r14, 0
    dec r12
    jnz 2b
    rdtscp
    lfence
    shl rdx, 32
    or rax, rdx
    sub rax, r13
    mov [rbx + 64], rax
    jmp aesmith_judge_leave

    .p2align 6
    .globl aesmith_judge_checked; .hidden aesmith_judge_checked
aesmith_judge_checked:
    push rbx; push rbp; push r12; push r13; push r14; push r15
    sub rsp, 24
    mov rax, rdi
    mov [rax], rsp
    mov rdi, [rax + 16]
    mov rsi, [rax + 24]
    mov rdx, [rax + 32]
    mov rcx, [rax + 40]
    mov r8, [rax + 48]
    movabs rbx, 0x5bd1e995a3c9f001
    movabs rbp, 0x5bd1e995a3c9f002
    movabs r12, 0x5bd1e995a3c9f003
    movabs r13, 0x5bd1e995a3c9f004
    movabs r14, 0x5bd1e995a3c9f005
    movabs r15, 0x5bd1e995a3c9f006
    call qword ptr [rax + 8]
    # Each difference becomes one bit of r8; the entry's address is reloaded from memory.
    xor r8d, r8d
    movabs rax, 0x5bd1e995a3c9f001; cmp rbx, rax; setne r8b
    movabs rax, 0x5bd1e995a3c9f002; xor ecx, ecx; cmp rbp, rax; setne cl; shl rcx, 1; or r8, rcx
    movabs rax, 0x5bd1e995a3c9f003; xor ecx, ecx; cmp r12, rax; setne cl; shl rcx, 2; or r8, rcx
    movabs rax, 0x5bd1e995a3c9f004; xor ecx, ecx; cmp r13, rax; setne cl; shl rcx, 3; or r8, rcx
    movabs rax, 0x5bd1e995a3c9f005; xor ecx, ecx; cmp r14, rax; setne cl; shl rcx, 4; or r8, rcx
    movabs rax, 0x5bd1e995a3c9f006; xor ecx, ecx; cmp r15, rax; setne cl; shl rcx, 5; or r8, rcx
    mov rbx, [rip + {active}]
    xor ecx, ecx; cmp rsp, [rbx]; setne cl; shl rcx, 6; or r8, rcx
    mov rsp, [rbx]
    pushfq; pop rcx; shr rcx, 10; and ecx, 1; shl rcx, 7; or r8, rcx
    mov [rbx + 72], r8

    .globl aesmith_judge_leave; .hidden aesmith_judge_leave
aesmith_judge_leave:
    cld
    cmp qword ptr [rbx + 80], 0
    je 3f
    vzeroupper
3:
    mov qword ptr [rbx], 0
    add rsp, 24
    pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx
    ret
