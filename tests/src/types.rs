//! Types that the analyst tells, against what programs do.

use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use pif_analysis::shape::{Member, Shape};
use pif_analysis::{Analysis, Request, analyze};
use serde_json::{Map, Value};

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
    for (name, source) in &program.tools {
        let request = Request { code: source, tools: tools.clone(), ..Request::default() };
        if let Ok(told) = analyze(&request) {
            tools.push((name.clone(), told.shape_of_tool()));
        }
    }
    let mut variables: Vec<(String, Shape)> =
        program.bindings.iter().map(|it| (it.0.clone(), Shape::Any)).collect();
    if let Some(context) = &program.context {
        let context: Map<String, Value> = serde_json::from_str(context).ok()?;
        variables.extend(context.keys().map(|name| (name.clone(), Shape::Any)));
    }
    analyze(&Request { code: code(program)?, variables, tools, fuel: None }).ok()
}

/// Compares what is told with what a run comes to.
pub fn compare(program: &Program, limits: &Limits, told: &Analysis) -> Result<Run, String> {
    let run = native::run(program, limits, u64::MAX);
    let is_applied = !matches!(program.argument, Argument::Unapplied);
    match &run.result {
        Ok(value) => {
            let json: Value = serde_json::from_str(&value.json).map_err(|it| it.to_string())?;
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
            if let Some(fails) = told.fails.iter().find(|it| it.always) {
                return Err(format!("no {} at {}", fails.code.name(), fails.at));
            }
            if let (Argument::Data(data), [parameter]) = (&program.argument, &told.parameters[..]) {
                let data: Value = serde_json::from_str(data).map_err(|it| it.to_string())?;
                if !is_of(&parameter.accepted, &data, None) {
                    return Err(format!("accepted is {}, given {data}", parameter.accepted));
                }
            }
        }
        Err(fault) => {
            let wrong = told.fails.iter().find(|it| {
                it.at == fault.at && fault.tool.is_none() && it.code.name() != fault.code
            });
            let is_limit =
                ["out-of-fuel", "too-deep", "too-large"].contains(&fault.code.as_str());
            if let (Some(wrong), false) = (wrong, is_limit) {
                return Err(format!("{} and not {} at {}", fault.code, wrong.code, fault.at));
            }
        }
    }
    Ok(run)
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
