//! The strings of a JSON text: rewritten one by one, and looked at for what no value can have.

use std::borrow::Cow;

use serde_json::Value;

use super::scan::{Scanner, text_length};

/// The most decimal digits of an integer that a value can have.
const MOST_DIGITS: u64 = 315_652;

/// A JSON text in which `change` has rewritten strings, names of members too. It gets them decoded.
/// None: the string stays as it is written.
pub fn rewrite(text: &str, change: impl Fn(&str) -> Option<String>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('"')) {
        let start = at + found;
        let rest = text.get(start..).unwrap_or_default();
        let written = rest.get(..text_length(rest)).unwrap_or(rest);
        at = start + written.len();
        let changed = serde_json::from_str::<Cow<'_, str>>(written).ok().and_then(|it| change(&it));
        if let Some(changed) = changed {
            out.push_str(text.get(from..start).unwrap_or_default());
            out.push_str(&Value::from(changed).to_string());
            from = at;
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether a program can have this JSON as a value: its numbers are not beyond all bounds, and its
/// texts are of whole characters.
pub fn can_be_value(text: &str) -> bool {
    let mut scanner = Scanner::default();
    let is_outside = |c: char| {
        scanner.step(u8::try_from(c).unwrap_or_default());
        scanner.is_in_text() || !(c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'))
    };
    text.split(is_outside).all(can_be_number) && (!text.contains("\\u") || has_whole_texts(text))
}

fn can_be_number(token: &str) -> bool {
    // Short numbers are the rule.
    if token.len() < 4 || !token.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return true;
    }
    let (digits, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    if digits.contains('.') || exponent.starts_with('-') {
        return token.parse::<f64>().is_ok_and(f64::is_finite);
    }
    let zeros = exponent.trim_start_matches('+').parse::<u64>().unwrap_or(u64::MAX);
    zeros.saturating_add(digits.len() as u64) <= MOST_DIGITS
}

fn has_whole_texts(text: &str) -> bool {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('"')) {
        let rest = text.get(at + found..).unwrap_or_default();
        let written = rest.get(..text_length(rest)).unwrap_or(rest);
        if serde_json::from_str::<Cow<'_, str>>(written).is_err() {
            return false;
        }
        at += found + written.len();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_rewritten_decoded_and_nothing_else_is() {
        let text = r#"{"a\u0062": ["true", true, 1.50, "x\"y"]}"#;
        let change = |it: &str| match it {
            "ab" => Some("c".to_owned()),
            "x\"y" => Some("\\".to_owned()),
            _ => None,
        };
        assert_eq!(rewrite(text, change), r#"{"c": ["true", true, 1.50, "\\"]}"#);
        assert!(matches!(rewrite(text, |_| None), Cow::Borrowed(_)));
    }

    #[test]
    fn bounds_of_values_are_seen() {
        for good in ["[1, -2.5e10, 1e300000, 1e-999999]", r#"["1e999999", "\ud83d\ude00"]"#] {
            assert!(can_be_value(good), "{good}");
        }
        for wrong in ["1e999999", "[1.5e999]", r#"{"a":-1e999999999}"#, r#"["\ud800"]"#] {
            assert!(!can_be_value(wrong), "{wrong}");
        }
    }
}
