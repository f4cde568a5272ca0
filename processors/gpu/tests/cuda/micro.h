/* Micro-kernels, interpreted from their text: independent of what aesmith says that they compute. */
#ifndef MICRO_H
#define MICRO_H
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char name[16];
    int count;
    long long operands[5];
    char kinds[5]; /* r: a register, n: a number, o: another */
} insn;

static int read_insn(const char *line, insn *i)
{
    char words[5][24] = { { 0 } };
    int k, found = sscanf(line, " %15s %23[^,;], %23[^,;], %23[^,;], %23[^,;], %23[^,;]", i->name, words[0], words[1], words[2], words[3], words[4]);
    i->count = found < 1 ? 0 : found - 1;
    for (k = 0; k < i->count; k++) {
        const char *word = words[k] + (words[k][0] == '[');
        i->kinds[k] = 'o';
        if (word[0] == '%' && word[1] == 'r' && word[2] != 'd') {
            i->kinds[k] = 'r';
            i->operands[k] = atoi(word + 2);
        } else if (*word >= '0' && *word <= '9') {
            i->kinds[k] = 'n';
            i->operands[k] = atoll(word);
        }
    }
    return found > 0;
}

static unsigned get(const insn *i, const unsigned *r, int k)
{
    return i->kinds[k] == 'r' ? r[i->operands[k]] : (unsigned)i->operands[k];
}

static unsigned looked_up(unsigned a, unsigned b, unsigned c, unsigned table)
{
    unsigned result = 0, k;
    for (k = 0; k < 8; k++)
        if (table >> k & 1)
            result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return result;
}

static unsigned permuted(unsigned a, unsigned b, unsigned by)
{
    unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned result = 0, k;
    for (k = 0; k < 4; k++)
        result |= (unsigned)(both >> 8 * (by >> 4 * k & 7) & 255) << 8 * k;
    return result;
}

/* The word that each thread of a block stores, and the instructions of a turn by their kind. */
static void interpret(const char *text, unsigned turns, unsigned selector, unsigned *words, int *logic, int *product, int *permutation, int *loads)
{
    static unsigned shared[65536 / 4];
    insn *all = malloc(2048 * sizeof *all);
    int count = 0, turn = 0, last = 0, k;
    unsigned thread;
    const char *line = strchr(text, '{');
    for (; line && count < 2048; line = strchr(line + 1, '\n')) {
        if (!strncmp(line, "\nturn:", 6))
            turn = count;
        if (strstr(line, "%ctaid.x") && strstr(line, "%ctaid.x") < strchr(line + 1, '\n'))
            break;
        if (!strncmp(line, "\n    @%p0 bra turn", 18))
            last = count;
        else if (read_insn(line + 1, &all[count]))
            count++;
    }
    *logic = *product = *permutation = *loads = 0;
    for (k = turn; k < last; k++) {
        *logic += !strcmp(all[k].name, "lop3.b32");
        *product += !strcmp(all[k].name, "mad.lo.u32");
        *permutation += !strcmp(all[k].name, "prmt.b32");
        *loads += !strcmp(all[k].name, "ld.shared.b32");
    }
    for (thread = 0; thread < 1024; thread++) {
        unsigned r[32] = { 0 };
        for (k = 0; k < count; k++) {
            const insn *i = &all[k];
            unsigned *d = &r[i->operands[0] & 31];
            if (!strcmp(i->name, "lop3.b32"))
                *d = looked_up(get(i, r, 1), get(i, r, 2), get(i, r, 3), get(i, r, 4));
            else if (!strcmp(i->name, "mad.lo.u32"))
                *d = get(i, r, 1) * get(i, r, 2) + get(i, r, 3);
            else if (!strcmp(i->name, "prmt.b32"))
                *d = permuted(get(i, r, 1), get(i, r, 2), get(i, r, 3));
            else if (!strcmp(i->name, "ld.shared.b32"))
                *d = shared[(get(i, r, 1) - 1024) / 4 % 16384];
            else if (!strcmp(i->name, "st.shared.b32"))
                shared[(get(i, r, 0) - 1024) / 4 % 16384] = get(i, r, 1);
            else if (!strcmp(i->name, "add.u32"))
                *d = get(i, r, 1) + get(i, r, 2);
            else if (!strcmp(i->name, "sub.u32"))
                *d = get(i, r, 1) - get(i, r, 2);
            else if (!strcmp(i->name, "xor.b32"))
                *d = get(i, r, 1) ^ get(i, r, 2);
            else if (!strcmp(i->name, "mov.u32") && i->kinds[0] == 'r')
                *d = i->kinds[1] == 'n' ? get(i, r, 1) : i->operands[0] == 16 ? thread : 1024;
            else if (!strcmp(i->name, "ld.param.u32"))
                *d = i->operands[0] == 17 ? turns : selector;
            else if (!strcmp(i->name, "setp.ne.u32") && r[17])
                k = turn - 1;
        }
        words[thread] = r[20];
    }
    free(all);
}
#endif
