//! Equality of values as JSON Schema defines it. Numbers are compared exactly, by their value and
//! not by their notation.

use serde_json::Value;

/// Returns a text that is equal for equal values and different for different ones.
pub(super) fn key(value: &Value) -> String {
    let mut key = String::new();
    push(value, &mut key);
    key
}

fn push(value: &Value, key: &mut String) {
    match value {
        Value::Number(number) => key.push_str(&plain(number.as_str())),
        Value::Array(items) => {
            key.push('[');
            for item in items {
                push(item, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Object(members) => {
            key.push('{');
            // A crate of the build may make `serde_json` keep the order in which members are
            // written.
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in members {
                key.push_str(&Value::from(name.as_str()).to_string());
                key.push(':');
                push(value, key);
                key.push(',');
            }
            key.push('}');
        }
        scalar => key.push_str(&scalar.to_string()),
    }
}

/// Normalizes a number: its digits without zeros at either end, and a power of ten.
fn plain(number: &str) -> String {
    let (sign, number) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (digits, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{whole}{part}");
    let short = digits.trim_end_matches('0');
    let zeros = digits.len() - short.len();
    let short = short.trim_start_matches('0');
    if short.is_empty() {
        return "0".to_owned();
    }
    let length = |n: usize| i128::try_from(n).unwrap_or(i128::MAX);
    // An exponent beyond 128 bits is kept as it is written.
    let power = match power.trim_start_matches('+').parse::<i128>() {
        Ok(power) => power.saturating_sub(length(part.len())).saturating_add(length(zeros)),
        Err(_) => return format!("{sign}{short}e{power}"),
    };
    format!("{sign}{short}e{power}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_equal(a: &str, b: &str) -> bool {
        let key = |text: &str| key(&serde_json::from_str(text).expect("JSON"));
        key(a) == key(b)
    }

    #[test]
    fn numbers_are_what_they_stand_for() {
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("-0", "0.0"),
            ("0.5", "5E-1"),
            ("[1,{\"a\":2,\"b\":[]}]", "[1.0,{\"b\":[],\"a\":20e-1}]"),
            ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
        ] {
            assert!(is_equal(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("1", "-1"),
            ("10", "1"),
            ("1", "\"1\""),
            ("123456789012345678901234567890", "123456789012345678901234567891"),
            ("[1,2]", "[[1],2]"),
            ("[\"a,b\"]", "[\"a\",\"b\"]"),
            ("{\"a\":1}", "{\"a\":1,\"b\":1}"),
        ] {
            assert!(!is_equal(a, b), "{a} {b}");
        }
    }
}
