//! Pages on kernels of grids.

pub mod landscape;
pub mod page;
