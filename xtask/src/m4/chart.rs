//! The cycles of signing, drawn against the number of shares.

use super::bench::Measurement;
use super::published::{SETS, Set};
use super::table::Measurements;
use anyhow::Result;
use plotters::prelude::*;

const SIZE: (u32, u32) = (1260, 520);
const GREY: RGBColor = RGBColor(120, 120, 120);
const VERMILION: RGBColor = RGBColor(213, 94, 0);
const SKY: RGBColor = RGBColor(86, 180, 233);
const NAVY: RGBColor = RGBColor(0, 70, 140);

/// A line of the chart: its name, its colour, and its figure for a set, in millions of cycles.
type Line<'a> = (&'a str, RGBColor, &'a dyn Fn(&Set) -> Option<f64>);

/// An SVG image: a panel for each level, both axes logarithmic.
pub fn signing(measurements: &[Measurement]) -> Result<String> {
    let measurements = Measurements(measurements);
    let ours = |set: &Set, matrix| measurements.mcycles(set.name, matrix, "lfsr127", "sign");
    let lines: [Line<'_>; 5] = [
        ("reference", GREY, &|set| set.published("sign").reference),
        ("paper", VERMILION, &|set| set.published("sign").paper),
        ("compact", SKY, &|set| ours(set, "streamed")),
        ("stored matrix", NAVY, &|set| ours(set, "stored")),
        ("Keccak floor", BLACK, &|set| Some(set.floor)),
    ];
    let mut image = String::new();
    {
        let area = SVGBackend::with_string(&mut image, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        for (panel, level) in area.split_evenly((1, 3)).iter().zip(["128", "192", "256"]) {
            draw(panel, level, &lines)?;
        }
        area.present()?;
    }
    Ok(image)
}

fn draw(
    panel: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    level: &str,
    lines: &[Line<'_>],
) -> Result<()> {
    let mut chart = ChartBuilder::on(panel)
        .caption(format!("Raccoon-{level}: signing"), ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d((0.9..36.0).log_scale().base(2.0), (10.0..60_000.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("shares")
        .y_desc("millions of cycles")
        .x_label_formatter(&|shares| format!("{shares:.0}"))
        .y_label_formatter(&|mcycles| format!("{mcycles:.0}"))
        .light_line_style(WHITE)
        .draw()?;
    for (name, colour, mcycles) in lines {
        let points: Vec<_> = SETS
            .iter()
            .filter_map(|set| {
                let shares = set.name.strip_prefix(&format!("raccoon-{level}-"))?;
                Some((shares.parse::<f64>().ok()?, mcycles(set)?))
            })
            .collect();
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.clone(), style))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        chart
            .draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(GREY)
        .draw()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::signing;

    /// Without measurements there are the published lines.
    #[test]
    fn a_panel_for_each_level() {
        let image = signing(&[]).expect("it can be drawn");
        assert!(image.starts_with("<svg"));
        for level in ["128", "192", "256"] {
            assert!(image.contains(&format!("Raccoon-{level}: signing")));
        }
        assert!(image.contains("Keccak floor"));
    }
}
