//! Makes the input and the program of a run small, as long as it fails in one way.

use pif_domain::text::line;
use pif_domain::{Fault, FaultCode};
use pif_sandbox::{Argument, Code, Request, Summary, TermPlace, Watch};
use pif_store::journal::Digest;
use serde_json::Value;

use super::bench::{Bench, Sign};
use super::fixes::with;
use super::report::{Fragment, Inner, Least};
use crate::workshop::library::library;
use crate::workshop::types::ProgramType;
use crate::workshop::world::Tools;

/// The most characters of a type.
const MOST_SHAPE: usize = 500;

/// A next candidate: a text that is smaller than this one.
type Next<'a> = &'a dyn Fn(&str, u32) -> Result<Option<String>, Fault>;

/// The least text that fails. `fails` gives None where a bound of the search is met.
fn least(first: &str, next: Next<'_>, fails: &mut dyn FnMut(&str) -> Option<bool>) -> Least {
    let (mut json, mut index) = (first.to_owned(), 0);
    loop {
        let Ok(smaller) = next(&json, index) else { return Least { json, is_least: false } };
        let Some(smaller) = smaller else { return Least { json, is_least: true } };
        match fails(&smaller) {
            Some(true) => (json, index) = (smaller, 0),
            Some(false) => index += 1,
            None => return Least { json, is_least: false },
        }
    }
}

/// Whether a request still fails. None: a bound of the search is met.
pub(super) type Fails<'a> = &'a dyn Fn(&Bench<'_>, &Request) -> Option<bool>;

impl Bench<'_> {
    /// The least argument and the least variables with which a request fails.
    pub(super) fn least_input(
        &self,
        request: &Request,
        fails: Fails<'_>,
    ) -> (Request, Option<Least>, Option<Least>) {
        let mut request = request.clone();
        let next =
            |value: &str, index| self.workshop.sandbox.smaller_value(value, index, &self.watch);
        let given = match &request.argument {
            Argument::Data(text) | Argument::Input(text) => Some(text.clone()),
            Argument::None | Argument::Unapplied => None,
        };
        let input = given.map(|text| {
            least(&text, &next, &mut |text| fails(self, &with_argument(&request, text.to_owned())))
        });
        if let Some(input) = &input {
            request = with_argument(&request, input.json.clone());
        }
        let context = request.context.clone().map(|text| {
            least(&text, &next, &mut |text| {
                fails(self, &Request { context: Some(text.to_owned()), ..request.clone() })
            })
        });
        if let Some(context) = &context {
            request.context = Some(context.json.clone());
        }
        (request, input, context)
    }

    /// The call of a tool that fails so by itself, with its least argument.
    pub(super) fn inner(
        &self,
        fault: &Fault,
        request: &Request,
        tools: &Tools,
    ) -> Option<(Request, Inner)> {
        let tool = fault.tool.as_ref()?;
        if matches!(&request.code, Code::Tool(name) if name == tool) {
            return None;
        }
        let argument = self.argument_of(tool, request, tools)?;
        let inner = self.workshop.request(Code::Tool(tool.clone()), Argument::Data(argument));
        let inner = Request { limits: request.limits, ..inner };
        let sign = Sign::of(fault);
        let fails = |bench: &Bench<'_>, request: &Request| {
            Some(bench.fault(request, tools)?.is_some_and(|it| Sign::of(&it) == sign))
        };
        if !fails(self, &inner)? {
            return None;
        }
        let (inner, input, _) = self.least_input(&inner, &fails);
        Some((inner, Inner { tool: tool.clone(), input: input? }))
    }

    /// The least program around the place of a fault, and the term at that place. The program is the one
    /// of the request, or the source of the tool in which the place is.
    pub(super) fn least_program(
        &self,
        fault: &Fault,
        request: &Request,
        tools: &Tools,
    ) -> Option<(Fragment, Option<Fragment>)> {
        if fault.limit.is_some() {
            return None;
        }
        let sandbox = &self.workshop.sandbox;
        let tool = fault.tool.clone();
        // A value of a wrong type is told at the operand.
        let around = matches!(fault.code, FaultCode::TypeMismatch | FaultCode::NotAFunction);
        let place = |at: &str| TermPlace { at: at.to_owned(), around };
        let code = match (&tool, &request.code) {
            (Some(name), _) if library().find(name).is_some() => return None,
            (Some(name), _) => tools.look_up(name).ok()??.0,
            (None, Code::Term(code)) => sandbox.check(code, &self.watch).ok()?.canonical,
            (None, Code::Tool(_)) => return None,
        };
        let run = |code: &str| {
            let (mut request, mut tools) = (request.clone(), tools.clone());
            match &tool {
                None => request.code = Code::Term(code.to_owned()),
                Some(name) => {
                    tools = with(&tools, name, code.to_owned(), Digest::of(code).sha256);
                }
            }
            self.fault(&request, &tools)
        };
        // The places of a program are those of its canonical text from here on.
        let first = run(&code)??;
        let (sign, mut at) = (Sign::around(&first), first.at);
        if first.code != fault.code || at.starts_with("/data") || at.starts_with("/input") {
            return None;
        }
        let (mut json, mut index, mut is_least) = (code, 0, false);
        loop {
            let Ok(smaller) = sandbox.smaller_term(&json, &place(&at), index, &self.watch) else {
                break;
            };
            let Some(smaller) = smaller else {
                is_least = true;
                break;
            };
            match run(&smaller) {
                None => break,
                Some(Some(fault)) if Sign::around(&fault) == sign => {
                    (json, at, index) = (smaller, fault.at, 0);
                }
                Some(_) => index += 1,
            }
        }
        let term = sandbox.part_of_term(&json, &place(&at), &self.watch).ok().flatten();
        let part = |json: &str, is_least| self.part(tool.clone(), json, is_least);
        let term = term.filter(|term| *term != json).and_then(|term| part(&term, true));
        Some((part(&json, is_least)?, term))
    }

    /// The type of a term. One with free variables is that of a function of them.
    fn typed(&self, summary: &Summary, json: &str, watch: &Watch) -> Option<ProgramType> {
        let free = summary.free.iter().filter(|it| !matches!(it.as_str(), "data" | "input"));
        let closed = free.rev().fold(json.to_owned(), |body, name| {
            format!("{{\"body\":{body},\"lam\":{}}}", Value::from(name.as_str()))
        });
        let summary = self.workshop.sandbox.check(&closed, watch).ok()?;
        self.workshop.type_of(&summary, &closed, watch)
    }

    /// A term in the notation, with its type.
    fn part(&self, tool: Option<String>, json: &str, is_least: bool) -> Option<Fragment> {
        let workshop = self.workshop;
        let watch: Watch = self.watch.again();
        let summary = workshop.sandbox.check(json, &watch).ok()?;
        let told = self.typed(&summary, json, &watch);
        let shape = told.map(|it| line(&it.typing.shape, MOST_SHAPE));
        let code = if summary.notation.is_empty() { json.to_owned() } else { summary.notation };
        Some(Fragment { tool, code, shape: shape.filter(|it| it != "any"), is_least })
    }
}

fn with_argument(request: &Request, text: String) -> Request {
    let argument = match &request.argument {
        Argument::Input(_) => Argument::Input(text),
        _ => Argument::Data(text),
    };
    Request { argument, ..request.clone() }
}

/// Whether a smaller input can say anything about a fault.
pub(super) fn depends_on_input(fault: &Fault) -> bool {
    !matches!(fault.code, FaultCode::UnknownTool)
}
