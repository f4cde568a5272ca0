# Key schedules: which word goes where.

#: case round-keys
#: why the schedule as it is
#: proved CT2
#: whole aes128-key
    round_keys

#: case round-keys-with-another-constant
#: why the last constant is that of the round before
#: refused round key 10 is wrong
#: whole aes128-key
    round_keys 0x1b

#: case round-keys-without-the-last
#: why the last round key is not written
#: refused round key 10 is not written
#: whole aes128-key
    round_keys last=no

#: case round-keys-with-half-of-the-last
#: why half of it is not
#: refused
#: whole aes128-key
    round_keys last=half

#: case round-keys-without-the-first
#: why the cipher key itself is not written
#: refused
#: whole aes128-key
    round_keys first=no

#: case round-keys-with-a-word-left-out
#: why a sum over the words before is left out
#: refused
#: whole aes128-key
    round_keys shifts=2

#: case round-keys-with-the-word-unrotated
#: why the word is not rotated
#: refused
#: whole aes128-key
    round_keys word=0xaa

#: case round-keys-beyond-their-end
#: why sixteen bytes more are written
#: refused
#: whole aes128-key
    round_keys more=176

#: case round-keys-written-twice
#: why the first is written once more
#: proved CT2
#: whole aes128-key
    round_keys more=0, x=xmm3

#: case round-keys-written-over
#: why the last is written where the first has to be
#: refused round key 0 is wrong
#: whole aes128-key
    round_keys more=0

#: case inverse-round-keys
#: why the schedule of decryption
#: proved CT2
#: whole aes128-key-dec
    round_keys order=160, mixed=vaesimc

#: case inverse-round-keys-in-the-order-of-encryption
#: why they are not turned round
#: refused
#: whole aes128-key-dec
    round_keys mixed=vaesimc

#: case inverse-round-keys-that-are-not-mixed
#: why InvMixColumns is left out
#: refused
#: whole aes128-key-dec
    round_keys order=160

#: case inverse-round-keys-of-which-all-are-mixed
#: why the last in order of use is mixed too
#: refused
#: whole aes128-key-dec
    round_keys order=160, mixed=vaesimc, ends=vaesimc
