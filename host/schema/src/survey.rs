//! Examines a schema before use: its references, the number of its parts that apply to one place of
//! a value, the cost of its patterns, and its descriptions.

use std::collections::HashMap;

use pif_domain::text::description::ensure_plain;
use pif_domain::text::quote_one;
use serde_json::{Map, Value};

use super::pattern;
use super::refusal::Invalid;

/// The only supported dialect.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The most schemas that may apply to one place of a value. A schema counts once for each way that
/// leads to it.
const MOST_BREADTH: u64 = 4_096;

/// The length of the longest chain of schemas that apply to one place because the one before does.
const MOST_NESTING: usize = 64;

/// The most patterns of a schema.
const MOST_PATTERNS: usize = 64;

/// Keywords whose value is a schema: for the same place, and for places inside it.
const SAME: [&str; 4] = ["not", "if", "then", "else"];
const INSIDE: [&str; 8] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "items",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list of schemas, and keywords whose value is a map of schemas.
const SAME_LIST: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const INSIDE_LIST: [&str; 1] = ["prefixItems"];
const SAME_MAP: [&str; 2] = ["dependencies", "dependentSchemas"];
const INSIDE_MAP: [&str; 4] = ["$defs", "definitions", "patternProperties", "properties"];

/// The measurements of a schema.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Survey {
    /// The most schemas that apply to one place of a value.
    pub(super) breadth: u64,
    /// The longest chain of schemas that apply to one place because the one before does.
    pub(super) nesting: usize,
    /// The cost of the most expensive pattern, in looks for 16 bytes of a text.
    pub(super) text: u64,
    /// The cost of all patterns for names of members together, in looks for 16 bytes of a name.
    pub(super) names: u64,
}

/// A schema within the schema.
#[derive(Debug, Default)]
struct Part<'a> {
    /// JSON Pointer to it.
    at: String,
    /// The numbers of the schemas that apply to the same place when this one does.
    same: Vec<usize>,
    reference: Option<&'a str>,
    dynamic: Option<&'a str>,
}

#[derive(Default)]
struct Walk<'a> {
    parts: Vec<Part<'a>>,
    anchors: HashMap<&'a str, Vec<usize>>,
    patterns: usize,
    survey: Survey,
}

/// Examines a schema. Returns [`Invalid`] if it cannot be used.
pub(super) fn survey(schema: &Value) -> Result<Survey, Invalid> {
    let mut walk = Walk::default();
    walk.visit(schema, "")?;
    walk.resolve()?;
    walk.measure()
}

impl<'a> Walk<'a> {
    /// Records a schema and all schemas in it. Returns its number. The recursion is bounded,
    /// because the JSON reader bounds the depth of the schema.
    fn visit(&mut self, schema: &'a Value, at: &str) -> Result<usize, Invalid> {
        let number = self.parts.len();
        self.parts.push(Part { at: at.to_owned(), ..Part::default() });
        let Value::Object(members) = schema else { return Ok(number) };
        self.identify(members, number)?;
        for (name, value) in members {
            let at = format!("{at}/{}", escape(name));
            self.describe(name, value, &at)?;
            let name = name.as_str();
            let is_same =
                SAME.contains(&name) || SAME_LIST.contains(&name) || SAME_MAP.contains(&name);
            let inner: Vec<(&'a Value, String)> = match value {
                Value::Array(items) if SAME_LIST.contains(&name) || INSIDE_LIST.contains(&name) => {
                    items.iter().enumerate().map(|(i, it)| (it, format!("{at}/{i}"))).collect()
                }
                Value::Object(named) if SAME_MAP.contains(&name) || INSIDE_MAP.contains(&name) => {
                    named.iter().map(|(key, it)| (it, format!("{at}/{}", escape(key)))).collect()
                }
                value if SAME.contains(&name) || INSIDE.contains(&name) => vec![(value, at)],
                _ => continue,
            };
            for (schema, at) in inner {
                let inner = self.visit(schema, &at)?;
                if let Some(part) = self.parts.get_mut(number).filter(|_| is_same) {
                    part.same.push(inner);
                }
            }
        }
        Ok(number)
    }

    /// Records the anchors and references of a schema, and checks its dialect.
    fn identify(&mut self, members: &'a Map<String, Value>, number: usize) -> Result<(), Invalid> {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let Some(part) = self.parts.get_mut(number) else { return Ok(()) };
        if let Some(dialect) = text("$schema")
            && dialect.trim_end_matches('#') != DIALECT
        {
            let reason = format!("the dialect {} is not known", quote_one(dialect));
            let hint = format!("leave `$schema` out, or write \"{DIALECT}\"");
            return Err(Invalid::new(format!("{}/$schema", part.at), reason).hint(&hint));
        }
        // Nothing can refer to the `$id` of the outermost schema.
        if let (Some(_), true) = (text("$id"), number > 0) {
            let reason = "a schema within the schema has an `$id`";
            return Err(Invalid::new(format!("{}/$id", part.at), reason)
                .hint("leave it out, and refer to it by its place, such as \"#/$defs/name\""));
        }
        part.reference = text("$ref");
        part.dynamic = text("$dynamicRef");
        for name in [text("$anchor"), text("$dynamicAnchor")].into_iter().flatten() {
            self.anchors.entry(name).or_default().push(number);
        }
        Ok(())
    }

    /// Checks the descriptions of a schema and records the costs of its patterns.
    fn describe(&mut self, name: &str, value: &'a Value, at: &str) -> Result<(), Invalid> {
        match (name, value) {
            ("title" | "description" | "$comment", Value::String(text)) => ensure_plain(text)
                .map_err(|error| Invalid::new(at, error.told_of(&format!("the `{name}`")))),
            ("pattern", Value::String(pattern)) => {
                let cost = self.judge(pattern, at)?;
                self.survey.text = self.survey.text.max(cost);
                Ok(())
            }
            ("patternProperties", Value::Object(members)) => {
                for pattern in members.keys() {
                    let at = format!("{at}/{}", escape(pattern));
                    self.survey.names += self.judge(pattern, &at)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn judge(&mut self, pattern: &str, at: &str) -> Result<u64, Invalid> {
        self.patterns += 1;
        if self.patterns > MOST_PATTERNS {
            return Err(Invalid::new(at, format!("it has more than {MOST_PATTERNS} patterns")));
        }
        pattern::cost(pattern).map_err(|reason| Invalid::new(at, reason))
    }

    /// Resolves all references.
    fn resolve(&mut self) -> Result<(), Invalid> {
        let places: HashMap<String, usize> =
            self.parts.iter().enumerate().map(|(i, part)| (part.at.clone(), i)).collect();
        let mut found = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let references = [("$ref", part.reference), ("$dynamicRef", part.dynamic)];
            for (keyword, reference) in references {
                let Some(reference) = reference else { continue };
                let at = || format!("{}/{keyword}", part.at);
                let Some(fragment) = reference.strip_prefix('#') else {
                    let reason = format!(
                        "`{keyword}` refers to {}, which is not in the schema",
                        quote_one(reference)
                    );
                    return Err(Invalid::new(at(), reason).hint(
                        "only local references are followed, such as \"#/$defs/name\": nothing is ever fetched",
                    ));
                };
                let fragment = decode(fragment).unwrap_or_default();
                let named = self.anchors.get(fragment.as_str()).cloned();
                let targets = named.or_else(|| places.get(&fragment).map(|it| vec![*it]));
                let Some(targets) = targets else {
                    let reason = format!(
                        "`{keyword}` refers to {}, where there is no schema",
                        quote_one(reference)
                    );
                    return Err(Invalid::new(at(), reason).hint("put it below `$defs`"));
                };
                found.push((number, targets));
            }
        }
        for (number, targets) in found {
            if let Some(part) = self.parts.get_mut(number) {
                part.same.extend(targets);
            }
        }
        Ok(())
    }

    /// Measures the number of schemas that apply to one place of a value, and their longest chain.
    fn measure(self) -> Result<Survey, Invalid> {
        let mut known: Vec<Option<(u64, usize)>> = vec![None; self.parts.len()];
        let mut breadth = 0;
        let mut nesting = 0;
        for start in 0..self.parts.len() {
            let (wide, deep) = self.extent(start, &mut known, 0)?;
            (breadth, nesting) = (wide.max(breadth), deep.max(nesting));
        }
        Ok(Survey { breadth, nesting, ..self.survey })
    }

    /// Measures from one schema on. Returns the breadth and the nesting.
    fn extent(
        &self,
        number: usize,
        known: &mut [Option<(u64, usize)>],
        above: usize,
    ) -> Result<(u64, usize), Invalid> {
        if let Some(extent) = known.get(number).copied().flatten() {
            return Ok(extent);
        }
        let Some(part) = self.parts.get(number) else { return Ok((0, 0)) };
        let mut breadth = 1_u64;
        let mut nesting = 0;
        if above > MOST_NESTING {
            let reason = format!(
                "more than {MOST_NESTING} schemas apply to one place by way of each other, or one by way of itself"
            );
            return Err(Invalid::new(&part.at, reason).hint(
                "a schema may refer to itself only for what is in the value, as by `items` or `properties`",
            ));
        }
        for next in &part.same {
            let (wide, deep) = self.extent(*next, known, above + 1)?;
            breadth = breadth.saturating_add(wide);
            nesting = nesting.max(deep);
        }
        if breadth > MOST_BREADTH {
            let reason = format!("more than {MOST_BREADTH} schemas apply to one place");
            return Err(Invalid::new(&part.at, reason).hint("use fewer alternatives"));
        }
        let extent = (breadth, nesting + 1);
        if let Some(slot) = known.get_mut(number) {
            *slot = Some(extent);
        }
        Ok(extent)
    }
}

/// Escapes a name for a JSON Pointer.
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Decodes the percent escapes of a URI fragment. Returns `None` if one is invalid.
fn decode(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = rest.get(2..)?;
    }
    String::from_utf8(bytes).ok()
}
