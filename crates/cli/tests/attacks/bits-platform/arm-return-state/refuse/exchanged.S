    eor lr, lr, #1
