//! Charts as SVG: panels side by side with logarithmic axes. There is no background, and every
//! colour is readable on light and on dark.

use super::fit;
use std::fmt::Write as _;

/// One cost against size.
pub(super) struct Panel {
    pub(super) what: &'static str,
    /// Size and cost, both above 0, in order of size.
    pub(super) points: Vec<(f64, f64)>,
    /// Whether every measurement gives the same.
    pub(super) exact: bool,
}

const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 240.0;
/// Room for what stands left, above, right and below of a plot.
const MARGINS: (f64, f64, f64, f64) = (52.0, 40.0, 14.0, 38.0);

/// Decades along an axis and where it lies in the picture.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        for value in values {
            (low, high) = (low.min(value.log10()), high.max(value.log10()));
        }
        let low = (low + 1e-9).floor();
        let high = (high - 1e-9).ceil();
        Self { low, high: high.max(low + 1.0), from, to }
    }

    /// Where a value lies whose logarithm this is.
    fn at(&self, logarithm: f64) -> f64 {
        self.from + (logarithm - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        let first = self.low;
        let high = self.high;
        (0..20).map(move |n| first + f64::from(n)).take_while(move |decade| *decade <= high + 0.5)
    }
}

/// A picture of the panels.
pub(super) fn draw(size: &str, panels: &[Panel]) -> String {
    let width = WIDTH * f64::from(u32::try_from(panels.len()).unwrap_or(1));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" width=\"{width}\" \
         height=\"{HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"11\" fill=\"#808080\">\n"
    );
    let mut left = 0.0;
    for panel in panels {
        draw_panel(&mut svg, left, size, panel);
        left += WIDTH;
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_panel(svg: &mut String, left: f64, size: &str, panel: &Panel) {
    let x =
        Axis::new(panel.points.iter().map(|it| it.0), left + MARGINS.0, left + WIDTH - MARGINS.2);
    let y = Axis::new(panel.points.iter().map(|it| it.1), HEIGHT - MARGINS.3, MARGINS.1);
    let slope = fit::slope(&panel.points);
    let middle = f64::midpoint(x.from, x.to);
    let bottom = HEIGHT - 6.0;
    text(
        svg,
        (middle, 16.0),
        "middle",
        &format!("<tspan font-weight=\"bold\">{}</tspan>", panel.what),
    );
    text(svg, (middle, 31.0), "middle", &format!("slope {slope:.2}"));
    text(svg, (middle, bottom), "middle", size);
    for decade in x.decades() {
        let at = x.at(decade);
        line(svg, (at, y.from), (at, y.to), "stroke=\"#808080\" stroke-opacity=\"0.3\"");
        text(svg, (at, y.from + 14.0), "middle", &short(10.0_f64.powf(decade)));
    }
    for decade in y.decades() {
        let at = y.at(decade);
        line(svg, (x.from, at), (x.to, at), "stroke=\"#808080\" stroke-opacity=\"0.3\"");
        text(svg, (x.from - 5.0, at + 4.0), "end", &short(10.0_f64.powf(decade)));
    }
    let fitted = fit::upper(&panel.points);
    if let (Some(first), Some(last)) = (fitted.first(), fitted.last()) {
        let (slope, intercept) = fit::line(fitted);
        let end = |size: f64| (x.at(size.log10()), y.at(slope * size.log10() + intercept));
        line(svg, end(first.0), end(last.0), "stroke=\"#d9822b\" stroke-width=\"1.5\"");
    }
    for (size, cost) in &panel.points {
        let x = x.at(size.log10());
        let y = y.at(cost.log10());
        let title = format!("{} at {}", short(*cost), short(*size));
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"#3b82c4\"><title>{title}</title></circle>"
        );
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), style: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>"
    );
}

/// A figure in three digits, such as `1.25k` or `0.3`.
pub(super) fn short(figure: f64) -> String {
    let (scaled, unit) = match figure {
        f if f >= 999.5e6 => (f / 1e9, "G"),
        f if f >= 999.5e3 => (f / 1e6, "M"),
        f if f >= 999.5 => (f / 1e3, "k"),
        f => (f, ""),
    };
    let digits = match scaled {
        f if f >= 99.95 => 0,
        f if f >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{scaled:.digits$}");
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let cases = [
            (0.1, "0.1"),
            (1.0, "1"),
            (12.34, "12.3"),
            (999.6, "1k"),
            (1250.0, "1.25k"),
            (4e6, "4M"),
        ];
        for (figure, expected) in cases {
            assert_eq!(short(figure), expected);
        }
    }

    #[test]
    fn decades_enclose_the_values() {
        let axis = Axis::new([30.0, 1000.0].into_iter(), 0.0, 100.0);
        assert_eq!(axis.decades().collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert!((axis.at(2.0) - 50.0).abs() < 1e-9);
        // A cost that is the same at every size still has an axis.
        let level = Axis::new([100.0, 100.0].into_iter(), 0.0, 100.0);
        assert_eq!(level.decades().count(), 2);
    }

    #[test]
    fn a_chart_has_every_point_inside() {
        let points = vec![(10.0, 3.0), (100.0, 30.0), (1000.0, 301.0)];
        let panels = [
            Panel { what: "fuel", points: points.clone(), exact: true },
            Panel { what: "time, µs", points, exact: false },
        ];
        let svg = draw("items", &panels);
        assert_eq!(svg.matches("<circle").count(), 6);
        assert_eq!(svg.matches("slope 1.00").count(), 2);
        let xs = svg.split("cx=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let xs: Vec<f64> = xs.filter_map(|x| x.parse().ok()).collect();
        assert!(xs.len() == 6 && xs.iter().all(|x| (0.0..=600.0).contains(x)));
        assert!(svg.trim_end().ends_with("</svg>"));
    }
}
