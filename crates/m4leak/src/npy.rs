//! Traces in NumPy's format, version 1.0: a two-dimensional array of bytes.

use std::io::{self, Write};

/// Writes `rows` of `columns` bytes each.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::InvalidInput`] for a row of another length.
pub fn write<'r>(
    out: &mut impl Write,
    columns: usize,
    rows: impl ExactSizeIterator<Item = &'r [u8]>,
) -> io::Result<()> {
    // The header ends with a newline and fills up to a multiple of 64 bytes, the 10 before it
    // included.
    const BEFORE: usize = 10;
    let mut header = format!(
        "{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, {columns}), }}",
        rows.len()
    );
    let length = (BEFORE + header.len() + 1).next_multiple_of(64) - BEFORE;
    header.extend(std::iter::repeat_n(' ', length - header.len() - 1));
    header.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(length as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for row in rows {
        if row.len() != columns {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "rows of different lengths"));
        }
        out.write_all(row)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn header_and_rows() {
        let mut file = Vec::new();
        write(&mut file, 3, [&[1u8, 2, 3][..], &[4, 5, 6]].into_iter()).expect("a vector grows");
        assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
        assert_eq!((10 + length) % 64, 0);
        let header = std::str::from_utf8(&file[10..10 + length]).expect("ASCII");
        assert!(header.contains("'shape': (2, 3)") && header.ends_with('\n'));
        assert_eq!(file[10 + length..], [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn rows_of_different_lengths() {
        assert!(write(&mut Vec::new(), 2, [&[1u8][..]].into_iter()).is_err());
    }
}
