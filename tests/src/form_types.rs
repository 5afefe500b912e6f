//! The types of forms as people read them, against what the forms do.

use pif::form::Row;
use pif::request::Program;
use pif_analysis::shape::{Shape, Signature};
use pif_analysis::{Request, analyze, forms};
use serde_json::{Value, json};

use crate::case::LIMITS;
use crate::generate::Random;
use crate::native;
use crate::types::is_of;

/// Codes of the faults that a call with operands of the right types never has.
const OF_TYPES: [&str; 2] = ["type-mismatch", "not-a-function"];

/// Forms whose operands must be of types that depend on the others' values, such as a path, or that
/// take some types of those that `any` has.
const LOOSE: [&str; 7] =
    ["get_in", "put_in", "update_in", "insert", "date_add", "leading_number", "moment"];

/// Whether the value of a form's example is of its type. None where the example is of another form.
pub fn compare_example(row: &Row) -> Option<Result<(), String>> {
    let term: Value = serde_json::from_str(row.example).ok()?;
    term.get(row.name)?;
    let Ok(value) = native::run(&Program::term(row.example), &LIMITS, u64::MAX).result else {
        return Some(Err("its example has no value".to_owned()));
    };
    let told = analyze(&Request { code: row.example, ..Request::default() });
    let shape = match forms::shape_of(row) {
        Ok(shape) => shape,
        Err(fault) => return Some(Err(fault.message)),
    };
    let gives = match shape {
        Shape::Function(signature) if !is_value(row) => with(&signature.gives, &Shape::Any),
        shape => with(&shape, &Shape::Any),
    };
    let value_json: Value = serde_json::from_str(&value.json).ok()?;
    let output = told.map_or(Shape::Any, |it| it.output);
    let is_told = gives.includes(&output) || output.includes(&gives);
    Some(match is_of(&gives, &value_json, Some(&value.kind)) {
        true if is_told => Ok(()),
        true => Err(format!("the analyst tells {output}")),
        false => Err(format!("its example gives {} of kind {}", value.json, value.kind)),
    })
}

/// Whether the type of a form is that of its value, and not of a function of its operands.
fn is_value(row: &Row) -> bool {
    use pif::form::Shape::{Fields, Ignored, Lambda, Literal, Name};
    matches!(row.shape, Name | Lambda | Literal | Ignored | Fields)
}

/// Calls a form with random operands of its type. Tells whether the call has a value; it is wrong if
/// the value is of another type, or if the form refuses an operand of the type. None where the form is
/// not written with values in an array or under names.
pub fn compare_call(row: &Row, random: &mut Random) -> Option<Result<bool, String>> {
    let signature = match forms::shape_of(row) {
        Ok(Shape::Function(signature)) => signature,
        Ok(_) => return None,
        Err(fault) => return Some(Err(fault.message)),
    };
    if is_value(row) {
        return None;
    }
    let instance = [Shape::Integer, Shape::Text, Shape::Boolean][random.below(3)].clone();
    let term = call(row, &signature, &instance, random)?;
    let text = term.to_string();
    let run = native::run(&Program::term(&text), &LIMITS, u64::MAX);
    let gives = with(&signature.gives, &instance);
    Some(match run.result {
        Ok(value) => match serde_json::from_str(&value.json) {
            Ok(json) if is_of(&gives, &json, Some(&value.kind)) => Ok(true),
            _ => Err(format!("{text} gives {} of kind {}, not {gives}", value.json, value.kind)),
        },
        Err(fault) if OF_TYPES.contains(&fault.code.as_str()) && !LOOSE.contains(&row.name) => {
            Err(format!("{text} faults: {} at {}", fault.code, fault.at))
        }
        Err(_) => Ok(false),
    })
}

/// A term of the form with random operands of the type, whose variables stand for one type.
fn call(row: &Row, signature: &Signature, of: &Shape, random: &mut Random) -> Option<Value> {
    let count = signature.parameters.len();
    let at_least = signature.parameters.iter().filter(|it| is_needed(&it.0)).count();
    let mut given: Vec<Value> = Vec::new();
    let wanted = at_least + random.below(count - at_least + 1);
    // Alternatives of operands belong together: a key with a record, an index with a list.
    let alternative = random.below(6);
    for (name, shape) in signature.parameters.iter().take(wanted) {
        let shape = match (shape, name.starts_with("...")) {
            (Shape::List(inner), true) => inner,
            (shape, _) => shape,
        };
        let shape = match shape {
            Shape::Union(shapes) => &shapes[alternative % shapes.len()],
            shape => shape,
        };
        given.push(term(&with(shape, of), random, 3)?);
    }
    if row.subject < given.len() && !row.is_apart {
        let subject = given.remove(0);
        given.insert(row.subject.min(given.len()), subject);
    }
    let operands = match row.shape {
        shape if shape.is_bare() => given.pop()?,
        pif::form::Shape::List { .. } => Value::Array(given),
        pif::form::Shape::Members(names) => {
            Value::Object(names.iter().map(|it| (*it).to_owned()).zip(given).collect())
        }
        pif::form::Shape::Branches => json!([[given.first()?.get(0)?, given.first()?.get(1)?]]),
        pif::form::Shape::Try => {
            return Some(json!({"try": given.first()?, "catch": given.get(1)?}));
        }
        _ => return None,
    };
    Some(json!({row.name: operands}))
}

fn is_needed(name: &str) -> bool {
    !name.ends_with('?') && !name.starts_with("...")
}

/// The type with another one in place of its variables.
fn with(shape: &Shape, of: &Shape) -> Shape {
    let each = |shapes: &[Shape]| shapes.iter().map(|it| with(it, of)).collect::<Vec<_>>();
    match shape {
        Shape::Variable(_) => of.clone(),
        Shape::List(inner) => Shape::List(Box::new(with(inner, of))),
        Shape::Set(inner) => Shape::Set(Box::new(with(inner, of))),
        Shape::Dictionary(inner) => Shape::Dictionary(Box::new(with(inner, of))),
        Shape::Tuple(shapes) => Shape::Tuple(each(shapes)),
        Shape::Union(shapes) => Shape::union(each(shapes)),
        Shape::Function(signature) => {
            let parameters = signature.parameters.iter();
            let parameters = parameters.map(|(name, it)| (name.clone(), with(it, of))).collect();
            let gives = with(&signature.gives, of);
            Shape::Function(Box::new(Signature { variables: Vec::new(), parameters, gives }))
        }
        other => other.clone(),
    }
}

/// A term whose value is of a type.
fn term(shape: &Shape, random: &mut Random, depth: usize) -> Option<Value> {
    let count = if depth == 0 { 0 } else { random.below(4) };
    let below = depth.saturating_sub(1);
    Some(match shape {
        Shape::Any => {
            let shapes = [Shape::Null, Shape::Integer, Shape::Text, Shape::Boolean];
            let at = random.below(shapes.len());
            term(&shapes[at], random, below)?
        }
        Shape::Null => Value::Null,
        Shape::Boolean => Value::Bool(random.chance(50)),
        Shape::Integer => json!(random.below(5)),
        Shape::Float => json!([1.0, 2.0, 3.0][random.below(3)]),
        Shape::Number => term(&[Shape::Integer, Shape::Float][random.below(2)], random, depth)?,
        Shape::Text => json!(random.pick(&["", "a", "b", "12", "a,b", "2024-02-29"])),
        Shape::List(inner) => {
            let each = (0..count).map(|_| term(inner, random, below));
            Value::Array(each.collect::<Option<_>>()?)
        }
        Shape::Tuple(shapes) => {
            let each = shapes.iter().map(|it| term(it, random, below));
            Value::Array(each.collect::<Option<_>>()?)
        }
        Shape::Dictionary(inner) => {
            let keys = ["a", "b", "x"].into_iter().take(count);
            let each = keys.map(|it| Some((it.to_owned(), term(inner, random, below)?)));
            json!({"record": each.collect::<Option<serde_json::Map<_, _>>>()?})
        }
        Shape::Map(_) => json!({"to_map": [[1, "a"]]}),
        Shape::Set(inner) => {
            let list = term(&Shape::List(inner.clone()), random, depth)?;
            json!({"to_set": list})
        }
        Shape::Date => json!({"moment": [0]}),
        Shape::Pattern => json!({"regex": ["a", ""]}),
        Shape::Code => json!({"quote": 1}),
        Shape::Union(shapes) => {
            let at = random.below(shapes.len());
            term(&shapes[at], random, depth)?
        }
        Shape::Function(signature) => {
            let names: Vec<String> =
                (0..signature.parameters.len()).map(|at| format!("p{at}")).collect();
            json!({"lam": names, "body": term(&signature.gives, random, below)?})
        }
        _ => return None,
    })
}
