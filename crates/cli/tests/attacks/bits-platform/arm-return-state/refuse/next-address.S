    add lr, lr, #1
