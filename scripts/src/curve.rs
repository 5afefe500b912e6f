//! Measures the cost of size: time, memory and fuel against the size of a term, of a list, of the
//! registry and of the journal. Sizes grow by a factor, so that on logarithmic axes a cost in proportion
//! to size is a line of slope 1, and one that does not depend on it has slope 0. One SVG for each.

mod chart;
mod fit;
mod size;

use crate::tasks::root;
use anyhow::{Result, ensure};
use chart::Panel;
use std::fmt::Write as _;

/// A slope above this is called more than linear. Sorting a million items has about 1.07.
const LINEAR: f64 = 1.1;

/// What is measured against a size.
struct Curve {
    /// What is counted along the axis.
    size: &'static str,
    panels: Vec<Panel>,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The curves; all without
    #[arg(value_parser = CURVES)]
    curves: Vec<String>,
}

const CURVES: [&str; 5] = ["term", "nesting", "list", "tools", "journal"];

/// Measures and draws.
pub(crate) fn run(Options { curves }: &Options) -> Result<()> {
    let folder = root().join("host/docs");
    let mut steep = Vec::new();
    for name in CURVES.into_iter().filter(|it| curves.is_empty() || curves.iter().any(|a| a == it))
    {
        let curve = size::measure(name)?;
        std::fs::write(folder.join(format!("{name}.svg")), chart::draw(curve.size, &curve.panels))?;
        for panel in &curve.panels {
            let slope = fit::slope(&panel.points);
            let linear = slope <= LINEAR;
            let verdict = if linear { "" } else { "  MORE THAN LINEAR" };
            println!("{name:8} {:20} {}  slope {slope:.2}{verdict}", panel.what, row(panel));
            // Time is noisy; what is counted is not.
            if !linear && panel.exact {
                steep.push(format!("{} against {}: slope {slope:.2}", panel.what, curve.size));
            }
        }
    }
    println!("\ndrawn in host/docs; the slope is that of the upper half of the sizes");
    ensure!(steep.is_empty(), "more than linear: {}", steep.join("; "));
    Ok(())
}

fn row(panel: &Panel) -> String {
    let mut row = String::new();
    for (_, cost) in &panel.points {
        let _ = write!(row, "{:>8}", chart::short(*cost));
    }
    row
}
