//! The system control space: the registers at 0xE000_0000 that programs use without interrupts.

use crate::memory::Range;

/// The private peripheral bus.
pub(crate) const SYSTEM: Range = Range { base: 0xE000_0000, size: 0x0010_0000 };

const DWT_CTRL: u32 = 0xE000_1000;
const DWT_CYCCNT: u32 = 0xE000_1004;
const SYST_CSR: u32 = 0xE000_E010;
const SYST_RVR: u32 = 0xE000_E014;
const SYST_CVR: u32 = 0xE000_E018;
const CPUID: u32 = 0xE000_ED00;
const VTOR: u32 = 0xE000_ED08;
const CCR: u32 = 0xE000_ED14;
const CPACR: u32 = 0xE000_ED88;
const DEMCR: u32 = 0xE000_EDFC;

/// Cortex-M4 r0p1.
const CPUID_VALUE: u32 = 0x410F_C241;
/// Four comparators, no optional part missing; bit 0 enables the cycle counter.
const DWT_CTRL_FIXED: u32 = 0x4000_0000;
const CYCCNT_ENABLE: u32 = 1;
/// Stack alignment on exception entry, as after reset.
const CCR_RESET: u32 = 0x0000_0200;
const SYST_ENABLE: u32 = 1;
const SYST_COUNTFLAG: u32 = 1 << 16;
const SYST_MASK: u32 = 0x00FF_FFFF;
/// Full access to coprocessors 10 and 11.
const CPACR_FP: u32 = 0xF << 20;

/// State of the system control space.
#[derive(Clone, Debug)]
pub(crate) struct System {
    counter: CycleCounter,
    systick: SysTick,
    vtor: u32,
    ccr: u32,
    cpacr: u32,
    demcr: u32,
}

impl Default for System {
    fn default() -> Self {
        System {
            counter: CycleCounter::default(),
            systick: SysTick::default(),
            vtor: 0,
            ccr: CCR_RESET,
            cpacr: 0,
            demcr: 0,
        }
    }
}

/// DWT_CYCCNT: runs while enabled, from a value the program may set.
#[derive(Clone, Debug, Default)]
struct CycleCounter {
    enabled: bool,
    value: u32,
    since: u64,
}

impl CycleCounter {
    fn read(&self, now: u64) -> u32 {
        let elapsed = if self.enabled { now - self.since } else { 0 };
        self.value.wrapping_add(elapsed as u32)
    }

    fn set(&mut self, value: u32, enabled: bool, now: u64) {
        *self = CycleCounter { enabled, value, since: now };
    }
}

/// The system timer without its interrupt.
#[derive(Clone, Debug, Default)]
struct SysTick {
    control: u32,
    reload: u32,
    since: u64,
    /// Wraps already reported by COUNTFLAG.
    seen: u64,
}

impl SysTick {
    fn elapsed(&self, now: u64) -> u64 {
        if self.control & SYST_ENABLE != 0 { now - self.since } else { 0 }
    }

    fn period(&self) -> u64 {
        u64::from(self.reload) + 1
    }

    fn value(&self, now: u64) -> u32 {
        match self.elapsed(now) % self.period() {
            0 => 0,
            phase => (self.period() - phase) as u32,
        }
    }

    fn read_control(&mut self, now: u64) -> u32 {
        let wraps = self.elapsed(now) / self.period();
        let flag = if wraps > self.seen { SYST_COUNTFLAG } else { 0 };
        self.seen = wraps;
        self.control | flag
    }

    fn restart(&mut self, now: u64) {
        self.since = now;
        self.seen = 0;
    }
}

impl System {
    /// Whether floating-point instructions are allowed.
    #[inline(always)]
    pub(crate) fn fp_enabled(&self) -> bool {
        self.cpacr & CPACR_FP == CPACR_FP
    }

    /// The word at `address` (a multiple of 4) when `now` cycles have passed; 0 for registers that
    /// are not modelled.
    pub(crate) fn read(&mut self, address: u32, now: u64) -> u32 {
        match address {
            DWT_CTRL => DWT_CTRL_FIXED | u32::from(self.counter.enabled),
            DWT_CYCCNT => self.counter.read(now),
            SYST_CSR => self.systick.read_control(now),
            SYST_RVR => self.systick.reload,
            SYST_CVR => self.systick.value(now),
            CPUID => CPUID_VALUE,
            VTOR => self.vtor,
            CCR => self.ccr,
            CPACR => self.cpacr,
            DEMCR => self.demcr,
            _ => 0,
        }
    }

    /// Writes the word at `address` (a multiple of 4); without effect on registers that are not
    /// modelled.
    pub(crate) fn write(&mut self, address: u32, value: u32, now: u64) {
        match address {
            DWT_CTRL => self.counter.set(self.counter.read(now), value & CYCCNT_ENABLE != 0, now),
            DWT_CYCCNT => self.counter.set(value, self.counter.enabled, now),
            SYST_CSR => {
                self.systick.control = value & 7;
                self.systick.restart(now);
            }
            SYST_RVR => self.systick.reload = value & SYST_MASK,
            SYST_CVR => self.systick.restart(now),
            VTOR => self.vtor = value & !0x7F,
            CCR => self.ccr = value,
            CPACR => self.cpacr = value,
            DEMCR => self.demcr = value,
            _ => {}
        }
    }
}
