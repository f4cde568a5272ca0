//! Known parts with a 32-bit RISC-V processor on which the time of a load from program memory depends on the
//! address.

use aesmith_processor::gnu::{KnownPart, RP2350, part};

/// Parts with a 32-bit RISC-V processor.
pub(crate) const RISC_V: &[KnownPart] = &[
    part(
        "the FE310",
        "defined(CONFIG_SOC_SERIES_SIFIVE_FREEDOM_FE300) || defined(CONFIG_SOC_RISCV_SIFIVE_FREEDOM) || \
         defined(CONFIG_SOC_SIFIVE_FREEDOM_FE310)",
        "its flash is read through a serial interface",
        "SiFive FE310-G000 Manual, chapter on SPI",
    ),
    part(
        "the ESP32-C3 and its kind",
        "defined(ESP_PLATFORM) || defined(ARDUINO_ARCH_ESP32) || defined(CONFIG_SOC_FAMILY_ESPRESSIF_ESP32) || \
         defined(CONFIG_SOC_SERIES_ESP32C3)",
        "a cache stands before its serial flash",
        "ESP32-C3 Technical Reference Manual, 3.3.2",
    ),
    part(
        "the CH32V20x and CH32V30x",
        "defined(CH32V20x) || defined(CH32V30x) || defined(CONFIG_SOC_SERIES_QINGKE_V4B) || \
         defined(CONFIG_SOC_SERIES_QINGKE_V4C) || defined(CONFIG_SOC_SERIES_QINGKE_V4F)",
        "only the part of its flash that is copied to RAM is read without wait states",
        "WCH CH32FV2x_V3xRM, chapter Flash Memory; names: Zephyr, modules/hal_wch/hal_ch32fun.h",
    ),
    RP2350,
];
