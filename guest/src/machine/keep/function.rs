//! Functions as lambdas with the values of their variables and the arguments that they have.

use super::mark::Marks;
use super::obstacle::Obstacle;
use crate::algorithm::entries;
use crate::check::analysis::hash;
use crate::code::{Image, Place};
use crate::memory::heap::Heap;
use crate::memory::word::{
    CONS, IMMEDIATE, KIND_CONTINUATION, KIND_QUOTED, KIND_RECORD, PAIR, PARTIAL, UNIT, Word, aux,
    index, is_function, is_integer, kind, left_in_run, size, tag,
};
use crate::run::state::State;
use pif_core::ids::{IdMap, IdSet};
use pif_core::limits::to_u32;
use pif_core::text::order::order_of;
use pif_core::text::quote::shorten;
use pif_language::form::Form;
use pif_language::print;
use pif_language::term::{NameId, TermId, Terms};
use pif_language::uses::Uses;
use pif_language::walk::rebuild;
use std::rc::Rc;

/// A value that a function refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Word(Word),
    /// The tool of this number.
    Tool(u32),
}

/// A function.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) word: Word,
    /// The tool that has it as its value, if the function refers to that tool.
    pub(super) tool: Option<u32>,
    /// Its lambda, with a variable in place of `self`.
    pub(super) lambda: TermId,
    /// Variables of the lambda in the order of their names.
    pub(super) variables: Vec<(NameId, Held)>,
    /// Its first arguments.
    pub(super) taken: Vec<Held>,
    /// Whether it evaluates quoted terms, which may name any variable in sight.
    pub(super) has_eval: bool,
}

/// All functions in a value.
#[derive(Debug, Default)]
pub(super) struct Functions {
    pub(super) all: Vec<Function>,
    /// Their numbers by their places on the heap.
    numbers: IdMap,
    /// Names of tools at their revisions.
    tools: Vec<String>,
    /// The place of each tool among them.
    named: IdMap,
    /// All names in their lambdas.
    names: IdSet,
    /// Lambdas with their tools.
    lambdas: Vec<(u32, Rc<Lambda>)>,
    /// The place of the last of each term among them.
    known: IdMap,
}

/// A lambda.
#[derive(Debug)]
struct Lambda {
    uses: Uses,
    /// With a variable in place of `self`.
    term: TermId,
    /// That variable.
    own: Option<(NameId, Held)>,
}

/// The names of values that are bound around the whole, before their numbers.
pub(super) const KEPT: &str = "kept";
/// Bytes of the shortest function as a term.
const SHORTEST: usize = 20;
/// The object has been met.
const MET: u8 = 1;

impl Functions {
    /// Finds the functions in a value. Fails with a part that has no term.
    pub(super) fn of(
        image: &Image,
        s: &mut State,
        value: Word,
        limit: usize,
    ) -> Result<Self, Obstacle> {
        let mut functions = Self::default();
        let mut marks = Marks::of(&s.heap);
        let mut open = vec![Held::Word(value)];
        while let Some(held) = open.pop() {
            let Held::Word(v) = held else { continue };
            if is_integer(v) || tag(v) == IMMEDIATE {
                tool_of(v).and_then(|tool| functions.name_tool(s, tool));
                continue;
            }
            if marks.set(index(v), MET) {
                continue;
            }
            if s.heap.object_kind(v) == KIND_CONTINUATION {
                return Err(Obstacle::Part(v, "a continuation cannot be kept".to_owned()));
            }
            if !is_function(v) {
                parts(&s.heap, v, &mut marks, MET, |part| open.push(Held::Word(part)));
                continue;
            }
            if functions.all.len() > limit / SHORTEST {
                return Err(Obstacle::TooLong);
            }
            let function = functions.function(image, s, v)?;
            open.extend(function.variables.iter().map(|(_, held)| *held));
            open.extend(&function.taken);
            functions.numbers.insert(place(v), to_u32(functions.all.len()));
            functions.all.push(function);
        }
        Ok(functions)
    }

    /// Returns a function of the value, with its number.
    pub(super) fn get(&self, v: Word) -> Option<(u32, &Function)> {
        // An integer may look like a place.
        let number = self.numbers.get(place(v)).filter(|_| is_function(v))?;
        Some((number, self.all.get(number as usize)?))
    }

    /// Returns a beginning for new names, which no name of the value's lambdas has.
    pub(super) fn prefix(&self, terms: &Terms, wanted: &str) -> String {
        let mut prefix = wanted.to_owned();
        while self.names.iter().any(|name| is_numbered(terms.name(name), &prefix)) {
            prefix.push('_');
        }
        prefix
    }

    fn function(&mut self, image: &Image, s: &mut State, word: Word) -> Result<Function, Obstacle> {
        let (closure, taken) = match s.heap.parts(word) {
            [closure, taken @ ..] if tag(word) == PARTIAL => (*closure, taken.to_vec()),
            _ => (word, Vec::new()),
        };
        let code = aux(s.heap.header(closure)) as usize;
        let sources = image.sources.as_deref().unwrap_or_default();
        let (Some(code), Some(source)) = (image.codes.get(code), sources.get(code)) else {
            return Err(Obstacle::Part(word, "this function has no source".to_owned()));
        };
        let mut variables = Variables::default();
        for (name, place) in &source.names {
            let held = held(s, closure, *place);
            let lost = || Obstacle::Part(word, "a variable of this function is lost".to_owned());
            variables.set(*name, held.ok_or_else(lost)?);
        }
        let lambda = source.lambda;
        if let Some(tool) = self.tool_itself(s, word, (lambda, code.tool)) {
            let variables = Vec::new();
            let taken = Vec::new();
            let has_eval = false;
            return Ok(Function { word, tool: Some(tool), lambda, variables, taken, has_eval });
        }
        let taken = taken.iter().map(|word| Held::Word(*word)).collect();
        let lambda = self.lambda(s, word, (lambda, code.tool))?;
        if let Some((name, value)) = lambda.own {
            variables.set(name, value);
        }
        let Uses { free, has_eval, .. } = &lambda.uses;
        if let Some(name) = free.iter().find(|name| variables.get(*name).is_none()) {
            let name = shorten(s.terms.name(name));
            let message =
                format!("a function that names `{name}`, which nothing binds, cannot be kept");
            return Err(Obstacle::Part(word, message));
        }
        variables.list.retain(|(name, _)| {
            free.has(*name)
                || *has_eval && !is_numbered(s.terms.name(*name), KEPT)
                || lambda.own.is_some_and(|(own, _)| own == *name)
        });
        let variables = variables.sorted(&s.terms);
        let lambda = lambda.term;
        let has_eval = *has_eval;
        Ok(Function { word, tool: None, lambda, variables, taken, has_eval })
    }

    /// Returns the tool whose value a function is, if the function refers to that tool.
    fn tool_itself(&mut self, s: &State, word: Word, (lambda, tool): (TermId, u32)) -> Option<u32> {
        let index = tool.checked_sub(1)?;
        let is_value = s.tool_values.get(index as usize) == Some(&word);
        if !is_value || Uses::of(&s.terms, lambda).of_tool.is_empty() {
            return None;
        }
        self.name_tool(s, index).map(|_| index)
    }

    /// Returns the name of a tool at its revision; none of submitted code.
    fn name_tool(&mut self, s: &State, index: u32) -> Option<&str> {
        let tool = s.tools.get(index as usize).filter(|tool| !tool.name.is_empty())?;
        if !self.named.has(index) {
            self.named.insert(index, to_u32(self.tools.len()));
            let mut name = tool.name.clone();
            if let Ok(source) = &tool.source
                && !name.contains('@')
            {
                name = name + "@" + &hash(&print::term(&s.terms, *source));
            }
            self.tools.push(name);
        }
        Some(self.tool_name(index))
    }

    /// Returns the name of a tool that has been named.
    pub(super) fn tool_name(&self, index: u32) -> &str {
        let at = self.named.get(index).unwrap_or(u32::MAX);
        self.tools.get(at as usize).map_or("", String::as_str)
    }

    /// Returns a lambda of a tool's source, with variables in place of the tool.
    fn lambda(
        &mut self,
        s: &mut State,
        word: Word,
        (lambda, tool): (TermId, u32),
    ) -> Result<Rc<Lambda>, Obstacle> {
        let known = self.known.get(lambda).and_then(|at| self.lambdas.get(at as usize));
        if let Some((_, known)) = known.filter(|(of, _)| *of == tool) {
            return Ok(Rc::clone(known));
        }
        let uses = Uses::of(&s.terms, lambda);
        for name in uses.names.iter() {
            self.names.add(name);
        }
        let mut own = None;
        let mut others = IdMap::default();
        let index = tool.checked_sub(1).filter(|_| !uses.of_tool.is_empty());
        for node in uses.of_tool.iter().filter(|_| index.is_some()) {
            let index = index.unwrap_or_default();
            let form = s.terms.form(*node);
            let revision = self.name_tool(s, index).map(str::to_owned);
            match (form, revision) {
                (Form::SelfRef, revision) => {
                    let value = match revision {
                        Some(_) => Held::Tool(index),
                        None => Held::Word(s.tool_values.first().copied().unwrap_or(UNIT)),
                    };
                    let terms = Rc::make_mut(&mut s.terms);
                    let (name, _) = *own.get_or_insert_with(|| (own_name(terms, &uses), value));
                    let token = terms.node(*node).token;
                    others.insert(*node, terms.add(Form::Var, token, &[], &[name]));
                }
                (Form::CodeOf, Some(revision))
                    if s.terms.form(s.terms.operand(*node, 0)) == Form::Text =>
                {
                    let operand = s.terms.operand(*node, 0);
                    let is_tool = s.known_tool("self").is_some_and(Option::is_some);
                    if s.terms.text(operand) == "self" && !is_tool {
                        let terms = Rc::make_mut(&mut s.terms);
                        let token = terms.node(operand).token;
                        let text = terms.add_new_text(token, &revision);
                        others.insert(operand, text.ok_or(Obstacle::TooLong)?);
                    }
                }
                (_, None) => {}
                (form, Some(revision)) => {
                    let name = form.name();
                    let message =
                        format!("a function with `{name}` of the tool `{revision}` cannot be kept");
                    return Err(Obstacle::Part(word, message));
                }
            }
        }
        let term = if others.is_empty() {
            lambda
        } else {
            rebuild(Rc::make_mut(&mut s.terms), lambda, |_, term, _| others.get(term))
        };
        let known = Rc::new(Lambda { uses, term, own });
        self.known.insert(lambda, to_u32(self.lambdas.len()));
        self.lambdas.push((tool, Rc::clone(&known)));
        Ok(known)
    }
}

/// Returns the value at this place of a closure. None if the place is none of a closure.
fn held(s: &State, closure: Word, place: Place) -> Option<Held> {
    match place {
        Place::Captured(i) => Some(s.heap.word(index(closure) + 1 + usize::from(i))),
        Place::Constant(k) => s.constants.get(k as usize).copied(),
        Place::Slot(_) => None,
    }
    .map(Held::Word)
}

/// Returns the place of an object on the heap.
fn place(v: Word) -> u32 {
    to_u32(index(v))
}

/// Variables with their values.
#[derive(Debug, Default)]
pub(super) struct Variables {
    list: Vec<(NameId, Held)>,
    places: IdMap,
}

impl Variables {
    pub(super) fn get(&self, name: NameId) -> Option<Held> {
        self.list.get(self.places.get(name)? as usize).map(|(_, held)| *held)
    }

    /// Sets the value of a variable.
    fn set(&mut self, name: NameId, held: Held) {
        let known = self.places.get(name).and_then(|at| self.list.get_mut(at as usize));
        if let Some(known) = known {
            known.1 = held;
            return;
        }
        self.places.insert(name, to_u32(self.list.len()));
        self.list.push((name, held));
    }

    /// Returns the value of a variable, which is this one if it has none yet.
    pub(super) fn get_or_set(&mut self, name: NameId, held: Held) -> Held {
        self.get(name).unwrap_or_else(|| {
            self.set(name, held);
            held
        })
    }

    /// Returns the variables in the order of their names.
    pub(super) fn sorted(self, terms: &Terms) -> Vec<(NameId, Held)> {
        sorted(terms, &self.list)
    }
}

/// Returns items that begin with names, in the order of those.
pub(super) fn sorted<T: Copy>(terms: &Terms, items: &[(NameId, T)]) -> Vec<(NameId, T)> {
    let name = |at: usize| items.get(at).map_or("", |(name, _)| terms.name(*name));
    order_of(items.len(), &name).filter_map(|at| items.get(at).copied()).collect()
}

/// Returns the tool that a quoted term is the source of.
pub(super) fn tool_of(v: Word) -> Option<u32> {
    let is_quoted = tag(v) == IMMEDIATE && kind(v) == KIND_QUOTED;
    to_u32(size(v)).checked_sub(1).filter(|_| is_quoted)
}

/// Names a variable for `self`.
fn own_name(terms: &mut Terms, uses: &Uses) -> NameId {
    let mut number = 1;
    loop {
        let name = terms.intern(&format!("self{number}"));
        if !uses.names.has(name) {
            return name;
        }
        number += 1;
    }
}

/// Tells whether a name is this prefix and a number.
fn is_numbered(name: &str, prefix: &str) -> bool {
    let number = name.strip_prefix(prefix).map(|rest| rest.trim_start_matches('_'));
    number.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Calls `f` with the values in an object, but for integers in the cells of a list. Stops in a list
/// where the rest has the mark, and gives it to the cells before.
pub(super) fn parts(heap: &Heap, v: Word, marks: &mut Marks, mark: u8, mut f: impl FnMut(Word)) {
    match tag(v) {
        _ if entries::is_one(heap, v) => entries::parts(heap, v).into_iter().for_each(f),
        _ if heap.tagged(v) != 0 => heap.list_of_match(v).into_iter().for_each(f),
        CONS => {
            let mut rest = v;
            while tag(rest) == CONS && (rest == v || !marks.set(index(rest), mark)) {
                let left = left_in_run(rest);
                if left > 0 {
                    rest = heap.word(index(rest) + left);
                    continue;
                }
                let [first, more] = heap.cell(index(rest));
                f(first);
                rest = more;
            }
        }
        PAIR => heap.cell(index(v)).into_iter().for_each(f),
        _ if heap.object_kind(v) == KIND_RECORD => {
            heap.members(v).iter().skip(1).step_by(2).copied().for_each(f);
        }
        _ => {}
    }
}
