//! The component: the analyst behind the contract of wit/. The only file that knows wit-bindgen.

#![expect(unsafe_code, reason = "generated bindings")]
#![expect(clippy::pedantic, reason = "generated bindings")]

use crate::cost::{Cost, cost_term};
use crate::equality::Comparison;
use crate::fault::{Fault, Place};
use crate::fused::{filled_program, fused};
use crate::inquiry::{Inquiry, Turn};
use crate::laws::{Question, Reason, questions as laws_of};
use crate::normal::{Normal, normal_term};
use crate::shape::Shape;
use crate::tools::{Known, names_of, shapes};
use crate::trial::whole::Counterexample;
use crate::trial::{Outcome, Property, Tried, Value};
use crate::{
    Analysis, Failure, Parameter, Request, analyze, analyze_term, clash, completion, json_schema,
    read, reduce, text,
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
        let is_asked = |question| asked.contains(&question);
        let takes_sources = [questions::Question::Fused, questions::Question::Filled];
        let sources = match takes_sources.into_iter().any(is_asked) {
            true => sources(&subject.tools),
            false => Vec::new(),
        };
        let (code, request) = (subject.code.clone(), request(subject));
        let request = Request { code: &code, ..request };
        let (terms, root) = read(&request).map_err(fault)?;
        let fused = is_asked(questions::Question::Fused).then(|| fused(&request, &sources));
        let fused = fused.transpose().map_err(fault)?;
        let fused = fused.map(|it| questions::Fused { normal: normal(it.normal), tools: it.tools });
        let filled = is_asked(questions::Question::Filled)
            .then(|| filled_program(&request, &sources))
            .transpose()
            .map_err(fault)?
            .map(|it| questions::Filled { term: it.json, tools: it.tools });
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
        Ok(questions::Answers { typing, names, cost, normal, fused, filled })
    }

    fn prove(
        first: questions::Subject,
        second: questions::Subject,
    ) -> Result<questions::Searched, types::Fault> {
        let comparison = comparison(first, second)?;
        let proof = comparison.prove().map(|it| it.json());
        let untreated = comparison.untreated().map(str::to_owned);
        Ok(questions::Searched { proof, untreated })
    }

    fn laws(subject: questions::Subject) -> Result<Vec<questions::Law>, types::Fault> {
        let (code, request) = (subject.code.clone(), request(subject));
        let asked = laws_of(&Request { code: &code, ..request }, "self").map_err(fault)?;
        let law = |it: Question| {
            let (proof, derivation) = match it.reason() {
                Some(Reason::Equal(proof)) => (Some(proof.json()), None),
                Some(Reason::Value(derivation)) => (None, Some(derivation.json())),
                None => (None, None),
            };
            questions::Law { name: it.law.name().to_owned(), proof, derivation }
        };
        Ok(asked.into_iter().map(law).collect())
    }

    fn inquire(
        inquiry: questions::Inquiry,
        state: Option<String>,
        came: Vec<questions::Ran>,
        most: u32,
    ) -> Result<Option<questions::Turn>, types::Fault> {
        let Some(inquiry) = read_inquiry(inquiry)? else { return Ok(None) };
        let came = came.into_iter().map(|it| (outcome(it.told), it.fuel));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Ok(inquiry.step(state.as_deref(), came, most).map(|it| turn(&inquiry, it)))
    }

    fn complete(draft: questions::Draft) -> questions::Completion {
        let questions::Draft { code, cursor, variables, input, tools } = draft;
        let known =
            |it: questions::Tool| (it.name.clone(), known(it).unwrap_or(Known::Shape(Shape::Any)));
        let tools = shapes(&tools.into_iter().map(known).collect::<Vec<_>>());
        let mut bound = Vec::new();
        for it in variables {
            let shape = evidence(it.evidence, &bound, &tools);
            bound.push((it.name, shape));
        }
        let input = input.map(|it| evidence(it, &bound, &tools));
        let cursor = usize::try_from(cursor).unwrap_or(usize::MAX);
        let question = completion::Question { text: &code, cursor, variables: bound, input, tools };
        let told = completion::complete(&question);
        questions::Completion {
            start: u32::try_from(told.start).unwrap_or(u32::MAX),
            proposals: told.proposals.into_iter().map(proposal).collect(),
            tools: told.tools,
            of_server: told.of_server,
        }
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

    fn term(term: String, place: reductions::Spot, index: u32) -> Option<String> {
        reduce::term(&term, (&place.at, place.around), index)
    }

    fn part(term: String, place: reductions::Spot) -> Option<String> {
        reduce::part(&term, (&place.at, place.around))
    }
}

/// What is asked, but for the code.
fn request(subject: questions::Subject) -> Request<'static> {
    let questions::Subject { variables, tools, is_tool, .. } = subject;
    let tools: Vec<(String, Known)> =
        tools.into_iter().filter_map(|it| Some((it.name.clone(), known(it)?))).collect();
    let variables = variables.into_iter().map(|it| (it.name, shape(&it.shape))).collect();
    Request { code: "", variables, tools: shapes(&tools), is_tool, fuel: None }
}

fn sources(tools: &[questions::Tool]) -> Vec<(String, String)> {
    tools.iter().filter_map(|it| Some((it.name.clone(), it.code.clone()?))).collect()
}

fn comparison(
    first: questions::Subject,
    second: questions::Subject,
) -> Result<Comparison, types::Fault> {
    let codes = [first.code.clone(), second.code.clone()];
    let [a, b] = &codes;
    let first = Request { code: a, ..request(first) };
    Comparison::read(&first, &Request { code: b, ..request(second) }).map_err(fault)
}

/// An inquiry; none if there is no such law.
fn read_inquiry(asked: questions::Inquiry) -> Result<Option<Inquiry>, types::Fault> {
    Ok(match asked {
        questions::Inquiry::Difference((first, second)) => {
            Some(Inquiry::Difference(Box::new(comparison(first, second)?)))
        }
        questions::Inquiry::Property((subject, name)) => {
            let (code, request) = (subject.code.clone(), request(subject));
            let own = request.tools.iter().find(|it| it.0 == "self");
            let own = own.map_or(Shape::Any, |it| it.1.clone());
            let property = Property::read(&code, &own, &request.tools).map_err(fault)?;
            Some(Inquiry::Property(Box::new(property), name))
        }
        questions::Inquiry::Law((subject, name, law)) => {
            let (code, request) = (subject.code.clone(), request(subject));
            let asked = laws_of(&Request { code: &code, ..request }, &name).map_err(fault)?;
            let found = asked.into_iter().find(|it| it.law.name() == law);
            found.map(|it| Inquiry::Law(Box::new(it)))
        }
    })
}

fn outcome(told: questions::Told) -> Outcome {
    match told {
        questions::Told::Value((json, kind)) => Outcome::value(json, &kind),
        questions::Told::Fault(code) => Outcome::fault(&code),
        questions::Told::Nothing => Outcome::Nothing,
    }
}

fn turn(inquiry: &Inquiry, turn: Turn) -> questions::Turn {
    let run = |it: crate::trial::Run| questions::TrialRun {
        program: u32::try_from(it.program).unwrap_or(u32::MAX),
        data: it.data,
        fuel: it.fuel,
    };
    questions::Turn {
        state: turn.state,
        programs: turn.programs.iter().map(|it| it.to_string()).collect(),
        runs: turn.runs.into_iter().map(run).collect(),
        fuel: turn.fuel,
        tried: turn.tried.into_iter().map(|it| tried(inquiry, it)).collect(),
    }
}

fn tried(inquiry: &Inquiry, tried: Tried) -> questions::Tried {
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    questions::Tried {
        inputs: count(tried.inputs),
        silent: count(tried.silent),
        exhaustive: count(tried.exhaustive),
        fuel: tried.fuel,
        is_cut: tried.is_cut,
        counterexample: tried.counterexample.map(|it| counterexample(inquiry, &it)),
    }
}

fn counterexample(inquiry: &Inquiry, found: &Counterexample) -> questions::Counterexample {
    let told = |it: &Outcome| match it {
        Outcome::Value(json) => questions::Told::Value((json.clone(), String::new())),
        Outcome::Fault(code) => questions::Told::Fault(code.clone()),
        Outcome::Nothing => questions::Told::Nothing,
    };
    let (call, example) = match inquiry {
        Inquiry::Property(property, name) => {
            // A program that is no tool has no name by which others can call it.
            let call = (name != "self").then(|| property.call(found, name));
            (call, Some(property.example(found)))
        }
        Inquiry::Difference(_) | Inquiry::Law(_) => (None, None),
    };
    questions::Counterexample {
        arguments: Value::List(found.arguments.clone()).json(),
        outcomes: found.outcomes.iter().map(told).collect(),
        call,
        example,
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

/// The type of a value by the evidence that a host has. A term may name variables that are bound before it.
fn evidence(
    it: questions::Evidence,
    bound: &[(String, Shape)],
    tools: &[(String, Shape)],
) -> Shape {
    match it {
        questions::Evidence::Shape(written) => shape(&written),
        questions::Evidence::Data(json) => completion::shape_of_data(&json),
        questions::Evidence::Term(code) => {
            let (variables, tools) = (bound.to_vec(), tools.to_vec());
            let request = Request { code: &code, variables, tools, ..Request::default() };
            analyze(&request).map_or(Shape::Any, |told| told.shape_of_tool())
        }
    }
}

fn proposal(it: completion::Proposal) -> questions::Proposal {
    let kind = match it.kind {
        completion::Kind::Member => questions::Proposed::Member,
        completion::Kind::Method => questions::Proposed::Method,
        completion::Kind::Name => questions::Proposed::Name,
        completion::Kind::Function => questions::Proposed::Function,
        completion::Kind::Tool => questions::Proposed::Tool,
    };
    questions::Proposal { label: it.label, kind, detail: it.detail }
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
