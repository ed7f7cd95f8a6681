//! The decoder against an independent disassembler: which encodings exist, and what they say.

use capstone::prelude::*;
use m4sim::decode::{Op, decode, is_wide};

/// Where the instructions are taken to stand.
const ADDRESS: u32 = 0x1000;

fn disassembler() -> Capstone {
    Capstone::new()
        .arm()
        .mode(arch::arm::ArchMode::Thumb)
        .extra_mode([arch::arm::ArchExtraMode::MClass].into_iter())
        .build()
        .expect("disassembler")
}

fn theirs(capstone: &Capstone, first: u16, second: u16) -> Option<String> {
    let mut bytes = [0; 4];
    bytes[..2].copy_from_slice(&first.to_le_bytes());
    bytes[2..].copy_from_slice(&second.to_le_bytes());
    let code = if is_wide(first) { &bytes[..] } else { &bytes[..2] };
    let list = capstone.disasm_count(code, ADDRESS.into(), 1).ok()?;
    let instruction = list.first()?;
    let text = format!("{} {}", instruction.mnemonic()?, instruction.op_str()?);
    Some(text.trim().to_owned())
}

/// Brings a disassembly into one form: registers by number, numbers in decimal, no width suffix, no
/// repeated destination, no zero offset.
fn normalized(text: &str) -> String {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let mnemonic = mnemonic.strip_suffix(".w").unwrap_or(mnemonic);
    let operands = tokens(operands).join("").replace(",#0]", "]");
    let mut list: Vec<&str> = operands.split(',').collect();
    if list.len() > 2 && list[0] == list[1] && !operands.contains(['[', '{']) {
        list.remove(1);
    }
    let operands = list.join(",");
    match mnemonic {
        "addw" if operands.contains(",r15,") => format!("adr {}", operands.replace("r15,", "")),
        "subw" if operands.contains(",r15,") => {
            format!("adr {}", operands.replace("r15,", "").replace('#', "#-"))
        }
        "addw" => format!("add {operands}"),
        "subw" => format!("sub {operands}"),
        "pldw" | "pli" => format!("pld {operands}"),
        "msr" => "msr".to_owned(),
        _ => format!("{mnemonic} {operands}"),
    }
}

/// The operands' names, numbers and punctuation, each in its one form.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => 1 + rest[1..].find([',', ']', ' ', '}']).unwrap_or(rest.len() - 1),
            c if c.is_alphanumeric() => {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match token {
            " " => {}
            "sb" => tokens.push("r9".to_owned()),
            "sl" => tokens.push("r10".to_owned()),
            "fp" => tokens.push("r11".to_owned()),
            "ip" => tokens.push("r12".to_owned()),
            "sp" => tokens.push("r13".to_owned()),
            "lr" => tokens.push("r14".to_owned()),
            "pc" => tokens.push("r15".to_owned()),
            _ => tokens.push(token.strip_prefix('#').map_or(token.to_owned(), number)),
        }
    }
    tokens
}

fn number(text: &str) -> String {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    match value {
        // Some immediates are shown as negative numbers: compare modulo 2^32.
        Some(value) => format!("#{}", (sign * value) as i32),
        None => format!("#{:e}", digits.parse().unwrap_or(f64::NAN) * sign as f64),
    }
}

/// Instructions of other cores, or of coprocessors this core does not have.
const FOREIGN: [&str; 22] = [
    "cdp", "cdp2", "ldc", "ldc2", "ldcl", "ldc2l", "stc", "stc2", "stcl", "stc2l", "mcr", "mcr2",
    "mrc", "mrc2", "mcrr", "mcrr2", "mrrc", "mrrc2", "hvc.w", "smc", "bxns", "blxns",
];
/// Beginnings of instruction names of other cores: acquire and release, security, wide vectors.
const FOREIGN_FAMILIES: [&str; 8] = ["lda", "stl", "tt", "v", "fldm", "fstm", "crc32", "dcps"];

/// Whether the core lacks this instruction, which the disassembler knows from other cores.
fn is_foreign(mnemonic: &str) -> bool {
    FOREIGN.contains(&mnemonic) || FOREIGN_FAMILIES.iter().any(|f| mnemonic.starts_with(f))
}

/// Whether a field breaks a constraint of the architecture that the disassembler does not enforce.
fn is_unpredictable(first: u16, second: u16, text: &str) -> bool {
    let text = normalized(text);
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
    let names: Vec<&str> = operands
        .split([',', '[', ']', '{', '}', '!'])
        .filter(|name| name.starts_with('r') && !name.is_empty())
        .collect();
    let repeats = names.iter().enumerate().any(|(k, name)| names[..k].contains(name));
    let low = second >> 10 & 0x1C | second >> 6 & 3;
    let zero_pattern = matches!(second >> 8 & 0x70, 0x10..=0x30) && second & 0xFF == 0;
    match mnemonic {
        "bfi" | "bfc" if second & 31 < low => return true,
        "sbfx" | "ubfx" if low + (second & 31) > 31 => return true,
        "ldm" | "stm" | "ldmdb" | "stmdb" | "push" | "pop" => {
            let listed = second.count_ones();
            return repeats || operands.contains("r15") || operands.contains("r13") || listed < 2;
        }
        // The operand is encoded twice.
        "rev" | "rev16" | "revsh" | "rbit" | "clz" if first & 15 != second & 15 => return true,
        "cmp" if first & 0xFFC0 == 0x4500 => return true,
        // The A bit is for other profiles.
        "cpsid" | "cpsie" => return operands == "none" || operands.contains('a'),
        _ if mnemonic.starts_with("it") => return operands == "al",
        // Special registers of other profiles, and no field selected.
        _ if mnemonic.starts_with("ms") || mnemonic.starts_with("mrs") => return true,
        _ => {}
    }
    let transfers = mnemonic.starts_with("ld") || mnemonic.starts_with("st");
    let long_multiply = first & 0xFF80 == 0xFB80;
    names.contains(&"r13")
        || names.contains(&"r15")
        || (transfers && repeats)
        || (long_multiply && second >> 12 == second >> 8 & 15)
        || (first & 0xFA00 == 0xF000 && zero_pattern)
}

/// Whether bits that should be zero or one are not: another value of some field gives the same text,
/// and an encoding that we accept.
fn breaks_a_fixed_field(capstone: &Capstone, first: u16, second: u16, text: &str) -> bool {
    let siblings = [
        (first & !7, second),
        (first, second & 0x7FFF),
        (first, second | 0xF000),
        (first, second | 0x0F00),
        (first, second | 0x0F0F),
        (first, second | 0x000F),
        (first, second & 0xF0FF),
        (first, second & 0xFFF0),
        (first, second & 0xFF0F),
        (first, second & !0x20),
        (first, second & !0x40),
        (first, second & 0xC0FF | 0x0F00),
        (first, (second & 0xC0FF) | 0x8F00),
        (first & 0xFFF0 | second & 15, second),
        (first | 15, second & !0x2000),
        (first | 15, second & !0x2700),
        (first & !0x0400, second),
        (first & !0x0400, second & !0x20),
        (first, second & !0x30),
    ];
    siblings.into_iter().any(|(first, second)| {
        decode(first, second).op != Op::Undefined
            && theirs(capstone, first, second).as_deref() == Some(text)
    })
}

/// What is wrong about our decoding of these halfwords, if anything.
fn difference(capstone: &Capstone, first: u16, second: u16) -> Option<String> {
    let ours = decode(first, second);
    let text = ours.text(ADDRESS);
    let theirs = theirs(capstone, first, second);
    let agrees = match (ours.op, theirs.as_deref()) {
        (Op::Undefined, None) => true,
        (Op::Undefined, Some(theirs)) => {
            let mnemonic = theirs.split(' ').next().unwrap_or(theirs);
            is_foreign(mnemonic)
                || is_unpredictable(first, second, theirs)
                || breaks_a_fixed_field(capstone, first, second, theirs)
        }
        (Op::UnsupportedFp, theirs) => theirs.is_none_or(|theirs| theirs.starts_with('v')),
        // Unallocated memory hints, which the architecture makes do nothing.
        (Op::Preload, None) => true,
        // The disassembler has names of its own for two values.
        (Op::Udf, theirs) => theirs.is_none_or(|t| t.starts_with("udf") || t == "trap"),
        (_, Some(theirs)) => commuted(&normalized(&text)) == commuted(&normalized(theirs)),
        (_, None) => false,
    };
    (!agrees).then(|| format!("{first:04x} {second:04x}: {text}, disassembler: {theirs:?}"))
}

/// `ADD rd, sp, rd` is also written `ADD rd, sp`.
fn commuted(text: &str) -> String {
    match text.split_once(",r13,") {
        Some((head, tail)) if head.ends_with(&format!(" {tail}")) => format!("{head},r13"),
        _ => text.to_owned(),
    }
}

fn report(differences: Vec<String>) {
    let shown: Vec<_> = differences.iter().take(60).cloned().collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), shown.join("\n"));
}

#[test]
fn every_16_bit_encoding_agrees() {
    let capstone = disassembler();
    let narrow = (0..=u16::MAX).filter(|&first| !is_wide(first));
    report(narrow.filter_map(|first| difference(&capstone, first, 0)).collect());
}

#[test]
fn a_million_32_bit_encodings_agree() {
    let capstone = disassembler();
    let mut state = 1u64;
    let mut differences = Vec::new();
    for first in (0..=u16::MAX).filter(|&first| is_wide(first)) {
        for _ in 0..200 {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            differences.extend(difference(&capstone, first, biased(state)));
        }
    }
    report(differences);
}

/// A second halfword, often with fields at all zeros or all ones, which many encodings require.
fn biased(state: u64) -> u16 {
    let word = (state >> 40) as u16 | if state >> 60 & 1 != 0 { 0xF000 } else { 0 };
    match state >> 33 & 15 {
        0 => word & 0xFF0F,
        1 => word | 0x00F0,
        2 => word & 0xFF0F | 0x0080,
        3 => word & 0xFFE0 | 0x0A10,
        4 => word & 0xF000 | 0x0F4F,
        5 => word & 0xF000 | 0x0A10,
        6 => word & 0xF00F | 0x0F40,
        7 => word & 0x0070 | 0x8F0F,
        8 => word & 0x0F0F | 0x0030,
        _ => word,
    }
}
