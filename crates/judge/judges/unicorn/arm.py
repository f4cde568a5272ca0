# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls a function of an ARM program in Unicorn as often as the file of a question says, in the words
of outside/runner.rs, and says what each call gave.

    arm.py FOLDER QUESTION     Unicorn is in FOLDER

What the processor does not execute, a custom instruction, is asked for on standard output,

    custom xBYTES              the word, then r0 to r14, 32 bits each

and answered on standard input by `xBYTES`, r0 to r14 after it, or by a line that is something else, if
the instruction is unknown there, too.
"""

import ctypes
import sys

sys.path.insert(0, sys.argv[1])

import unicorn as uc  # noqa: E402
from unicorn import arm_const as arm  # noqa: E402
from unicorn.unicorn_py3.unicorn import uclib  # noqa: E402

PAGE = 0x1000
RAM, STACK_TOP = 0x40000, 0x80000
RETURN = 0xFFFF0000  # where nothing is: execution ends when it gets there
FIRST = 0x5A3C0010  # what registers that belong to the caller hold
KEPT = range(4, 12)  # AAPCS32, section 6.1.1: r4 to r11


class Trouble(Exception):
    """A sentence about the call."""


class Registers:
    """r0 to r15, read and written in one call of the library."""

    def __init__(self, emulator):
        names = [arm.UC_ARM_REG_R0 + n for n in range(13)]
        names += [arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR, arm.UC_ARM_REG_PC]
        self.handle = emulator._uch
        self.names = (ctypes.c_int * 16)(*names)
        self.values = (ctypes.c_uint32 * 16)()
        at = ctypes.addressof(self.values)
        self.places = (ctypes.c_void_p * 16)(*(at + 4 * n for n in range(16)))

    def read(self):
        uclib.uc_reg_read_batch(self.handle, self.names, self.places, 16)

    def write(self):
        uclib.uc_reg_write_batch(self.handle, self.names, self.places, 16)


class Runner:
    def __init__(self):
        self.emulator = uc.Uc(uc.UC_ARCH_ARM, uc.UC_MODE_ARM)
        # ARM925T: ARMv4T, as ARM7TDMI and ARM9TDMI.
        self.emulator.ctl_set_cpu_model(arm.UC_CPU_ARM_TI925T)
        self.registers = Registers(self.emulator)
        self.segments = []
        self.pages = {page: True for page in range(RAM, STACK_TOP, PAGE)}
        self.function = 0
        self.limit = 1000000
        self.calls = []
        self.lowest = STACK_TOP
        self.unknown = None

    def read(self, lines):
        arguments, writes, reads = [], [], []
        for line in lines:
            word, *rest = line.split()
            if word == "segment":
                self.segment(int(rest[0], 16), bytes.fromhex(rest[2]), rest[1] == "rw")
            elif word == "function":
                self.function = int(rest[0], 16)
            elif word == "limit":
                self.limit = int(rest[0], 16)
            elif word == "argument":
                arguments.append(int(rest[0], 16))
            elif word == "write":
                writes.append((int(rest[0], 16), bytes.fromhex(rest[1])))
                self.reserve(writes[-1][0], len(writes[-1][1]), True)
            elif word == "read":
                reads.append((int(rest[0], 16), int(rest[1], 16)))
            elif word == "call":
                self.calls.append((arguments, writes, reads))
                arguments, writes, reads = [], [], []
            else:
                raise Trouble(f"the runner was told '{word}', which it does not know")
        # What is only read after a call may be the program's own: its pages stay as they are.
        for _, _, reads in self.calls:
            for address, length in reads:
                self.reserve(address, length, None)

    def reserve(self, address, length, writable):
        for page in range(address & -PAGE, address + length, PAGE):
            if writable is None:
                self.pages.setdefault(page, True)
            else:
                self.pages[page] = self.pages.get(page, False) or writable

    def segment(self, address, contents, writable):
        self.segments.append((address, contents, writable))
        self.reserve(address, len(contents), writable)

    def prepare(self):
        for page, writable in self.pages.items():
            allowed = uc.UC_PROT_READ | uc.UC_PROT_EXEC | (uc.UC_PROT_WRITE if writable else 0)
            self.emulator.mem_map(page, PAGE, allowed)
        for address, contents, _ in self.segments:
            self.emulator.mem_write(address, contents)
        # What lies above the calls' buffers and below STACK_TOP is stack.
        floor = RAM
        for _, writes, reads in self.calls:
            ends = [a + len(b) for a, b in writes] + [a + n for a, n in reads]
            floor = max([floor] + [end for end in ends if end <= STACK_TOP])
        self.emulator.hook_add(uc.UC_HOOK_MEM_WRITE, self.stored, begin=floor, end=STACK_TOP - 1)
        self.emulator.hook_add(uc.UC_HOOK_INSN_INVALID, self.custom)

    def stored(self, _emulator, _access, address, _size, _value, _data):
        self.lowest = min(self.lowest, address)

    def custom(self, emulator, _data):
        registers = self.registers
        registers.read()
        at = registers.values[15]
        word = bytes(emulator.mem_read(at, 4))
        sys.stdout.write(f"custom x{word.hex()}{bytes(registers.values)[:60].hex()}\n")
        sys.stdout.flush()
        answer = sys.stdin.readline()
        if not answer.startswith("x"):
            self.unknown = int.from_bytes(word, "little")
            return False
        ctypes.memmove(registers.values, bytes.fromhex(answer[1:]), 60)
        registers.values[15] = at + 4
        registers.write()
        return True

    def call(self, arguments, writes, reads):
        emulator, values = self.emulator, self.registers.values
        emulator.mem_write(RAM, bytes(STACK_TOP - RAM))
        for address, contents, writable in self.segments:
            if writable:
                emulator.mem_write(address, contents)
        stacked = b"".join(a.to_bytes(4, "little") for a in arguments[4:])
        stack_pointer = STACK_TOP - (len(stacked) + 15) // 16 * 16
        emulator.mem_write(stack_pointer, stacked)
        for address, contents in writes:
            emulator.mem_write(address, contents)
        self.lowest, self.unknown = stack_pointer, None
        for n in range(16):
            values[n] = FIRST + n
        for n, argument in enumerate(arguments[:4]):
            values[n] = argument
        values[13], values[14], values[15] = stack_pointer, RETURN, self.function
        self.registers.write()
        try:
            emulator.emu_start(self.function, RETURN, count=self.limit)
        except uc.UcError as error:
            raise Trouble(self.why(error)) from error
        self.registers.read()
        if values[15] != RETURN:
            at = values[15]
            raise Trouble(f"the function did not return within {self.limit} instructions; it was at {at:#x}")
        for n in KEPT:
            if values[n] != FIRST + n:
                raise Trouble(f"the function returned with r{n} changed, which belongs to its caller")
        if values[13] != stack_pointer:
            raise Trouble(
                "the function returned with the stack pointer changed, which belongs to its caller"
            )
        memory = [emulator.mem_read(address, length).hex() for address, length in reads]
        return " ".join(["ok - -", str(stack_pointer - self.lowest)] + ["x" + m for m in memory])

    def why(self, error):
        self.registers.read()
        at = self.registers.values[15]
        if self.unknown is not None:
            return f"Unicorn met an instruction that ARMv4T does not have, {self.unknown:#010x}, at {at:#x}"
        if error.errno in (uc.UC_ERR_EXCEPTION, uc.UC_ERR_INSN_INVALID):
            return f"Unicorn met an instruction that a function cannot execute, near {at:#x}"
        return (
            "the function accessed memory that is not there, or wrote where it may only read, "
            f"near {at:#x} ({error})"
        )


def main():
    runner = Runner()
    try:
        with open(sys.argv[2], encoding="ascii") as question:
            runner.read(question)
        runner.prepare()
        for call in runner.calls:
            print(runner.call(*call))
    except Trouble as trouble:
        print("error", trouble)


main()
