//! Changes of keys and signatures, on bytes and on bits.

use serde::{Deserialize, Serialize};

/// One change of an object.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Edit {
    /// Flips the bits of a mask, from byte `at` on.
    Xor {
        at: usize,
        #[serde(with = "hex::serde")]
        mask: Vec<u8>,
    },
    /// On the object as a string of bits, bit i being bit i mod 8 of byte i / 8: takes
    /// `remove` bits away from bit `bit` on and puts `repeat` times the bits `insert` in
    /// their place; then cuts or fills with zeros to the length that the object had.
    Splice { bit: usize, remove: usize, insert: String, repeat: usize },
    /// Cuts or fills with zero bytes to a length in bytes.
    Resize(usize),
    /// Another object.
    Replace(#[serde(with = "hex::serde")] Vec<u8>),
}

/// The object with all edits made, in order.
pub fn apply(edits: &[Edit], object: &[u8]) -> Vec<u8> {
    edits.iter().fold(object.to_vec(), |mut object, edit| {
        match edit {
            Edit::Xor { at, mask } => {
                object[*at..].iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
            }
            Edit::Splice { bit, remove, insert, repeat } => {
                let mut bits = to_bits(&object);
                bits.splice(*bit..bit + remove, insert.repeat(*repeat).bytes().map(|b| b == b'1'));
                bits.resize(8 * object.len(), false);
                object = from_bits(&bits);
            }
            Edit::Resize(length) => object.resize(*length, 0),
            Edit::Replace(other) => object.clone_from(other),
        }
        object
    })
}

fn to_bits(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1)).collect()
}

fn from_bits(bits: &[bool]) -> Vec<u8> {
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    bits.chunks(8).map(byte).collect()
}
