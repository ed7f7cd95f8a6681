//! The outcome of a test as a table, and as a page with the trace drawn.

use super::public::PUBLIC;
use super::tvla::Test;
use anyhow::{Result, anyhow};
use m4leak::{Device, Finding, Model, Outcome, Source};
use m4sim::{Image, Machine};
use plotters::prelude::*;
use std::fmt::Write;
use std::time::Duration;

/// Rows of the printed table.
const ROWS: usize = 30;
/// Size of the drawn trace, and the number of stretches it is divided into.
const SIZE: (u32, u32) = (1400, 480);
const COLUMNS: usize = 700;
/// The largest |t| drawn: where nothing varies it is infinite.
const CEILING: f64 = 1000.0;
const COLOURS: [RGBColor; Model::ALL.len()] = [
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(204, 121, 167),
];

/// An outcome with names.
pub struct Report {
    title: String,
    conditions: String,
    pub outcome: Outcome,
    threshold: f64,
    pub leaks: Vec<Row>,
}

/// A finding with names.
pub struct Row {
    finding: Finding,
    function: String,
    line: String,
    text: String,
    callers: String,
    instruction: String,
    met: [String; 2],
}

/// Names of addresses.
struct Names {
    source: Source,
    image: Image,
    machine: Machine,
}

impl Names {
    fn new(test: &Test) -> Result<Self> {
        let image = test.image().map_err(|error| anyhow!(error))?;
        let machine = test.machine(&image, 0).map_err(|error| anyhow!(error))?;
        Ok(Self { source: test.source()?, image, machine })
    }

    fn row(&mut self, finding: Finding) -> Row {
        let location = self.source.location(finding.pc);
        let callers = finding.callers.into_iter().take_while(|&site| site != 0);
        let callers: Vec<_> = callers.map(|site| self.line(site)).collect();
        let instruction = self.machine.instruction_at(finding.pc);
        Row {
            finding,
            function: self.outer_function(finding.pc),
            line: self.line(finding.pc),
            text: self.source.text(&location).to_owned(),
            callers: callers.join(" < "),
            instruction: instruction.map(|i| i.text(finding.pc)).unwrap_or_default(),
            met: [finding.old, finding.new].map(|value| self.met(value)),
        }
    }

    /// The function that an instruction is in, by symbol.
    fn outer_function(&self, address: u32) -> String {
        self.image.function_at(address).map(|f| f.name.clone()).unwrap_or_default()
    }

    /// File and line; of assembly, which has none, the function and the offset in it.
    fn line(&mut self, address: u32) -> String {
        let location = self.source.location(address);
        if location.line != 0 {
            let path: Vec<_> = location.file.rsplitn(3, '/').take(2).collect();
            return format!(
                "{}:{}",
                path.into_iter().rev().collect::<Vec<_>>().join("/"),
                location.line
            );
        }
        match self.image.function_at(address) {
            Some(f) => {
                let name = f.name.rsplit("::").next().unwrap_or_default();
                format!("{name}+{:#x}", address - f.address)
            }
            None => format!("{address:#x}"),
        }
    }

    fn met(&mut self, (value, pc): (u32, u32)) -> String {
        let from = if pc == 0 { "before".into() } else { self.line(pc) };
        format!("{value:08x} from {from}")
    }
}

impl Report {
    pub fn new(test: &Test, outcome: Outcome, time: Duration) -> Result<Self> {
        let a = &test.arguments;
        let threshold = outcome.threshold(a.alpha);
        let mut names = Names::new(test)?;
        let leaks =
            outcome.leaks(threshold).into_iter().map(|finding| names.row(finding)).collect();
        let models: Vec<_> = test.models().iter().map(Model::name).collect();
        let title = format!("{}: {}, order {}", a.set, a.target.name(), a.order);
        let conditions = format!(
            "{} traces, {:?} fixed against random, masks {}, noise {}, models {}; {:.0} s",
            a.traces,
            test.vary,
            a.masks,
            a.noise,
            models.join(" "),
            time.as_secs_f64()
        );
        Ok(Self { title, conditions, threshold, leaks, outcome })
    }

    /// Whether a leak is found in a line with this text.
    pub fn names(&self, text: &str) -> bool {
        self.leaks.iter().any(|row| row.text.contains(text))
    }

    fn summary(&self) -> String {
        let o = &self.outcome;
        let verdict = match self.leaks.len() {
            0 => "no leak".to_owned(),
            places => format!("{places} leaking places"),
        };
        format!(
            "{verdict}: worst |t| {:.2}, threshold {:.2}\n{} instructions; {} samples tested, {} \
             constant, {} in too few traces, {} public",
            o.worst(),
            self.threshold,
            o.instructions,
            o.tested,
            o.constant,
            o.missing,
            o.public.iter().map(|(samples, _)| samples).sum::<u64>()
        )
    }

    /// For the terminal.
    pub fn table(&self) -> String {
        let mut text = format!("{}\n{}\n{}\n", self.title, self.conditions, self.summary());
        for row in self.leaks.iter().take(ROWS) {
            let f = &row.finding;
            let _ = writeln!(
                text,
                "{:8.1} {:8} {:16} {:6}x  {}\n           {}: {:#x} {}\n           called from {}\n           \
                 {} / {}",
                f.t.abs(),
                f.model,
                f.place.to_string(),
                f.samples,
                row.function,
                row.line,
                f.pc,
                row.instruction,
                row.callers,
                row.met[0],
                row.met[1]
            );
        }
        if self.leaks.len() > ROWS {
            let _ = writeln!(text, "... and {} more in the report", self.leaks.len() - ROWS);
        }
        text
    }

    /// A page that stands alone.
    pub fn html(&self) -> Result<String> {
        let mut rows = String::new();
        for row in &self.leaks {
            let f = &row.finding;
            write!(
                rows,
                "<tr><td>{:.1}<td>{}<td>{}<td>{}<td>{}<td>{}<td><code>{}</code><td>{}\
                 <td><code>{:#x} {}</code><td><code>{}<br>{}</code>",
                f.t.abs(),
                f.model,
                f.place,
                f.samples,
                escape(&row.function),
                escape(&row.line),
                escape(&row.text),
                escape(&row.callers),
                f.pc,
                escape(&row.instruction),
                escape(&row.met[0]),
                escape(&row.met[1])
            )?;
        }
        let mut public = String::new();
        for (entry, (samples, worst)) in PUBLIC.iter().zip(&self.outcome.public) {
            let (at, why) = (escape(&entry.place()), escape(entry.reason));
            write!(public, "<tr><td>{at}<td>{why}<td>{samples}<td>{worst:.1}")?;
        }
        Ok(format!(
            "<!doctype html><meta charset=utf-8><title>{title}</title>\
             <style>body{{font:14px sans-serif;margin:2em}}table{{border-collapse:collapse}}\
             td,th{{border:1px solid #ccc;padding:2px 6px;text-align:left;vertical-align:top}}</style>\
             <h1>{title}</h1><p>{}<p>{}{}\
             <h2>Leaks</h2><table><tr><th>|t|<th>model<th>place<th>samples<th>function\
             <th>line<th>source<th>called from<th>instruction<th>the values that met{rows}</table>\
             <h2>Public values</h2><table><tr><th>place<th>reason<th>samples<th>worst |t|{public}</table>",
            escape(&self.conditions),
            escape(&self.summary()).replace('\n', "<br>"),
            self.trace()?,
            title = escape(&self.title),
        ))
    }

    /// The run drawn: the largest |t| of each stretch in each model.
    fn trace(&self) -> Result<String> {
        let instructions = self.outcome.instructions.max(1);
        let mut columns = vec![[0.0f64; Model::ALL.len()]; COLUMNS];
        for stretch in &self.outcome.stretches {
            let column =
                (stretch.first as u128 * COLUMNS as u128 / u128::from(instructions)) as usize;
            let worst = &mut columns[column.min(COLUMNS - 1)];
            worst.iter_mut().zip(stretch.worst).for_each(|(all, t)| *all = all.max(t));
        }
        let scale = instructions as f64 / COLUMNS as f64 / 1e6;
        let mut image = String::new();
        {
            let area = SVGBackend::with_string(&mut image, SIZE).into_drawing_area();
            area.fill(&WHITE)?;
            let top = self.outcome.worst().clamp(2.0 * self.threshold, CEILING);
            let mut chart = ChartBuilder::on(&area)
                .margin(12)
                .x_label_area_size(38)
                .y_label_area_size(58)
                .build_cartesian_2d(0.0..scale * COLUMNS as f64, (1.0..top * 1.2).log_scale())?;
            chart
                .configure_mesh()
                .x_desc("millions of instructions")
                .y_desc("worst |t|")
                .light_line_style(WHITE)
                .draw()?;
            for model in Model::ALL {
                let style = COLOURS[model as usize].filled();
                let points = columns.iter().enumerate().filter_map(|(column, worst)| {
                    let t = worst[model as usize].min(CEILING);
                    (t >= 1.0).then(|| Circle::new((column as f64 * scale, t), 2, style))
                });
                chart
                    .draw_series(points)?
                    .label(model.name())
                    .legend(move |(x, y)| Circle::new((x + 9, y), 4, style));
            }
            let line = [(0.0, self.threshold), (scale * COLUMNS as f64, self.threshold)];
            chart.draw_series(LineSeries::new(line, RED.stroke_width(1)))?;
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperRight)
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK)
                .draw()?;
            area.present()?;
        }
        Ok(image)
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
