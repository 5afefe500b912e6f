//! Values and environments of the definitional evaluator.

use num_bigint::BigInt;
use pif_guest::term::{NameId, TermId};
use std::rc::Rc;

/// The tool whose source a term stands in.
pub(super) type Context = Option<Rc<str>>;

/// A value.
#[derive(Clone)]
pub(super) enum Value {
    Unit,
    Boolean(bool),
    Integer(BigInt),
    Float(f64),
    Text(Rc<str>),
    List(List),
    Pair(Rc<(Value, Value)>),
    /// Members in the order of their keys.
    Record(Rc<Vec<(String, Value)>>),
    Function(Rc<Closure>),
    /// A term, and the tool it is the source of.
    Quoted(TermId, Context),
    Continuation(Rc<Continuation>),
}

impl Value {
    /// The name of its type.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Unit => "null",
            Self::Boolean(_) => "boolean",
            Self::Integer(_) => "integer",
            Self::Float(_) => "float",
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Pair(_) => "pair",
            Self::Record(_) => "record",
            Self::Function(_) => "function",
            Self::Quoted(..) => "quoted",
            Self::Continuation(_) => "continuation",
        }
    }
}

/// A lambda with its environment and the arguments it has been given so far.
pub(super) struct Closure {
    pub(super) lambda: TermId,
    pub(super) taken: Vec<Value>,
    pub(super) env: Environment,
    pub(super) tool: Context,
}

/// The next input of a tool.
pub(super) struct Continuation {
    pub(super) tool: Rc<str>,
    pub(super) input: Value,
    pub(super) step: u64,
}

/// A list that shares its tails.
#[derive(Clone, Default)]
pub(super) struct List(pub(super) Option<Rc<(Value, List)>>);

impl List {
    pub(super) fn cons(head: Value, tail: Self) -> Self {
        Self(Some(Rc::new((head, tail))))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Value> {
        std::iter::successors(self.0.as_deref(), |cell| cell.1.0.as_deref()).map(|cell| &cell.0)
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        let items: Vec<Value> = items.into_iter().collect();
        items.into_iter().rev().fold(Self::default(), |tail, head| Self::cons(head, tail))
    }
}

/// Variables and their values, the innermost first.
#[derive(Clone, Default)]
pub(super) struct Environment(Option<Rc<(NameId, Value, Environment)>>);

impl Environment {
    pub(super) fn with(&self, name: NameId, value: Value) -> Self {
        Self(Some(Rc::new((name, value, self.clone()))))
    }

    pub(super) fn get(&self, name: NameId) -> Option<Value> {
        let mut bindings = std::iter::successors(self.0.as_deref(), |b| b.2.0.as_deref());
        bindings.find(|binding| binding.0 == name).map(|binding| binding.1.clone())
    }
}
