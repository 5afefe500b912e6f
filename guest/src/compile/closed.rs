//! From the term of a value to the value, without a run: literals, functions, the `let`s around
//! them, partial applications. Variables are constants, so its functions capture nothing.

use crate::algorithm::date::script;
use crate::algorithm::entries;
use crate::algorithm::mapping;
use crate::algorithm::record;
use crate::code::Place;
use crate::compile::compiler::{Compiler, Failed, Function};
use crate::compile::task::Task;
use crate::memory::heap::Heap;
use crate::memory::tagged::{DATE, MAP, REGEX, SET};
use crate::memory::word::{
    CLOSURE, KIND_PARTIAL, NIL, PAIR, PARTIAL, UNIT, Word, as_small, aux, header, is_integer,
    is_list, pointer, quoted, tag,
};
use pif_language::form::Form;
use pif_language::names::Names;
use pif_language::term::{NameId, TermId};

/// The tools that the term names: values and sources.
#[derive(Default)]
pub(crate) struct Tools {
    names: Names,
    values: Vec<(Word, Word)>,
}

impl Tools {
    pub(crate) fn add(&mut self, name: &str, value: (Word, Word)) {
        if self.names.id(name).is_none() {
            self.names.add(name);
            self.values.push(value);
        }
    }

    fn get(&self, name: &str) -> Option<(Word, Word)> {
        self.values.get(self.names.id(name)? as usize).copied()
    }
}

/// What is left to do, the next thing last.
enum Work {
    Term(TermId),
    /// Bind the last value.
    Bind(NameId),
    Unbind(usize),
    /// Make the value of a term from those of its operands.
    Make(TermId),
}

impl Compiler<'_> {
    /// Returns the value of a closed term.
    pub(crate) fn value(mut self, root: TermId, tools: &Tools) -> Result<Word, Failed> {
        let mut work = vec![Work::Term(root)];
        let mut values = Vec::new();
        while let Some(step) = work.pop() {
            match step {
                Work::Term(t) => {
                    let value = self.begin(t, tools, &mut work)?;
                    values.extend(value);
                }
                Work::Bind(name) => {
                    let value = values.pop().ok_or(Failed::Defect)?;
                    self.bind_constant(name, value);
                }
                Work::Unbind(count) => (0..count).for_each(|_| self.unbind()),
                Work::Make(t) => {
                    let parts = values.split_off(values.len() - self.terms.operands(t).len());
                    values.push(self.make(t, &parts)?);
                }
            }
        }
        values.pop().ok_or(Failed::Defect)
    }

    fn bind_constant(&mut self, name: NameId, value: Word) -> u32 {
        let k = self.constant(value);
        self.bind(name, Place::Constant(k));
        k
    }

    /// Returns the value of a term, or schedules what makes it.
    fn begin(
        &mut self,
        t: TermId,
        tools: &Tools,
        work: &mut Vec<Work>,
    ) -> Result<Option<Word>, Failed> {
        let terms = self.terms;
        let operands = terms.operands(t);
        let form = terms.form(t);
        Ok(Some(match form {
            _ if form.is_literal() => self.literal_word(t)?,
            Form::Nil => NIL,
            Form::Lam => self.closed_function(t)?,
            Form::Quote if terms.evaluated(t).is_empty() => quoted(terms.operand(t, 0), 0),
            Form::Tool | Form::CodeOf => {
                let name = terms.operand(t, 0);
                let name = (terms.form(name) == Form::Text).then(|| terms.text(name));
                let tool = name.and_then(|name| tools.get(name));
                let (value, source) = tool.ok_or(Failed::NotAValue(t))?;
                if form == Form::Tool { value } else { source }
            }
            Form::Var => match self.look_up(terms.only_name(t))? {
                Some(Place::Constant(k)) => {
                    self.constants.get(k as usize).copied().ok_or(Failed::Defect)?
                }
                _ => return Err(Failed::NotAValue(t)),
            },
            Form::Let => {
                let names = terms.names(t);
                work.extend([Work::Unbind(names.len()), Work::Term(terms.operand(t, names.len()))]);
                for (name, value) in names.iter().zip(operands).rev() {
                    work.extend([Work::Bind(*name), Work::Term(*value)]);
                }
                return Ok(None);
            }
            Form::Letrec => {
                let names = terms.names(t);
                let places: Vec<u32> =
                    names.iter().map(|name| self.bind_constant(*name, UNIT)).collect();
                for (k, lambda) in places.into_iter().zip(operands) {
                    let function = self.closed_function(*lambda)?;
                    self.constants.get_mut(k as usize).into_iter().for_each(|at| *at = function);
                }
                work.extend([Work::Unbind(names.len()), Work::Term(terms.operand(t, names.len()))]);
                return Ok(None);
            }
            Form::List
            | Form::Record
            | Form::Pair
            | Form::App
            | Form::ToMap
            | Form::ToSet
            | Form::Moment
            | Form::Regex => {
                work.push(Work::Make(t));
                work.extend(operands.iter().rev().map(|operand| Work::Term(*operand)));
                return Ok(None);
            }
            _ => return Err(Failed::NotAValue(t)),
        }))
    }

    fn make(&mut self, t: TermId, parts: &[Word]) -> Result<Word, Failed> {
        self.heap.grow(2 * parts.len() + 2)?;
        Ok(match (self.terms.form(t), parts) {
            (Form::List, _) => self.heap.list(parts.iter().copied()),
            (Form::Pair, [first, second]) => self.heap.two(*first, *second, PAIR),
            (Form::Record, _) => {
                let mut members = Vec::with_capacity(2 * parts.len());
                for (name, value) in self.terms.names(t).iter().zip(parts) {
                    let text = self.terms.name(*name);
                    self.heap.grow(Heap::text_words(text.len()))?;
                    members.extend([self.heap.text(text)?, *value]);
                }
                self.heap.grow(Heap::record_words(parts.len()))?;
                record::make(self.heap, &members)?
            }
            (Form::ToMap, [list]) => self.map(t, MAP, *list)?,
            (Form::ToSet, [list]) => self.map(t, SET, *list)?,
            (Form::Moment, [ms]) if is_integer(*ms) && as_small(*ms).abs() <= script::MOST => {
                self.heap.make_tagged(DATE, [*ms])
            }
            (Form::Regex, [pattern, flags])
                if self.heap.is_text(*pattern) && self.heap.is_text(*flags) =>
            {
                self.heap.make_tagged(REGEX, [*pattern, *flags])
            }
            (Form::App, [function, arguments @ ..]) => self.partial(t, *function, arguments)?,
            _ => return Err(Failed::NotAValue(t)),
        })
    }

    /// Makes a map or set of a list. All keys must be data.
    fn map(&mut self, t: TermId, kind: u32, list: Word) -> Result<Word, Failed> {
        if !is_list(list) {
            return Err(Failed::NotAValue(t));
        }
        let elements = self.heap.elements(list);
        if kind == MAP && elements.iter().any(|element| self.heap.halves(*element).is_none()) {
            return Err(Failed::NotAValue(t));
        }
        self.heap.grow(mapping::MAP_WORDS + mapping::KEY_WORDS * elements.len())?;
        let own = self.heap.top;
        let map = mapping::empty(self.heap, kind);
        for element in elements {
            let [word, value] = entries::entry(self.heap, kind, element);
            let (_, key) = mapping::Key::of(self.heap, self.terms, word, u64::MAX);
            let key = key.map_err(|_| Failed::NotAValue(t))?;
            mapping::add(self.heap, self.terms, (map, own), &key, [word, value]);
        }
        Ok(map)
    }

    /// Makes a function that has some of its arguments. It must need even more.
    fn partial(&mut self, t: TermId, function: Word, new: &[Word]) -> Result<Word, Failed> {
        let (closure, mut taken) = match tag(function) {
            CLOSURE => (function, Vec::new()),
            PARTIAL => match self.heap.parts(function) {
                [closure, taken @ ..] => (*closure, taken.to_vec()),
                [] => return Err(Failed::NotAValue(t)),
            },
            _ => return Err(Failed::NotAValue(t)),
        };
        taken.extend(new);
        let code = self.image.codes.get(aux(self.heap.header(closure)) as usize);
        if code.is_none_or(|code| taken.len() >= usize::from(code.arity)) {
            return Err(Failed::NotAValue(t));
        }
        let words = taken.len() + 2;
        self.heap.grow(words)?;
        let at = self.heap.claim(words);
        self.heap.put(at, &[header(KIND_PARTIAL, words, 0), closure]);
        self.heap.put(at + 2, &taken);
        Ok(pointer(at, PARTIAL))
    }

    /// Compiles a function all of whose variables are constants.
    fn closed_function(&mut self, t: TermId) -> Result<Word, Failed> {
        self.unit.root = t;
        self.functions.push(Function::new(0));
        self.tasks.push(Task::Function { t, d: 0 });
        while let Some(task) = self.tasks.pop() {
            self.run(task)?;
        }
        self.functions.clear();
        // It captures nothing, so it is the last constant, unless there was no room for it.
        self.heap.grow(1)?;
        self.constants.last().copied().ok_or(Failed::Full)
    }
}
