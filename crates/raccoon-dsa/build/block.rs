//! Writes what copies a block of the state out.

use crate::layout::delay;
use std::fmt::Write;

const RATE_LANES: usize = 17;

/// Core registers for the halves of two lanes at a time.
const HALVES: [[&str; 2]; 2] = [["r2", "r3"], ["r4", "r5"]];
const SPARE: &str = "r12";

/// The function `(state, block)`.
///
/// Two lanes at a time, as four loads in a row take five cycles. The block need not be aligned:
/// STR takes any address.
pub fn read_block() -> String {
    let mut text = String::from("    push.w {r4, r5}\n");
    let lanes: Vec<_> = (0..RATE_LANES).collect();
    for pair in lanes.chunks(2) {
        let words = pair.iter().flat_map(|lane| [2 * lane, 2 * lane + 1]);
        for (word, register) in words.zip(HALVES.as_flattened()) {
            line(&mut text, format!("ldr.w {register}, [r0, #{}]", 4 * word));
        }
        pair.iter().zip(HALVES).for_each(|(&lane, halves)| write_lane(&mut text, lane, halves));
    }
    text + "    pop.w {r4, r5}\n    bx lr\n"
}

/// Turns even and odd bits into low and high bits, by the exchanges of `deinterleave`.
fn write_lane(text: &mut String, lane: usize, [even, odd]: [&str; 2]) {
    for (half, register) in [even, odd].into_iter().enumerate() {
        let delay = delay((lane % 5, lane / 5, half));
        if delay != 0 {
            line(text, format!("ror.w {register}, {register}, #{}", 32 - delay));
        }
    }
    let exchanges = [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0F0F_0F0F), (8, 0x00FF_00FF)];
    for (digit, mask) in exchanges {
        line(text, format!("eor.w {SPARE}, {odd}, {even}, lsr #{digit}"));
        line(text, format!("and.w {SPARE}, {SPARE}, #{mask:#x}"));
        line(text, format!("eor.w {odd}, {odd}, {SPARE}"));
        line(text, format!("eor.w {even}, {even}, {SPARE}, lsl #{digit}"));
    }
    line(text, format!("pkhtb {SPARE}, {odd}, {even}, asr #16"));
    line(text, format!("pkhbt {even}, {even}, {odd}, lsl #16"));
    line(text, format!("str.w {even}, [r1, #{}]", 8 * lane));
    line(text, format!("str.w {SPARE}, [r1, #{}]", 8 * lane + 4));
}

fn line(text: &mut String, line: String) {
    writeln!(text, "    {line}").expect("a string takes everything");
}
