# CBC of several streams, each with its own key, IV, text and length.

#: case two-streams
#: why one after the other
#: proved CT2
#: whole aes128-cbc-x2
    stream_by_stream 0
    stream_by_stream 8
    ret

#: case two-streams-in-another-order
#: why the second first
#: proved CT2
#: whole aes128-cbc-x2
    stream_by_stream 8
    stream_by_stream 0
    ret

#: case one-stream-of-two
#: why the second is left as it is
#: refused
#: whole aes128-cbc-x2
    stream_by_stream 0
    ret

#: case one-stream-twice
#: why the first again: in place it is ciphertext by then
#: refused
#: whole aes128-cbc-x2
    stream_by_stream 0
    stream_by_stream 0
    stream_by_stream 8
    ret

#: case the-other-stream-s-key
#: why the second's key is the first's
#: refused
#: whole aes128-cbc-x2
    stream_by_stream 0
    stream_by_stream 8, key=0
    ret

#: case the-other-stream-s-iv
#: why the second begins with the first's IV, which is its last block by then
#: refused
#: whole aes128-cbc-x2
    stream_by_stream 0
    stream_by_stream 8, iv=0
    ret

#: case the-other-stream-s-length
#: why the second is as long as the first
#: refused
#: whole aes128-cbc-x2
    stream_by_stream 0
    stream_by_stream 8, length=0
    ret

#: case the-other-stream-s-output
#: why the second goes to the first's memory
#: refused
#: whole aes128-cbc-x2
    stream_by_stream 0
    stream_by_stream 8, out=0
    ret

#: case an-iv-left-to-the-other-stream
#: why what is chained to the next call is the other stream's
#: refused
#: whole aes128-cbc-x2
    stream_by_stream 0, after=8
    stream_by_stream 8, after=0
    ret

#: case two-streams-together
#: why both while there is a block of both, and then each by itself
#: proved CT2
#: whole aes128-cbc-x2
    streams_together

#: case two-streams-together-as-long-as-the-first
#: why as many of both as the first has
#: refused
#: whole aes128-cbc-x2
    streams_together "mov r11, rax"

#: case two-streams-together-as-long-as-the-longer
#: why as many of both as the longer has
#: refused
#: whole aes128-cbc-x2
    streams_together "mov r11, r10; cmp rax, r10; cmova r11, rax"

#: case two-streams-together-and-a-chain-that-is-not-moved
#: why the rest of the second begins with the IV of the beginning
#: refused
#: whole aes128-cbc-x2
    streams_together , "mov r9, [rsi + 8]; vmovdqu xmm1, [r9]"

#: case two-streams-together-and-the-pointers-of-the-beginning
#: why the rest of the second begins where it began
#: refused
#: whole aes128-cbc-x2
    streams_together , "mov r13, [rdx + 8]; mov r15, [rcx + 8]"

#: case two-streams-together-and-each-other-s-chain
#: why the chains change places behind the loop
#: refused
#: whole aes128-cbc-x2
    streams_together , "vpxor xmm0, xmm0, xmm1; vpxor xmm1, xmm1, xmm0; vpxor xmm0, xmm0, xmm1"
