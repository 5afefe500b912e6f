//! Properties of a tool: programs that give true for every input, in which `@self` is the tool.

use super::inputs::{Inputs, SEED};
use super::value::Value;
use super::whole::{Counterexample, Judge, Outcome, Trial, Tried};
use crate::shape::Shape;
use crate::{Request, analyze_term};
use pif_core::fault::Fault;
use pif_core::json::escape;
use pif_language::form::Form;
use pif_language::print;
use pif_language::term::{Origin, TermId, Terms};
use pif_language::walk::nodes;

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
        let is_self = terms.form(*function) == Form::Tool
            && terms.text(terms.operand(*function, 0)) == "self";
        for (argument, (_, shape)) in arguments.iter().zip(&signature.parameters) {
            let name = terms.only_name(*argument);
            let at = terms.names(root).iter().position(|it| *it == name);
            if let (true, Form::Var, Some(at)) = (is_self, terms.form(*argument), at) {
                found.push((at, shape.clone()));
            }
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

    /// The trial of the property.
    #[must_use]
    pub fn trial(&self) -> Trial {
        let parameters = if self.is_function { self.parameters.clone() } else { Vec::new() };
        Trial::new(&[self.function()], Judge::IsTrue, Inputs::new(parameters, SEED))
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
        let (mut named, mut name) = (String::new(), String::new());
        escape::string(tool, &mut name);
        for (at, part) in self.function().split("{\"tool\":\"self\"}").enumerate() {
            if at > 0 {
                named.extend(["{\"tool\":", &name, "}"]);
            }
            named.push_str(part);
        }
        let data = Value::List(found.arguments.clone()).json();
        format!("{{\"code\":{{\"apply\":[{named},{{\"var\":\"data\"}}]}},\"data\":{data}}}")
    }

    /// The example of the tool that fails: the input of the property, where the property takes one, and
    /// the outcome that it wants.
    #[must_use]
    pub fn example(&self, found: &Counterexample) -> String {
        let input = match &found.arguments[..] {
            [only] => only.json(),
            all => Value::List(all.to_vec()).json(),
        };
        let given = match found.outcomes.first() {
            Some(Outcome::Value(json)) => format!(",\"given\":{json}"),
            Some(Outcome::Fault(code)) => {
                let mut quoted = String::new();
                escape::string(code, &mut quoted);
                format!(",\"fault\":{quoted}")
            }
            _ => String::new(),
        };
        format!("{{\"input\":{input},\"output\":true{given}}}")
    }

    /// The code as a function.
    fn function(&self) -> String {
        let code = &self.code;
        if self.is_function {
            code.clone()
        } else {
            format!("{{\"body\":{code},\"lam\":\"none\"}}")
        }
    }
}
