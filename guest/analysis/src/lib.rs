//! What is known of a program before it runs: its types, and where it surely fails.
//!
//! The analyst walks through the terms of a program with types in place of values. It imports
//! nothing, has limits of its own, and says `any` where they end it.
//!
//! ```
//! use pif_analysis::{Request, analyze};
//!
//! let code = "orders => orders.filter(o => o.amount > 10).map(o => o.name.upper())";
//! let told = analyze(&Request { code, ..Request::default() })?;
//! assert_eq!(told.shape.to_string(), "(orders: {amount: number, name: text}[]) => text[]");
//! # Ok::<(), pif_analysis::fault::Fault>(())
//! ```

pub mod clash;
mod compare;
pub mod completion;
#[cfg(all(target_arch = "wasm32", feature = "component"))]
mod component;
pub mod cost;
pub mod equality;
pub mod forms;
pub mod fused;
pub mod inquiry;
pub mod json_schema;
pub mod laws;
pub mod normal;
mod places;
pub mod reduce;
mod schema;
pub mod shape;
mod tell;
pub mod text;
pub mod tools;
pub mod trial;
mod values;
mod walk;

pub use pif_core::fault;
pub use shape::Shape;

#[cfg(test)]
mod tests;

use fault::{Code, Fault, Place};
use pif_core::hint::Hint;
use pif_language::form::Form;
use pif_language::kinds::{FUNCTION, Kinds, Wanted};
use pif_language::mistakes::kinds::{applied, placed, typed};
use pif_language::term::{Origin, TermId, Terms};
use pif_notation::fault_in_notation;
use std::collections::HashMap;
use tell::Teller;
use walk::whole::{self, Around, Found};
use walk::{Verdict, World};

/// What the analyst is asked.
#[derive(Clone, Debug, Default)]
pub struct Request<'r> {
    /// The program, in either notation.
    pub code: &'r str,
    /// Variables of the program that its host binds, with their types.
    pub variables: Vec<(String, Shape)>,
    /// The types of the values of tools, by their names.
    pub tools: Vec<(String, Shape)>,
    /// Whether it is the source of a tool, which may ask for its next step.
    pub is_tool: bool,
    /// Steps that the analysis may take, or as many as the length of the program allows.
    pub fuel: Option<u64>,
}

impl Request<'_> {
    /// The variables that are not bound in the program.
    fn free_names(&self) -> Vec<&str> {
        let mut free = vec!["data", "input"];
        free.extend(self.variables.iter().map(|it| it.0.as_str()));
        free
    }
}

/// What is known of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The parameters of the function that it is; of another program its data, if it reads them.
    pub parameters: Vec<Parameter>,
    /// Whether it is a function.
    pub is_function: bool,
    /// The type of its value, for an input of the types of the parameters.
    pub output: Shape,
    /// The whole type: that of the function, or of the value.
    pub shape: Shape,
    /// Places that surely fail whenever an evaluation comes there.
    pub fails: Vec<Failure>,
    /// Whether the analysis ended early, and tells nothing.
    pub gave_up: bool,
}

/// A parameter of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// What each part is that a run looks at.
    pub shape: Shape,
    /// What it is for every run that has a value.
    pub accepted: Shape,
}

/// A place that surely fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code of the fault.
    pub code: Code,
    /// JSON Pointer to the place.
    pub at: String,
    /// What stands there.
    pub excerpt: Option<String>,
    /// Where it is in the text, if that is the notation.
    pub place: Option<Box<Place>>,
    /// What to write instead, where that is known, in the notation of the program.
    pub hint: Option<Hint>,
    /// Whether every evaluation of the program comes there.
    pub always: bool,
}

/// Steps for any program.
const FUEL: u64 = 100_000;
/// Steps for each term of a program.
const FUEL_PER_TERM: u64 = 8;

/// Tells what is known of a program.
pub fn analyze(request: &Request<'_>) -> Result<Analysis, Fault> {
    let (terms, root) = read(request)?;
    Ok(analyze_term(&terms, root, request))
}

/// Reads the code of a program.
pub fn read(request: &Request<'_>) -> Result<(Terms, TermId), Fault> {
    let mut terms = Terms::default();
    let free = request.free_names();
    let parsed = pif_notation::read_code(&mut terms, request.code, Origin::Code, &free);
    let root = parsed.map_err(fault_in_notation)?.root;
    Ok((terms, root))
}

/// Tells what is known of the program at `root`, whose code has been read.
#[must_use]
pub fn analyze_term(terms: &Terms, root: TermId, request: &Request<'_>) -> Analysis {
    let around = Around { variables: &request.variables, input: None, hole: None };
    let found = walked(terms, root, request, around);
    let Some(found) = found.filter(|it| !it.core.gave_up) else { return Analysis::unknown() };
    let mut teller = Teller::new(&found);
    let signature = teller.signature(&found.parameters, found.gives);
    let mut parameters = Vec::new();
    for ((name, place), (_, shape)) in found.parameters.iter().zip(&signature.parameters) {
        let shape = if found.core.is_opaque { Shape::Any } else { shape.clone() };
        let accepted = teller.accepted(*place);
        parameters.push(Parameter { name: name.clone(), shape, accepted });
    }
    let output = signature.gives.clone();
    let mut signature = signature;
    for (told, parameter) in signature.parameters.iter_mut().zip(&parameters) {
        told.1 = parameter.shape.clone();
    }
    let is_whole = found.is_function || !parameters.is_empty();
    let shape = if is_whole { Shape::Function(Box::new(signature)) } else { output.clone() };
    let fails = if found.core.is_opaque { Vec::new() } else { failures(terms, &found.core) };
    let is_function = found.is_function;
    Analysis { parameters, is_function, output, shape, fails, gave_up: false }
}

/// Walks through the program at `root`.
fn walked(terms: &Terms, root: TermId, request: &Request<'_>, around: Around<'_>) -> Option<Found> {
    let (names, shapes): (Vec<&String>, Vec<Shape>) =
        request.tools.iter().map(|(name, shape)| (name, shape.clone())).unzip();
    let tools: HashMap<String, u32> = (0..).zip(names).map(|(at, it)| (it.clone(), at)).collect();
    let fuel = request.fuel.unwrap_or(FUEL + FUEL_PER_TERM * u64::from(terms.len()));
    let world = World { terms, tools: &tools, shapes: &shapes, is_tool: request.is_tool };
    whole::run(world, root, around, fuel)
}

impl Analysis {
    /// The type of the value of a tool with this program, which sees no data.
    #[must_use]
    pub fn shape_of_tool(&self) -> Shape {
        if self.is_function { self.shape.clone() } else { self.output.clone() }
    }

    /// What is said where the analysis ended early.
    fn unknown() -> Self {
        Self {
            parameters: Vec::new(),
            is_function: false,
            output: Shape::Any,
            shape: Shape::Any,
            fails: Vec::new(),
            gave_up: true,
        }
    }
}

/// What to write instead of a value of a type that a form does not take.
fn hint(form: Form, operand: usize, (wanted, found): (Kinds, Kinds)) -> Option<Hint> {
    let one = Wanted::One(wanted);
    let parts = match placed(form, operand, one, found).or_else(|| typed(form, operand, one, found))
    {
        None if wanted == FUNCTION => applied(found),
        parts => parts,
    };
    parts.map(Hint::from)
}

fn failures(terms: &Terms, core: &walk::Core) -> Vec<Failure> {
    let mut failures = Vec::new();
    for ((term, operand), verdict) in &core.verdicts {
        let Verdict::Fails { code, always } = *verdict else { continue };
        if *operand == usize::MAX {
            continue;
        }
        let misfit = core.misfits.get(&(*term, *operand));
        let hint = misfit.and_then(|it| hint(terms.form(*term), *operand, *it));
        let operand = terms.operands(*term).get(*operand).copied().unwrap_or(*term);
        let token = terms.node(operand).token;
        let fault = Fault { hint, ..Fault::new(code, String::new()) };
        let Fault { at, excerpt, place, hint, .. } = fault_in_notation(terms.locate(token, fault));
        failures.push(Failure { code, at, excerpt, place, hint, always });
    }
    failures
}

/// The examples of the page.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
#[derive(Debug)]
pub struct Page;
