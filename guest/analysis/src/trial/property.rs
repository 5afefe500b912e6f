//! Properties of a tool: programs that give true for every input, in which `@self` is the tool.

use super::inputs::{Inputs, SEED};
use super::value::Value;
use super::whole::{Counterexample, Judge, Trial, Tried};
use crate::shape::Shape;
use crate::{Request, analyze_term};
use pif_core::fault::Fault;
use pif_core::json::escape;
use pif_language::form::Form;
use pif_language::print;
use pif_language::term::{Origin, TermId, Terms};
use pif_language::walk::nodes;

/// The term that names the tool in a property.
const SELF: &str = "{\"tool\":\"self\"}";

/// The term that names a tool, as canonical JSON.
pub(crate) fn naming(tool: &str) -> String {
    let mut term = "{\"tool\":".to_owned();
    escape::string(tool, &mut term);
    term.push('}');
    term
}

/// A property, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its code as JSON.
    pub code: String,
    /// The types of its inputs.
    pub parameters: Vec<Shape>,
    is_function: bool,
}

/// The parameters of a property that it gives to the tool as they are, each with the type that the tool
/// wants.
fn given_to_tool(terms: &Terms, root: TermId, tool: &Shape) -> Vec<(usize, Shape)> {
    let Shape::Function(signature) = tool else { return Vec::new() };
    let mut found = Vec::new();
    for term in nodes(terms, root).filter(|it| terms.form(*it) == Form::App) {
        let Some((function, arguments)) = terms.operands(term).split_first() else { continue };
        let named = (terms.form(*function) == Form::Tool).then(|| terms.operand(*function, 0));
        let is_self =
            named.is_some_and(|it| terms.form(it) == Form::Text && terms.text(it) == "self");
        for (argument, (_, shape)) in arguments.iter().zip(&signature.parameters) {
            if !is_self || terms.form(*argument) != Form::Var {
                continue;
            }
            let name = terms.only_name(*argument);
            let at = terms.names(root).iter().position(|it| *it == name);
            found.extend(at.map(|at| (at, shape.clone())));
        }
    }
    found
}

/// What the trial of a property came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It gave true for all inputs that said something.
    Holds,
    /// It gave something else, or had a fault.
    Fails(Counterexample),
    /// No input said anything.
    Vacuous,
}

impl Property {
    /// Reads a property of a tool whose value has the type `tool`. `tools` are the types of the others.
    pub fn read(code: &str, tool: &Shape, tools: &[(String, Shape)]) -> Result<Self, Fault> {
        let mut terms = Terms::default();
        let root = pif_notation::read_code(&mut terms, code, Origin::Code, &[])?.root;
        let mut all = vec![("self".to_owned(), tool.clone())];
        all.extend(tools.iter().filter(|it| it.0 != "self").cloned());
        let told = analyze_term(&terms, root, &Request { code, tools: all, ..Request::default() });
        let mut parameters: Vec<Shape> = told.parameters.into_iter().map(|it| it.shape).collect();
        for (at, shape) in given_to_tool(&terms, root, tool) {
            if let Some(place) = parameters.get_mut(at) {
                *place = shape;
            }
        }
        Ok(Self { code: print::term(&terms, root), parameters, is_function: told.is_function })
    }

    /// The trial of the property, whose runs know the tool as `self`.
    #[must_use]
    pub fn trial(&self) -> Trial {
        self.trial_of("self")
    }

    /// The trial of the property, whose runs know the tool by this name.
    #[must_use]
    pub fn trial_of(&self, tool: &str) -> Trial {
        let parameters = if self.is_function { self.parameters.clone() } else { Vec::new() };
        Trial::new(&[self.function_of(tool)], Judge::IsTrue, Inputs::new(parameters, SEED))
    }

    /// What a trial that is over says.
    #[must_use]
    pub fn verdict(tried: &Tried) -> Verdict {
        match &tried.counterexample {
            Some(found) => Verdict::Fails(found.clone()),
            None if tried.inputs == 0 => Verdict::Vacuous,
            None => Verdict::Holds,
        }
    }

    /// The arguments of a call of the tool `run` that shows a counterexample, as JSON. `tool` is the
    /// name under which the tool is known.
    #[must_use]
    pub fn call(&self, found: &Counterexample, tool: &str) -> String {
        let named = self.function_of(tool);
        let data = Value::List(found.arguments.clone()).json();
        format!("{{\"code\":{{\"apply\":[{named},{{\"var\":\"data\"}}]}},\"data\":{data}}}")
    }

    /// The counterexample as an example that the property has, as a tool, once it holds there.
    #[must_use]
    pub fn example(&self, found: &Counterexample) -> String {
        match &found.arguments[..] {
            [only] => format!("{{\"data\":{},\"output\":true}}", only.json()),
            all => format!("{{\"args\":{},\"output\":true}}", Value::List(all.to_vec()).json()),
        }
    }

    /// The code as a function that names the tool so.
    fn function_of(&self, tool: &str) -> String {
        // A text of the code has its quotes escaped, so this is always a term.
        let code = self.code.replace(SELF, &naming(tool));
        if self.is_function { code } else { format!("{{\"body\":{code},\"lam\":\"none\"}}") }
    }
}
