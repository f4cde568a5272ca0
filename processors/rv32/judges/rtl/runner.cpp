// Calls a function on the RTL of an RV32 core under Verilator as often as it is told to, in the words
// of outside/runner.rs. The core is wrapped as module `top` (picorv32.sv, ibex.sv, vexriscv.sv), which
// reaches memory through the two functions below and says which instruction is done with.
//
// A call is a reset and a few instructions before and after the function, at STUB: registers are
// loaded from the addresses at REGISTERS, the function is called, the registers are stored there
// again. Cycles are counted from the end of the calling instruction to the end of the return.
//
// With RUNS=2 (cores with caches) the function is called twice, and the second call is counted:
// between them the stub writes back, through the data cache, whatever the first call has changed.
// PRELUDE are instructions before all others of the stub. The first argument is the shared object of a
// unit, for a core whose port is brought out (port.h).

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "port.h"

#include "Vtop.h"
#include "Vtop__Dpi.h"
#include "verilated.h"

#ifndef RUNS
#define RUNS 1
#endif

namespace {

constexpr uint32_t MEMORY = 1 << 20, PAGE = 0x1000;
constexpr uint32_t STACK_TOP = 0x80000;
// The stub is in a page of its own; the cores start at its beginning plus 0x80 (Ibex adds that).
constexpr uint32_t STUB_PAGES = 0xf0000, RESET = STUB_PAGES + 0x80;
// Addresses that `lw rd, offset(x0)` reaches and that no core caches (VexRiscv: bit 31 set).
constexpr uint32_t REGISTERS = 0xfffffc00, CHANGED_ADDRESS = 0xfffff800, CHANGED_WORD = 0xfffff804;
constexpr uint32_t MAY_WRITE = 0, READ_ONLY = 1;

struct Call {
    std::vector<uint32_t> arguments;
    std::vector<std::pair<uint32_t, std::vector<uint8_t>>> writes;
    std::vector<std::pair<uint32_t, uint32_t>> reads;
};

std::vector<uint8_t> memory(MEMORY), loaded(MEMORY), before, kind(MEMORY, MAY_WRITE);
uint32_t registers[32], function_address, global_pointer, lowest_store, last_pc;
uint64_t limit = 1000000;
std::vector<std::pair<uint32_t, uint32_t>> changed;
bool changes_known;
std::string trouble;
uint32_t stack_floor; // what lies above the call's buffers and below STACK_TOP is stack

std::string format(const char *text, ...) {
    char line[400];
    va_list values;
    va_start(values, text);
    vsnprintf(line, sizeof line, text, values);
    va_end(values);
    return line;
}

[[noreturn]] void fail(const std::string &sentence) {
    std::cout << "error " << sentence << std::endl;
    exit(0);
}

uint32_t word_at(const std::vector<uint8_t> &bytes, uint32_t address) {
    uint32_t word;
    memcpy(&word, &bytes[address & ~3u], 4);
    return word;
}

void find_changes() {
    changes_known = true;
    changed.clear();
    for (uint32_t at = 0; at < MEMORY; at += PAGE) {
        if (!memcmp(&memory[at], &before[at], PAGE))
            continue;
        for (uint32_t a = at; a < at + PAGE; a += 4)
            if (word_at(memory, a) != word_at(before, a))
                changed.emplace_back(a, word_at(before, a));
    }
}

// RV32I instructions (The RISC-V Instruction Set Manual, volume I, chapter 24).
uint32_t jal(int rd, int32_t offset) {
    uint32_t o = offset;
    return (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xff) << 12 |
           rd << 7 | 0x6f;
}
uint32_t lw(int rd, int rs1, int32_t offset) {
    return (uint32_t)offset << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x03;
}
uint32_t sw(int rs2, int rs1, int32_t offset) {
    return ((uint32_t)offset >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 |
           ((uint32_t)offset & 31) << 7 | 0x23;
}
uint32_t beqz(int rs1, int32_t offset) {
    uint32_t o = offset;
    return (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 | rs1 << 15 | (o >> 1 & 15) << 8 |
           (o >> 11 & 1) << 7 | 0x63;
}

struct Stub {
    uint32_t calls[RUNS], done;
};

// Writes the stub at `base`, and a jump to it where the core starts.
Stub write_stub(uint32_t base) {
    Stub stub;
    uint32_t at = RESET;
    auto put = [&](uint32_t word) {
        memcpy(&loaded[at], &word, 4);
        at += 4;
    };
    std::fill(loaded.begin() + STUB_PAGES, loaded.begin() + STUB_PAGES + 2 * PAGE, 0);
    if (base != RESET)
        put(jal(0, base - at));
    at = base;
#ifdef PRELUDE
    for (uint32_t word : {PRELUDE})
        put(word);
#endif
    for (int run = 0; run < RUNS; run++) {
        if (run > 0) {
            uint32_t loop = at;
            put(lw(5, 0, CHANGED_ADDRESS));
            put(beqz(5, 20));
            put(lw(6, 0, CHANGED_WORD));
            put(sw(6, 5, 0));
            put(sw(0, 0, CHANGED_ADDRESS));
            put(jal(0, loop - at));
        }
        for (int r = 1; r < 32; r++)
            put(lw(r, 0, REGISTERS + 4 * r));
        stub.calls[run] = at;
        put(jal(1, function_address - at));
    }
    for (int r = 1; r < 32; r++)
        put(sw(r, 0, REGISTERS + 4 * r));
    stub.done = at;
    put(jal(0, 0));
    return stub;
}

class Core {
  public:
    Core(const char *unit)
        : context(new VerilatedContext), top(new Vtop(context.get())), port(unit, trouble) {
        if (!trouble.empty())
            fail(trouble);
    }

    // Resets the core and lets it run to the end of the stub.
    void run(const Call &call, const Stub &stub, uint64_t &cycles, uint64_t &instructions,
             std::set<uint32_t> *lines) {
        top->reset = 1;
        for (int i = 0; i < 8; i++)
            port.tick(*top);
        top->reset = 0;
        lowest_store = STACK_TOP;
        changes_known = false;
        trouble.clear();
        int run = -1; // which call of the function it is in
        uint64_t now = 0, start = 0, last = 0, executed = 0, idle = 0;
        for (;;) {
            port.tick(*top);
            now++;
            if (!trouble.empty())
                fail(trouble);
            if (top->trapped)
                fail(format("the core met an instruction it does not have, or a misaligned access, at %#x",
                            top->pc));
            if (!top->retired) {
                if (++idle > 10000)
                    fail(format("the core stopped after the instruction at %#x", last_pc));
                continue;
            }
            idle = 0;
            uint32_t pc = last_pc = top->pc;
            if (run >= 0 && pc == stub.calls[run] + 4) {
                cycles = last - start;
                instructions = executed;
                run = run + 1 < RUNS ? -1 - (run + 1) : RUNS;
            }
            if (run < 0 && pc == stub.calls[-1 - run]) {
                run = -1 - run;
                start = now;
                executed = 0;
            } else if (run >= 0 && run < RUNS) {
                if (pc >= STUB_PAGES && pc < STUB_PAGES + 2 * PAGE)
                    fail(format("the function jumped into its caller, to %#x", pc));
                if (lines)
                    lines->insert(pc / 32 % 128);
                if (executed++ == limit)
                    fail(format("the function did not return within %" PRIu64
                                " instructions; it was at %#x", limit, pc));
            }
            last = now;
            if (pc == stub.done)
                return;
        }
    }

  private:
    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<Vtop> top;
    Port port;
};

void prepare(const Call &call, uint32_t stack_pointer) {
    for (int r = 0; r < 32; r++)
        registers[r] = 0x5a3c0000 + r;
    registers[2] = stack_pointer;
    registers[3] = global_pointer;
    memory = loaded;
    for (size_t i = 0; i < call.arguments.size(); i++) {
        if (i < 8)
            registers[10 + i] = call.arguments[i];
        else
            memcpy(&memory[stack_pointer + 4 * (i - 8)], &call.arguments[i], 4);
    }
    for (const auto &write : call.writes)
        std::copy(write.second.begin(), write.second.end(), memory.begin() + write.first);
    before = memory;
}

void check_range(uint32_t address, uint64_t length) {
    if (address + length > STUB_PAGES)
        fail(format("%u bytes at %#x are not in the 960 KiB of memory that this judge gives a program",
                    (unsigned)length, address));
}

void answer(Core &core, const Call &call) {
    static bool placed;
    static Stub stub;
    uint32_t on_stack = call.arguments.size() > 8 ? call.arguments.size() - 8 : 0;
    uint32_t stack_pointer = STACK_TOP - (4 * on_stack + 15) / 16 * 16;
    uint64_t cycles = 0, instructions = 0;
    if (!placed) {
        stub = write_stub(RESET);
        if (RUNS > 1) {
            // The stub is put where it meets the fewest lines of the function in the instruction
            // cache (VexRiscv: 4 KiB, direct-mapped, lines of 32 bytes).
            std::set<uint32_t> lines;
            prepare(call, stack_pointer);
            core.run(call, stub, cycles, instructions, &lines);
            uint32_t size = (stub.done + 4 - RESET + 31) / 32, best = 0, fewest = ~0u;
            for (uint32_t first = 8; first < 128; first++) {
                uint32_t met = 0;
                for (uint32_t i = 0; i < size; i++)
                    met += lines.count((first + i) % 128);
                if (met < fewest)
                    fewest = met, best = first;
            }
            stub = write_stub(STUB_PAGES + best * 32);
        }
        placed = true;
    }
    uint32_t expected[32];
    prepare(call, stack_pointer);
    memcpy(expected, registers, sizeof expected);
    core.run(call, stub, cycles, instructions, nullptr);
    for (int r : {2, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27})
        if (registers[r] != expected[r])
            fail(format("the function returned with x%d changed, which belongs to its caller", r));
    uint32_t stack = lowest_store < stack_pointer ? stack_pointer - lowest_store : 0;
    printf("ok %" PRIu64 " %" PRIu64 " %u", cycles, instructions, stack);
    for (const auto &read : call.reads) {
        fputs(" x", stdout);
        for (uint32_t i = 0; i < read.second; i++)
            printf("%02x", memory[read.first + i]);
    }
    putchar('\n');
}

std::vector<uint8_t> bytes_of(const std::string &hex) {
    std::vector<uint8_t> bytes(hex.size() / 2);
    for (size_t i = 0; i < bytes.size(); i++)
        bytes[i] = std::stoul(hex.substr(2 * i, 2), nullptr, 16);
    return bytes;
}

} // namespace

int memory_read(int address_, svBit instruction) {
    uint32_t address = (uint32_t)address_ & ~3u;
    if (address >= REGISTERS && address < REGISTERS + 128)
        return registers[(address - REGISTERS) / 4];
    if (address == CHANGED_ADDRESS) {
        if (!changes_known)
            find_changes();
        return changed.empty() ? 0 : changed.back().first;
    }
    if (address == CHANGED_WORD)
        return changed.empty() ? 0 : changed.back().second;
    if (address >= MEMORY) {
        // Instructions are fetched ahead of knowing whether they are reached.
        if (!instruction)
            trouble = format("the function read at %#x, where no memory is (after %#x)", address, last_pc);
        return 0;
    }
    return word_at(memory, address);
}

void memory_write(int address_, int word, int bytes) {
    uint32_t address = (uint32_t)address_ & ~3u;
    if (address >= REGISTERS && address < REGISTERS + 128) {
        registers[(address - REGISTERS) / 4] = word;
        return;
    }
    if (address == CHANGED_ADDRESS) {
        if (!changed.empty())
            changed.pop_back();
        return;
    }
    if (address >= STUB_PAGES) {
        trouble = format("the function wrote at %#x, where no memory is (after %#x)", address, last_pc);
        return;
    }
    for (int i = 0; i < 4; i++) {
        if (!(bytes >> i & 1))
            continue;
        if (kind[address + i] == READ_ONLY) {
            trouble = format("the function wrote at %#x, which is read-only (after %#x)", address + i,
                             last_pc);
            return;
        }
        memory[address + i] = (uint32_t)word >> 8 * i;
        if (address + i >= stack_floor && address + i < STACK_TOP)
            lowest_store = std::min(lowest_store, address + i);
    }
}

int main(int argc, char **argv) {
    Core core(argc > 1 ? argv[1] : "");
    Call call;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string word, first, second, third;
        words >> word >> first >> second >> third;
        uint32_t value = first.empty() ? 0 : std::stoull(first, nullptr, 16);
        if (word == "segment") {
            auto bytes = bytes_of(third);
            check_range(value, bytes.size());
            std::copy(bytes.begin(), bytes.end(), loaded.begin() + value);
            if (second == "r")
                std::fill_n(kind.begin() + value, bytes.size(), READ_ONLY);
        } else if (word == "function") {
            function_address = value;
        } else if (word == "global") {
            global_pointer = value;
        } else if (word == "limit") {
            limit = std::stoull(first, nullptr, 16);
        } else if (word == "argument") {
            call.arguments.push_back(value);
        } else if (word == "write") {
            call.writes.emplace_back(value, bytes_of(second));
            check_range(value, call.writes.back().second.size());
        } else if (word == "read") {
            call.reads.emplace_back(value, std::stoul(second, nullptr, 16));
            check_range(value, call.reads.back().second);
        } else if (word == "call") {
            stack_floor = 0x40000;
            for (const auto &write : call.writes)
                if (write.first < STACK_TOP)
                    stack_floor = std::max<uint32_t>(stack_floor, write.first + write.second.size());
            for (const auto &read : call.reads)
                if (read.first < STACK_TOP)
                    stack_floor = std::max<uint32_t>(stack_floor, read.first + read.second);
            answer(core, call);
            call = Call();
        } else {
            fail("the runner was told '" + word + "', which it does not know");
        }
    }
    return 0;
}
