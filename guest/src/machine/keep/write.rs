//! A value as a term, and its canonical text.

use super::function::{Function, Functions, Held, KEPT, tool_of};
use super::knot::{Knot, Knots};
use super::share::Shared;
use crate::algorithm::number::value::Number;
use crate::data::literal::{Maker, Work};
use crate::memory::heap::{Full, Heap};
use crate::memory::word::{IMMEDIATE, KIND_QUOTED, Word, aux, is_integer, kind, tag};
use crate::run::state::State;
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::print;
use pif_language::term::{NameId, TermId, Terms};
use std::rc::Rc;

/// New terms belong to no text.
const NO_TOKEN: u32 = 0;

/// Facts about the value, and how long its text may be.
struct Known<'k> {
    heap: &'k Heap,
    functions: &'k Functions,
    knots: &'k Knots,
    shared: &'k Shared,
    /// The names of shared values begin with it.
    prefix: String,
    limit: usize,
}

/// Writes a value. Returns nothing if the text is longer than the limit.
pub(super) fn text(
    s: &mut State,
    (functions, knots, shared): (&Functions, &Knots, &Shared),
    value: Word,
    limit: usize,
) -> Option<String> {
    let prefix = functions.prefix(&s.terms, KEPT);
    let heap = &s.heap;
    let terms = Rc::make_mut(&mut s.terms);
    let known = Known { heap, functions, knots, shared, prefix, limit };
    let mut whole = known.whole(terms, value);
    whole.reverse();
    // Each piece of work is a byte of the text, at least.
    let mut maker = Maker { heap, terms, token: NO_TOKEN, most: limit };
    let made = maker.make(whole, |terms, v, is_definition| known.other(terms, v, is_definition));
    print::term_within(terms, made.ok()?, limit).ok()
}

impl Known<'_> {
    /// The work of the value in a `let` of what it shares.
    fn whole(&self, terms: &mut Terms, value: Word) -> Vec<Work> {
        let shared = &self.shared.order;
        if shared.is_empty() {
            return vec![Work::value(value)];
        }
        let numbers = 1..=to_u32(shared.len());
        let names = numbers.map(|number| self.name(terms, number)).collect();
        let definition = |word: &Word| Work::Value { word: *word, is_definition: true };
        let mut work: Vec<Work> = shared.iter().map(definition).collect();
        work.extend([Work::value(value), Work::Build(Form::Let, shared.len() + 1, names)]);
        work
    }

    /// The name of a shared value.
    fn name(&self, terms: &mut Terms, number: u32) -> NameId {
        terms.intern(&format!("{}{number}", self.prefix))
    }

    /// The work of a value that is no literal: of a name, a function, a quoted term.
    fn other(
        &self,
        terms: &mut Terms,
        v: Word,
        is_definition: bool,
    ) -> Result<Option<Vec<Work>>, Full> {
        if is_integer(v) {
            return Ok(None);
        }
        if tag(v) == IMMEDIATE {
            return Ok(match tool_of(v) {
                Some(tool) => Some(self.tool(terms, Form::CodeOf, tool)?),
                None if kind(v) == KIND_QUOTED => Some(form(Form::Quote, Work::Term(aux(v)))),
                None => None,
            });
        }
        if let Some(number) = self.shared.number(v).filter(|_| !is_definition) {
            let name = self.name(terms, number);
            return Ok(Some(vec![variable(terms, name)]));
        }
        if let Some((number, function)) = self.functions.get(v) {
            return self.function(terms, number, function).map(Some);
        }
        match Number::of(self.heap, v) {
            // Finding the digits of a longer one is a waste.
            Some(Number::Big(n)) if n.bits() / 4 > self.limit as u64 => Err(Full),
            _ => Ok(None),
        }
    }

    /// The work of a form with the name of a tool.
    fn tool(&self, terms: &mut Terms, form: Form, index: u32) -> Result<Vec<Work>, Full> {
        let name = terms.add_new_text(NO_TOKEN, self.functions.tool_name(index)).ok_or(Full)?;
        Ok(self::form(form, Work::Term(name)))
    }

    fn held(&self, terms: &mut Terms, held: Held) -> Result<Vec<Work>, Full> {
        match held {
            Held::Word(word) => Ok(vec![Work::value(word)]),
            Held::Tool(index) => self.tool(terms, Form::Tool, index),
        }
    }

    fn function(
        &self,
        terms: &mut Terms,
        number: u32,
        function: &Function,
    ) -> Result<Vec<Work>, Full> {
        if let Some(tool) = function.tool {
            return self.tool(terms, Form::Tool, tool);
        }
        let knot = self.knots.of(number);
        let variables = knot.map_or(&function.variables, |knot| &knot.variables);
        let mut work = Vec::new();
        for (_, held) in variables {
            work.extend(self.held(terms, *held)?);
        }
        match knot {
            Some(knot) => work.extend(self.letrec(terms, number, knot)),
            None => work.push(Work::Term(function.lambda)),
        }
        if !variables.is_empty() {
            let names = variables.iter().map(|(name, _)| *name).collect();
            work.push(Work::Build(Form::Let, variables.len() + 1, names));
        }
        for held in &function.taken {
            work.extend(self.held(terms, *held)?);
        }
        if !function.taken.is_empty() {
            work.push(Work::Build(Form::App, function.taken.len() + 1, Vec::new()));
        }
        Ok(work)
    }

    /// The work of a knot, with one of its functions as the value.
    fn letrec(&self, terms: &mut Terms, number: u32, knot: &Knot) -> Vec<Work> {
        let all = &self.functions.all;
        let functions = knot.functions.iter().filter_map(|(_, at)| all.get(*at as usize));
        let mut work: Vec<Work> = functions.map(|function| Work::Term(function.lambda)).collect();
        let own = knot.functions.iter().find(|(_, function)| *function == number);
        work.extend(own.map(|(name, _)| variable(terms, *name)));
        let names = knot.functions.iter().map(|(name, _)| *name).collect();
        work.push(Work::Build(Form::Letrec, knot.functions.len() + 1, names));
        work
    }
}

fn form(form: Form, operand: Work) -> Vec<Work> {
    vec![operand, Work::Build(form, 1, Vec::new())]
}

fn variable(terms: &mut Terms, name: NameId) -> Work {
    let variable: TermId = terms.add(Form::Var, NO_TOKEN, &[], &[name]);
    Work::Term(variable)
}
