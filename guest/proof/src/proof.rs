//! Proofs as data, and their JSON.

use crate::term::{self, Name, Term};
use pif_core::json::escape;
use pif_core::json::tape::{Tape, Token, TokenId};
use std::collections::BTreeMap;

/// Deepest nesting of a derivation.
const DEEPEST: usize = 200;

/// A proof that two programs are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The programs.
    pub equal: [Term; 2],
    /// The steps from the first to the second.
    pub steps: Vec<Step>,
}

/// A step: a rule turns one term into the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name of the rule.
    pub rule: String,
    /// The operands on the way to the place.
    pub at: Vec<usize>,
    /// Whether the rule is used from its right side to its left side.
    pub is_backward: bool,
    /// What its variables stand for.
    pub bindings: BTreeMap<Name, Term>,
    /// Why its conditions hold, in their order.
    pub conditions: Vec<Derivation>,
    /// The whole term after the step.
    pub after: Term,
}

/// Why a term has a type, or surely has a value: a rule, with the derivations that it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The rule.
    pub by: String,
    /// Which fact, or where.
    pub at: Vec<usize>,
    /// What it stands on.
    pub from: Vec<Derivation>,
}

impl Derivation {
    /// A derivation by a rule.
    #[must_use]
    pub fn by(rule: &str, at: Vec<usize>, from: Vec<Self>) -> Self {
        Self { by: rule.to_owned(), at, from }
    }

    /// The derivation as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        out.push_str("{\"by\":");
        escape::string(&self.by, out);
        if !self.at.is_empty() {
            out.push_str(",\"at\":");
            write_numbers(&self.at, out);
        }
        if !self.from.is_empty() {
            out.push_str(",\"from\":[");
            for (at, derivation) in self.from.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                derivation.write(out);
            }
            out.push(']');
        }
        out.push('}');
    }
}

fn write_numbers(numbers: &[usize], out: &mut String) {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    out.extend(["[", &numbers.join(","), "]"]);
}

impl Proof {
    /// The proof as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let [from, to] = &self.equal;
        let mut out = format!("{{\"equal\":[{},{}],\"steps\":[", term::json(from), term::json(to));
        for (at, step) in self.steps.iter().enumerate() {
            out.push_str(if at > 0 { ",{\"rule\":" } else { "{\"rule\":" });
            escape::string(&step.rule, &mut out);
            out.push_str(",\"at\":");
            write_numbers(&step.at, &mut out);
            let direction = if step.is_backward { "backward" } else { "forward" };
            out.extend([",\"direction\":\"", direction, "\",\"bindings\":{"]);
            for (at, (name, term)) in step.bindings.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                escape::string(name, &mut out);
                out.extend([":", &term::json(term)]);
            }
            out.push_str("},\"conditions\":[");
            for (at, derivation) in step.conditions.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                derivation.write(&mut out);
            }
            out.extend(["],\"after\":", &term::json(&step.after), "}"]);
        }
        out.push_str("]}");
        out
    }

    /// Reads a proof. Fails with what is wrong.
    pub fn read(json: &str) -> Result<Self, String> {
        let mut tape = Tape::default();
        let root = tape.parse(json).map_err(|fault| fault.message)?;
        let reader = Reader { tape: &tape };
        let mut equal =
            reader.each(reader.member(root, "equal")?, &|it| reader.term(it))?.into_iter();
        let (Some(from), Some(to), None) = (equal.next(), equal.next(), equal.next()) else {
            return Err("`equal` is not a list of two programs".to_owned());
        };
        let steps = reader.each(reader.member(root, "steps")?, &|it| reader.step(it))?;
        Ok(Self { equal: [from, to], steps })
    }
}

struct Reader<'t> {
    tape: &'t Tape,
}

impl Reader<'_> {
    fn member(&self, object: TokenId, key: &str) -> Result<TokenId, String> {
        self.tape.member(object, key).ok_or_else(|| format!("`{key}` is missing"))
    }

    fn each<T>(
        &self,
        list: TokenId,
        read: &dyn Fn(TokenId) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        match self.tape.token(list) {
            Token::Array { .. } => self.tape.items(list).map(read).collect(),
            _ => Err("a list is missing".to_owned()),
        }
    }

    fn text(&self, token: TokenId) -> Result<String, String> {
        match self.tape.token(token) {
            Token::Text(span) => Ok(self.tape.str(span).to_owned()),
            _ => Err("a text is missing".to_owned()),
        }
    }

    fn numbers(&self, list: TokenId) -> Result<Vec<usize>, String> {
        let number = |token| match self.tape.token(token) {
            Token::Integer(n) => usize::try_from(n).map_err(|_| "a number is negative".to_owned()),
            _ => Err("a number is missing".to_owned()),
        };
        self.each(list, &number)
    }

    fn term(&self, token: TokenId) -> Result<Term, String> {
        term::read(&pif_core::json::write::text(self.tape, token, usize::MAX))
    }

    fn step(&self, token: TokenId) -> Result<Step, String> {
        let direction = self.text(self.member(token, "direction")?)?;
        if direction != "forward" && direction != "backward" {
            return Err(format!("`{direction}` is no direction"));
        }
        let mut bindings = BTreeMap::new();
        for (name, value) in self.tape.members(self.member(token, "bindings")?) {
            bindings.insert(self.tape.str(name).into(), self.term(value)?);
        }
        let derivation = |it| self.derivation(it, DEEPEST);
        Ok(Step {
            rule: self.text(self.member(token, "rule")?)?,
            at: self.numbers(self.member(token, "at")?)?,
            is_backward: direction == "backward",
            bindings,
            conditions: self.each(self.member(token, "conditions")?, &derivation)?,
            after: self.term(self.member(token, "after")?)?,
        })
    }

    fn derivation(&self, token: TokenId, depth: usize) -> Result<Derivation, String> {
        let depth = depth.checked_sub(1).ok_or("a derivation is nested too deep")?;
        let by = self.text(self.member(token, "by")?)?;
        let at = self.tape.member(token, "at").map_or(Ok(Vec::new()), |it| self.numbers(it))?;
        let from = self.tape.member(token, "from");
        let from =
            from.map_or(Ok(Vec::new()), |it| self.each(it, &|it| self.derivation(it, depth)))?;
        Ok(Derivation { by, at, from })
    }
}
