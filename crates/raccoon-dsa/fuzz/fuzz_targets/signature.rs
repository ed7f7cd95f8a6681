//! The decoders of signatures.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raccoon_dsa_fuzz::targets;

fuzz_target!(|script: &[u8]| {
    let _ = targets::signature(script);
});
