//! A line through points on logarithmic axes.

/// The slope over the upper half of the sizes: below it a cost that does not depend on size hides
/// the one that does.
pub(super) fn slope(points: &[(f64, f64)]) -> f64 {
    line(upper(points)).0
}

/// The points that the line is fitted to.
pub(super) fn upper(points: &[(f64, f64)]) -> &[(f64, f64)] {
    points.get(points.len() / 2..).unwrap_or_default()
}

/// Slope and intercept of the least squares of the logarithms to base ten.
pub(super) fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.log10(), y.log10())).collect();
    #[expect(clippy::cast_precision_loss, reason = "a few points")]
    let count = logarithms.len() as f64;
    let (x, y): (f64, f64) =
        logarithms.iter().fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    let x = x / count;
    let y = y / count;
    let along: f64 = logarithms.iter().map(|it| (it.0 - x) * (it.0 - x)).sum();
    let together: f64 = logarithms.iter().map(|it| (it.0 - x) * (it.1 - y)).sum();
    let slope = together / along;
    (slope, y - slope * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn powers_have_their_exponent_as_slope() {
        let sizes = [10.0, 40.0, 160.0, 640.0, 2560.0];
        let square: Vec<(f64, f64)> = sizes.iter().map(|x| (*x, 3.0 * x * x)).collect();
        let (slope, intercept) = line(&square);
        assert!(close(slope, 2.0) && close(intercept, 3.0_f64.log10()));
        let level: Vec<(f64, f64)> = sizes.iter().map(|x| (*x, 7.0)).collect();
        assert!(close(slope_of(&level), 0.0));
    }

    fn slope_of(points: &[(f64, f64)]) -> f64 {
        slope(points)
    }

    /// A fixed cost does not make a linear one look cheaper, nor a quadratic one linear.
    #[test]
    fn only_the_large_sizes_count() {
        let points = |cost: fn(f64) -> f64| -> Vec<(f64, f64)> {
            (1..=8).map(|n| 4.0_f64.powi(n)).map(|x| (x, cost(x))).collect()
        };
        assert!(slope(&points(|x| 100.0 + x)) > 0.9);
        assert!(slope(&points(|x| 100.0 + x * x)) > 1.9);
    }
}
