//! One typo: a letter too much, too few or wrong, or two that are transposed.

/// Whether two words differ by one typo.
#[must_use]
pub fn is_typo(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = |of: &[char], skipped: usize| of.get(same + skipped..).map(<[char]>::to_vec);
    let swapped = || {
        let pair = |of: &[char]| Some((*of.get(same)?, *of.get(same + 1)?));
        let (first, second) = (pair(&a), pair(&b));
        matches!((first, second), (Some((x, y)), Some((v, w))) if x == w && y == v)
            && rest(&a, 2) == rest(&b, 2)
    };
    match a.len().abs_diff(b.len()) {
        0 if a == b => false,
        0 => rest(&a, 1) == rest(&b, 1) || swapped(),
        1 if a.len() < b.len() => rest(&a, 0) == rest(&b, 1),
        1 => rest(&a, 1) == rest(&b, 0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_one_letter_or_a_transposition() {
        for (a, b) in [
            ("median", "meidan"),
            ("median", "medan"),
            ("median", "mediann"),
            ("median", "nedian"),
            ("median", "mediam"),
        ] {
            assert!(is_typo(a, b) && is_typo(b, a), "{a} {b}");
        }
        for (a, b) in
            [("median", "median"), ("median", "medina l"), ("median", "namdie"), ("a", "")]
        {
            assert_eq!(is_typo(a, b), a == "a", "{a} {b}");
        }
        assert!(!is_typo("median", "emdina"));
    }
}
