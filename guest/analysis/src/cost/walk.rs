//! The walk of costs: it evaluates a program with sizes in place of values, and adds up what that
//! costs.

use super::bound::Bound;
use super::sizes::{Measure, Part, Sizes, Step};
use super::value::{Entry, Env, Function, Number, Record, Value, bind, tuple};
use crate::shape::Shape;
use pif_core::stack::Stack;
use pif_language::form::Form;
use pif_language::term::{NameId, TermId, Terms};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Deepest value that is told apart.
const DEEPEST: u32 = 12;
/// Most functions that are active at once.
const MOST_ACTIVE: usize = 100;

/// All that the walk knows.
#[derive(Debug, Default)]
pub(super) struct Core {
    pub(super) sizes: Sizes,
    /// What has been paid so far.
    pub(super) fuel: Bound,
    /// Whether something is paid whose bound is not known.
    pub(super) is_lost: bool,
    /// Steps that are left.
    pub(super) steps: u64,
    /// The functions that are being walked through.
    pub(super) active: Vec<Active>,
    /// The value of the program.
    pub(super) root: Option<Value>,
}

/// A function that is being walked through, and may call itself.
#[derive(Debug)]
pub(super) struct Active {
    pub(super) term: TermId,
    /// What its calls of itself are taken to give; none if it may not call itself.
    pub(super) assumed: Option<Value>,
    /// The arguments of these calls.
    pub(super) calls: Vec<Vec<Value>>,
}

/// The walk through one program.
#[derive(Clone, Debug)]
pub(super) struct Walk<'a> {
    pub(super) terms: &'a Terms,
    pub(super) core: Rc<RefCell<Core>>,
    pub(super) stack: Stack<'a>,
}

impl Walk<'_> {
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Core) -> T) -> T {
        work(&mut self.core.borrow_mut())
    }

    pub(super) fn pay(&self, fuel: &Bound) {
        self.with(|core| core.fuel.add(fuel));
    }

    /// What cannot be bounded makes the whole cost unknown.
    pub(super) fn lost(&self) -> Value {
        self.with(|core| core.is_lost = true);
        Value::any()
    }

    pub(super) async fn value(&self, term: TermId, env: Env) -> Value {
        self.stack.call(self.clone().evaluate(term, env)).await
    }

    /// What a term gives and what that costs, which is not paid yet.
    pub(super) async fn apart(&self, term: TermId, env: Env) -> (Bound, Value) {
        let before = self.with(|core| std::mem::take(&mut core.fuel));
        let value = self.value(term, env).await;
        let fuel = self.with(|core| std::mem::replace(&mut core.fuel, before));
        (fuel, value)
    }

    async fn evaluate(self, term: TermId, env: Env) -> Value {
        let form = self.terms.form(term);
        self.pay(&Bound::from(u64::from(form.visit_price())));
        let is_over = self.with(|core| {
            core.steps = core.steps.saturating_sub(1);
            core.is_lost |= core.steps == 0 || core.fuel.is_beyond_telling();
            core.is_lost
        });
        if is_over {
            return Value::any();
        }
        if let Some(literal) = self.literal(form, term) {
            return literal;
        }
        match form {
            Form::Var => self.variable(term, env.as_ref()),
            Form::Lam => function(term, env),
            Form::SelfRef => self.with(|core| core.root.clone()).unwrap_or_else(|| self.lost()),
            Form::Let => self.bindings(term, env).await,
            Form::Letrec => self.recursive(term, env).await,
            Form::If => self.choice(term, env).await,
            Form::Cond => self.branches(term, env).await,
            Form::Try => self.attempt(term, env).await,
            Form::App => self.application(term, env).await,
            _ => {
                let mut values = Vec::new();
                for operand in self.terms.operands(term) {
                    values.push(self.value(*operand, env.clone()).await);
                }
                match form {
                    Form::And | Form::Or | Form::Not | Form::Truth | Form::NumberIs => {
                        Value::plain()
                    }
                    Form::Either | Form::Both | Form::Coalesce => {
                        values.iter().fold(Value::default(), |all, it| all.or(it))
                    }
                    Form::List => self.shallow(tuple(values)),
                    Form::Pair => self.shallow(tuple(values)),
                    Form::Record => self.shallow(self.record(term, values)),
                    Form::Pipe => self.pipe(values).await,
                    _ => self.operation(form, term, values).await,
                }
            }
        }
    }

    fn literal(&self, form: Form, term: TermId) -> Option<Value> {
        Some(match form {
            Form::Unit | Form::Boolean => Value::plain(),
            Form::Quote if self.terms.evaluated(term).is_empty() => Value::any(),
            Form::Integer => integer(self.terms.integer(term)),
            Form::BigInteger => {
                let bits = self.terms.big_integer(term).map_or(0, num_bigint::BigInt::bits);
                Value::number(Number {
                    limbs: Bound::from(bits.div_ceil(64)),
                    factor: Bound::from(1),
                    is_given: false,
                    is_float: false,
                    most: None,
                })
            }
            Form::FloatNumber => Value::float(),
            Form::Nil => tuple(Vec::new()),
            Form::Text => {
                let text = self.terms.text(term);
                let value = Value::text(Bound::from(text.len() as u64));
                Value { literal: Some(Rc::from(text)), ..value }
            }
            _ => return None,
        })
    }

    /// The value of a variable. Each variable that is passed on the way to it is a step.
    fn variable(&self, term: TermId, env: Option<&Rc<super::value::Scope>>) -> Value {
        let name = self.terms.only_name(term);
        let (mut at, mut passed) = (env, 0);
        while let Some(scope) = at {
            if scope.name == name {
                self.with(|core| core.steps = core.steps.saturating_sub(passed));
                return match &scope.entry {
                    Entry::Value(value) => (**value).clone(),
                    Entry::Recursive(group, outer) => self.one_of(*group, outer, name),
                };
            }
            at = scope.outer.as_ref();
            passed += 1;
        }
        self.lost()
    }

    fn one_of(&self, group: TermId, outer: &Env, name: NameId) -> Value {
        let place = self.terms.names(group).iter().position(|it| *it == name);
        let Some(place) = place else { return self.lost() };
        let lambda = self.terms.operand(group, place);
        function(lambda, self.recursive_env(group, outer))
    }

    fn recursive_env(&self, group: TermId, outer: &Env) -> Env {
        let names = self.terms.names(group).iter();
        names.fold(outer.clone(), |env, name| {
            bind(env, *name, Entry::Recursive(group, outer.clone()))
        })
    }

    async fn recursive(&self, term: TermId, env: Env) -> Value {
        let operands = self.terms.operands(term);
        let Some((body, functions)) = operands.split_last() else { return Value::any() };
        for function in functions {
            self.pay(&Bound::from(u64::from(self.terms.form(*function).visit_price())));
        }
        self.value(*body, self.recursive_env(term, &env)).await
    }

    async fn bindings(&self, term: TermId, mut env: Env) -> Value {
        let names = self.terms.names(term);
        let operands = self.terms.operands(term);
        for (name, operand) in names.iter().zip(operands) {
            let value = self.value(*operand, env.clone()).await;
            env = bind(env, *name, Entry::Value(Box::new(value)));
        }
        let Some(body) = operands.last() else { return self.lost() };
        self.value(*body, env).await
    }

    async fn choice(&self, term: TermId, env: Env) -> Value {
        let [test, then, otherwise] = *self.terms.operands(term) else { return self.lost() };
        self.value(test, env.clone()).await;
        let (first, a) = self.apart(then, env.clone()).await;
        let (second, b) = self.apart(otherwise, env).await;
        self.pay(&first.cover(&second));
        a.or(&b)
    }

    async fn branches(&self, term: TermId, env: Env) -> Value {
        let (mut most, mut all) = (Bound::default(), Value::default());
        for pair in self.terms.operands(term).chunks(2) {
            let [test, value] = *pair else { break };
            self.value(test, env.clone()).await;
            let (fuel, value) = self.apart(value, env.clone()).await;
            most = most.cover(&fuel);
            all = all.or(&value);
        }
        self.pay(&most);
        all
    }

    /// What the tried term may cost before it faults, and the handler besides.
    async fn attempt(&self, term: TermId, env: Env) -> Value {
        let [tried, handler] = *self.terms.operands(term) else { return self.lost() };
        let first = self.value(tried, env.clone()).await;
        self.pay(&Bound::from(pif_language::prices::CAUGHT));
        let handler = self.value(handler, env).await;
        self.pay(&Bound::from(u64::from(Form::Try.application_price())));
        let text = || Value::text(Bound::from(400));
        let names = ["code", "message", "at", "hint", "reason", "tool"];
        let mut members: BTreeMap<Rc<str>, Value> =
            names.into_iter().map(|name| (Rc::from(name), text().or(&Value::plain()))).collect();
        members.insert(Rc::from("value"), Value::any());
        let record = Record { members, others: None };
        let fault = Value { record: Some(Rc::new(record)), ..Value::default() };
        let second = self.apply(&handler, vec![fault]).await;
        first.or(&second)
    }

    async fn application(&self, term: TermId, env: Env) -> Value {
        let mut values = Vec::new();
        for operand in self.terms.operands(term) {
            values.push(self.value(*operand, env.clone()).await);
        }
        let callee = values.remove(0);
        self.apply(&callee, values).await
    }

    async fn pipe(&self, values: Vec<Value>) -> Value {
        let mut values = values.into_iter();
        let Some(mut value) = values.next() else { return self.lost() };
        for function in values {
            self.pay(&Bound::from(u64::from(Form::Pipe.application_price())));
            value = self.apply(&function, vec![value]).await;
        }
        value
    }

    /// Applies what may be one of several functions: the dearest counts.
    pub(super) async fn apply(&self, callee: &Value, arguments: Vec<Value>) -> Value {
        if callee.is_any || callee.functions.is_empty() {
            return self.lost();
        }
        let before = self.with(|core| std::mem::take(&mut core.fuel));
        let (mut most, mut all) = (Bound::default(), Value::default());
        for function in &callee.functions {
            let call = self.clone().apply_one(Rc::clone(function), arguments.clone());
            let value = self.stack.call(call).await;
            most = most.cover(&self.with(|core| std::mem::take(&mut core.fuel)));
            all = all.or(&value);
        }
        self.with(|core| core.fuel = before);
        self.pay(&most);
        all
    }

    async fn apply_one(self, function: Rc<Function>, arguments: Vec<Value>) -> Value {
        let names = self.terms.names(function.term);
        let mut arguments = [&function.held[..], &arguments].concat();
        if arguments.len() < names.len() {
            let (term, env) = (function.term, function.env.clone());
            let waiting = Function { term, env, held: arguments };
            return Value { functions: vec![Rc::new(waiting)], ..Value::default() };
        }
        let rest = arguments.split_off(names.len());
        let given = self.enter(&function, arguments).await;
        if rest.is_empty() { given } else { self.apply(&given, rest).await }
    }

    async fn enter(&self, function: &Function, arguments: Vec<Value>) -> Value {
        let again = self.with(|core| {
            let active = core.active.iter_mut().rev().find(|it| it.term == function.term)?;
            active.calls.push(arguments.clone());
            Some(active.assumed.clone())
        });
        match again {
            Some(Some(assumed)) => return assumed,
            Some(None) => return self.lost(),
            None => {}
        }
        if self.with(|core| core.active.len()) >= MOST_ACTIVE {
            return self.lost();
        }
        if super::descent::calls_itself(self.terms, function) {
            return self.recursion(function, arguments).await;
        }
        self.body(function, arguments, None).await.0
    }

    /// Walks through the body of a function, with what its calls of itself are taken to give. Gives the
    /// arguments of these, too.
    pub(super) async fn body(
        &self,
        function: &Function,
        arguments: Vec<Value>,
        assumed: Option<Value>,
    ) -> (Value, Vec<Vec<Value>>) {
        let names = self.terms.names(function.term).iter();
        let env = names.zip(arguments).fold(function.env.clone(), |env, (name, value)| {
            bind(env, *name, Entry::Value(Box::new(value)))
        });
        let active = Active { term: function.term, assumed, calls: Vec::new() };
        self.with(|core| core.active.push(active));
        let value = self.value(self.terms.operand(function.term, 0), env).await;
        match self.with(|core| core.active.pop()) {
            Some(active) => (value, active.calls),
            None => (self.lost(), Vec::new()),
        }
    }

    fn record(&self, term: TermId, values: Vec<Value>) -> Value {
        let names = self.terms.names(term).iter();
        let members = names.map(|it| Rc::from(self.terms.name(*it))).zip(values).collect();
        let record = Record { members, others: None };
        Value { record: Some(Rc::new(record)), ..Value::default() }
    }

    /// The value; one that nests too deep is not followed.
    pub(super) fn shallow(&self, value: Value) -> Value {
        if value.depth() > DEEPEST { Value::any() } else { value }
    }
}

pub(super) fn function(term: TermId, env: Env) -> Value {
    let function = Function { term, env, held: Vec::new() };
    Value { functions: vec![Rc::new(function)], ..Value::default() }
}

fn integer(n: i64) -> Value {
    let mut value = Value::count(Bound::from(n.unsigned_abs()));
    if let (Some(number), true) = (&mut value.number, n < 0) {
        number.most = Some(Bound::default());
    }
    value
}

impl Core {
    /// What a part of the input is, by its type.
    pub(super) fn given(&mut self, part: &Part, shape: &Shape, depth: u32) -> Value {
        let Some(depth) = depth.checked_sub(1) else {
            return Value::of_size(self.sizes.of(Measure::Size, part));
        };
        match shape {
            Shape::Null | Shape::Boolean | Shape::Date => Value::plain(),
            Shape::Float => Value::float(),
            Shape::Integer | Shape::Number => Value::number(Number {
                limbs: self.sizes.of(Measure::Limbs, part),
                factor: Bound::from(1),
                is_given: true,
                is_float: *shape == Shape::Number,
                most: Some(self.sizes.of(Measure::Value, part)),
            }),
            Shape::Text => Value::text(self.sizes.of(Measure::Bytes, part)),
            Shape::Literal(text) => Value::text(Bound::from(text.len() as u64)),
            Shape::List(of) => {
                let length = self.sizes.of(Measure::Length, part);
                Value::list(length, self.given(&part.within(Step::Element), of, depth))
            }
            Shape::Tuple(shapes) => {
                let element = |(at, it)| self.given(&part.within(Step::Index(at)), it, depth);
                tuple(shapes.iter().enumerate().map(element).collect())
            }
            Shape::Dictionary(of) => {
                let values = self.given(&part.within(Step::Values), of, depth);
                let others = Some(self.others(part, values));
                let record = Record { members: BTreeMap::new(), others };
                Value { record: Some(Rc::new(record)), ..Value::default() }
            }
            Shape::Record(members) => {
                let member = |it: &crate::shape::Member| {
                    let part = part.within(Step::Member(it.name.clone()));
                    let value = self.given(&part, &it.shape, depth);
                    let value = if it.is_optional { value.or(&Value::plain()) } else { value };
                    (Rc::from(it.name.as_str()), value)
                };
                let members = members.iter().map(member).collect();
                let any = Value::of_size(self.sizes.of(Measure::Size, part));
                let others = Some(self.others(part, any));
                Value { record: Some(Rc::new(Record { members, others })), ..Value::default() }
            }
            Shape::Union(shapes) => {
                let each = shapes.iter().map(|it| self.given(part, it, depth));
                each.collect::<Vec<_>>().iter().fold(Value::default(), |all, it| all.or(it))
            }
            Shape::Both(both) => {
                let [a, b] = &**both;
                self.given(part, a, depth).or(&self.given(part, b, depth))
            }
            Shape::Never => Value::default(),
            _ => Value::of_size(self.sizes.of(Measure::Size, part)),
        }
    }

    fn others(&mut self, part: &Part, values: Value) -> (Bound, Bound, Value) {
        let count = self.sizes.of(Measure::Length, part);
        let keys = self.sizes.of(Measure::Bytes, &part.within(Step::Keys));
        (count, keys, values)
    }
}
