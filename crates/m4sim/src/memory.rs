//! The memories of the simulated device: RAM regions of chosen sizes, and read-only flash.

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First address.
    pub base: u32,
    /// Length in bytes.
    pub size: u32,
}

impl Range {
    /// Whether `size` bytes from `address` on all lie in the range.
    pub fn holds(self, address: u32, size: u32) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset <= self.size && size <= self.size - offset
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = u64::from(self.base) + u64::from(self.size);
        write!(f, "{:#010x}..{end:#010x} ({} bytes)", self.base, self.size)
    }
}

#[derive(Clone, Debug)]
struct Region {
    base: u32,
    writable: bool,
    data: Vec<u8>,
}

/// Why a write failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteError {
    Unmapped,
    ReadOnly,
}

/// All memories of a device.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    // RAM in front: it is accessed most, and the regions are searched in order.
    regions: Vec<Region>,
}

impl Memory {
    /// Adds RAM, filled with zeros.
    pub fn add_ram(&mut self, range: Range) {
        let region =
            Region { base: range.base, writable: true, data: vec![0; range.size as usize] };
        let position = self.regions.iter().take_while(|r| r.writable).count();
        self.regions.insert(position, region);
    }

    /// Adds read-only memory with these contents.
    pub fn add_rom(&mut self, base: u32, data: Vec<u8>) {
        self.regions.push(Region { base, writable: false, data });
    }

    /// The RAM regions, in the order they were added.
    pub fn ram(&self) -> impl Iterator<Item = Range> + '_ {
        self.ranges(true)
    }

    /// The read-only regions, in the order they were added.
    pub fn rom(&self) -> impl Iterator<Item = Range> + '_ {
        self.ranges(false)
    }

    fn ranges(&self, writable: bool) -> impl Iterator<Item = Range> + '_ {
        let chosen = self.regions.iter().filter(move |r| r.writable == writable);
        chosen.map(|r| Range { base: r.base, size: r.data.len() as u32 })
    }

    /// `N` bytes from `address` on, or `None` where they are not all in one memory.
    #[inline(always)]
    pub(crate) fn read<const N: usize>(&self, address: u32) -> Option<[u8; N]> {
        for region in &self.regions {
            let offset = address.wrapping_sub(region.base) as usize;
            if let Some(bytes) = region.data.get(offset..).and_then(|rest| rest.first_chunk::<N>())
            {
                return Some(*bytes);
            }
        }
        None
    }

    #[inline(always)]
    pub(crate) fn write<const N: usize>(
        &mut self,
        address: u32,
        bytes: [u8; N],
    ) -> Result<(), WriteError> {
        for region in &mut self.regions {
            let offset = address.wrapping_sub(region.base) as usize;
            let place = region.data.get_mut(offset..).and_then(|r| r.first_chunk_mut::<N>());
            if let Some(place) = place {
                if !region.writable {
                    return Err(WriteError::ReadOnly);
                }
                *place = bytes;
                return Ok(());
            }
        }
        Err(WriteError::Unmapped)
    }

    /// The byte at `address`, or `None` where there is no memory.
    pub fn byte(&self, address: u32) -> Option<u8> {
        self.read::<1>(address).map(|[byte]| byte)
    }

    /// The little-endian word at `address` (any alignment), or `None` where there is no memory.
    pub fn word(&self, address: u32) -> Option<u32> {
        self.read::<4>(address).map(u32::from_le_bytes)
    }

    /// Copies `size` bytes from `address` on; on failure returns the first address without memory.
    pub fn copy_out(&self, address: u32, size: u32) -> Result<Vec<u8>, u32> {
        let addresses = (0..size).map(|i| address.wrapping_add(i));
        addresses.map(|a| self.byte(a).ok_or(a)).collect()
    }

    /// Writes `bytes` from `address` on; on failure returns the first address without RAM.
    pub fn copy_in(&mut self, address: u32, bytes: &[u8]) -> Result<(), u32> {
        for (i, &byte) in bytes.iter().enumerate() {
            let place = address.wrapping_add(i as u32);
            self.write(place, [byte]).map_err(|_| place)?;
        }
        Ok(())
    }
}
