//! Where the bits of the state are: halves of lanes, each rotated.
//!
//! Shared by the backend and by the generator of its permutation.

/// A half of a lane: column x, row y, and 0 for the lane's even bits or 1 for its odd bits.
pub type Word = (usize, usize, usize);

/// Alignment of the theta effects: effect (x, half) is rotated right by this much.
///
/// The rotations of rho are never carried out. A word that rho would rotate left by r is kept as
/// it is, with the note that r is due (its delay), and the shifter of a later instruction makes up
/// the difference of two delays. The exclusive-or of an effect with a word takes the effect's
/// delay, so what is due never adds up over rounds; and with these delays the words leave a round
/// with the same delays as they came with. Hence all rounds are alike, and no rotation is ever
/// carried out on its own.
pub const EFFECT_DELAY: [[u32; 2]; 5] = [[0, 0], [10, 9], [29, 10], [0, 9], [15, 28]];

/// Rotation of lane (x, y) in rho (FIPS 202, section 3.2.2).
const fn rho(x: usize, y: usize) -> u32 {
    let mut at = (1, 0);
    let mut t = 0;
    while t < 24 {
        if at.0 == x && at.1 == y {
            return (t + 1) * (t + 2) / 2 % 64;
        }
        at = (at.1, (2 * at.0 + 3 * at.1) % 5);
        t += 1;
    }
    0
}

/// The word that rho and pi bring to a place, and how far it is rotated left.
///
/// Rotated by an odd number, the even bits of a lane become its odd bits and the reverse.
pub const fn source((x, y, half): Word) -> (Word, u32) {
    let (from_x, from_y) = ((x + 3 * y) % 5, x);
    let rotation = rho(from_x, from_y);
    let from_half = (half + rotation as usize) % 2;
    ((from_x, from_y, from_half), (rotation + from_half as u32) / 2 % 32)
}

/// Left rotation due to a word between two rounds, and between two permutations.
///
/// Of the three words that chi joins, the last one decides.
pub const fn delay((x, y, half): Word) -> u32 {
    let ((from_x, _, from_half), rotation) = source(((x + 2) % 5, y, half));
    (rotation + EFFECT_DELAY[from_x][from_half]) % 32
}
