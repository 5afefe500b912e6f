//! The laws of a function for inputs of its type: whether it is associative, commutative, idempotent,
//! order-preserving, total. What equality proves is proved; the rest is tested.

use crate::equality::{prove, prove_total};
use crate::shape::Shape;
use crate::trial::inputs::SEED;
use crate::trial::property::naming;
use crate::trial::whole::{Counterexample, Tried};
use crate::trial::{Inputs, Judge, Trial};
use crate::{Request, analyze_term};
use pif_core::fault::Fault;
use pif_language::print;
use pif_language::term::{Origin, Terms};
use pif_proof::proof::{Derivation, Proof};

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// `f(f(a, b), c)` is `f(a, f(b, c))`.
    Associative,
    /// `f(a, b)` is `f(b, a)`.
    Commutative,
    /// `f(a, a)` is `a`; of one parameter, `f(f(a))` is `f(a)`.
    Idempotent,
    /// Where `a <= b`, `f(a) <= f(b)`.
    OrderPreserving,
    /// It has a value for each input.
    Total,
}

impl Law {
    /// The name of the law.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Associative => "associative",
            Self::Commutative => "commutative",
            Self::Idempotent => "idempotent",
            Self::OrderPreserving => "order-preserving",
            Self::Total => "total",
        }
    }
}

/// Why a law holds, for all inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Both sides are equal.
    Equal(Box<Proof>),
    /// The function surely has a value.
    Value(Derivation),
}

/// What is known of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Proved(Reason),
    /// It held for so many inputs.
    Tested(usize),
    /// It does not hold.
    Refuted(Counterexample),
    /// No input said anything.
    Unknown,
}

/// A law that a function may have.
#[derive(Debug)]
pub struct Question {
    /// The law.
    pub law: Law,
    /// The trial that looks for an input on which it does not hold. In its programs a tool is the
    /// function.
    pub trial: Trial,
    code: String,
    parameters: Vec<Shape>,
}

impl Question {
    /// Why the law holds for all inputs, if that is found.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        if self.law == Law::Total {
            return prove_total(&self.code, &self.parameters).map(Reason::Value);
        }
        let programs = sides(self.law, &self.code, self.parameters.len())?;
        prove(&programs).map(|it| Reason::Equal(Box::new(it)))
    }

    /// What is known, after the trial.
    #[must_use]
    pub fn verdict(reason: Option<Reason>, tried: &Tried) -> Verdict {
        match (reason, &tried.counterexample) {
            (Some(reason), _) => Verdict::Proved(reason),
            (None, Some(found)) => Verdict::Refuted(found.clone()),
            (None, None) if tried.inputs == 0 => Verdict::Unknown,
            (None, None) => Verdict::Tested(tried.inputs),
        }
    }
}

/// A function of the parameters `a`, `b`, `c`, of the first so many.
fn function(count: usize, body: &str) -> String {
    let names = ["\"a\"", "\"b\"", "\"c\""].get(..count).unwrap_or_default().join(",");
    format!("{{\"body\":{body},\"lam\":[{names}]}}")
}

/// An application of the function to these terms.
fn applied(function: &str, arguments: &[&str]) -> String {
    format!("{{\"app\":{{\"args\":[{}],\"func\":{function}}}}}", arguments.join(","))
}

const A: &str = "{\"var\":\"a\"}";
const B: &str = "{\"var\":\"b\"}";
const C: &str = "{\"var\":\"c\"}";

/// The two programs that a law says are equal, of a function of so many parameters. None if it is no law
/// of such a function.
fn sides(law: Law, f: &str, count: usize) -> Option<[String; 2]> {
    let of = |arguments: &[&str]| applied(f, arguments);
    Some(match (law, count) {
        (Law::Associative, 2) => {
            [function(3, &of(&[&of(&[A, B]), C])), function(3, &of(&[A, &of(&[B, C])]))]
        }
        (Law::Commutative, 2) => [function(2, &of(&[A, B])), function(2, &of(&[B, A]))],
        (Law::Idempotent, 2) => [function(1, &of(&[A, A])), function(1, A)],
        (Law::Idempotent, 1) => [function(1, &of(&[&of(&[A])])), function(1, &of(&[A]))],
        (Law::OrderPreserving, 1) => {
            let (ordered, kept) = (
                format!("{{\"lte\":[{A},{B}]}}"),
                format!("{{\"lte\":[{},{}]}}", of(&[A]), of(&[B])),
            );
            let test = format!("{{\"if\":{{\"cond\":{ordered},\"else\":true,\"then\":{kept}}}}}");
            [function(2, &test), function(2, "true")]
        }
        _ => return None,
    })
}

/// The one type of all parameters, if they have one.
fn only_type(parameters: &[Shape]) -> Option<Shape> {
    let known = parameters.iter().find(|it| !matches!(it, Shape::Any | Shape::Variable(_)));
    let first = known.or(parameters.first())?;
    let is_alike = |it: &Shape| it == first || matches!(it, Shape::Any | Shape::Variable(_));
    parameters.iter().all(is_alike).then(|| first.clone())
}

/// Tells whether the values of a type have an order of their own.
fn is_ordered(shape: &Shape) -> bool {
    match shape {
        Shape::Integer | Shape::Float | Shape::Number | Shape::Text | Shape::Literal(_) => true,
        Shape::Union(shapes) => shapes.iter().all(is_ordered),
        _ => false,
    }
}

/// The laws that a program may have, whose runs know it as the tool of this name. A program that is no
/// function has none.
pub fn questions(request: &Request<'_>, name: &str) -> Result<Vec<Question>, Fault> {
    let mut terms = Terms::default();
    let free = request.free_names();
    let root = pif_notation::read_code(&mut terms, request.code, Origin::Code, &free)?.root;
    let told = analyze_term(&terms, root, request);
    if !told.is_function {
        return Ok(Vec::new());
    }
    let code = print::term(&terms, root);
    let parameters: Vec<Shape> = told.parameters.into_iter().map(|it| it.shape).collect();
    let own = naming(name);
    let mut questions = Vec::new();
    for law in [Law::Associative, Law::Commutative, Law::Idempotent, Law::OrderPreserving] {
        let Some(programs) = sides(law, &own, parameters.len()) else { continue };
        let Some(shape) = only_type(&parameters) else { continue };
        if law == Law::OrderPreserving && !(is_ordered(&shape) && is_ordered(&told.output)) {
            continue;
        }
        let count = match law {
            Law::Associative => 3,
            Law::Commutative | Law::OrderPreserving => 2,
            Law::Idempotent | Law::Total => 1,
        };
        let inputs = Inputs::new(vec![shape; count], SEED);
        let trial = Trial::new(&programs, Judge::AreEqual, inputs);
        let (code, parameters) = (code.clone(), parameters.clone());
        questions.push(Question { law, trial, code, parameters });
    }
    let inputs = Inputs::new(parameters.clone(), SEED);
    let trial = Trial::new(&[own], Judge::HasValue, inputs);
    questions.push(Question { law: Law::Total, trial, code, parameters });
    Ok(questions)
}

#[cfg(test)]
mod tests {
    use super::{Question, Verdict, questions};
    use crate::Request;
    use crate::trial::drive;
    use crate::trial::tests::evaluate;

    fn told(code: &str) -> String {
        let asked = questions(&Request { code, ..Request::default() }, "self").expect("a program");
        let each = asked.into_iter().map(|it| {
            let reason = it.reason();
            let tried = drive(it.trial, |run| evaluate(run, code));
            let word = match Question::verdict(reason, &tried) {
                Verdict::Proved(_) => {
                    assert_eq!(tried.counterexample, None, "{code}, {}", it.law.name());
                    "proved"
                }
                Verdict::Tested(inputs) => {
                    assert!(inputs > 100, "{code}: {tried:?}");
                    "tested"
                }
                Verdict::Refuted(_) => "refuted",
                Verdict::Unknown => "unknown",
            };
            format!("{} {word}", it.law.name())
        });
        each.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn laws_are_proved_tested_or_refuted() {
        for (code, laws) in [
            (
                "(a, b) => a * b",
                "associative refuted, commutative proved, idempotent refuted, total refuted",
            ),
            (
                "(a, b) => a && b",
                "associative tested, commutative refuted, idempotent tested, total proved",
            ),
            ("s => s.upper()", "idempotent proved, order-preserving refuted, total proved"),
            ("x => x * 2", "idempotent refuted, order-preserving refuted, total refuted"),
            ("s => s.trim()", "idempotent proved, order-preserving refuted, total proved"),
            ("x => x == null ? 0 : x", "idempotent tested, total proved"),
            ("xs => xs.sort()", "idempotent proved, total refuted"),
            ("xs => xs.map(x => x)", "idempotent proved, total proved"),
            (
                "n => n <= 1 ? 1 : n * self(n - 1)",
                "idempotent refuted, order-preserving tested, total tested",
            ),
            (
                "(a, b) => max(a, b)",
                "associative tested, commutative refuted, idempotent tested, total tested",
            ),
        ] {
            assert_eq!(told(code), laws, "{code}");
        }
    }

    #[test]
    fn laws_are_as_the_page_shows_them() {
        for (code, laws) in crate::tests::blocks("laws") {
            assert_eq!(told(&code.join("\n")), laws);
        }
    }
}
