//! Aligned columns, and numbers with their units.

use std::fmt;
use std::time::Duration;

/// How a column is aligned.
#[derive(Clone, Copy)]
pub enum Align {
    Left,
    Right,
}

/// Rows of cells, indented by two spaces, with two spaces between columns.
pub struct Table<const COLUMNS: usize> {
    align: [Align; COLUMNS],
    rows: Vec<[String; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    pub fn new(align: [Align; COLUMNS]) -> Self {
        Self { align, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: [impl ToString; COLUMNS]) {
        self.rows.push(cells.map(|cell| cell.to_string()));
    }
}

impl<const COLUMNS: usize> fmt::Display for Table<COLUMNS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let width = width(column);
                line += &match self.align[column] {
                    Align::Left => format!("  {cell:<width$}"),
                    Align::Right => format!("  {cell:>width$}"),
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number of bytes.
pub fn bytes(count: usize) -> String {
    format!("{count} B")
}

/// A number of bits.
pub fn bits(count: usize) -> String {
    format!("{count} bits")
}

/// A time, to three digits or so.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds < 1e-3 => format!("{:.0} µs", 1e6 * seconds),
        _ if seconds < 1.0 => format!("{:.2} ms", 1e3 * seconds),
        _ => format!("{seconds:.2} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_end_with_text() {
        let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
        table.row(["a", "1", ""]);
        table.row(["µµµ", "22", "end"]);
        assert_eq!(table.to_string(), "  a     1\n  µµµ  22  end\n");
    }

    #[test]
    fn times_have_fitting_units() {
        assert_eq!(time(Duration::from_micros(999)), "999 µs");
        assert_eq!(time(Duration::from_micros(1500)), "1.50 ms");
        assert_eq!(time(Duration::from_millis(2250)), "2.25 s");
    }
}
