//! NVIDIA's GPUs in this machine, through CUDA's driver interface, which is loaded at run time if present and
//! not linked. It is tested with a stand-in for the driver, and has run on an H100.

mod context;
mod divided;
mod driver;
mod micro;
mod rates;
mod session;

use std::ffi::{CStr, OsString, c_char, c_int};
use std::rc::Rc;
use std::sync::OnceLock;

use aesmith_judge::judge::{Instrument, Kind};
use aesmith_processor::grid::card::{About, Card, Cards, Rates, Session};
use aesmith_processor::grid::certificate::ProvedGrid;
use context::{Context, Module};
use driver::{Driver, number};

/// CUDA's driver interface.
pub struct Cuda {
    /// The library, if it differs from the system's.
    library: Option<OsString>,
    driver: OnceLock<Result<Driver, String>>,
}

/// The driver of this machine.
pub static CUDA: Cuda = Cuda { library: None, driver: OnceLock::new() };

/// Environment variable with another library to load as the driver.
const LIBRARY: &str = "AESMITH_CUDA_DRIVER";

impl Cuda {
    /// The driver in a library of this name or path.
    pub fn of(library: impl Into<OsString>) -> Cuda {
        Cuda { library: Some(library.into()), driver: OnceLock::new() }
    }

    /// The driver, loaded and initialized once if there is a GPU.
    fn driver(&self) -> Result<&Driver, String> {
        let load = || {
            let named = self.library.clone().or_else(|| std::env::var_os(LIBRARY));
            let driver = Driver::load(&named.unwrap_or_else(|| "libcuda.so.1".into()))?;
            let mut cards: c_int = 0;
            // SAFETY: a pointer to a number.
            unsafe {
                driver.init(0)?;
                driver.device_count(&mut cards)?;
            }
            match cards > 0 {
                true => Ok(driver),
                false => Err("CUDA's driver knows no GPU".to_owned()),
            }
        };
        self.driver.get_or_init(load).as_ref().map_err(Clone::clone)
    }
}

impl Instrument for Cuda {
    fn name(&self) -> String {
        "a card of NVIDIA in this machine, by CUDA's driver".into()
    }

    fn present(&self) -> Result<(), String> {
        self.driver().map(|_| ()).map_err(|why| {
            format!("no GPU here: {why}. NVIDIA's driver for a card brings libcuda.so.1, which is loaded where it is there")
        })
    }

    fn kind(&self) -> Kind {
        Kind::Noisy
    }
}

impl Cards for Cuda {
    fn open(&self) -> Result<Box<dyn Card + '_>, String> {
        self.present()?;
        let driver = self.driver()?;
        let mut device: c_int = 0;
        // SAFETY: a pointer to a number; there is a first device.
        unsafe { driver.device(&mut device, 0)? };
        let about = about(driver, device)?;
        Ok(Box::new(Opened { about, context: Context::new(driver, device)? }))
    }
}

/// The first GPU.
struct Opened<'d> {
    about: About,
    context: Context<'d>,
}

impl Opened<'_> {
    /// The module of all micro-kernels.
    fn micro(&self) -> Result<Rc<Module<'_>>, String> {
        let module = Module::new(&self.context, &micro::text());
        module.map_err(|e| format!("the micro-kernels cannot be loaded: {e}"))
    }
}

impl Card for Opened<'_> {
    fn about(&self) -> &About {
        &self.about
    }

    fn rates(&self, turns: u32) -> Result<Rates, String> {
        let module = self.micro()?;
        rates::measured(&self.context, &module, (self.about.multiprocessors, self.about.shared), turns)
    }

    fn session<'a>(&'a self, kernels: &[ProvedGrid], blocks: usize) -> Result<Box<dyn Session + 'a>, String> {
        let module = self.micro()?;
        let count = self.about.multiprocessors;
        Ok(Box::new(session::OnCard::new(&self.context, &module, count, kernels, blocks)?))
    }
}

/// The driver's data about a device.
fn about(driver: &Driver, device: c_int) -> Result<About, String> {
    let attribute = |which: c_int| -> Result<u32, String> {
        let mut value: c_int = 0;
        // SAFETY: a pointer to a number.
        unsafe { driver.device_attribute(&mut value, which, device)? };
        u32::try_from(value)
            .map_err(|_| format!("CUDA's driver says {value} of attribute {which} of the card"))
    };
    let (mut name, mut uuid, mut memory, mut version) = ([0 as c_char; 256], [0u8; 16], 0usize, 0);
    // SAFETY: pointers to the stated number of bytes, to 16 bytes, and to two numbers.
    unsafe {
        driver.device_name(name.as_mut_ptr(), name.len() as c_int - 1, device)?;
        driver.device_uuid(&mut uuid, device)?;
        driver.device_memory(&mut memory, device)?;
        driver.driver_version(&mut version)?;
    }
    // SAFETY: the driver wrote at most 255 bytes, so that a 0 follows.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    let [major, minor] = number::CAPABILITY;
    let multiprocessors = attribute(number::MULTIPROCESSORS)?;
    if multiprocessors == 0 {
        return Err(format!("CUDA's driver says that {name} has no multiprocessors"));
    }
    Ok(About {
        name,
        uuid: uuid.iter().map(|byte| format!("{byte:02x}")).collect(),
        architecture: format!("sm_{}{}", attribute(major)?, attribute(minor)?),
        multiprocessors,
        memory: memory as u64,
        shared: attribute(number::SHARED)?,
        driver: format!("{}.{}", version / 1000, version % 1000 / 10),
        rated_mhz: f64::from(attribute(number::CLOCK)?) / 1000.0,
    })
}

#[cfg(test)]
pub(crate) mod tests;
