//! The bodies of the fuzz targets, which the tests of the crate run as well.

#[path = "../../tests/decoders/targets.rs"]
pub mod targets;
