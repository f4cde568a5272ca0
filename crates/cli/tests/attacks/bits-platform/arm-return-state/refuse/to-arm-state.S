    bic lr, lr, #1
