//! Converts arguments to the types of the tool's schema. Clients write `1000.0` for an integer,
//! numbers, lists and objects as text, and `""` for an omitted argument, or add arguments that the
//! tool lacks. Arguments that fit the schema keep their text.

use std::borrow::Cow;
use std::fmt::Write;

use pif_domain::json::{Members, Object, duplicate, json_in, object, rounded_integer, text_in};
use pif_domain::text;
use pif_domain::text::similar::similar;
use serde_json::Value;
use serde_json::value::RawValue;

/// The most digits of a whole number that is written with a point or an exponent.
const MOST_DIGITS: usize = 20;

/// The most characters of a name in a warning.
const MOST_NAME: usize = 64;

/// The most names in a warning.
const MOST_NAMES: usize = 8;

/// The arguments, converted to the schema.
#[derive(Debug, Default)]
pub(super) struct TypedArguments {
    /// The converted arguments; None if nothing changed.
    pub(super) arguments: Option<Object>,
    /// Warnings about ignored arguments, and about integers that may be rounded.
    pub(super) warnings: Vec<String>,
}

/// What becomes of arguments that a tool does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// They are left out, with a warning.
    Ignored,
    /// They stay, and the call is refused later.
    Refused,
}

/// Converts the arguments of a tool by their schema. Text is decoded as JSON if its nesting is at
/// most `nesting`.
pub(super) fn settle(
    sent: &Object,
    tool: &str,
    schema: &Value,
    foreign: Foreign,
    nesting: usize,
) -> TypedArguments {
    let mut settled = TypedArguments::default();
    if duplicate(sent.iter().map(|(name, _)| name)).is_some() {
        return settled;
    }
    let known: Vec<&str> = properties(schema).map(|(name, _)| name.as_str()).collect();
    // A near miss of a known name is refused later, with a hint.
    let is_foreign = |name: &str| {
        foreign == Foreign::Ignored
            && !known.contains(&name)
            && similar(name, known.iter().copied()).is_none()
    };
    let (foreign, kept): (Vec<_>, Vec<_>) = sent.iter().partition(|(name, _)| is_foreign(name));
    settled.warnings.extend(passed_over(&foreign, tool, &known));
    settled.warnings.extend(kept.iter().find_map(|(name, raw)| rounded(name, raw)));
    let made = |members: &[(&str, Cow<'_, str>)]| {
        Object::of(members.iter().map(|(name, raw)| (*name, raw.as_ref())))
    };
    settled.arguments = settle_members(&kept, schema, nesting)
        .map(|members| made(&members))
        .or_else(|| (!foreign.is_empty()).then(|| Object::of(kept.iter().copied())));
    settled
}

/// Warns about arguments that the tool does not have.
fn passed_over(foreign: &[(&str, &str)], tool: &str, known: &[&str]) -> Option<String> {
    let (shown, more) = foreign.split_at_checked(MOST_NAMES).unwrap_or((foreign, &[]));
    let shown = shown.iter().map(|(name, _)| text::quote_one(&text::line(name, MOST_NAME)));
    let mut names = shown.collect::<Vec<_>>().join(", ");
    if !more.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(names, " and {} more", more.len());
    }
    let (noun, were) = match foreign.len() {
        0 => return None,
        1 => ("argument", "it was"),
        _ => ("arguments", "they were"),
    };
    Some(match known {
        [] => format!("`{tool}` takes no arguments: ignored {names}"),
        known => format!(
            "`{tool}` has no {noun} {names}, {were} ignored; its arguments are `{}`",
            known.join("`, `")
        ),
    })
}

/// Warns of an integer that the client may have rounded.
fn rounded(name: &str, raw: &str) -> Option<String> {
    let found = rounded_integer(raw)?;
    let name = text::quote_one(name);
    Some(format!(
        "{name} holds {found}, which the client may have rounded: many do that beyond 2^53. Write such \
         an integer in `code`, or pass it as a text and read that with parse_int"
    ))
}

/// The whole number that a decimal equals, in digits. None if it is not whole.
pub(super) fn whole(number: &str) -> Option<String> {
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{before}{after}");
    let is_number = !before.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let point = i32::try_from(before.len()).ok()?.checked_add(exponent)?;
    let point = usize::try_from(point).ok().filter(|_| is_number)?;
    let significant = digits.trim_end_matches('0').len();
    if point < significant || point > MOST_DIGITS {
        return None;
    }
    let padded = format!("{digits:0<point$}");
    let whole = padded.get(..point)?.trim_start_matches('0');
    Some(if whole.is_empty() { "0".to_owned() } else { format!("{sign}{whole}") })
}

/// The result of converting a value.
enum Fate {
    Kept,
    /// The argument counts as absent.
    Absent,
    Changed(String),
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The members of an object, converted; None if nothing changed.
fn settle_members<'a>(
    members: &[(&'a str, &'a str)],
    schema: &Value,
    nesting: usize,
) -> Option<Vec<(&'a str, Cow<'a, str>)>> {
    let property = |wanted: &str| properties(schema).find(|(name, _)| *name == wanted);
    let is_required = |name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|it| it == name))
    };
    let fate = |name: &str, raw: &str| match property(name) {
        None => Fate::Kept,
        Some((_, schema)) => {
            let fate = settle_value(name, raw, schema, nesting);
            if matches!(fate, Fate::Absent) && is_required(name) { Fate::Kept } else { fate }
        }
    };
    let mut is_changed = false;
    let mut settled = Vec::with_capacity(members.len());
    for (name, raw) in members {
        match fate(name, raw) {
            Fate::Kept => settled.push((*name, Cow::Borrowed(*raw))),
            Fate::Absent => is_changed = true,
            Fate::Changed(text) => {
                is_changed = true;
                settled.push((*name, Cow::Owned(text)));
            }
        }
    }
    is_changed.then_some(settled)
}

fn settle_value(name: &str, raw: &str, schema: &Value, nesting: usize) -> Fate {
    match raw.as_bytes().first() {
        Some(b'"') => settle_text(name, raw, schema, nesting),
        Some(b'[') if kind(schema) == "array" => settle_items(name, raw, schema, nesting),
        Some(b'{') if kind(schema) == "object" => match Members::parse(raw) {
            Ok(members) if members.duplicate().is_none() => {
                let members: Vec<(&str, &str)> = members.iter().collect();
                let settled = settle_members(&members, schema, nesting);
                let text = |it: Vec<(&str, Cow<'_, str>)>| {
                    object(it.iter().map(|(name, raw)| (*name, raw.as_ref())))
                };
                changed(settled.map(text))
            }
            _ => Fate::Kept,
        },
        Some(b'-' | b'0'..=b'9') if kind(schema) == "integer" => {
            changed(whole(raw).filter(|whole| whole != raw))
        }
        _ => Fate::Kept,
    }
}

/// Decodes a string where the schema does not accept one.
fn settle_text(name: &str, raw: &str, schema: &Value, nesting: usize) -> Fate {
    let Some(text) = text_in(raw) else { return Fate::Kept };
    match kind(schema) {
        "string" if text.is_empty() => return Fate::Absent,
        "string" => return Fate::Kept,
        // A schema that accepts any JSON accepts a string too.
        "" if takes_text(schema) => return unfenced(name, &text),
        _ => {}
    }
    let told = text::unfence(&text);
    if told.is_empty() {
        return Fate::Absent;
    }
    let json = match kind(schema) {
        "integer" => whole(told),
        "boolean" => {
            let lower = told.to_ascii_lowercase();
            matches!(lower.as_str(), "true" | "false").then_some(lower)
        }
        _ => json_in(told, nesting),
    };
    // The decoded value may need conversion too.
    match json {
        None => Fate::Kept,
        Some(json) if json.starts_with('"') => Fate::Kept,
        Some(json) => match settle_value(name, &json, schema, nesting) {
            Fate::Changed(text) => Fate::Changed(text),
            Fate::Kept | Fate::Absent => Fate::Changed(json),
        },
    }
}

/// Removes a code fence: clients sometimes send code in one.
fn unfenced(name: &str, text: &str) -> Fate {
    let inner = text::unfence(text);
    let is_code = name == "code" && text.trim_start().starts_with(text::FENCE);
    changed(is_code.then(|| Value::from(inner).to_string()))
}

fn settle_items(name: &str, raw: &str, schema: &Value, nesting: usize) -> Fate {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw) else { return Fate::Kept };
    let Some(schema) = schema.get("items") else { return Fate::Kept };
    let mut is_changed = false;
    let settled: Vec<Cow<'_, str>> = items
        .iter()
        .map(|item| match settle_value(name, item.get(), schema, nesting) {
            Fate::Changed(text) => {
                is_changed = true;
                Cow::Owned(text)
            }
            Fate::Kept | Fate::Absent => Cow::Borrowed(item.get()),
        })
        .collect();
    changed(is_changed.then(|| format!("[{}]", settled.join(","))))
}

fn changed(text: Option<String>) -> Fate {
    text.map_or(Fate::Kept, Fate::Changed)
}

/// The type of a schema; empty if it has several.
fn kind(schema: &Value) -> &str {
    schema.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn takes_text(schema: &Value) -> bool {
    let choices = schema.get("anyOf").and_then(Value::as_array);
    choices.is_none_or(|choices| choices.iter().any(|choice| kind(choice) == "string"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"},
            "words": {"type": "string"},
            "count": {"type": "integer"},
            "flag": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {
                "n": {"type": "integer"}, "list": {"type": "array", "items": {"type": "integer"}},
            }}},
            "context": {"type": "object"},
            "code": {"anyOf": [{"type": "object"}, {"type": "string"}]},
            "schema": {"anyOf": [{"type": "object"}, {"type": "boolean"}]},
        }})
    }

    fn object_of(text: &str) -> Object {
        Object::parse(text).expect("an object")
    }

    #[test]
    fn arguments_are_settled_by_their_schema() {
        for (sent, settled) in [
            (r#"{"count":1000.0}"#, r#"{"count":1000}"#),
            (r#"{"count":"1000"}"#, r#"{"count":1000}"#),
            (r#"{"count":" 1e3 "}"#, r#"{"count":1000}"#),
            (r#"{"count":"","flag":"","tags":"","words":""}"#, "{}"),
            (r#"{"name":""}"#, r#"{"name":""}"#),
            (r#"{"flag":"True"}"#, r#"{"flag":true}"#),
            (r#"{"tags":"[\"a\", \"b\"]"}"#, r#"{"tags":["a", "b"]}"#),
            (
                r#"{"rows":["{\"n\":\"2.0\",\"list\":\"[1.0,2]\"}"]}"#,
                r#"{"rows":[{"n":2,"list":[1,2]}]}"#,
            ),
            (
                r#"{"context":"{\"x\":123456789012345678901234567890.10}"}"#,
                r#"{"context":{"x":123456789012345678901234567890.10}}"#,
            ),
            (r#"{"schema":"true"}"#, r#"{"schema":true}"#),
            ("{\"code\":\"```json\\n{\\\"a\\\":1}\\n```\"}", r#"{"code":"{\"a\":1}"}"#),
            ("{\"code\":\"```json\\n{\\\"a\\\":1}\"}", r#"{"code":"{\"a\":1}"}"#),
        ] {
            let found = settle(&object_of(sent), "tool", &schema(), Foreign::Ignored, 64).arguments;
            assert_eq!(found.as_ref().map_or(sent, |it| it.text()), settled, "{sent}");
        }
    }

    #[test]
    fn what_is_fine_stays_as_it_was_sent() {
        for sent in [
            r#"{"count": 1000, "flag" :true, "code":"{\"a\":1}", "context":{"x":"[1]"}}"#,
            r#"{"count":"many","flag":"yes","tags":"a","context":"[1]x","count2":1}"#,
            r#"{"count":1.5}"#,
            r#"{"count":1,"count":2.0}"#,
        ] {
            let found = settle(&object_of(sent), "tool", &schema(), Foreign::Ignored, 64);
            assert_eq!((found.arguments.is_none(), found.warnings.len()), (true, 0), "{sent}");
        }
        let deep = format!(r#"{{"tags":"{}{}"}}"#, "[".repeat(100), "]".repeat(100));
        assert!(
            settle(&object_of(&deep), "tool", &schema(), Foreign::Ignored, 64).arguments.is_none()
        );
    }

    #[test]
    fn what_no_tool_has_is_passed_over() {
        let found = settle(
            &object_of(r#"{"_":1,"count":2,"random_string":"x"}"#),
            "tool",
            &schema(),
            Foreign::Ignored,
            64,
        );
        assert_eq!(found.arguments.as_ref().map(|it| &**it.text()), Some(r#"{"count":2}"#));
        assert_eq!(found.warnings.len(), 1);
        let warning = found.warnings.first().expect("a warning");
        assert!(warning.contains("no arguments `_`, `random_string`, they were"), "{warning}");
        assert!(
            settle(&object_of(r#"{"cuont":2}"#), "tool", &schema(), Foreign::Ignored, 64)
                .arguments
                .is_none()
        );
        let many: Vec<String> = (0..100_000).map(|n| format!(r#""m{n}":0"#)).collect();
        let found = settle(
            &object_of(&format!("{{{}}}", many.join(","))),
            "tool",
            &schema(),
            Foreign::Ignored,
            64,
        );
        assert_eq!(found.arguments.as_ref().map(|it| &**it.text()), Some("{}"));
        assert!(found.warnings.concat().contains("`m7` and 99992 more, they were"));
    }

    #[test]
    fn whole_numbers_are_read_exactly() {
        for (text, number) in [
            ("0.0", "0"),
            ("-2.50e1", "-25"),
            ("12345678901234567890.0", "12345678901234567890"),
            ("0.001e3", "1"),
            ("1E2", "100"),
            ("007", "7"),
        ] {
            assert_eq!(whole(text).as_deref(), Some(number), "{text}");
        }
        for text in ["1.5", "1e-1", "1e400", "1e99999999999", "", ".", "x", "1.x", "é", "--1"] {
            assert_eq!(whole(text), None, "{text}");
        }
    }
}
