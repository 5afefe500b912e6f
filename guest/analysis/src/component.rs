//! The component: the analyst behind the contract of wit/. The only file that knows wit-bindgen.

#![expect(unsafe_code, reason = "generated bindings")]
#![expect(clippy::pedantic, reason = "generated bindings")]

use crate::cost::{Cost, cost_term};
use crate::fault::{Fault, Place};
use crate::normal::{Normal, normal_term};
use crate::shape::Shape;
use crate::tools::{Known, names_of, shapes};
use crate::{
    Analysis, Failure, Parameter, Request, analyze_term, clash, json_schema, read, reduce, text,
};
use exports::pif::evaluator::{questions, reductions, types};

wit_bindgen::generate!({ world: "analyst", path: "../../wit", generate_all });

#[derive(Debug)]
struct Component;

export!(Component);

impl questions::Guest for Component {
    fn ask(
        subject: questions::Subject,
        asked: Vec<questions::Question>,
    ) -> Result<questions::Answers, types::Fault> {
        let questions::Subject { code, variables, tools, is_tool } = subject;
        let tools: Vec<(String, Known)> =
            tools.into_iter().filter_map(|it| Some((it.name.clone(), known(it)?))).collect();
        let variables = variables.into_iter().map(|it| (it.name, shape(&it.shape))).collect();
        let tools = shapes(&tools);
        let request = Request { code: &code, variables, tools, is_tool, fuel: None };
        let (terms, root) = read(&request).map_err(fault)?;
        let is_asked = |question| asked.contains(&question);
        let names = is_asked(questions::Question::Names).then(|| {
            let (tools, calls) = names_of(&terms, root);
            questions::Names { tools, calls }
        });
        let [is_typed, is_priced] =
            [questions::Question::Typing, questions::Question::Cost].map(is_asked);
        let told = (is_typed || is_priced).then(|| analyze_term(&terms, root, &request));
        let cost = told.as_ref().filter(|_| is_priced);
        let cost = cost.map(|told| self::cost(&cost_term(&terms, root, &request, told)));
        let typing = told.filter(|_| is_typed).map(typing);
        let normal = is_asked(questions::Question::Normal)
            .then(|| self::normal(normal_term(terms, root, &request)));
        Ok(questions::Answers { typing, names, cost, normal })
    }

    fn includes(wide: String, narrow: String) -> bool {
        match (text::read(&wide), text::read(&narrow)) {
            (Ok(wide), Ok(narrow)) => wide.includes(&narrow),
            _ => false,
        }
    }

    fn clash(shape: String, schema: String) -> Option<questions::Misfit> {
        let shape = text::read(&shape).ok()?;
        let clash::Clash { at, shape, wanted } = clash::clash(&shape, &json_schema::read(&schema))?;
        Some(questions::Misfit { at, shape: shape.to_string(), wanted: wanted.to_string() })
    }
}

impl reductions::Guest for Component {
    fn value(value: String, index: u32) -> Option<String> {
        reduce::value(&value, index)
    }

    fn term(term: String, at: String, index: u32) -> Option<String> {
        reduce::term(&term, &at, index)
    }

    fn part(term: String, at: String) -> Option<String> {
        reduce::part(&term, &at)
    }
}

/// A type that its text tells. What cannot be read is any type.
fn shape(written: &str) -> Shape {
    text::read(written).unwrap_or(Shape::Any)
}

fn known(tool: questions::Tool) -> Option<Known> {
    let questions::Tool { shape, schemas, code, .. } = tool;
    if let Some(written) = shape {
        return Some(Known::Shape(self::shape(&written)));
    }
    if let Some(questions::Schemas { input, output }) = schemas {
        return Some(Known::Shape(json_schema::tool(input.as_deref(), output.as_deref())));
    }
    code.map(Known::Code)
}

fn typing(told: Analysis) -> questions::Typing {
    let of_tool = told.shape_of_tool().to_string();
    let Analysis { parameters, is_function, output, shape, fails, gave_up } = told;
    let output_schema = schema(&output);
    let parameter = |Parameter { name, shape, accepted }: Parameter| questions::Parameter {
        name,
        shape: shape.to_string(),
        schema: schema(&accepted),
        accepted: accepted.to_string(),
    };
    questions::Typing {
        shape: shape.to_string(),
        of_tool,
        parameters: parameters.into_iter().map(parameter).collect(),
        is_function,
        output: output.to_string(),
        output_schema,
        fails: fails.into_iter().map(failure).collect(),
        gave_up,
    }
}

fn cost(told: &Cost) -> questions::Cost {
    let fuel = Some(told.fuel()).filter(|it| !it.is_empty());
    questions::Cost { fuel, class: told.class(), sizes: told.places() }
}

fn normal(told: Normal) -> questions::Normal {
    let Normal { json, notation, hash, .. } = told;
    questions::Normal { term: json, notation, hash }
}

/// The JSON Schema of a type, if it says more than any.
fn schema(shape: &Shape) -> Option<String> {
    Some(shape.schema()).filter(|it| it != &Shape::Any.schema())
}

fn failure(failure: Failure) -> questions::Failure {
    let Failure { code, at, excerpt, place, hint, always } = failure;
    questions::Failure {
        code: code.name().into(),
        at,
        excerpt,
        place: place.map(self::place),
        hint: hint.map(|hint| hint.to_string()),
        always,
    }
}

fn place(place: Box<Place>) -> types::Place {
    let Place { line, column, caret } = *place;
    types::Place { line, column, caret }
}

/// The fault of a program that cannot be read.
fn fault(fault: Fault) -> types::Fault {
    let Fault { code, message, at, tool, hint, calls, excerpt, warnings, .. } = fault;
    let Fault { place, variable, is_incomplete, .. } = fault;
    types::Fault {
        code: code.name().into(),
        message,
        at,
        tool,
        hint: hint.map(|hint| hint.to_string()),
        calls,
        excerpt,
        warnings,
        limit: None,
        upstream: None,
        place: place.map(self::place),
        variable,
        incomplete: is_incomplete,
        // The evaluator looks for repairs.
        fix: None,
    }
}
