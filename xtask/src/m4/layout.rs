//! The memory layouts of the images, and the boards that have them.

use crate::run;
use anyhow::{Context, Result, ensure};
use m4sim::Range;
use std::fs;

/// A board whose layout has a name.
pub struct Board {
    /// File of `firmware/layouts`, without `.x`.
    pub layout: &'static str,
    /// What probe-rs calls the chip.
    pub chip: &'static str,
}

/// The boards that images can be run on. Out of reset both run without wait states.
pub const BOARDS: [Board; 2] = [
    // NUCLEO-L4R5ZI.
    Board { layout: "l4r5", chip: "STM32L4R5ZITx" },
    // STM32F4DISCOVERY.
    Board { layout: "f407", chip: "STM32F407VGTx" },
];

/// The RAM of a layout.
pub fn ram(layout: &str) -> Result<Vec<Range>> {
    let path = run::root().join(format!("firmware/layouts/{layout}.x"));
    let text = fs::read_to_string(&path).with_context(|| format!("there is no layout {layout}"))?;
    let regions = text.lines().filter(|line| line.contains("ORIGIN ="));
    let ram = regions.filter(|line| !line.contains("FLASH")).map(|line| {
        region(line).with_context(|| format!("{}: {line:?} is no region", path.display()))
    });
    let ram: Vec<_> = ram.collect::<Result<_>>()?;
    ensure!(!ram.is_empty(), "{}: there is no RAM", path.display());
    Ok(ram)
}

/// A line such as `RAM : ORIGIN = 0x20000000, LENGTH = 64K`.
fn region(line: &str) -> Option<Range> {
    let (_, rest) = line.split_once("ORIGIN = 0x")?;
    let (origin, length) = rest.split_once(", LENGTH = ")?;
    let (digits, unit) = length.split_at(length.find(['K', 'M'])?);
    let shift = if unit.starts_with('K') { 10 } else { 20 };
    let size = digits.parse::<u32>().ok()?.checked_shl(shift)?;
    Some(Range { base: u32::from_str_radix(origin, 16).ok()?, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ram_of_a_layout() {
        let ranges = ram("f407").expect("there is such a layout");
        let sizes: Vec<_> = ranges.iter().map(|range| (range.base, range.size)).collect();
        assert_eq!(sizes, [(0x2000_0000, 128 << 10), (0x1000_0000, 64 << 10)]);
        assert!(ram("none").is_err());
    }

    #[test]
    fn every_board_has_a_layout() {
        for board in &BOARDS {
            assert!(ram(board.layout).is_ok(), "{}", board.layout);
        }
    }
}
