//! The types of the forms as people read them, made of the rules of their rows.

use crate::shape::{Member, Shape, Signature};
use crate::tell::{any_function, scalars};
use pif_core::fault::Fault;
use pif_language::form::{Row, Shape as Written};
use pif_language::kinds::{FUNCTION, Kinds, LIST, MAP, PAIR, RECORD, SET, STRING};
use pif_language::typing::{Rule, Type};

/// The names of the variables of a rule, in the order in which they come.
const VARIABLES: [&str; 2] = ["T", "U"];
/// The names of the parameters of a function that a form takes.
const PARAMETERS: [&str; 3] = ["x", "y", "z"];
/// All kinds without `ODD`.
const EVERY: Kinds = Kinds::MAX >> 1;

/// The type of a form: that of its value, if it has no operands that are values, else that of the
/// function of its operands. They stand in the order of the notation. A parameter that may be missing
/// has a `?` behind its name, one for all that follow three points before it.
///
/// # Errors
/// `internal` if the row writes its operands in no way that can be read.
pub fn shape_of(row: &Row) -> Result<Shape, Fault> {
    let (Rule::Signature { takes, gives } | Rule::Own { takes, gives }) = row.typing else {
        return Ok(Shape::Any);
    };
    let mut reader = Reader::default();
    let mut names: Vec<(usize, String)> = operands(row)?.into_iter().enumerate().collect();
    if row.subject < names.len() && !row.is_apart {
        let subject = names.remove(row.subject);
        names.insert(0, subject);
    }
    let mut parameters = Vec::new();
    for (at, name) in names {
        let Some(taken) = takes.get(at).or(takes.last()) else { continue };
        let shape = reader.shape(taken);
        let shape = if name.starts_with("...") { Shape::List(Box::new(shape)) } else { shape };
        parameters.push((name, shape));
    }
    let gives = reader.shape(&gives);
    let count = reader.names.iter().flatten().count();
    let variables = VARIABLES.iter().take(count).map(|it| (*it).to_owned()).collect();
    Ok(match gives {
        Shape::Function(given) if parameters.is_empty() => {
            Shape::Function(Box::new(Signature { variables, ..*given }))
        }
        gives if parameters.is_empty() => gives,
        gives => Shape::Function(Box::new(Signature { variables, parameters, gives })),
    })
}

/// The names of the operands, in the order of the row.
fn operands(row: &Row) -> Result<Vec<String>, Fault> {
    let owned = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    Ok(match row.shape {
        Written::Name | Written::Lambda | Written::Literal | Written::Ignored | Written::Fields => {
            Vec::new()
        }
        Written::Application => owned(&["f", "a"]),
        Written::Bindings | Written::Functions => owned(&["b"]),
        Written::Branches => owned(&["...branches"]),
        Written::Try => owned(&["t", "f"]),
        Written::Members(names) => owned(names),
        Written::MembersOr(names) | Written::Named(names) => {
            let mut names = owned(names);
            if let Some(last) = names.last_mut() {
                last.push('?');
            }
            names
        }
        Written::List { least, .. } => listed(row.syntax, least as usize)?,
    })
}

/// The names of operands in an array, of which so many must be there. They stand in the longest of the
/// ways in which the form is written.
fn listed(syntax: &str, least: usize) -> Result<Vec<String>, Fault> {
    let ways = syntax.split(" or {").filter_map(|way| Some(way.split_once("\": ")?.1));
    let parts = |way: &str| -> Vec<String> {
        let inner = way.strip_suffix('}').unwrap_or(way);
        match inner.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            Some(inner) => split(inner.split("] or [").max_by_key(|it| it.len()).unwrap_or(inner)),
            None => vec![inner.to_owned()],
        }
    };
    let written = ways.map(parts).max_by_key(Vec::len);
    let written = written.ok_or_else(|| Fault::defect("the syntax of a form names no operands"))?;
    let is_variadic = written.last().is_some_and(|it| it == "…");
    // Where the form is also written with one list of operands, two stand before those that follow.
    let least = if is_variadic { least.max(2) } else { least };
    let has_ways = syntax.contains("] or [");
    let named = written.iter().enumerate().map(|(at, part)| match part.as_str() {
        "…" => "...more".to_owned(),
        part if part.ends_with('?') || at >= least && !has_ways => {
            format!("{}?", name(part.trim_end_matches('?')))
        }
        part => name(part),
    });
    Ok(named.collect())
}

/// The parts between the commas that stand within no brackets.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_i32);
    for c in text.chars() {
        depth += i32::from("[{".contains(c)) - i32::from("]}".contains(c));
        match parts.last_mut() {
            Some(part) if c != ',' || depth > 0 => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.into_iter().map(|it| it.trim().to_owned()).collect()
}

/// A name for an operand that is written so.
fn name(written: &str) -> String {
    let first = written.split(" or ").next().unwrap_or(written).trim_matches('"');
    match first.chars().next() {
        Some('[') if first == "[a, …]" => "arguments".to_owned(),
        Some('[') => "keys".to_owned(),
        Some('{') => "parts".to_owned(),
        _ => first.to_owned(),
    }
}

/// Reads the types of a rule. Its variables get names in the order in which they come.
#[derive(Debug, Default)]
struct Reader {
    names: [Option<&'static str>; 2],
}

impl Reader {
    fn variable(&mut self, at: usize) -> Shape {
        let next = VARIABLES[self.names.iter().flatten().count().min(1)];
        Shape::Variable(self.names[at].get_or_insert(next).to_string())
    }

    fn boxed(&mut self, of: &Type) -> Box<Shape> {
        Box::new(self.shape(of))
    }

    fn shape(&mut self, of: &Type) -> Shape {
        match of {
            Type::Any | Type::Deep => Shape::Any,
            Type::Of(kinds) => kinds_of(*kinds),
            Type::Maybe(inner) => Shape::union([self.shape(inner), Shape::Null]),
            Type::A => self.variable(0),
            Type::B => self.variable(1),
            Type::Some(inner) => self.shape(inner),
            Type::List(element) => Shape::List(self.boxed(element)),
            // Of texts and maps too, whose elements have types of their own.
            Type::Iterable(element) => {
                let list = Shape::List(self.boxed(element));
                let set = Shape::Set(self.boxed(element));
                Shape::union([list, set, Shape::Null])
            }
            Type::Tuple(parts) => Shape::Tuple(parts.iter().map(|it| self.shape(it)).collect()),
            Type::Record(members) => {
                let member = |(name, it): &(&str, Type)| Member {
                    name: (*name).to_owned(),
                    shape: self.shape(it),
                    is_optional: false,
                };
                Shape::Record(members.iter().map(member).collect())
            }
            Type::Dictionary(inner) => Shape::Dictionary(self.boxed(inner)),
            Type::Or(parts) => Shape::union(parts.iter().map(|it| self.shape(it))),
            Type::Function(arguments, result) => {
                let shapes = arguments.iter().map(|it| self.shape(it));
                let names = PARAMETERS.iter().map(|it| (*it).to_owned());
                let parameters = names.zip(shapes).collect();
                let gives = self.shape(result);
                Shape::Function(Box::new(Signature { variables: Vec::new(), parameters, gives }))
            }
            Type::Numeric => Shape::Number,
            Type::Counted(one, more) => Shape::union([self.shape(one), self.shape(more)]),
        }
    }
}

/// The type of values of these kinds.
fn kinds_of(kinds: Kinds) -> Shape {
    if kinds & EVERY == EVERY {
        return Shape::Any;
    }
    let whole = [
        (STRING, Shape::Text),
        (LIST, Shape::List(Box::new(Shape::Any))),
        (PAIR, Shape::Tuple(vec![Shape::Any, Shape::Any])),
        (RECORD, Shape::Dictionary(Box::new(Shape::Any))),
        (MAP, Shape::Map(Box::new([Shape::Any, Shape::Any]))),
        (SET, Shape::Set(Box::new(Shape::Any))),
        (FUNCTION, any_function()),
    ];
    let of_whole = whole.into_iter().filter(|(kind, _)| kinds & kind != 0).map(|it| it.1);
    Shape::union(of_whole.chain(scalars(kinds)))
}
