//! Smaller values than one, in a fixed order: those that take away the most come first.

use super::types::is_float;
use super::value::Value;

/// Most candidates of one value.
const MOST: usize = 400;

/// Values that are simpler than this one.
#[must_use]
pub fn candidates(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Null | Value::Boolean(false) => {}
        Value::Boolean(true) => found.push(Value::Boolean(false)),
        Value::Number(n) => found.extend(numbers(n).into_iter().map(Value::Number)),
        Value::Text(text) => found.extend(texts(text)),
        Value::List(elements) => {
            for part in without(elements) {
                found.push(Value::List(part));
            }
            for (at, element) in elements.iter().enumerate() {
                for other in candidates(element) {
                    let mut elements = elements.clone();
                    if let Some(place) = elements.get_mut(at) {
                        *place = other;
                    }
                    found.push(Value::List(elements));
                }
            }
        }
        Value::Record(members) => {
            for part in without(members) {
                found.push(Value::Record(part));
            }
            for (at, (_, value)) in members.iter().enumerate() {
                for other in candidates(value) {
                    let mut members = members.clone();
                    if let Some(place) = members.get_mut(at) {
                        place.1 = other;
                    }
                    found.push(Value::Record(members));
                }
            }
        }
    }
    found.truncate(MOST);
    found
}

/// Lists of arguments that are simpler than these.
#[must_use]
pub fn arguments(arguments: &[Value]) -> Vec<Vec<Value>> {
    let mut found = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        for other in candidates(argument) {
            let mut arguments = arguments.to_vec();
            if let Some(place) = arguments.get_mut(at) {
                *place = other;
            }
            found.push(arguments);
        }
    }
    found
}

/// The list without all, without one of its halves, and without each element.
fn without<T: Clone + PartialEq>(elements: &[T]) -> Vec<Vec<T>> {
    let mut found: Vec<Vec<T>> = Vec::new();
    if elements.is_empty() {
        return found;
    }
    let mut lengths = vec![elements.len()];
    while let Some(last) = lengths.last().copied().filter(|it| *it > 1) {
        lengths.push(last / 2);
    }
    for length in lengths {
        for start in (0..elements.len()).step_by(length) {
            let before = elements.get(..start).unwrap_or_default();
            let after = elements.get(start + length..).unwrap_or_default();
            let part = [before, after].concat();
            if !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found
}

/// Numbers that are simpler than one, as JSON.
#[must_use]
pub fn numbers(number: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !found.contains(&text) {
            found.push(text);
        }
    };
    if is_float(number) {
        let Ok(n) = number.parse::<f64>() else { return found };
        for plain in ["0.0", "1.0", "0.5"] {
            let Ok(other) = plain.parse::<f64>() else { continue };
            if other.abs() < n.abs() || n.is_sign_negative() && n.abs() >= other {
                add(plain.to_owned());
            }
        }
        if n < 0.0 {
            add(format!("{:?}", -n));
        }
        let whole = n.trunc();
        if whole.to_bits() != n.to_bits() && whole.abs() < 1e15 {
            add(format!("{whole:?}"));
        }
        if n.abs() >= 2.0 {
            for smaller in [n.abs().sqrt(), n.abs() / 1000.0, n.abs() / 2.0] {
                add(format!("{:?}", smaller.trunc().copysign(n)));
            }
        }
        // An integer is simpler than a float.
        if n.to_bits() == whole.to_bits() && whole.abs() < 1e15 && n.is_sign_positive() {
            add(format!("{whole:.0}"));
        }
        return found;
    }
    let Ok(n) = number.parse::<i128>() else {
        add("0".to_owned());
        // Half of its digits.
        add(number.get(..number.len() / 2 + 1).unwrap_or("0").to_owned());
        return found;
    };
    if n == 0 {
        return found;
    }
    add("0".to_owned());
    if n < 0 {
        add(n.unsigned_abs().to_string());
    }
    let mut step = n;
    while step != 0 {
        step /= 2;
        let closer = n - step;
        if closer.unsigned_abs() < n.unsigned_abs() {
            add(closer.to_string());
        }
    }
    add((n - n.signum()).to_string());
    found
}

fn texts(text: &str) -> Vec<Value> {
    let characters: Vec<char> = text.chars().collect();
    let mut found: Vec<Value> =
        without(&characters).into_iter().map(|it| Value::Text(it.into_iter().collect())).collect();
    for (at, c) in characters.iter().enumerate() {
        for plain in ['a', 'b'] {
            if *c > plain || *c < 'a' {
                let mut simpler = characters.clone();
                if let Some(place) = simpler.get_mut(at) {
                    *place = plain;
                }
                found.push(Value::Text(simpler.into_iter().collect()));
            }
        }
    }
    found
}
