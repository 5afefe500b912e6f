//! Describes mismatches in words: the place in the value, the expected and the found value, and the
//! part of the schema.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use pif_domain::text::{self, quote};
use pif_domain::{Mismatch, Mismatches};
use serde_json::Value;

use super::refusal::{Invalid, Refusal};

/// The most mismatches reported for one value.
const MOST: usize = 3;

/// The most characters of a quoted value.
const QUOTED: usize = 200;

/// Reports the first mismatches and the number of the others.
pub(super) fn refuse(errors: &[ValidationError<'_>]) -> Refusal {
    let more = errors.len().saturating_sub(MOST);
    Refusal::Mismatch(errors.iter().take(MOST).map(one).collect(), Some(more))
}

/// Reports the first mismatch of a value that has too many to count.
pub(super) fn refuse_first(error: Option<&ValidationError<'_>>) -> Refusal {
    Refusal::Mismatch(error.into_iter().map(one).collect(), None)
}

/// Reports a value for which even finding the first mismatch takes too much work.
pub(super) fn refuse_unlisted(value: &Value) -> Refusal {
    let mismatch = Mismatch {
        instance: String::new(),
        expected: "a value that the schema describes".to_owned(),
        found: quoted(value),
        schema_at: String::new(),
    };
    Refusal::Mismatch(Mismatches::from_iter([mismatch]), None)
}

/// Describes an error that the meta-schema found in a schema.
pub(super) fn invalid(error: &ValidationError<'_>) -> Invalid {
    let at = error.instance_path().as_str();
    let reason = match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => {
            format!(
                "{} is no pattern that can be matched, or it is too large",
                quoted(error.instance())
            )
        }
        ValidationErrorKind::Referencing(error) => error.to_string(),
        _ => format!("expected {}, found {}", expected(error), quoted(error.instance())),
    };
    Invalid::new(at, reason)
}

fn one(error: &ValidationError<'_>) -> Mismatch {
    Mismatch {
        instance: error.instance_path().as_str().to_owned(),
        expected: expected(error),
        found: quoted(error.instance()),
        schema_at: error.schema_path().as_str().to_owned(),
    }
}

/// Describes the value that a schema expects at a place.
fn expected(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind } => types(kind),
        Kind::Required { property } => format!("the member {}", quoted(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("no member {}", quote(unexpected))
        }
        Kind::AdditionalItems { limit } => format!("at most {limit} items"),
        Kind::UnevaluatedItems { .. } => "no further items".to_owned(),
        Kind::Constant { expected_value } => quoted(expected_value),
        Kind::Enum { options } => format!("one of {}", quoted(options)),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::MinProperties { limit } => format!("at least {limit} members"),
        Kind::MaxProperties { limit } => format!("at most {limit} members"),
        Kind::Pattern { pattern } => {
            format!("text that matches the pattern {}", text::line(pattern, QUOTED))
        }
        Kind::UniqueItems => "no two equal items".to_owned(),
        Kind::FalseSchema => "nothing here".to_owned(),
        Kind::Contains => "an item as `contains` has it, in the right number".to_owned(),
        Kind::Not { schema } => format!("something else than {}", quoted(schema)),
        Kind::PropertyNames { error } => format!("names of members that are {}", expected(error)),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            alternatives(context, error.instance_path().as_str())
        }
        Kind::OneOfMultipleValid { .. } => "one alternative of `oneOf` and not several".to_owned(),
        _ => text::line(&error.to_string(), QUOTED),
    }
}

fn types(kind: &TypeKind) -> String {
    let named = |kind: JsonType| match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "text",
    };
    match kind {
        TypeKind::Single(kind) => named(*kind).to_owned(),
        TypeKind::Multiple(kinds) => kinds.iter().map(named).collect::<Vec<_>>().join(" or "),
    }
}

/// Describes the alternatives for a place, with the one that came nearest: the one whose first
/// mismatch lies deepest.
fn alternatives(context: &[Vec<ValidationError<'static>>], place: &str) -> String {
    let count = context.len();
    let first = context.iter().rev().filter_map(|errors| errors.first());
    let depth = |it: &&ValidationError<'_>| it.instance_path().as_str().matches('/').count();
    let Some(error) = first.max_by_key(depth) else {
        return format!("one of {count} alternatives");
    };
    let way = error.instance_path().as_str();
    let way = way.strip_prefix(place).unwrap_or(way);
    let at =
        if way.is_empty() { String::new() } else { format!(" at {}", text::line(way, QUOTED)) };
    format!("one of {count} alternatives, such as{at} {}", text::line(&expected(error), QUOTED))
}

/// Quotes a value on one line.
fn quoted(value: &Value) -> String {
    text::line(&value.to_string(), QUOTED)
}
