//! What the walk of costs knows of a value: how large its parts may be.

use super::bound::{Bound, Size};
use pif_language::term::{NameId, TermId};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How large a value may be. Of each kind that it may have there is a part; a value of no kind is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) number: Option<Number>,
    /// The bytes of a text.
    pub(super) text: Option<Bound>,
    /// A text that is known.
    pub(super) literal: Option<Rc<str>>,
    /// A boolean, null, a date: a value without parts.
    pub(super) plain: bool,
    /// The length of a list, and its elements.
    pub(super) list: Option<(Bound, Rc<Value>)>,
    /// The halves of a pair, or the elements of a literal list, each by itself.
    pub(super) tuple: Option<Rc<Vec<Value>>>,
    pub(super) record: Option<Rc<Record>>,
    /// The keys of a map or a set, how many there are, and the values.
    pub(super) map: Option<(Bound, Rc<[Value; 2]>)>,
    pub(super) functions: Vec<Rc<Function>>,
    /// Whether nothing is known of its kinds.
    pub(super) is_any: bool,
    /// The size of all its parts, if it is a part of the input of which nothing else is known.
    pub(super) size: Option<Bound>,
}

/// A number: at most 2^(64·limbs)·factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// The limbs that it has where it is a big integer, beside the factor.
    pub(super) limbs: Bound,
    pub(super) factor: Bound,
    /// Whether it comes from the input as it is: then it is big only if its limbs say so.
    pub(super) is_given: bool,
    /// Whether it may be a float.
    pub(super) is_float: bool,
    /// The greatest integer that it may be, or 0; none if that is not known.
    pub(super) most: Option<Bound>,
}

/// A record: the members that are known, and how many others there are, with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) members: BTreeMap<Rc<str>, Value>,
    pub(super) others: Option<(Bound, Bound, Value)>,
}

/// A function and the arguments that it has got.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) term: TermId,
    pub(super) env: Env,
    pub(super) held: Vec<Value>,
}

impl PartialEq for Function {
    /// Surroundings that are not one are different: comparing them would go as deep as they are.
    fn eq(&self, other: &Self) -> bool {
        let is_same_env = match (&self.env, &other.env) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        self.term == other.term && is_same_env && self.held == other.held
    }
}

impl Eq for Function {}

/// Variables, the innermost first.
pub(super) type Env = Option<Rc<Scope>>;

/// A variable and those around it.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) name: NameId,
    pub(super) entry: Entry,
    pub(super) outer: Env,
}

impl Drop for Scope {
    fn drop(&mut self) {
        drop_later(self.outer.take());
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        drop_later(self.env.take());
    }
}

thread_local! {
    /// Surroundings that are still to be dropped, while some are.
    static DROPPED: RefCell<Option<Vec<Rc<Scope>>>> = const { RefCell::new(None) };
}

/// Drops surroundings, one after another: they may hold one another as deep as a program binds names.
fn drop_later(env: Env) {
    let Some(env) = env else { return };
    let waits = DROPPED.with_borrow_mut(|dropped| match dropped {
        Some(open) => {
            open.push(env);
            true
        }
        None => {
            *dropped = Some(vec![env]);
            false
        }
    });
    if waits {
        return;
    }
    while let Some(env) = DROPPED.with_borrow_mut(|it| it.as_mut().and_then(Vec::pop)) {
        drop(env);
    }
    DROPPED.set(None);
}

/// What a variable is.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Value(Box<Value>),
    /// A function of a `letrec` in the surroundings of that.
    Recursive(TermId, Env),
}

pub(super) fn bind(outer: Env, name: NameId, entry: Entry) -> Env {
    Some(Rc::new(Scope { name, entry, outer }))
}

impl Value {
    pub(super) fn plain() -> Self {
        Self { plain: true, ..Self::default() }
    }

    pub(super) fn any() -> Self {
        Self { is_any: true, ..Self::default() }
    }

    /// A value of which only the size is known.
    pub(super) fn of_size(size: Bound) -> Self {
        Self { is_any: true, size: Some(size), ..Self::default() }
    }

    pub(super) fn text(bytes: Bound) -> Self {
        Self { text: Some(bytes), ..Self::default() }
    }

    pub(super) fn list(length: Bound, element: Self) -> Self {
        Self { list: Some((length, Rc::new(element))), ..Self::default() }
    }

    /// A number that is small, at most this.
    pub(super) fn count(most: Bound) -> Self {
        let (limbs, known) = (Bound::default(), Some(most.clone()));
        let number = Number { limbs, factor: most, is_given: false, is_float: false, most: known };
        Self { number: Some(number), ..Self::default() }
    }

    pub(super) fn number(number: Number) -> Self {
        Self { number: Some(number), ..Self::default() }
    }

    pub(super) fn float() -> Self {
        let limbs = Bound::default();
        let factor = Bound::from(1);
        let number = Number { limbs, factor, is_given: false, is_float: true, most: None };
        Self::number(number)
    }

    /// A value that is one or the other.
    pub(super) fn or(&self, other: &Self) -> Self {
        let mut joined = self.clone();
        joined.plain |= other.plain;
        joined.is_any |= other.is_any;
        joined.size = match (self.is_any, other.is_any) {
            (true, true) => self.size.as_ref().zip(other.size.as_ref()).map(|(a, b)| a.cover(b)),
            (true, false) => self.size.clone(),
            _ => other.size.clone(),
        };
        joined.number = either(self.number.as_ref(), other.number.as_ref(), Number::or);
        joined.text = either(self.text.as_ref(), other.text.as_ref(), Bound::cover);
        if self.literal != other.literal {
            joined.literal = None;
        }
        joined.list = either(self.list.as_ref(), other.list.as_ref(), |a, b| {
            (a.0.cover(&b.0), join(&a.1, &b.1))
        });
        joined.tuple = match (&self.tuple, &other.tuple) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                Some(Rc::new(a.iter().zip(b.iter()).map(|(a, b)| a.or(b)).collect()))
            }
            (Some(a), Some(b)) => {
                let list = as_list(a).or(&as_list(b));
                joined.list = either(joined.list.as_ref(), list.list.as_ref(), |a, b| {
                    (a.0.cover(&b.0), join(&a.1, &b.1))
                });
                None
            }
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        joined.record =
            either(self.record.as_ref(), other.record.as_ref(), |a, b| Rc::new(a.or(b)));
        joined.map = either(self.map.as_ref(), other.map.as_ref(), |a, b| {
            let halves = [a.1[0].or(&b.1[0]), a.1[1].or(&b.1[1])];
            (a.0.cover(&b.0), Rc::new(halves))
        });
        for function in &other.functions {
            if !joined.functions.contains(function) {
                joined.functions.push(Rc::clone(function));
            }
        }
        joined
    }

    /// How deep values are within it.
    pub(super) fn depth(&self) -> u32 {
        let list = self.list.iter().map(|it| it.1.depth());
        let tuple = self.tuple.iter().flat_map(|it| it.iter().map(Self::depth));
        let record = self.record.iter().flat_map(|it| {
            let others = it.others.iter().map(|it| it.2.depth());
            it.members.values().map(Self::depth).chain(others)
        });
        let map = self.map.iter().flat_map(|it| it.1.iter().map(Self::depth));
        let deepest = list.chain(tuple).chain(record).chain(map).max();
        deepest.map_or(0, |it| it + 1)
    }

    /// All bounds in it, to be changed, each in the order of the parts.
    pub(super) fn each(&self, change: &mut dyn FnMut(&Bound) -> Bound) -> Self {
        let mut made = self.clone();
        if let Some(number) = &mut made.number {
            number.limbs = change(&number.limbs);
            number.factor = change(&number.factor);
            number.most = number.most.as_ref().map(&mut *change);
        }
        made.text = made.text.map(|it| change(&it));
        made.size = made.size.map(|it| change(&it));
        made.list = made.list.map(|(length, it)| (change(&length), Rc::new(it.each(change))));
        made.tuple = made.tuple.map(|it| Rc::new(it.iter().map(|it| it.each(change)).collect()));
        made.record = made.record.map(|it| Rc::new(it.each(change)));
        made.map = made.map.map(|(length, halves)| {
            (change(&length), Rc::new([halves[0].each(change), halves[1].each(change)]))
        });
        made
    }

    /// The bounds in it, in order.
    pub(super) fn bounds(&self) -> Vec<Bound> {
        let mut all = Vec::new();
        self.each(&mut |it| {
            all.push(it.clone());
            it.clone()
        });
        all
    }

    /// The value with other bounds in place of sizes.
    pub(super) fn with(&self, sizes: &[(Size, Bound)]) -> Self {
        self.each(&mut |it| sizes.iter().fold(it.clone(), |it, (size, by)| it.with(*size, by)))
    }
}

impl Number {
    pub(super) fn or(&self, other: &Self) -> Self {
        Self {
            limbs: self.limbs.cover(&other.limbs),
            factor: self.factor.cover(&other.factor),
            is_given: self.is_given && other.is_given,
            is_float: self.is_float || other.is_float,
            most: self.most.as_ref().zip(other.most.as_ref()).map(|(a, b)| a.cover(b)),
        }
    }

    /// Whether it is an integer that is never big.
    pub(super) fn is_small(&self) -> bool {
        self.limbs.is_zero() && !self.is_float && self.factor.bits() <= SMALL_BITS
    }

    /// The limbs of the number where it is big, rounded up.
    pub(super) fn whole(&self) -> Bound {
        if self.is_given {
            return self.limbs.clone();
        }
        let bits = self.factor.bits();
        if self.limbs.is_zero() && bits <= SMALL_BITS {
            return Bound::default();
        }
        self.limbs.plus(&Bound::from(bits.div_ceil(64)))
    }

    /// The number as one that may have changed: it may be big by its last limb.
    pub(super) fn derived(&self) -> Self {
        if !self.is_given {
            return self.clone();
        }
        let limbs = self.limbs.plus(&Bound::from(1));
        Self { limbs, is_given: false, most: None, ..self.clone() }
    }

    /// The number with a bound in limbs alone.
    pub(super) fn in_limbs(&self) -> Self {
        let derived = self.derived();
        let limbs = derived.limbs.plus(&Bound::from(derived.factor.bits().div_ceil(64)));
        Self { limbs, factor: Bound::from(1), ..derived }
    }
}

/// Bits of the largest integer that is surely not big.
const SMALL_BITS: u64 = 61;

impl Record {
    fn or(&self, other: &Self) -> Self {
        let mut members = self.members.clone();
        for (name, value) in &other.members {
            let known = members.entry(Rc::clone(name)).or_default();
            *known = known.or(value);
        }
        let others = either(self.others.as_ref(), other.others.as_ref(), |a, b| {
            (a.0.cover(&b.0), a.1.cover(&b.1), a.2.or(&b.2))
        });
        Self { members, others }
    }

    fn each(&self, change: &mut dyn FnMut(&Bound) -> Bound) -> Self {
        let members =
            self.members.iter().map(|(name, it)| (Rc::clone(name), it.each(change))).collect();
        let others = self
            .others
            .as_ref()
            .map(|(count, key, value)| (change(count), change(key), value.each(change)));
        Self { members, others }
    }
}

/// The elements of a literal list or the halves of a pair, as elements of a list.
pub(super) fn as_list(elements: &[Value]) -> Value {
    let element = elements.iter().fold(Value::default(), |all, it| all.or(it));
    Value::list(Bound::from(elements.len() as u64), element)
}

fn either<T: Clone>(a: Option<&T>, b: Option<&T>, both: impl Fn(&T, &T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (a, b) => a.or(b).cloned(),
    }
}

fn join(a: &Rc<Value>, b: &Rc<Value>) -> Rc<Value> {
    Rc::new(a.or(b))
}

/// A list of just these, each told apart if they are few.
pub(super) fn tuple(elements: Vec<Value>) -> Value {
    if elements.len() > 8 {
        return as_list(&elements);
    }
    Value { tuple: Some(Rc::new(elements)), ..Value::default() }
}

/// The members of a record as a list.
pub(super) fn members(record: &Record) -> (Bound, Value) {
    let known = as_list(&record.members.values().cloned().collect::<Vec<_>>());
    let (count, value) = match known.list {
        Some((count, value)) => (count, (*value).clone()),
        None => (Bound::default(), Value::default()),
    };
    match &record.others {
        None => (count, value),
        // The others are counted with those that are known.
        Some((others, _, of)) => (others.cover(&count), value.or(of)),
    }
}

/// The keys of a record: how many, and the bytes of the longest.
pub(super) fn keys(record: &Record) -> (Bound, Bound) {
    let longest = record.members.keys().map(|it| it.len() as u64).max().unwrap_or_default();
    let count = members(record).0;
    match &record.others {
        None => (count, Bound::from(longest)),
        Some((_, bytes, _)) => (count, bytes.cover(&Bound::from(longest))),
    }
}
