//! Types that the analyst tells, against what programs do.

use pif::fault::Code;
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use pif_analysis::shape::{Member, Shape};
use pif_analysis::{Analysis, Failure, Request, analyze};
use serde_json::{Map, Value};

use crate::generate::Random;
use crate::native;
use crate::run::Run;

/// The code of a program: that of the tool, if it is one.
fn code(program: &Program) -> Option<&str> {
    match &program.code {
        Source::Term(text) => Some(text),
        Source::Tool(name) => {
            let tool = program.tools.iter().find(|it| it.0 == *name)?;
            Some(&tool.1)
        }
    }
}

/// What the analyst tells of a program, with what it tells of the tools. None if it does not parse.
#[must_use]
pub fn told(program: &Program) -> Option<Analysis> {
    let mut tools: Vec<(String, Shape)> = Vec::new();
    // The second time each tool is known to the others.
    for _ in 0..2 {
        let mut known = Vec::new();
        for (name, source) in &program.tools {
            let tools = tools.clone();
            let request = Request { code: source, tools, is_tool: true, ..Request::default() };
            if let Ok(told) = analyze(&request) {
                known.push((name.clone(), told.shape_of_tool()));
            }
        }
        tools = known;
    }
    let mut variables: Vec<(String, Shape)> =
        program.bindings.iter().map(|it| (it.0.clone(), Shape::Any)).collect();
    if let Some(context) = &program.context {
        let context: Map<String, Value> = serde_json::from_str(context).ok()?;
        variables.extend(context.keys().map(|name| (name.clone(), Shape::Any)));
    }
    let is_tool = matches!(program.code, Source::Tool(_));
    analyze(&Request { code: code(program)?, variables, tools, is_tool, fuel: None }).ok()
}

/// Compares what is told with what a run comes to.
pub fn compare(program: &Program, limits: &Limits, told: &Analysis) -> Result<Run, String> {
    let run = native::run(program, limits, u64::MAX);
    let is_applied = !matches!(program.argument, Argument::Unapplied);
    match &run.result {
        Ok(value) => {
            // What nests too deep for this reader is not compared.
            let Ok(json) = serde_json::from_str::<Value>(&value.json) else { return Ok(run) };
            let is_waiting = told.is_function && (told.parameters.len() > 1 || !is_applied);
            let is_step = value.json.contains("\"continuation\"");
            let is_right = if is_waiting {
                value.kind == "function"
            } else {
                is_step || is_of(&told.output, &json, Some(&value.kind))
            };
            if !is_right {
                return Err(format!("the value {} of kind {}", value.json, value.kind));
            }
            if let (Some(fails), false) = (told.fails.iter().find(|it| it.always), is_waiting) {
                return Err(format!("no {} at {}", fails.code.name(), fails.at));
            }
            if let Some(place) = reached(program, limits, told) {
                return Err(format!("no fault at {place}, which a run comes to"));
            }
            if let (Argument::Data(data), [parameter]) = (&program.argument, &told.parameters[..]) {
                let data: Value = serde_json::from_str(data).map_err(|it| it.to_string())?;
                if !is_of(&parameter.accepted, &data, None) {
                    return Err(format!("accepted is {}, given {data}", parameter.accepted));
                }
                if !is_of(&parameter.shape, &data, None) {
                    let left = without(&parameter.shape, &data);
                    compare_without(program, limits, &value.json, &left)?;
                }
            }
        }
        Err(fault) => {
            let wrong = told.fails.iter().find(|it| {
                it.at == fault.at && fault.tool.is_none() && it.code.name() != fault.code
            });
            // Any other fault there may be that of the operand itself, and so may any of an `eval`.
            let has_eval = code(program).is_some_and(|it| it.contains("eval"));
            let codes = ["type-mismatch", "not-a-function"];
            let is_of_types = codes.contains(&fault.code.as_str()) && !has_eval;
            if let (Some(wrong), true) = (wrong, is_of_types) {
                return Err(format!("{} and not {} at {}", fault.code, wrong.code, fault.at));
            }
        }
    }
    Ok(run)
}

/// A place that surely fails, as is told, and that a run with a value comes to.
fn reached(program: &Program, limits: &Limits, told: &Analysis) -> Option<String> {
    if told.fails.is_empty() || matches!(program.code, Source::Tool(_)) {
        return None;
    }
    let (_, lines) = native::debugged(program, limits);
    let is_reached = |it: &&Failure| {
        // An operand that has a value is looked at next.
        let line = match it.code {
            Code::Unbound => format!("eval var at `{}`", it.at),
            _ => format!("value at `{}`", it.at),
        };
        lines.iter().any(|it| it.starts_with(&line))
    };
    told.fails.iter().find(is_reached).map(|it| it.at.clone())
}

/// Runs a program without the parts of its data that are of other types than those that are told: as
/// no run looks at them, it comes to the same, but for these parts themselves.
fn compare_without(
    program: &Program,
    limits: &Limits,
    json: &str,
    data: &Value,
) -> Result<(), String> {
    let program = Program { argument: Argument::Data(data.to_string()), ..program.clone() };
    let run = native::run(&program, limits, u64::MAX);
    match run.result {
        Ok(value) if is_same_but_for_marks(&value.json, json) => Ok(()),
        other => Err(format!("without parts of other types, {data}: {other:?} and not {json}")),
    }
}

/// What stands in place of a part that no run looks at: a text ends so, a number is this one.
const MARK: &str = "-not-looked-at-";
const MARKED: i64 = 987_654_321;

/// Whether values are the same, but where they hold what stands in place of a part.
fn is_same_but_for_marks(json: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let mut left = vec![(read(json), read(other))];
    while let Some(pair) = left.pop() {
        match pair {
            (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
                left.extend(a.into_iter().map(Some).zip(b.into_iter().map(Some)));
            }
            (Some(Value::Object(a)), Some(mut b)) if b.is_object() => {
                for (name, value) in a {
                    left.push((Some(value), b.get_mut(&name).map(Value::take)));
                }
            }
            (Some(Value::Number(n)), _) if n.as_i64() == Some(MARKED) => {}
            (Some(Value::String(text)), _) if text.contains(MARK) => {}
            (a, b) if a == b => {}
            _ => return false,
        }
    }
    true
}

/// The data with another value of the same kind wherever it is not of the type.
fn without(shape: &Shape, json: &Value) -> Value {
    if is_of(shape, json, None) {
        return json.clone();
    }
    match (shape, json) {
        (Shape::List(inner), Value::Array(elements)) => {
            Value::Array(elements.iter().map(|it| without(inner, it)).collect())
        }
        (Shape::Tuple(shapes), Value::Array(elements)) if elements.len() >= shapes.len() => {
            let mut left = elements.clone();
            for (element, shape) in left.iter_mut().zip(shapes) {
                *element = without(shape, element);
            }
            Value::Array(left)
        }
        (Shape::Record(members), Value::Object(record)) => {
            let mut left = record.clone();
            for member in members {
                if let Some(value) = left.get_mut(&member.name) {
                    *value = without(&member.shape, value);
                }
            }
            Value::Object(left)
        }
        (Shape::Dictionary(inner), Value::Object(record)) => {
            let each = |(name, it): (&String, &Value)| (name.clone(), without(inner, it));
            Value::Object(record.iter().map(each).collect())
        }
        (Shape::Union(shapes), _) => {
            let like = shapes.iter().find(|it| is_like(it, json));
            like.map_or_else(|| another(json), |it| without(it, json))
        }
        _ => another(json),
    }
}

/// Whether a value has the outer form of a type.
fn is_like(shape: &Shape, json: &Value) -> bool {
    match shape {
        Shape::List(_) => json.is_array(),
        Shape::Tuple(shapes) => json.as_array().is_some_and(|it| it.len() >= shapes.len()),
        Shape::Record(_) | Shape::Dictionary(_) => json.is_object(),
        _ => false,
    }
}

/// Another value of the same kind and the same truth.
fn another(json: &Value) -> Value {
    match json {
        Value::Null | Value::Bool(_) => json.clone(),
        Value::Number(number) => {
            let text = number.to_string();
            let is_zero = text.chars().all(|c| matches!(c, '0' | '.' | '-'));
            if is_zero { json.clone() } else { serde_json::json!(MARKED) }
        }
        Value::String(text) if text.is_empty() => json.clone(),
        Value::String(text) => Value::String(format!("{text}{MARK}")),
        Value::Array(elements) => Value::Array(elements.iter().map(another).collect()),
        Value::Object(record) => {
            let each = |(name, it): (&String, &Value)| (name.clone(), another(it));
            Value::Object(record.iter().map(each).collect())
        }
    }
}

/// A program that applies the function of another one to all elements of its data. None where the
/// function means itself.
#[must_use]
pub fn applied(program: &Program) -> Option<Program> {
    let Source::Term(code) = &program.code else { return None };
    if ["self", "continue", "eval", "code_of"].iter().any(|word| code.contains(word)) {
        return None;
    }
    let is_term = code.trim_start().starts_with('{');
    let code = if is_term {
        format!(r#"{{"apply": [{code}, {{"var": "data"}}]}}"#)
    } else {
        format!("apply({code}, data)")
    };
    Some(Program { code: Source::Term(code), ..program.clone() })
}

/// Compares what is told of a function with what it comes to for all its arguments.
pub fn compare_applied(
    program: &Program,
    limits: &Limits,
    told: &Analysis,
    arguments: &[Value],
) -> Result<bool, String> {
    let Ok(value) = native::run(program, limits, u64::MAX).result else { return Ok(false) };
    let json: Value = serde_json::from_str(&value.json).map_err(|it| it.to_string())?;
    if !is_of(&told.output, &json, Some(&value.kind)) {
        return Err(format!("the value {} of kind {}", value.json, value.kind));
    }
    let mut pairs = told.parameters.iter().zip(arguments);
    match pairs.find(|(parameter, argument)| !is_of(&parameter.accepted, argument, None)) {
        Some((it, argument)) => Err(format!("{} takes {}, given {argument}", it.name, it.accepted)),
        None => Ok(true),
    }
}

/// Whether a value is of a type. A pair is an object with one member.
#[must_use]
pub fn is_of(shape: &Shape, json: &Value, kind: Option<&str>) -> bool {
    let is_kind = |known: &[&str]| kind.is_none_or(|kind| known.contains(&kind));
    match shape {
        Shape::Any | Shape::Variable(_) => true,
        Shape::Never => false,
        Shape::Null => json.is_null(),
        Shape::Boolean => json.is_boolean(),
        Shape::Integer => is_number(json, Some(false)),
        Shape::Float => is_number(json, Some(true)),
        Shape::Number => is_number(json, None),
        Shape::Text => json.is_string() && is_kind(&["string"]),
        Shape::Literal(text) => json == text && is_kind(&["string"]),
        Shape::List(inner) => {
            let is_whole = |it: &Vec<Value>| it.iter().all(|it| is_of(inner, it, None));
            json.as_array().is_some_and(is_whole) && is_kind(&["list"])
        }
        Shape::Tuple(shapes) => {
            let elements = json.get("pair").and_then(Value::as_array).or(json.as_array());
            let is_each = |it: &Vec<Value>| {
                let mut pairs = it.iter().zip(shapes);
                it.len() == shapes.len() && pairs.all(|(it, shape)| is_of(shape, it, None))
            };
            elements.is_some_and(is_each) && is_kind(&["list", "pair"])
        }
        Shape::Record(members) => {
            let is_member = |record: &Map<String, Value>, it: &Member| {
                let found = record.get(&it.name);
                found.map_or(it.is_optional, |found| is_of(&it.shape, found, None))
            };
            let is_whole = |it: &Map<String, Value>| members.iter().all(|m| is_member(it, m));
            json.as_object().is_some_and(is_whole) && is_kind(&["record"])
        }
        Shape::Dictionary(inner) => {
            let is_whole = |it: &Map<String, Value>| it.values().all(|it| is_of(inner, it, None));
            json.as_object().is_some_and(is_whole) && is_kind(&["record"])
        }
        Shape::Map(halves) => {
            let entry = Shape::Tuple(halves.to_vec());
            let is_whole = |it: &Vec<Value>| it.iter().all(|it| is_of(&entry, it, None));
            json.as_array().is_some_and(is_whole) && is_kind(&["map"])
        }
        Shape::Set(inner) => {
            let is_whole = |it: &Vec<Value>| it.iter().all(|it| is_of(inner, it, None));
            json.as_array().is_some_and(is_whole) && is_kind(&["set"])
        }
        Shape::Date => json.is_string() && is_kind(&["date"]),
        Shape::Pattern => json.is_string() && is_kind(&["regex"]),
        Shape::Code => is_kind(&["quoted"]),
        Shape::Continuation => is_kind(&["continuation"]),
        Shape::Function(_) => json == "<function>" && is_kind(&["function"]),
        Shape::Union(shapes) => shapes.iter().any(|it| is_of(it, json, kind)),
        Shape::Both(shapes) => shapes.iter().all(|it| is_of(it, json, kind)),
    }
}

fn is_number(json: &Value, is_float: Option<bool>) -> bool {
    let Value::Number(number) = json else { return false };
    let text = number.to_string();
    let has_point = text.contains('.') || text.contains("e-") || text.contains("E-");
    is_float.is_none_or(|is_float| is_float == has_point)
}

/// Makes data for a program, for the most part of the type that is told: the same for a seed.
#[derive(Debug)]
pub struct Examples {
    random: Random,
    /// Keys that the program knows.
    keys: Vec<String>,
}

impl Examples {
    /// Examples for a type.
    #[must_use]
    pub fn new(seed: u64, shape: &Shape) -> Self {
        let mut keys = vec!["a".to_owned(), "0".to_owned(), "length".to_owned()];
        let mut left = vec![shape];
        while let Some(shape) = left.pop() {
            match shape {
                Shape::Record(members) => {
                    keys.extend(members.iter().map(|it| it.name.clone()));
                    left.extend(members.iter().map(|it| &it.shape));
                }
                Shape::List(inner) | Shape::Dictionary(inner) => left.push(inner),
                Shape::Tuple(shapes) | Shape::Union(shapes) => left.extend(shapes),
                _ => {}
            }
        }
        Self { random: Random::new(seed), keys }
    }

    /// The next example.
    pub fn next(&mut self, shape: &Shape) -> Value {
        self.like(shape, 4)
    }

    fn like(&mut self, shape: &Shape, depth: usize) -> Value {
        if depth == 0 || self.random.chance(12) {
            return self.any(depth.min(2));
        }
        let count = self.random.below(4);
        match shape {
            Shape::Null => Value::Null,
            Shape::Boolean => Value::Bool(self.random.chance(50)),
            Shape::Integer | Shape::Number | Shape::Float => self.number(),
            Shape::Text => self.text(),
            Shape::Literal(text) => Value::String(text.clone()),
            Shape::List(inner) => (0..count).map(|_| self.like(inner, depth - 1)).collect(),
            Shape::Tuple(shapes) => shapes.iter().map(|it| self.like(it, depth - 1)).collect(),
            Shape::Record(members) => {
                let mut record = Map::new();
                for member in members {
                    if !self.random.chance(if member.is_optional { 50 } else { 8 }) {
                        record.insert(member.name.clone(), self.like(&member.shape, depth - 1));
                    }
                }
                Value::Object(record)
            }
            Shape::Dictionary(inner) => {
                let member = |it: &mut Self| (it.key(), it.like(inner, depth - 1));
                Value::Object((0..count).map(|_| member(self)).collect())
            }
            Shape::Union(shapes) => {
                let at = self.random.below(shapes.len());
                self.like(&shapes[at], depth)
            }
            _ => self.any(depth),
        }
    }

    fn any(&mut self, depth: usize) -> Value {
        let count = if depth == 0 { 0 } else { self.random.below(4) };
        match self.random.below(9) {
            0 => Value::Null,
            1 => Value::Bool(self.random.chance(50)),
            2..4 => self.number(),
            4 | 5 => self.text(),
            6 | 7 => (0..count).map(|_| self.any(depth - 1)).collect(),
            _ => {
                let member = |it: &mut Self| (it.key(), it.any(depth - 1));
                Value::Object((0..count).map(|_| member(self)).collect())
            }
        }
    }

    fn key(&mut self) -> String {
        let at = self.random.below(self.keys.len());
        self.keys[at].clone()
    }

    fn number(&mut self) -> Value {
        let text =
            self.random.pick(&["0", "1", "-2", "7", "2.5", "-0.5", "100", "3", "1e3", "4.0"]);
        serde_json::from_str(text).unwrap_or_default()
    }

    fn text(&mut self) -> Value {
        Value::from(self.random.pick(&["", "a", "b c", "12", "x,y", "2024-02-29", "a:b", "Zoe"]))
    }
}
