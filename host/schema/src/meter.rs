//! Counts the work of a validation. The validator sees a value through [`Place`], which counts each
//! look at the value. When the allowance is used up, the next look unwinds to [`measure`]. Every
//! validation therefore ends, wherever in the validator it is, and after the same work on every
//! platform.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, Node, NodeIdentity, Object, cmp};
use serde_json::{Map, Number, Value, map};

use super::equality;

/// Looks between two calls of [`Stop`].
const PERIOD: u32 = 4_096;

/// Bytes of a text that count as one look.
const TEXT: usize = 16;

/// The costs of the operations of a validation, in looks, and their limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    /// The most looks of the validation.
    pub(super) most: u64,
    /// Looks for each place of the value that the validator reaches.
    pub(super) place: u64,
    /// Looks for 16 bytes of a text.
    pub(super) text: u64,
    /// Looks for 16 bytes of the name of a member.
    pub(super) name: u64,
    /// Looks for each mismatch that is reported.
    pub(super) mismatch: u64,
}

/// A function that returns whether the validation has to stop.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// The reason why a validation did not finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// It used up its looks.
    Exhausted,
    /// [`Stop`] stopped it.
    Stopped,
}

thread_local! {
    static COSTS: Cell<Costs> =
        const { Cell::new(Costs { most: 0, place: 0, text: 0, name: 0, mismatch: 0 }) };
    static LEFT: Cell<u64> = const { Cell::new(0) };
    static SINCE: Cell<u32> = const { Cell::new(0) };
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Runs a validation on this thread and counts its looks.
pub(super) fn measure<T>(
    costs: Costs,
    stop: &Stop,
    work: impl FnOnce() -> T,
) -> Result<T, Interruption> {
    COSTS.set(costs);
    LEFT.set(costs.most);
    SINCE.set(0);
    STOP.set(Some(Arc::clone(stop)));
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    STOP.set(None);
    done.map_err(|payload| match payload.downcast::<Interruption>() {
        Ok(reason) => *reason,
        // A panic of the validator itself, which is a defect.
        Err(other) => panic::resume_unwind(other),
    })
}

/// Counts looks. Unwinds without calling the panic hook, because a used up allowance is no defect.
fn charge(looks: u64) {
    match LEFT.get().checked_sub(looks) {
        Some(left) => LEFT.set(left),
        None => panic::resume_unwind(Box::new(Interruption::Exhausted)),
    }
    let since = SINCE.get() + 1;
    SINCE.set(since % PERIOD);
    let is_over =
        since == PERIOD && STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop()));
    if is_over {
        panic::resume_unwind(Box::new(Interruption::Stopped));
    }
}

fn charge_text(bytes: usize, each: u64) {
    charge(1 + count(bytes.div_ceil(TEXT)).saturating_mul(each));
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The representation of values that the validator is compiled for.
pub(super) struct MeteredValue;

impl Json for MeteredValue {
    type Node<'a> = Place<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Value,
        string: &str,
        judge: impl FnOnce(Place<'_>) -> T,
    ) -> T {
        *buffer = Value::from(string);
        judge(Place(buffer))
    }
}

/// A place in a value.
#[derive(Clone, Copy)]
pub(super) struct Place<'a>(pub(super) &'a Value);

impl<'a> Node<'a, MeteredValue> for Place<'a> {
    type Object = Members<'a>;
    type Array = Items<'a>;
    type Number = &'a Number;

    fn as_object(&self) -> Option<Members<'a>> {
        charge(1);
        self.0.as_object().map(Members)
    }

    fn as_array(&self) -> Option<Items<'a>> {
        charge(1);
        self.0.as_array().map(|items| Items(items))
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.0.as_str();
        charge_text(text.map_or(0, str::len), COSTS.get().text);
        text.map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<&'a Number> {
        let number = self.0.as_number();
        charge_text(number.map_or(0, |it| it.as_str().len()), 1);
        number
    }

    fn as_boolean(&self) -> Option<bool> {
        charge(1);
        self.0.as_bool()
    }

    fn is_null(&self) -> bool {
        charge(1);
        self.0.is_null()
    }

    fn json_type(&self) -> JsonType {
        charge(1);
        JsonType::from(self.0)
    }

    fn string_length(&self) -> Option<u64> {
        let text = self.0.as_str();
        charge_text(text.map_or(0, str::len), 1);
        text.map(|text| count(text.chars().count()))
    }

    fn equals_value(&self, expected: &Value) -> bool {
        // The part that both have in common is no longer than the schema.
        charge(1 + COSTS.get().place);
        cmp::equal(self.0, expected)
    }

    /// Every mismatch quotes the value that this returns.
    fn to_value(&self) -> Cow<'a, Value> {
        charge(COSTS.get().mismatch);
        Cow::Borrowed(self.0)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        charge(1);
        Some(NodeIdentity::new(std::ptr::from_ref(self.0).addr()))
    }
}

/// The members of an object.
pub(super) struct Members<'a>(&'a Map<String, Value>);

impl<'a> Object<'a, MeteredValue> for Members<'a> {
    type Node = Place<'a>;
    type MemberName = &'a str;
    type MembersIter = EachMember<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<Place<'a>> {
        let found = self.0.get(key);
        charge(1 + found.map_or(0, |_| COSTS.get().place));
        found.map(Place)
    }

    fn members(&self) -> EachMember<'a> {
        EachMember(self.0.iter())
    }
}

/// Iterates over the members of an object.
pub(super) struct EachMember<'a>(map::Iter<'a>);

impl<'a> Iterator for EachMember<'a> {
    type Item = (&'a str, Place<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.0.next()?;
        let costs = COSTS.get();
        charge(costs.place);
        charge_text(name.len(), costs.name);
        Some((name, Place(value)))
    }
}

/// The items of an array.
pub(super) struct Items<'a>(&'a [Value]);

impl<'a> Array<'a, MeteredValue> for Items<'a> {
    type Node = Place<'a>;
    type ElementsIter = EachItem<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn elements(&self) -> EachItem<'a> {
        EachItem(self.0.iter())
    }

    /// Replaces the validator's own algorithm, which takes quadratic time for numbers that are
    /// equal as floats.
    fn is_unique(&self) -> bool {
        let mut seen = HashSet::new();
        self.0.iter().all(|item| {
            let key = equality::key(item);
            charge_text(key.len(), 1);
            seen.insert(key)
        })
    }
}

/// Iterates over the items of an array.
pub(super) struct EachItem<'a>(std::slice::Iter<'a, Value>);

impl<'a> Iterator for EachItem<'a> {
    type Item = Place<'a>;

    fn next(&mut self) -> Option<Place<'a>> {
        let item = self.0.next()?;
        charge(1 + COSTS.get().place);
        Some(Place(item))
    }
}
