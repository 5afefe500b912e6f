//! Compiles forms into a slot, as the value of the function, or as a branch.

use crate::algorithm::record;
use crate::code::image::Keys;
use crate::compile::compiler::{Compiler, Failed, Function};
use crate::compile::place::slot;
use crate::compile::task::Task;
use pif_core::limits::{MOST_PARAMETERS, to_u32};

use crate::code::{Op, Place, Slot};
use crate::memory::word::{NIL, UNIT, boolean, fit, quoted};
use pif_language::form::Form;
use pif_language::term::TermId;

/// An operand: its slot, and the task that puts its value there.
type Operand = (Slot, Task);

impl Compiler<'_> {
    /// Finds an operand. A local variable is used in place. Any other term is evaluated into `d`.
    pub(super) fn operand(&mut self, t: TermId, d: Slot, depth: u32) -> Result<Operand, Failed> {
        if let Some(Place::Slot(a)) = self.variable_at(t)? {
            return Ok((a, Task::Visit { t, depth }));
        }
        if let Some(Place::Slot(a)) = self.half(t)? {
            return Ok((a, Task::Half { t, depth }));
        }
        Ok((d, Task::Term { t, d, depth }))
    }

    /// Finds two operands, in order. The second gets a slot of its own.
    pub(super) fn two(
        &mut self,
        t: TermId,
        d: Slot,
        depth: u32,
    ) -> Result<(Operand, Operand), Failed> {
        let (a, b) = (self.terms.operand(t, 0), self.terms.operand(t, 1));
        let first = self.operand(a, d, depth)?;
        let second = self.operand(b, if first.0 == d { d + 1 } else { d }, depth)?;
        Ok((first, second))
    }

    /// Where a term is that is a bound variable.
    fn variable_at(&mut self, t: TermId) -> Result<Option<Place>, Failed> {
        if self.terms.form(t) == Form::Var {
            self.look_up(self.terms.only_name(t))
        } else {
            Ok(None)
        }
    }

    /// Compiles `add` or `sub` if one operand is a literal. Returns whether it is. `last` makes the
    /// operation from the slot of the other operand and the literal to add.
    pub(super) fn sum_with_literal(
        &mut self,
        t: TermId,
        (d, depth): (Slot, u32),
        last: impl FnOnce(Slot, i32) -> Task,
    ) -> Result<bool, Failed> {
        let Some((which, n)) = self.terms.added_literal(t) else { return Ok(false) };
        let literal = Task::Visit { t: self.terms.operand(t, which), depth };
        let (a, task) = self.operand(self.terms.operand(t, 1 - which), d, depth)?;
        match which {
            0 => self.schedule(&[literal, task, last(a, n)]),
            _ => self.schedule(&[task, literal, last(a, n)]),
        }
        Ok(true)
    }

    pub(super) fn variable(&mut self, t: TermId, d: Slot) -> Result<(), Failed> {
        let name = self.terms.only_name(t);
        match self.look_up(name)? {
            Some(place) => self.fetch(place, d, t),
            None => self.emit(Op::Unbound { name }, t),
        }
        Ok(())
    }

    pub(super) fn record(&mut self, t: TermId, d: Slot, inner: u32) -> Result<(), Failed> {
        let names: Vec<_> = self.terms.names(t).to_vec();
        let keys = self.key_list(&names)?;
        self.emit(Op::Constant { d, k: 0 }, t);
        let items = Task::Items { t, index: 0, d, depth: inner };
        self.schedule(&[items, Task::Emit { op: Op::Record { d, keys }, t }]);
        Ok(())
    }

    /// Compiles `self`: the function of the tool that holds the term.
    pub(super) fn self_reference(&mut self, t: TermId, d: Slot, inner: u32) -> Result<(), Failed> {
        let depth = slot(inner);
        let tool = self.tool()?;
        self.end(Op::SelfTool { d, depth, cost: 0, tool }, t);
        Ok(())
    }

    /// Compiles a quote. It is a constant, unless it has holes.
    pub(super) fn quote(&mut self, t: TermId, d: Slot, inner: u32) {
        if !self.terms.evaluated(t).is_empty() {
            return self.builtin(t, Form::Quote, d, inner);
        }
        let k = self.constant(quoted(self.terms.operand(t, 0), 0));
        self.emit(Op::Constant { d, k }, t);
    }

    pub(super) fn constant_term(&mut self, t: TermId, d: Slot) -> Result<(), Failed> {
        if let Some(n) = self.terms.literal::<i32>(t) {
            self.emit(Op::Integer { d, n }, t);
            return Ok(());
        }
        let k = self.literal_constant(t)?;
        self.emit(Op::Constant { d, k }, t);
        Ok(())
    }

    /// Returns the constant of a literal other than a small integer. Each term has one.
    pub(super) fn literal_constant(&mut self, t: TermId) -> Result<u32, Failed> {
        if let Some(k) = self.literals.get(t) {
            return Ok(k);
        }
        let word = self.literal_word(t)?;
        let k = self.constant(word);
        self.literals.insert(t, k);
        Ok(k)
    }

    pub(super) fn literal_word(&mut self, t: TermId) -> Result<u64, Failed> {
        let terms = self.terms;
        Ok(match terms.form(t) {
            Form::Unit => UNIT,
            Form::Boolean => boolean(terms.boolean(t)),
            Form::Integer => match fit(terms.integer(t)) {
                Some(word) => word,
                None => self.big(&terms.integer(t).into())?,
            },
            Form::BigInteger => match terms.big_integer(t) {
                Some(n) => self.big(n)?,
                None => UNIT,
            },
            Form::FloatNumber if terms.float(t).is_nan() => {
                self.heap.grow(2 + crate::memory::heap::Heap::text_words("NaN".len()))?;
                let text = self.heap.text("NaN")?;
                self.heap.not_a_number(text)
            }
            Form::FloatNumber => {
                self.heap.grow(2)?;
                self.heap.float(terms.float(t))
            }
            Form::Text => {
                let text = terms.text(t);
                self.heap.grow(crate::memory::heap::Heap::text_words(text.len()))?;
                self.heap.text(text)?
            }
            _ => NIL,
        })
    }

    fn big(&mut self, n: &num_bigint::BigInt) -> Result<u64, Failed> {
        self.heap.grow(crate::memory::heap::Heap::integer_words(n))?;
        Ok(self.heap.integer(n))
    }

    fn key_list(&mut self, names: &[u32]) -> Result<u32, Failed> {
        let mut constants = Vec::with_capacity(names.len());
        let mut members = Vec::with_capacity(2 * names.len());
        for name in names {
            let text = self.terms.name(*name);
            self.heap.grow(crate::memory::heap::Heap::text_words(text.len()))?;
            let word = self.heap.text(text)?;
            members.extend([word, UNIT]);
            constants.push(self.constant(word));
        }
        // No key occurs twice.
        let shape = record::shape_of(self.heap, &members).unwrap_or_default();
        self.image.keys.push(Keys { constants, shape });
        u32::try_from(self.image.keys.len() - 1).map_err(|_| Failed::Entangled)
    }

    /// Compiles a list. A list of plain literals is a constant; any other is built from its end.
    pub(super) fn list(&mut self, t: TermId, d: Slot, inner: u32) -> Result<(), Failed> {
        let items = self.terms.operands(t);
        let plain = |t: &TermId| {
            matches!(
                self.terms.form(*t),
                Form::Unit
                    | Form::Boolean
                    | Form::Integer
                    | Form::BigInteger
                    | Form::FloatNumber
                    | Form::Text
            )
        };
        if !items.iter().all(plain) {
            self.emit(Op::Constant { d, k: 0 }, t);
            let items = Task::Items { t, index: 0, d, depth: inner };
            self.schedule(&[items, Task::Emit { op: Op::Reverse { d }, t }]);
            return Ok(());
        }
        if let (Some(first), Ok(nodes)) = (items.first(), u32::try_from(items.len())) {
            self.visit_literals(*first, inner, nodes);
        }
        let k = match self.literals.get(t) {
            Some(k) => k,
            None => self.constant_list(t, items)?,
        };
        self.emit(Op::Constant { d, k }, t);
        Ok(())
    }

    fn constant_list(&mut self, t: TermId, items: &[TermId]) -> Result<u32, Failed> {
        let mut words = Vec::with_capacity(items.len());
        for item in items {
            words.push(self.literal_word(*item)?);
        }
        self.heap.grow(2 * words.len())?;
        let list = self.heap.list(words.into_iter());
        let k = self.constant(list);
        self.literals.insert(t, k);
        Ok(k)
    }

    pub(super) fn items(
        &mut self,
        t: TermId,
        index: u32,
        d: Slot,
        depth: u32,
    ) -> Result<(), Failed> {
        let Some(item) = self.terms.evaluated(t).get(index as usize).copied() else {
            return Ok(());
        };
        let (a, task) = self.operand(item, d + 1, depth)?;
        let rest = Task::Items { t, index: index + 1, d, depth };
        self.schedule(&[task, Task::Emit { op: Op::Push { d, a }, t }, rest]);
        Ok(())
    }

    pub(super) fn projection(&mut self, t: TermId, d: Slot, inner: u32) -> Result<(), Failed> {
        let of = self.terms.operand(t, 0);
        if let Some(place) = self.half(t)? {
            self.schedule(&[Task::Visit { t: of, depth: inner }, Task::Fetch { place, d, t }]);
            return Ok(());
        }
        let (a, task) = self.operand(of, d, inner)?;
        let first = self.terms.form(t) == Form::Fst;
        let op = if first { Op::First { d, a } } else { Op::Second { d, a } };
        self.schedule(&[task, Task::Emit { op, t }]);
        Ok(())
    }

    /// Compiles a function.
    pub(super) fn lambda(&mut self, t: TermId, d: Slot) -> Result<(), Failed> {
        let is_self = self.unit.tool != 0 && self.unit.scope.is_none() && t == self.unit.root;
        let names = self.terms.names(t);
        if names.len() > MOST_PARAMETERS {
            return Err(Failed::Parameters(t));
        }
        let count = to_u32(names.len());
        let arity = slot(count);
        self.functions.push(Function { is_self, ..Function::new(arity) });
        for (name, place) in names.iter().zip(0..) {
            self.bind(*name, Place::Slot(place));
        }
        let body = self.terms.operand(t, 0);
        let tasks =
            [Task::Tail { t: body, d: arity }, Task::Unbind { count }, Task::Close { t, d }];
        self.schedule(&tasks);
        Ok(())
    }
}
