//! "Did you mean": finds the name that is closest to a misspelled one.

use strsim::osa_distance;

/// Returns the candidate closest to `name`, or `None` if none is close enough.
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = |name: &String| name.chars().count();
    let name = fold(name);
    let tolerance = (length(&name) / 3).clamp(1, 3);
    // The difference in length is a lower bound of the distance.
    let is_near = |candidate: &String| length(candidate).abs_diff(length(&name)) <= tolerance;
    candidates
        .into_iter()
        .map(|candidate| (fold(candidate), candidate))
        .filter(|(folded, _)| is_near(folded))
        .map(|(folded, candidate)| (osa_distance(&name, &folded), candidate))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Removes case and separators, the most common slips, so they do not count as differences. The
/// length is bounded, because the distance takes quadratic time.
fn fold(name: &str) -> String {
    name.chars().take(64).filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips() {
        let names = ["square", "factorial", "count_operations"];
        assert_eq!(similar("squre", names), Some("square"));
        assert_eq!(similar("Count-Operations", names), Some("count_operations"));
        assert_eq!(similar("cube", names), None);
        // Two transposed letters count as one slip.
        assert_eq!(similar("sbu", ["add", "sub"]), Some("sub"));
        assert_eq!(similar("größe", ["grosse", "groesse", "GRÖSSE", "größen"]), Some("größen"));
    }
}
