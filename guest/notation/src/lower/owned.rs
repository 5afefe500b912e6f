//! How many levels of a value nobody else sees. A value may be changed in place as long as one
//! variable alone leads to it: then a new value under that name is all that anybody could see.
//!
//! A value that others see too has 0 levels of its own. A list of its own whose elements others see
//! has 1. A value that is its own whole has `ALL`.

use crate::ast::{Binary, Body, ExprId, FunctionId, Member, Statement, Unary, What};
use crate::lower::context::Cx;
use crate::lower::flow::ALL;
use crate::lower::resolve::{Origin, VarId};

/// The depth to which expressions are examined.
const DEEPEST: u8 = 12;

/// How an expression is examined.
#[derive(Clone, Copy)]
struct Look {
    /// How many levels of expressions may still be examined.
    left: u8,
    /// The function whose result it is. Nothing is known of names but of the function's own.
    function: Option<FunctionId>,
}

impl Look {
    /// One level deeper, unless that is too deep.
    fn deeper(self) -> Option<Self> {
        Some(Self { left: self.left.checked_sub(1)?, ..self })
    }
}

impl Cx<'_, '_> {
    /// Counts the levels of an expression's value that nobody else sees.
    pub(super) fn own_of(&self, id: ExprId) -> u8 {
        self.own_within(id, Look { left: DEEPEST, function: None })
    }

    fn own_within(&self, id: ExprId, look: Look) -> u8 {
        let Some(look) = look.deeper() else { return 0 };
        let within = |id: ExprId| self.own_within(id, look);
        match &self.ast.expr(id).what {
            What::List(items) => {
                let own = items.iter().map(|item| {
                    if item.is_spread {
                        within(item.value).saturating_sub(1)
                    } else {
                        within(item.value)
                    }
                });
                own.min().unwrap_or(ALL).saturating_add(1)
            }
            What::Record(members) => {
                let own = members.iter().enumerate().map(|(at, member)| match member {
                    Member::Named { name, value } => self.needed(name, within(*value)),
                    Member::Computed { value, .. } => within(*value),
                    Member::Spread(_) if self.is_covered(&members[at + 1..]) => ALL,
                    Member::Spread(value) => within(*value).saturating_sub(1),
                });
                own.min().unwrap_or(ALL).saturating_add(1)
            }
            What::Conditional { then, otherwise, .. } => within(*then).min(within(*otherwise)),
            What::Binary { operator: Binary::Or | Binary::Nullish | Binary::And, left, right } => {
                within(*left).min(within(*right))
            }
            What::Name(_) => self.var_of(id).map_or(0, |var| self.own_of_var(var, look)),
            What::Member { .. } | What::Index { .. } => {
                let own = self
                    .root_of(id)
                    .map_or(0, |(var, depth)| self.own_of_var(var, look).saturating_sub(depth));
                own.min(self.reached(id))
            }
            What::Await(id) => within(*id),
            What::Assign { value, operator: None, .. } => within(*value),
            What::Function(_) | What::Tool(_) | What::Pipe(_) | What::Json(..) => 0,
            What::Call { .. } => self.own_of_call(id, look),
            What::New { name, arguments } => match (*name, arguments.as_slice()) {
                ("Array", [_]) | (_, []) => ALL,
                ("Array", items) => items
                    .iter()
                    .map(|item| within(item.value))
                    .min()
                    .unwrap_or(ALL)
                    .saturating_add(1),
                ("Map", [item]) => self.own_of_pairs(item.value, look).saturating_add(1),
                ("Set", [item]) => within(item.value).max(1),
                _ => ALL,
            },
            What::Sequence(list) => list.last().map_or(ALL, |id| within(*id)),
            _ => ALL,
        }
    }

    /// Takes a member for its own whole if others see no part of it that a change goes through.
    pub(super) fn needed(&self, name: &str, own: u8) -> u8 {
        if own >= self.known.reach.of(name) { ALL } else { own }
    }

    /// Tells whether changes go through these members alone, so that others may see the members of
    /// a record that is spread before them.
    fn is_covered(&self, members: &[Member<'_>]) -> bool {
        let names = members.iter().filter_map(|member| match member {
            Member::Named { name, .. } => Some(&**name),
            Member::Computed { .. } | Member::Spread(_) => None,
        });
        self.known.reach.is_within(&names.collect())
    }

    /// Counts the levels of the value at a path of which it is known who sees them: those that
    /// changes go through.
    pub(super) fn reached(&self, mut id: ExprId) -> u8 {
        let mut own = ALL;
        let mut below = 0_u8;
        loop {
            let name: Option<&str> = match &self.ast.expr(id).what {
                What::Member { object, name, .. } => {
                    id = *object;
                    Some(name)
                }
                What::Index { object, index, .. } => {
                    id = *object;
                    match &self.ast.expr(*index).what {
                        What::Text(name) => Some(name),
                        _ => None,
                    }
                }
                _ => return own,
            };
            let levels = name.map_or(ALL, |name| self.known.reach.of(name));
            own = own.min(if levels == ALL { ALL } else { levels.saturating_sub(below) });
            below = below.saturating_add(1);
        }
    }

    fn own_of_var(&self, var: VarId, look: Look) -> u8 {
        if let Some(function) = look.function {
            return self.own_of_local(var, function, look);
        }
        let flow = self.flow.borrow();
        if flow.aliases.contains_key(&var) { 0 } else { flow.own(var) }
    }

    fn own_of_call(&self, id: ExprId, look: Look) -> u8 {
        let What::Call { callee, arguments, .. } = &self.ast.expr(id).what else { return 0 };
        let first = arguments.first().map(|item| item.value);
        let result = |id: Option<ExprId>| match id.map(|id| &self.ast.expr(id).what) {
            Some(What::Function(function)) => self.own_of_result(*function, look),
            _ => 0,
        };
        match &self.ast.expr(*callee).what {
            What::Member { object, name, .. } => match *name {
                "map" => result(first).saturating_add(1),
                "from" => match arguments.get(1) {
                    Some(item) => result(Some(item.value)).saturating_add(1),
                    None => first.map_or(0, |id| self.own_within(id, look)).max(1),
                },
                "fill" => first
                    .map_or(0, |id| self.own_within(id, look))
                    .min(if first.is_some_and(|id| self.is_scalar(id)) { ALL } else { 0 })
                    .saturating_add(1),
                "filter" | "slice" | "sort" | "toSorted" | "reverse" | "toReversed" | "concat"
                | "flat" | "values" | "toSpliced" | "with" | "groupBy" | "assign" => {
                    let inner = self.own_within(*object, look);
                    inner.max(1)
                }
                "fromEntries" => {
                    first.map_or(0, |id| self.own_of_pairs(id, look)).saturating_add(1)
                }
                "entries" | "splice" => 2,
                "keys" | "split" | "match" | "join" | "trim" | "toUpperCase" | "toLowerCase"
                | "replace" | "replaceAll" | "padStart" | "padEnd" | "repeat" | "toFixed"
                | "toString" | "indexOf" | "charAt" | "charCodeAt" | "substring" | "stringify"
                | "has" | "includes" | "parse" | "findIndex" | "some" | "every" | "test"
                | "push" | "max" | "min" | "floor" | "round" | "ceil" | "abs" | "size"
                | "toISOString" | "getTime" | "startsWith" | "endsWith" => ALL,
                "flatMap" => 1,
                "reduce" | "reduceRight" => match (first, arguments.get(1)) {
                    (Some(_), Some(start)) => {
                        self.own_within(start.value, look).min(self.own_of_reducer(first))
                    }
                    _ => 0,
                },
                "get" | "at" | "find" | "pop" | "shift" | "findLast" => {
                    self.own_within(*object, look).saturating_sub(1)
                }
                "set" | "add" => self.own_within(*object, look),
                _ => 0,
            },
            What::Name(name) => match (*name, self.var_of(*callee)) {
                (_, Some(var)) => match self.known.var(var).function {
                    Some(function) => self.own_of_result(function, look),
                    None => 0,
                },
                (
                    "Number" | "String" | "Boolean" | "parseInt" | "parseFloat" | "structuredClone"
                    | "isNaN" | "Array",
                    _,
                ) => ALL,
                _ => 0,
            },
            What::Function(function) => self.own_of_result(*function, look),
            _ => 0,
        }
    }

    /// Counts the levels of the values of a list of pairs that nobody else sees.
    fn own_of_pairs(&self, id: ExprId, look: Look) -> u8 {
        let Some(look) = look.deeper() else { return 0 };
        if let What::Call { callee, arguments, .. } = &self.ast.expr(id).what
            && let What::Member { name: "map", .. } = self.ast.expr(*callee).what
            && let Some(first) = arguments.first()
            && let What::Function(function) = self.ast.expr(first.value).what
            && let Body::Expression(body) = self.ast.function(function).body
            && let What::List(items) = &self.ast.expr(body).what
            && let [_, value] = items.as_slice()
        {
            return self.own_within(value.value, Look { function: Some(function), ..look });
        }
        self.own_within(id, look).saturating_sub(2)
    }

    /// Counts the levels of the accumulator of a reducer that nobody else sees.
    fn own_of_reducer(&self, function: Option<ExprId>) -> u8 {
        match function.map(|id| &self.ast.expr(id).what) {
            Some(What::Function(function)) => {
                let stored =
                    self.own_of_result(*function, Look { left: DEEPEST / 2, function: None });
                stored.max(1)
            }
            _ => 0,
        }
    }

    /// Counts the levels of a function's result that only its caller sees.
    fn own_of_result(&self, id: FunctionId, look: Look) -> u8 {
        let Some(look) = look.deeper() else { return 0 };
        let look = Look { function: Some(id), ..look };
        match &self.ast.function(id).body {
            Body::Expression(id) => self.own_within(*id, look),
            Body::Block(list) => {
                let returned = list.iter().filter_map(|id| match &self.ast.stmt(*id).what {
                    Statement::Return(value) => Some(*value),
                    _ => None,
                });
                // Values that nested statements return are not examined.
                let is_simple = list.iter().all(|id| {
                    let exits = self.known.exits.get(*id as usize).copied().unwrap_or_default();
                    !exits.returns || matches!(self.ast.stmt(*id).what, Statement::Return(_))
                });
                let own =
                    returned.map(|value| value.map_or(ALL, |id| self.own_within(id, look))).min();
                if is_simple { own.unwrap_or(ALL) } else { 0 }
            }
        }
    }

    /// Counts the levels of a variable in the result of a function. A local of the function counts
    /// as the value of its declaration.
    fn own_of_local(&self, var: VarId, function: FunctionId, look: Look) -> u8 {
        let info = self.known.var(var);
        match (info.origin, info.value, look.deeper()) {
            (Origin::Declared(_), Some(value), Some(look)) if info.home == Some(function) => {
                let own = self.own_within(value, look);
                if info.is_mutated { own.min(1) } else { own }
            }
            _ => 0,
        }
    }

    /// Tells whether the value of an expression always is a number, a text, a boolean or null.
    fn is_scalar(&self, id: ExprId) -> bool {
        match &self.ast.expr(id).what {
            What::Null
            | What::Boolean(_)
            | What::Number(_)
            | What::Text(_)
            | What::Template(_)
            | What::Update { .. } => true,
            What::Unary { operator, .. } => !matches!(operator, Unary::Void | Unary::Delete),
            What::Binary { operator, .. } => {
                !matches!(operator, Binary::And | Binary::Or | Binary::Nullish)
            }
            _ => false,
        }
    }
}
