//! Results of a run, as text for people and as JSON for programs.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::ct::Comparison;
use crate::elf::Image;
use crate::fault::{Fault, FaultKind, Stop};
use crate::machine::Machine;
use crate::profile::{FunctionTotals, Profile};
use crate::touched::{Touched, Usage};

/// Functions listed in the text form.
const LISTED: usize = 40;
/// Callers listed below each.
const LISTED_CALLERS: usize = 4;
/// Share of the cycles below which a function is not listed, in per mille.
const SMALLEST_SHARE: u64 = 1;

/// Says what went wrong, where, and in which instruction.
pub fn describe_fault(fault: &Fault, image: &Image, machine: &Machine) -> String {
    let mut text = format!("{}\n  at {}", fault.kind, image.describe(fault.pc));
    if let Some(instruction) = machine.instruction_at(fault.pc) {
        let [first, second] = machine.halfwords(fault.pc).unwrap_or_default();
        let encoding = match instruction.size {
            2 => format!("{first:04x}"),
            _ => format!("{first:04x} {second:04x}"),
        };
        let _ = write!(text, "\n  instruction {encoding}: {}", instruction.text(fault.pc));
    }
    if let FaultKind::Write { address, .. } | FaultKind::Read { address, .. } = fault.kind {
        text += &nearest_ram(machine, address);
    }
    text
}

/// A hint for accesses just outside RAM, which mostly mean that the program needs more of it.
fn nearest_ram(machine: &Machine, address: u32) -> String {
    let sp = machine.register(crate::decode::SP);
    let ranges: Vec<String> = machine.memory().ram().map(|range| range.to_string()).collect();
    let below = if address.abs_diff(sp) < 0x1000 { "; the stack pointer is near" } else { "" };
    format!("\n  RAM: {}{below}", ranges.join(" and "))
}

/// Says how two runs differ.
pub fn describe_comparison(comparison: &Comparison, image: &Image, machine: &Machine) -> String {
    let mut text = format!("{} instructions compared", comparison.compared);
    for (function, count) in &comparison.allowed {
        let _ = write!(text, "\n  allowed: {function} differed in {count} calls");
    }
    let Some(difference) = &comparison.difference else {
        text += "\nno difference: same addresses executed, same addresses accessed";
        match &comparison.stop {
            Stop::Exit(0) => {}
            Stop::Exit(status) => text += &format!("\nBOTH FAILED with status {status}"),
            Stop::Fault(fault) => {
                text += "\nBOTH FAILED\n";
                text += &describe_fault(fault, image, machine);
            }
            Stop::Limit => text += "\nthe limit was reached before the end",
        }
        return text;
    };
    let pc = difference.pc;
    let instruction = machine.instruction_at(pc).map_or(String::new(), |i| i.text(pc));
    let place = image.describe(pc);
    let _ = write!(text, "\nDIFFERENCE at {place}\n  {instruction}: {}", difference.kind);
    text
}

/// Everything measured about a run.
#[derive(Debug)]
pub struct Report<'a> {
    /// What was run.
    pub image: &'a Image,
    /// The machine at the end.
    pub machine: &'a Machine,
    /// How the run ended.
    pub stop: &'a Stop,
    /// Cycles by function and RAM accessed, where they were recorded.
    pub detail: Option<(&'a Profile<'a>, &'a Touched)>,
}

/// How much stack a run needed, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackUse {
    /// From the initial stack pointer down to its lowest value.
    pub by_pointer: u32,
    /// From the initial stack pointer down to the lowest byte written.
    pub by_writes: u32,
}

impl StackUse {
    /// Stack need of a profiled run.
    pub fn of(profile: &Profile<'_>, touched: &Touched) -> Self {
        let top = profile.initial_sp();
        let stack = touched.stack(profile.image(), top);
        let lowest = stack.and_then(|usage| touched.lowest_written(usage.range));
        StackUse {
            by_pointer: top - profile.lowest_sp().min(top),
            by_writes: lowest.map_or(0, |address| top - address),
        }
    }
}

impl Report<'_> {
    /// The report as JSON.
    pub fn json(&self) -> Value {
        let mut report = json!({
            "outcome": self.outcome(),
            "cycles": self.machine.cycles(),
            "instructions": self.machine.instructions(),
        });
        if let Some((profile, touched)) = self.detail {
            report["functions"] = profile.totals().iter().map(function_json).collect();
            report["stack"] = stack_json(StackUse::of(profile, touched));
            report["memory"] = self.usages(profile, touched).iter().map(usage_json).collect();
            report["divisions"] = self.divisions(profile);
            report["lost_registers"] = lost_json(profile);
        }
        report
    }

    fn outcome(&self) -> Value {
        match self.stop {
            Stop::Exit(status) => json!({ "exit": status }),
            Stop::Fault(fault) => {
                json!({ "fault": describe_fault(fault, self.image, self.machine) })
            }
            Stop::Limit => json!({ "limit": self.machine.instructions() }),
        }
    }

    fn usages(&self, profile: &Profile<'_>, touched: &Touched) -> Vec<Usage> {
        let mut usages = touched.regions();
        usages.extend(touched.sections(self.image));
        usages.extend(touched.stack(self.image, profile.initial_sp()));
        usages
    }

    fn divisions(&self, profile: &Profile<'_>) -> Value {
        let site = |address| self.image.describe(address);
        let sites = profile.divisions();
        sites.iter().map(|d| json!({ "at": site(d.address), "count": d.count })).collect()
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let (cycles, instructions) = (self.machine.cycles(), self.machine.instructions());
        let mut text = format!("{cycles} cycles, {instructions} instructions\n");
        if let Some((profile, touched)) = self.detail {
            text += &functions_text(&profile.totals(), cycles);
            text += &self.memory_text(profile, touched);
            text += &self.checks_text(profile);
        }
        text
    }

    fn memory_text(&self, profile: &Profile<'_>, touched: &Touched) -> String {
        let stack = StackUse::of(profile, touched);
        let mut text = format!(
            "\nstack: {} bytes by stack pointer, {} by writes\n",
            stack.by_pointer, stack.by_writes
        );
        for usage in self.usages(profile, touched) {
            let _ = writeln!(
                text,
                "{:16} {}: {} read, {} written, {} touched",
                usage.name, usage.range, usage.read, usage.written, usage.touched
            );
        }
        text
    }

    fn checks_text(&self, profile: &Profile<'_>) -> String {
        let divisions = profile.divisions();
        let mut text = format!("\ndivisions executed at {} places\n", divisions.len());
        for site in divisions {
            let _ = writeln!(text, "{:10}  {}", site.count, self.image.describe(site.address));
        }
        let lost = profile.lost_registers();
        let _ = writeln!(text, "\nregisters not kept by {} functions", lost.len());
        for (lost, count) in lost {
            let _ = writeln!(text, "{count:10}  {} in {}", lost.register, lost.function);
        }
        text
    }
}

fn functions_text(totals: &[FunctionTotals], cycles: u64) -> String {
    let mut text = "\n      self cycles        with callees       calls  function\n".to_owned();
    let percent = |part: u64| 100.0 * part as f64 / cycles.max(1) as f64;
    let large = |f: &&FunctionTotals| f.self_cycles * 1000 >= cycles * SMALLEST_SHARE;
    for f in totals.iter().filter(large).take(LISTED) {
        let _ = writeln!(
            text,
            "{:12} {:5.1} % {:12} {:5.1} % {:10}  {}",
            f.self_cycles,
            percent(f.self_cycles),
            f.inclusive_cycles,
            percent(f.inclusive_cycles),
            f.calls,
            f.name
        );
        for caller in f.callers.iter().take(LISTED_CALLERS) {
            let (cycles, calls, name) = (caller.cycles, caller.calls, &caller.name);
            let _ = writeln!(text, "{:20} {cycles:12}         {calls:10}    from {name}", "");
        }
    }
    text
}

fn function_json(f: &FunctionTotals) -> Value {
    let caller = |c: &crate::profile::CallerTotals| json!({ "name": c.name, "calls": c.calls, "cycles": c.cycles });
    json!({
        "name": f.name,
        "calls": f.calls,
        "self_instructions": f.self_instructions,
        "self_cycles": f.self_cycles,
        "inclusive_cycles": f.inclusive_cycles,
        "callers": f.callers.iter().map(caller).collect::<Value>(),
    })
}

fn stack_json(stack: StackUse) -> Value {
    json!({ "by_pointer": stack.by_pointer, "by_writes": stack.by_writes })
}

fn usage_json(usage: &Usage) -> Value {
    json!({
        "name": usage.name,
        "base": usage.range.base,
        "size": usage.range.size,
        "read": usage.read,
        "written": usage.written,
        "touched": usage.touched,
    })
}

fn lost_json(profile: &Profile<'_>) -> Value {
    let lost = profile.lost_registers();
    let entry = |(l, count): &(crate::profile::LostRegister, u64)| json!({ "function": l.function, "register": l.register, "count": count });
    lost.iter().map(entry).collect()
}
