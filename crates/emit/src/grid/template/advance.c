
/* Adds a number of blocks to a counter: 128 bits, the highest byte first. */
static void advance(uint8_t counter[16], size_t by)
{
    unsigned at;
    for (at = 16; at-- && by; by >>= 8) {
        by += counter[at];
        counter[at] = (uint8_t)by;
    }
}
