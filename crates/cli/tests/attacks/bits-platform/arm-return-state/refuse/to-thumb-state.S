    orr lr, lr, #1
