//! Writes what copies a block of the state out.

use crate::layout::delay;
use std::fmt::Write;

const RATE_LANES: usize = 17;

/// Core registers for the halves of two lanes at a time.
const HALVES: [[&str; 2]; 2] = [["r2", "r3"], ["r4", "r5"]];
/// Registers for what is exchanged and then for high words, in turn: the last of two lanes stays
/// while the next lanes are loaded.
const SPARE: [&str; 2] = ["r12", "lr"];
/// Register of the mask of the exchange of bytes.
const BYTES: &str = "r6";

/// The function `(state, block)`.
///
/// Loads in a row take a cycle each and one more, which a store right behind them makes up for:
/// so lanes are loaded two at a time, and the last word of two lanes is stored behind the loads of
/// the next two. The block need not be aligned: STR takes any address.
pub fn read_block() -> String {
    let mut text = String::from("    push.w {r4-r6, lr}\n");
    line(&mut text, format!("mov.w {BYTES}, #0x00FF00FF"));
    let lanes: Vec<_> = (0..RATE_LANES).collect();
    let mut waiting = None;
    for (pair, spare) in lanes.chunks(2).zip(SPARE.into_iter().cycle()) {
        let words = pair.iter().flat_map(|lane| [2 * lane, 2 * lane + 1]);
        for (word, register) in words.zip(HALVES.as_flattened()) {
            line(&mut text, format!("ldr.w {register}, [r0, #{}]", 4 * word));
        }
        for (&lane, halves) in pair.iter().zip(HALVES) {
            waiting.take().into_iter().for_each(|store| line(&mut text, store));
            deinterleave(&mut text, lane, halves, spare);
            line(&mut text, format!("str.w {}, [r1, #{}]", halves[0], 8 * lane));
            waiting = Some(format!("str.w {spare}, [r1, #{}]", 8 * lane + 4));
        }
    }
    waiting.into_iter().for_each(|store| line(&mut text, store));
    text + "    pop.w {r4-r6, pc}\n"
}

/// Turns even and odd bits into low and high bits, in `even` and in `spare`, by the exchanges of
/// the backend's `deinterleave`.
///
/// Three exchanges take place with both halves rotated as they are: the masks follow the odd half,
/// and the shifter makes up for the difference. No shift takes a bit round the end that its mask
/// keeps. The mask of bytes does not follow; what is exchanged last is rotated back on its way.
fn deinterleave(text: &mut String, lane: usize, [even, odd]: [&str; 2], spare: &str) {
    let delays = [0, 1].map(|half| delay((lane % 5, lane / 5, half)));
    let ahead = 32 + delays[1] - delays[0];
    for (digit, mask) in [(1, 0x5555_5555_u32), (2, 0x3333_3333), (4, 0x0F0F_0F0F)] {
        line(text, format!("eor.w {spare}, {odd}, {even}{}", rotated(digit + ahead)));
        line(text, format!("and.w {spare}, {spare}, #{:#x}", mask.rotate_right(delays[1])));
        line(text, format!("eor.w {odd}, {odd}, {spare}"));
        line(text, format!("eor.w {even}, {even}, {spare}{}", rotated(96 - digit - ahead)));
    }
    line(text, format!("eor.w {spare}, {odd}, {even}{}", rotated(8 + ahead)));
    line(text, format!("and.w {spare}, {BYTES}, {spare}{}", rotated(32 - delays[1])));
    if delays[0] != 0 {
        line(text, format!("ror.w {even}, {even}, #{}", 32 - delays[0]));
    }
    line(text, format!("eor.w {odd}, {spare}, {odd}{}", rotated(32 - delays[1])));
    line(text, format!("eor.w {even}, {even}, {spare}, lsl #8"));
    line(text, format!("pkhtb {spare}, {odd}, {even}, asr #16"));
    line(text, format!("pkhbt {even}, {even}, {odd}, lsl #16"));
}

/// A second operand's rotation to the right.
fn rotated(distance: u32) -> String {
    match distance % 32 {
        0 => String::new(),
        distance => format!(", ror #{distance}"),
    }
}

fn line(text: &mut String, line: String) {
    writeln!(text, "    {line}").expect("a string takes everything");
}
