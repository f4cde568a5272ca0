/* The counter of a block by its number: 128 bits, the highest byte first. */
static void counted(uint8_t own[16], const uint8_t counter[16], size_t block)
{
    unsigned at;
    memcpy(own, counter, 16);
    for (at = 16; at-- && block; block >>= 8) {
        block += own[at];
        own[at] = (uint8_t)block;
    }
}

