# Streaming stores are weakly ordered: the caller's next stores may be seen before them, unless a fence stands
# between them and the return. The output has to be aligned for them, which the kernel finds out first.

#: case streaming-without-a-fence
#: why nothing orders the last block before what the caller stores next
#: refused a streaming store
#: whole aes128-ecb
    streamed

#: case streaming-with-a-fence
#: why the fence is behind the last block, on the only way to the return
#: proved CT2 unwiped
#: whole aes128-ecb
    streamed exit=sfence

#: case streaming-with-a-fence-in-the-loop
#: why a fence behind each store is one too many, and enough
#: proved CT2 unwiped
#: whole aes128-ecb
    streamed after=sfence

#: case streaming-behind-its-fence
#: why the fence stands before the store of the same pass, and none behind the last
#: refused a streaming store
#: whole aes128-ecb
    streamed before=sfence

#: case fence-that-is-jumped-over
#: why for one block the return is reached beside the fence
#: refused a streaming store
#: whole aes128-ecb
    streamed exit="test rdx, 64; jz 92f; sfence"

#: case fence-of-the-other-path
#: why the fence is where nothing was streamed
#: refused a streaming store
#: whole aes128-ecb
    streamed other=sfence

#: case fence-of-another-kind
#: why a nop that looks like a fence orders nothing
#: refused a streaming store
#: whole aes128-ecb
    streamed exit="nop dword ptr [rax]"

#: case legacy-streaming-without-a-fence
#: why the SSE encoding streams too
#: refused a streaming store
#: whole aes128-ecb
    streamed movntdq

#: case legacy-streaming-with-a-fence
#: why the SSE encoding, fenced
#: proved CT2 unwiped
#: whole aes128-ecb
    streamed movntdq, exit=sfence
