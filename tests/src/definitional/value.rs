//! Values and environments of the definitional evaluator.

use super::mapping::Entries;
use num_bigint::BigInt;
use pif::term::{NameId, TermId};
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
    /// What is not a number. The text that it came from is in messages only.
    NotNumber,
    Text(Rc<str>),
    List(List),
    Pair(Rc<(Value, Value)>),
    /// Members as they are listed.
    Record(Rc<Vec<(String, Value)>>),
    Map(Entries),
    /// Each element is key and value.
    Set(Entries),
    Function(Rc<Closure>),
    /// A term, and the tool it is the source of.
    Quoted(TermId, Context),
    Continuation(Rc<Continuation>),
    /// A regular expression of JavaScript: pattern and flags.
    Regex(Rc<(String, String)>),
    Match(Rc<Match>),
    /// Milliseconds since 1970.
    Date(i64),
}

impl Value {
    /// A lambda in its environment.
    pub(super) fn closure(lambda: TermId, env: &Environment, tool: &Context) -> Self {
        let (env, tool) = (env.clone(), tool.clone());
        Self::Function(Rc::new(Closure { lambda, taken: Vec::new(), env, tool }))
    }

    /// A match as its list, any other value unchanged.
    pub(super) fn without_match(self) -> Self {
        match self {
            Self::Match(found) => Self::List(found.list.clone()),
            value => value,
        }
    }

    /// The name of its type.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Unit => "null",
            Self::Boolean(_) => "boolean",
            Self::Integer(_) => "integer",
            Self::Float(_) | Self::NotNumber => "float",
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Pair(_) => "pair",
            Self::Record(_) => "record",
            Self::Map(_) => "map",
            Self::Set(_) => "set",
            Self::Function(_) => "function",
            Self::Quoted(..) => "quoted",
            Self::Continuation(_) => "continuation",
            Self::Regex(_) => "regex",
            Self::Match(_) => "list",
            Self::Date(_) => "date",
        }
    }
}

/// A match of a regular expression.
pub(super) struct Match {
    /// The whole and its groups.
    pub(super) list: List,
    pub(super) index: usize,
    pub(super) input: Rc<str>,
    /// The record of the named groups, or null.
    pub(super) groups: Value,
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

/// Variables and what they stand for, the innermost first.
#[derive(Clone, Default)]
pub(super) struct Environment(Option<Rc<(Binding, Environment)>>);

enum Binding {
    Value(NameId, Value),
    /// Functions that see each other: their lambdas, and the tool that these stand in.
    Functions(Vec<(NameId, TermId)>, Context),
}

impl Environment {
    pub(super) fn with(&self, name: NameId, value: Value) -> Self {
        Self(Some(Rc::new((Binding::Value(name, value), self.clone()))))
    }

    pub(super) fn with_functions(&self, functions: Vec<(NameId, TermId)>, tool: &Context) -> Self {
        Self(Some(Rc::new((Binding::Functions(functions, tool.clone()), self.clone()))))
    }

    /// Where it is, which tells it from others with the same variables.
    pub(super) fn address(&self) -> usize {
        self.0.as_ref().map_or(0, |binding| Rc::as_ptr(binding).addr())
    }

    pub(super) fn get(&self, name: NameId) -> Option<Value> {
        let mut at = self;
        while let Some(binding) = &at.0 {
            match &binding.0 {
                Binding::Value(known, value) if *known == name => return Some(value.clone()),
                Binding::Functions(functions, tool) => {
                    if let Some((_, lambda)) = functions.iter().find(|(known, _)| *known == name) {
                        return Some(Value::closure(*lambda, at, tool));
                    }
                }
                Binding::Value(..) => {}
            }
            at = &binding.1;
        }
        None
    }
}
