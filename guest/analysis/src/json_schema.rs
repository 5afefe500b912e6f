//! Types read from JSON Schemas. What a schema says in other words than types have is left out, so every
//! value that meets the schema has the type.

use crate::shape::{Member, Shape, Signature};
use pif_core::json::tape::{Tape, Token, TokenId};

/// Deepest nesting that is read.
const DEEPEST: u32 = 12;
/// Most sub-schemas that are read, however often they are referred to.
const MOST: u32 = 400;
/// The name of the record of arguments.
const ARGUMENTS: &str = "args";

/// The type of a tool of another server: it takes a record, and gives what its schema says.
#[must_use]
pub fn tool(input: Option<&str>, output: Option<&str>) -> Shape {
    let read = |text: Option<&str>| text.map_or(Shape::Any, read);
    let parameters = vec![(ARGUMENTS.to_owned(), read(input))];
    Shape::Function(Box::new(Signature { variables: Vec::new(), parameters, gives: read(output) }))
}

/// The type of the values that meet a schema, or a wider one.
#[must_use]
pub fn read(schema: &str) -> Shape {
    let mut tape = Tape::default();
    let Ok(root) = tape.parse(schema) else { return Shape::Any };
    Reader { tape: &tape, root, left: MOST }.shape(root, DEEPEST)
}

struct Reader<'t> {
    tape: &'t Tape,
    root: TokenId,
    /// Sub-schemas that may still be read.
    left: u32,
}

impl Reader<'_> {
    fn shape(&mut self, at: TokenId, depth: u32) -> Shape {
        if depth == 0 || self.left == 0 {
            return Shape::Any;
        }
        self.left -= 1;
        match self.tape.token(at) {
            Token::Boolean(false) => return Shape::Never,
            Token::Object { .. } => {}
            _ => return Shape::Any,
        }
        if let Some(value) = self.tape.member(at, "const") {
            return self.literal(value);
        }
        if let Some(values) = self.tape.member(at, "enum") {
            let values: Vec<TokenId> = self.tape.items(values).collect();
            return Shape::union(values.into_iter().map(|it| self.literal(it)));
        }
        if let Some(target) = self.tape.member(at, "$ref").and_then(|it| self.target(it)) {
            return self.shape(target, depth - 1);
        }
        for several in ["anyOf", "oneOf"] {
            if let Some(parts) = self.tape.member(at, several) {
                let parts: Vec<TokenId> = self.tape.items(parts).collect();
                return Shape::union(parts.into_iter().map(|it| self.shape(it, depth - 1)));
            }
        }
        self.typed(at, depth)
    }

    /// What the keyword `type` says.
    fn typed(&mut self, at: TokenId, depth: u32) -> Shape {
        let Some(types) = self.tape.member(at, "type") else { return Shape::Any };
        let names: Vec<TokenId> = match self.tape.token(types) {
            Token::Text(_) => vec![types],
            _ => self.tape.items(types).collect(),
        };
        if names.is_empty() {
            return Shape::Any;
        }
        Shape::union(names.into_iter().map(|name| match self.text(name) {
            Some("null") => Shape::Null,
            Some("boolean") => Shape::Boolean,
            // 1.0 is an integer for a schema, and a float here.
            Some("integer" | "number") => Shape::Number,
            Some("string") => Shape::Text,
            Some("array") => self.list(at, depth),
            Some("object") => self.record(at, depth),
            _ => Shape::Any,
        }))
    }

    fn list(&mut self, at: TokenId, depth: u32) -> Shape {
        let element = match (self.tape.member(at, "items"), self.tape.member(at, "prefixItems")) {
            (Some(items), None) => self.shape(items, depth - 1),
            _ => Shape::Any,
        };
        Shape::List(Box::new(element))
    }

    fn record(&mut self, at: TokenId, depth: u32) -> Shape {
        let required: Vec<String> = match self.tape.member(at, "required") {
            Some(names) => {
                self.tape.items(names).filter_map(|it| self.text(it)).map(str::to_owned).collect()
            }
            None => Vec::new(),
        };
        let Some(properties) = self.tape.member(at, "properties") else {
            return match self.tape.member(at, "additionalProperties") {
                Some(element) => Shape::Dictionary(Box::new(self.shape(element, depth - 1))),
                None => {
                    Shape::Record(required.into_iter().map(|name| member(name, true)).collect())
                }
            };
        };
        let listed: Vec<(String, TokenId)> = self
            .tape
            .members(properties)
            .map(|(name, value)| (self.tape.str(name).to_owned(), value))
            .collect();
        let mut members = Vec::new();
        for (name, value) in listed {
            let shape = self.shape(value, depth - 1);
            let is_optional = !required.contains(&name);
            members.push(Member { name, shape, is_optional });
        }
        for name in required {
            if !members.iter().any(|it| it.name == name) {
                members.push(member(name, true));
            }
        }
        Shape::Record(members)
    }

    /// The type of a value that is written out.
    fn literal(&self, at: TokenId) -> Shape {
        match self.tape.token(at) {
            Token::Null => Shape::Null,
            Token::Boolean(_) => Shape::Boolean,
            Token::Integer(_) | Token::Number(_) => Shape::Number,
            Token::Text(span) => Shape::Literal(self.tape.str(span).to_owned()),
            Token::Array { .. } => Shape::List(Box::new(Shape::Any)),
            Token::Object { .. } => Shape::Record(Vec::new()),
        }
    }

    /// What a reference within the schema refers to.
    fn target(&self, reference: TokenId) -> Option<TokenId> {
        let path = self.text(reference)?.strip_prefix('#')?;
        let mut at = self.root;
        for step in path.split('/').skip(1) {
            at = self.tape.member(at, &step.replace("~1", "/").replace("~0", "~"))?;
        }
        Some(at)
    }

    fn text(&self, at: TokenId) -> Option<&str> {
        match self.tape.token(at) {
            Token::Text(span) => Some(self.tape.str(span)),
            _ => None,
        }
    }
}

/// A member of which nothing is known but that it is there.
fn member(name: String, is_there: bool) -> Member {
    Member { name, shape: Shape::Any, is_optional: !is_there }
}
