	@if ! command -v $(CROSS)gcc >/dev/null; then echo "skipped: the assembly was not run, which needs $(CROSS)gcc"; \
	elif ! command -v $(firstword $(EMULATOR)) >/dev/null; then echo "skipped: the assembly was not run, which needs $(firstword $(EMULATOR)) (@PACKAGE@)"; \
	else $(MAKE) --no-print-directory check-assembly; fi

EMULATOR ?= @EMULATOR@

check-assembly: selftest.elf
	@RUN@
	@echo "ok: the assembly, in $(firstword $(EMULATOR))"

selftest.elf: examples/selftest/@NAME@_selftest.c examples/selftest/emulated.c lib@NAME@.a
	$(CROSS)gcc $(TARGET) $(CFLAGS) -ffreestanding @LINKER@ -Isrc -DSELFTEST=@NAME@_selftest -o $@ $^ -lgcc
