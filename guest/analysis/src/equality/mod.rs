//! Whether two programs are equal: by a proof, or by an input on which they differ.

mod derivation;
mod matching;
mod rewrite;
mod search;

use crate::trial::inputs::SEED;
use crate::trial::whole::{Counterexample, Tried};
use crate::trial::{Inputs, Judge, Trial};
use crate::{Request, analyze_term};
use pif_core::fault::Fault;
use pif_language::form::Form;
use pif_language::kinds::{BOOLEAN, FLOAT, INTEGER, Kinds, LIST, NULL, NUMBER, RECORD, STRING};
use pif_language::print;
use pif_language::term::{Origin, TermId, Terms};
use pif_proof::check::derive::is_total;
use pif_proof::context::{Context, Entry, Origin as Bound};
use pif_proof::facts::PLAIN;
use pif_proof::proof::{Derivation, Proof};
use pif_proof::term::{self, Term, node};
use pif_proof::types::Type;
use search::search;

/// Two programs that are compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Each as a function of its inputs, as JSON.
    codes: [String; 2],
    /// Each as proofs have it, or why they do not treat it.
    programs: Result<[Term; 2], String>,
    /// The types of the inputs.
    parameters: Vec<crate::Shape>,
}

/// What is known of two programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They are equal.
    Equal(Box<Proof>),
    /// They differ on an input.
    Different(Counterexample),
    /// Neither a proof nor an input was found.
    Unknown(String),
}

impl Comparison {
    /// Reads two programs. One that is no function is a function of `data`.
    pub fn read(first: &Request<'_>, second: &Request<'_>) -> Result<Self, Fault> {
        let (first, second) = (Program::read(first)?, Program::read(second)?);
        let programs = match (first.term, second.term) {
            (Ok(a), Ok(b)) => Ok([a, b]),
            (Err(reason), _) | (_, Err(reason)) => Err(reason),
        };
        let (a, b) = (first.parameters, second.parameters);
        let count = a.len().max(b.len());
        // The inputs are those that either program looks at.
        let either = |at: usize| match (a.get(at), b.get(at)) {
            (Some(a), Some(b)) => crate::Shape::union([a.clone(), b.clone()]),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => crate::Shape::Any,
        };
        let parameters = (0..count).map(either).collect();
        Ok(Self { codes: [first.code, second.code], programs, parameters })
    }

    /// Why no proof is looked for, if none is.
    #[must_use]
    pub fn untreated(&self) -> Option<&str> {
        self.programs.as_ref().err().map(String::as_str)
    }

    /// A proof that the programs are equal, if one is found.
    #[must_use]
    pub fn prove(&self) -> Option<Proof> {
        let programs = self.programs.as_ref().ok()?;
        search(programs).proof
    }

    /// The trials that look for an input on which the programs differ: those of the types of the inputs
    /// first, then any others.
    #[must_use]
    pub fn trials(&self) -> [Trial; 2] {
        let any = vec![crate::Shape::Any; self.parameters.len()];
        let trial =
            |shapes, seed| Trial::new(&self.codes, Judge::AreEqual, Inputs::new(shapes, seed));
        [trial(self.parameters.clone(), SEED), trial(any, SEED + 1)]
    }

    /// What is known, by the proof and the trials.
    #[must_use]
    pub fn verdict(&self, proof: Option<Proof>, tried: &[Tried]) -> Verdict {
        if let Some(proof) = proof {
            return Verdict::Equal(Box::new(proof));
        }
        if let Some(found) = tried.iter().find_map(|it| it.counterexample.clone()) {
            return Verdict::Different(found);
        }
        let inputs: usize = tried.iter().map(|it| it.inputs).sum();
        let proofs = match &self.programs {
            Ok(_) => "no proof was found".to_owned(),
            Err(reason) => format!("no proof was looked for: {reason}"),
        };
        Verdict::Unknown(format!("{proofs}, and {inputs} inputs show no difference"))
    }

    /// The programs as simple as the rules make them, as JSON: what a person who misses a proof looks at.
    #[must_use]
    pub fn simplified(&self) -> Option<[String; 2]> {
        self.programs.as_ref().ok().map(|programs| search(programs).simplified)
    }
}

/// A program, read.
struct Program {
    code: String,
    term: Result<Term, String>,
    parameters: Vec<crate::Shape>,
}

impl Program {
    fn read(request: &Request<'_>) -> Result<Self, Fault> {
        let mut terms = Terms::default();
        let mut free = vec!["data", "input"];
        free.extend(request.variables.iter().map(|it| it.0.as_str()));
        let root = pif_notation::read_code(&mut terms, request.code, Origin::Code, &free)?.root;
        let told = analyze_term(&terms, root, request);
        let mut parameters: Vec<_> = told.parameters.into_iter().map(|it| it.shape).collect();
        let term = term::of_terms(&terms, root).map(|term| {
            if term.form == Form::Lam {
                term
            } else {
                node(Form::Lam, vec![term], vec!["data".into()])
            }
        });
        let code = if terms.form(root) == Form::Lam {
            // What is not read is a parameter, too.
            parameters.resize(terms.names(root).len(), crate::Shape::Any);
            print::term(&terms, root)
        } else {
            parameters.resize(1, crate::Shape::Any);
            function_of_data(&terms, root)
        };
        Ok(Self { code, term, parameters })
    }
}

/// A program that is no function as one of its data.
fn function_of_data(terms: &Terms, root: TermId) -> String {
    format!("{{\"body\":{},\"lam\":\"data\"}}", print::term(terms, root))
}

/// A proof that two programs, functions as JSON, are equal, if one is found. A program that names itself
/// means something else within another, and has none.
pub(crate) fn prove(codes: &[String; 2]) -> Option<Proof> {
    let [first, second] = codes.each_ref().map(|it| term::read(it).ok());
    let programs = [first?, second?];
    if programs.iter().any(rewrite::calls_itself) {
        return None;
    }
    search(&programs).proof
}

/// Why a function, as JSON, has a value for each input of these types.
pub(crate) fn prove_total(code: &str, parameters: &[crate::Shape]) -> Option<Derivation> {
    let function = term::read(code).ok().filter(|it| it.form == Form::Lam)?;
    if rewrite::calls_itself(&function) || function.names.len() != parameters.len() {
        return None;
    }
    let mut context = Context::default();
    for (name, shape) in function.names.iter().zip(parameters) {
        context = context.with(Entry::Bound(name.clone(), Bound::Assumed(type_of(shape))));
    }
    let body = function.operands.first()?;
    let found = derivation::Deriver::new().total(&context, body, 30)?;
    is_total(&context, body, &found).ok().map(|()| found)
}

/// The type of derivations for inputs of a type.
fn type_of(shape: &crate::Shape) -> Type {
    use crate::Shape;
    let of = |kinds: Kinds| Type { kinds, is_deep: true, element: None };
    match shape {
        Shape::Null => of(NULL),
        Shape::Boolean => of(BOOLEAN),
        Shape::Integer => of(INTEGER),
        Shape::Float => of(FLOAT),
        Shape::Number => of(NUMBER),
        Shape::Text | Shape::Literal(_) => of(STRING),
        Shape::List(element) => Type::list(type_of(element)),
        Shape::Tuple(_) => of(LIST),
        Shape::Record(_) | Shape::Dictionary(_) | Shape::Both(_) => of(RECORD),
        Shape::Union(shapes) => {
            shapes.iter().map(type_of).reduce(Type::join).unwrap_or_else(Type::data)
        }
        // What no JSON is stands for any input.
        _ => of(PLAIN),
    }
}

#[cfg(test)]
mod instances {
    mod tests;
}
#[cfg(test)]
mod tests;
