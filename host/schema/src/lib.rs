//! Validation of values with JSON Schema, draft 2020-12. Models write both the schemas and the
//! values, so both are bounded, and so is the work of comparing them. This module knows neither
//! programs nor the protocol.

mod equality;
mod meter;
mod mismatch;
mod pattern;
mod refusal;
mod survey;

use std::fmt;
use std::thread;

use jsonschema::{Draft, PatternOptions, Validator, options_for};
use serde::Deserialize;
use serde_json::{Deserializer, Value};

pub use self::meter::Stop;
pub use self::refusal::{Invalid, Refusal};

use pif_domain::Limit;
use pif_domain::json;

use self::meter::{Costs, Interruption, MeteredValue, Place, measure};
use self::survey::{Survey, survey};

/// The longest schema, in bytes of JSON.
pub const LONGEST: usize = 64 << 10;

/// The deepest value that is compared with a schema.
pub const DEEPEST: usize = Limit::SchemaDepth.fixed_count();

/// The most parts of a value that is compared with a schema. Items and members are parts; an object
/// counts as four more.
pub const MOST_PARTS: usize = Limit::SchemaParts.fixed_count();

/// Looks that a comparison may take.
const MOST_LOOKS: u64 = Limit::SchemaWork.fixed();

/// Looks of a comparison that counts as quick.
const QUICK: u64 = 4_096;

/// Looks that finding the mismatches of a value may take.
const MOST_TELLING: u64 = 10_000_000;

/// Looks for a mismatch that is reported, besides those for the text that it keeps.
const MISMATCH: u64 = 1_000;

/// Levels of a value times levels of a schema for which the stack of every thread suffices.
const SHALLOW: usize = 400;

/// The most levels of a value times levels of a schema. Each takes less than 4 KiB of stack.
const MOST_LEVELS: usize = 16_000;

/// Bytes of stack of a thread that compares [`MOST_LEVELS`].
const STACK: usize = 64 << 20;

/// A JSON Schema, ready to validate values.
pub struct Schema {
    text: String,
    survey: Survey,
    validator: Validator<MeteredValue>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema").field("text", &self.text).finish_non_exhaustive()
    }
}

impl Schema {
    /// Reads a schema. Returns [`Invalid`] if the text is too long, is not JSON, or is not a valid
    /// schema.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        if text.len() > LONGEST {
            let reason = format!("the schema has {} bytes, more than {LONGEST}", text.len());
            return Err(Invalid::new("", reason));
        }
        let schema: Value = serde_json::from_str(text)
            .map_err(|error| Invalid::new("", format!("the schema cannot be read: {error}")))?;
        if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
            let reason = "a schema is an object, or true or false";
            return Err(Invalid::new("", reason).hint("write {\"type\": \"integer\"} or the like"));
        }
        let survey = survey(&schema)?;
        let text = schema.to_string();
        let validator =
            with_room(STACK, || build(schema)).map_err(|reason| Invalid::new("", reason))??;
        Ok(Self { text, survey, validator })
    }

    /// The schema as compact JSON.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the schema is `true` or `{}`, which accept every value.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        matches!(self.text.as_str(), "true" | "{}")
    }

    /// Whether comparing this value, which is JSON text, takes no longer than evaluating a few
    /// forms.
    #[must_use]
    pub fn is_quick(&self, value: &str) -> bool {
        let Survey { breadth, nesting, text, names } = self.survey;
        let (depth, parts) = size(value);
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let looks = count(parts).saturating_mul(breadth);
        let bytes = count(value.len()).saturating_mul(text.max(names).max(1));
        (depth + 1) * nesting <= SHALLOW && looks.saturating_add(bytes) <= QUICK
    }

    /// Compares a value, which is JSON text, with the schema. Calls `stop` from time to time and
    /// ends with [`Refusal::Stopped`] if it returns true.
    pub fn judge(&self, value: &str, stop: &Stop) -> Result<(), Refusal> {
        let (depth, parts) = size(value);
        if parts > MOST_PARTS {
            return Err(Refusal::TooMany(parts, MOST_PARTS));
        }
        let deepest = DEEPEST.min(MOST_LEVELS / self.survey.nesting.max(1));
        if depth > deepest {
            return Err(Refusal::TooDeep(depth, deepest));
        }
        let judge = || self.judge_here(value, stop);
        if (depth + 1) * self.survey.nesting <= SHALLOW {
            return judge();
        }
        with_room(STACK, judge).map_err(Refusal::Defect)?
    }

    fn judge_here(&self, value: &str, stop: &Stop) -> Result<(), Refusal> {
        let mut reader = Deserializer::from_str(value);
        // The caller has checked the depth.
        reader.disable_recursion_limit();
        let value = Value::deserialize(&mut reader)
            .map_err(|error| Refusal::Defect(format!("the value cannot be read: {error}")))?;
        let Survey { breadth, text, names, .. } = self.survey;
        let costs =
            Costs { most: MOST_LOOKS, place: breadth, text: text.max(1), name: names, mismatch: 1 };
        let conforms = measure(costs, stop, || self.validator.is_valid(Place(&value)));
        match conforms {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(Interruption::Stopped) => return Err(Refusal::Stopped),
            Err(Interruption::Exhausted) => return Err(Refusal::TooMuch(MOST_LOOKS)),
        }
        // A mismatch keeps the path to its place and may keep a part of the schema.
        let kept = longest_way(&value) + self.text.len();
        let kept = u64::try_from(kept).unwrap_or(u64::MAX);
        let costs = Costs { most: MOST_TELLING, mismatch: MISMATCH + kept, ..costs };
        self.explain(&value, costs, stop)
    }

    /// Reports the mismatches of a value. Reports fewer if finding all of them takes too much work.
    fn explain(&self, value: &Value, costs: Costs, stop: &Stop) -> Result<(), Refusal> {
        let all = measure(costs, stop, || {
            mismatch::refuse(&self.validator.iter_errors(Place(value)).collect::<Vec<_>>())
        });
        let first = match all {
            Ok(told) => return Err(told),
            Err(Interruption::Stopped) => return Err(Refusal::Stopped),
            Err(Interruption::Exhausted) => measure(costs, stop, || {
                mismatch::refuse_first(self.validator.validate(Place(value)).err().as_ref())
            }),
        };
        match first {
            Ok(told) => Err(told),
            Err(Interruption::Stopped) => Err(Refusal::Stopped),
            Err(Interruption::Exhausted) => Err(mismatch::refuse_unlisted(value)),
        }
    }
}

fn build(mut schema: Value) -> Result<Validator<MeteredValue>, Invalid> {
    if let Value::Object(members) = &mut schema {
        // Other schemas cannot refer to this one, and only one dialect is supported.
        members.remove("$id");
        members.remove("$schema");
    }
    options_for::<MeteredValue>()
        .with_draft(Draft::Draft202012)
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(pattern::MOST_COMPILED))
        .build(&schema)
        .map_err(|error| mismatch::invalid(&error))
}

/// Runs `work` on a thread with this many bytes of stack.
fn with_room<T: Send>(stack: usize, work: impl FnOnce() -> T + Send) -> Result<T, String> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| format!("no thread can be started: {error}"))?;
        thread.join().map_err(|_| "the validator failed because of a defect".to_owned())
    })
}

/// The depth of a JSON text in levels of arrays and objects, and its number of parts.
fn size(json: &str) -> (usize, usize) {
    (json::depth(json.as_bytes()), json::count_parts(json.as_bytes()))
}

/// The approximate length in bytes of the longest JSON Pointer into a value.
fn longest_way(value: &Value) -> usize {
    let mut longest = 0;
    let mut open = vec![(value, 0)];
    while let Some((value, way)) = open.pop() {
        longest = longest.max(way);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|it| (it, way + 8))),
            Value::Object(members) => {
                open.extend(members.iter().map(|(name, it)| (it, way + name.len() + 1)));
            }
            _ => {}
        }
    }
    longest
}
