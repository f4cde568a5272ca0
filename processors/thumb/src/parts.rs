//! Known parts with a Cortex-M on which the time of a load from program memory depends on the address.

use aesmith_processor::gnu::{KnownPart, RP2350, part};

/// Parts with a Cortex-M.
pub(crate) const CORTEX_M: &[KnownPart] = &[
    part(
        "the RP2040",
        "defined(PICO_RP2040) || defined(ARDUINO_ARCH_RP2040) || defined(CONFIG_SOC_SERIES_RP2040) || \
         defined(CONFIG_SOC_SERIES_RP2XXX)",
        "a cache stands before its serial flash",
        "RP2040 Datasheet, 2.6.3.1",
    ),
    RP2350,
    part(
        "the STM32F2 and STM32F4",
        "defined(STM32F2) || defined(STM32F2xx) || defined(STM32F4) || defined(STM32F4xx) || \
         defined(CONFIG_SOC_SERIES_STM32F2X) || defined(CONFIG_SOC_SERIES_STM32F4X)",
        "the accelerator of its flash has a data cache",
        "ST RM0033, 2.4.2, and RM0090, 3.5.2",
    ),
    part(
        "the STM32L4, STM32G4 and STM32WB",
        "defined(STM32L4) || defined(STM32L4xx) || defined(STM32G4) || defined(STM32G4xx) || defined(STM32WB) || \
         defined(STM32WBxx) || defined(CONFIG_SOC_SERIES_STM32L4X) || defined(CONFIG_SOC_SERIES_STM32G4X) || \
         defined(CONFIG_SOC_SERIES_STM32WBX)",
        "the accelerator of its flash has a data cache",
        "ST RM0351, 3.3.4, RM0440, 5.3.4, and RM0434, 3.3.4",
    ),
    part(
        "the STM32L5, STM32U5 and STM32H5",
        "defined(STM32L5) || defined(STM32L5xx) || defined(STM32U5) || defined(STM32U5xx) || defined(STM32H5) || \
         defined(STM32H5xx) || defined(CONFIG_SOC_SERIES_STM32L5X) || defined(CONFIG_SOC_SERIES_STM32U5X) || \
         defined(CONFIG_SOC_SERIES_STM32H5X)",
        "a cache stands before its code memory, which data are read through, too",
        "ST RM0438, RM0456 and RM0481, chapter ICACHE",
    ),
    part(
        "the STM32L0",
        "defined(STM32L0) || defined(STM32L0xx) || defined(CONFIG_SOC_SERIES_STM32L0X)",
        "its flash has buffers of what was read",
        "ST RM0367, 3.3.3, Data buffering",
    ),
    part(
        "the LPC175x and LPC176x",
        "defined(CHIP_LPC175X_6X) || defined(TARGET_LPC1768) || defined(CONFIG_SOC_SERIES_LPC17XX)",
        "the accelerator of its flash has buffers",
        "NXP UM10360, chapter 5",
    ),
    part(
        "the SAM D21",
        "defined(__SAMD21__) || defined(ARDUINO_ARCH_SAMD) || defined(__SAMD21E18A__) || defined(__SAMD21G18A__) || \
         defined(__SAMD21J18A__) || defined(CONFIG_SOC_SERIES_SAMD21)",
        "a cache stands before its flash",
        "Microchip DS40001882, NVMCTRL, Cache",
    ),
    part(
        "the SAM D51",
        "defined(__SAMD51__) || defined(__SAMD51J19A__) || defined(__SAMD51J20A__) || defined(__SAMD51P20A__) || \
         defined(CONFIG_SOC_SERIES_SAMD51)",
        "a cache stands before its flash",
        "Microchip DS60001507, CMCC",
    ),
    part(
        "the SAM3X",
        "defined(__SAM3X8E__) || defined(CONFIG_SOC_SERIES_SAM3X)",
        "its flash has a buffer of data that were read",
        "Atmel 11057, EEFC, Data Read Optimization",
    ),
    part(
        "the Kinetis K20 and K66",
        "defined(__MK20DX128__) || defined(__MK20DX256__) || defined(__MK64FX512__) || defined(__MK66FX1M0__) || \
         defined(CONFIG_SOC_SERIES_KINETIS_K2X) || defined(CONFIG_SOC_SERIES_KINETIS_K6X)",
        "a cache stands before its flash",
        "Freescale K20P144M72SF1RM, chapter 29, Flash Memory Controller",
    ),
    part(
        "the nRF5340",
        "defined(NRF5340_XXAA) || defined(NRF5340_XXAA_APPLICATION) || defined(CONFIG_SOC_SERIES_NRF53X)",
        "a cache stands before its flash",
        "nRF5340 Product Specification, CACHE",
    ),
];
