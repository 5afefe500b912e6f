//! "Did you mean": finds the name that is closest to a misspelt one.

/// The candidate closest to `name`, if it is close enough to have been meant.
pub(crate) fn similar<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let name = fold(name);
    let tolerance = (name.len() / 3).clamp(1, 3);
    // Names differ by at least as much as their lengths do.
    let is_near = |candidate: &Vec<char>| candidate.len().abs_diff(name.len()) <= tolerance;
    candidates
        .into_iter()
        .map(|candidate| (fold(candidate), candidate))
        .filter(|(folded, _)| is_near(folded))
        .map(|(folded, candidate)| (distance(&name, &folded), candidate))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Case and the choice of separator are the commonest slips, so they cost nothing. The length is
/// bounded because the distance takes quadratic time.
fn fold(name: &str) -> Vec<char> {
    name.chars().take(64).filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// The number of edits between two names: a character more, less or another one, or two that
/// changed places.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut above;
    let mut last = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        (above, last) = (last, row);
        row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let replaced = at(&last, j) + usize::from(a != b);
            let mut least = replaced.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let before = |names: &[char], at: usize| names.get(at.wrapping_sub(1)).copied();
            if before(from, i) == Some(*b) && before(to, j) == Some(*a) {
                least = least.min(at(&above, j - 1) + 1);
            }
            row.push(least);
        }
    }
    row.last().copied().unwrap_or_default()
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
        assert_eq!(similar("sbu", ["add", "sub"]), Some("sub"));
    }

    #[test]
    fn measures_edits() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&chars("kitten"), &chars("sitting")), 3);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
        assert_eq!(distance(&chars("abc"), &chars("")), 3);
        assert_eq!(distance(&chars("abcd"), &chars("badc")), 2);
    }
}
