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

impl<'s> Cx<'_, 's> {
    /// Counts the levels of an expression's value that nobody else sees.
    pub(super) fn own_of(&self, id: ExprId) -> u8 {
        self.own_within(id, DEEPEST)
    }

    fn own_within(&self, id: ExprId, left: u8) -> u8 {
        let Some(left) = left.checked_sub(1) else { return 0 };
        let within = |id: ExprId| self.own_within(id, left);
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
                let own = members.iter().map(|member| match member {
                    Member::Named { value, .. } | Member::Computed { value, .. } => within(*value),
                    Member::Spread(value) => within(*value).saturating_sub(1),
                });
                own.min().unwrap_or(ALL).saturating_add(1)
            }
            What::Conditional { then, otherwise, .. } => within(*then).min(within(*otherwise)),
            What::Binary { operator: Binary::Or | Binary::Nullish | Binary::And, left, right } => {
                within(*left).min(within(*right))
            }
            What::Name(_) => self.var_of(id).map_or(0, |var| self.own_of_var(var)),
            What::Member { .. } | What::Index { .. } => self
                .root_of(id)
                .map_or(0, |(var, depth)| self.own_of_var(var).saturating_sub(depth)),
            What::Await(id) => within(*id),
            What::Assign { value, operator: None, .. } => within(*value),
            What::Function(_) | What::Tool(_) | What::Pipe(_) | What::Json(..) => 0,
            What::Call { .. } => self.own_of_call(id, left),
            What::New { name, arguments } => match (*name, arguments.as_slice()) {
                ("Array", [_]) | (_, []) => ALL,
                ("Array", items) => items
                    .iter()
                    .map(|item| within(item.value))
                    .min()
                    .unwrap_or(ALL)
                    .saturating_add(1),
                ("Set" | "Map", [item]) => within(item.value).max(1),
                _ => ALL,
            },
            What::Sequence(list) => list.last().map_or(ALL, |id| within(*id)),
            _ => ALL,
        }
    }

    fn own_of_var(&self, var: VarId) -> u8 {
        let flow = self.flow.borrow();
        if flow.aliases.contains_key(&var) { 0 } else { flow.own(var) }
    }

    fn own_of_call(&self, id: ExprId, left: u8) -> u8 {
        let What::Call { callee, arguments, .. } = &self.ast.expr(id).what else { return 0 };
        let first = arguments.first().map(|item| item.value);
        let result = |id: Option<ExprId>| match id.map(|id| &self.ast.expr(id).what) {
            Some(What::Function(function)) => self.own_of_result(*function, left),
            _ => 0,
        };
        match &self.ast.expr(*callee).what {
            What::Member { object, name, .. } => match *name {
                "map" => result(first).saturating_add(1),
                "from" => match arguments.get(1) {
                    Some(item) => result(Some(item.value)).saturating_add(1),
                    None => first.map_or(0, |id| self.own_within(id, left)).max(1),
                },
                "fill" => first
                    .map_or(0, |id| self.own_within(id, left))
                    .min(if first.is_some_and(|id| self.is_scalar(id)) { ALL } else { 0 })
                    .saturating_add(1),
                "filter" | "slice" | "sort" | "toSorted" | "reverse" | "toReversed" | "concat"
                | "flat" | "values" | "fromEntries" | "toSpliced" | "with" | "groupBy"
                | "assign" => {
                    let inner = self.own_within(*object, left);
                    inner.max(1)
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
                        self.own_within(start.value, left).min(self.own_of_reducer(first))
                    }
                    _ => 0,
                },
                "get" | "at" | "find" | "pop" | "shift" | "findLast" => {
                    self.own_within(*object, left).saturating_sub(1)
                }
                "set" | "add" => self.own_within(*object, left),
                _ => 0,
            },
            What::Name(name) => match (*name, self.var_of(*callee)) {
                (_, Some(var)) => match self.known.var(var).function {
                    Some(function) => self.own_of_result(function, left),
                    None => 0,
                },
                (
                    "Number" | "String" | "Boolean" | "parseInt" | "parseFloat" | "structuredClone"
                    | "isNaN",
                    _,
                ) => ALL,
                ("Array", _) => ALL,
                _ => 0,
            },
            What::Function(function) => self.own_of_result(*function, left),
            _ => 0,
        }
    }

    /// Counts the levels of the accumulator of a reducer that nobody else sees.
    fn own_of_reducer(&self, function: Option<ExprId>) -> u8 {
        match function.map(|id| &self.ast.expr(id).what) {
            Some(What::Function(function)) => {
                let stored = self.own_of_result(*function, DEEPEST / 2);
                stored.max(1)
            }
            _ => 0,
        }
    }

    /// Counts the levels of a function's result that only its caller sees.
    fn own_of_result(&self, function: FunctionId, left: u8) -> u8 {
        let Some(left) = left.checked_sub(1) else { return 0 };
        let function = self.ast.function(function);
        match &function.body {
            Body::Expression(id) => self.own_local(*id, left),
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
                    returned.map(|value| value.map_or(ALL, |id| self.own_local(id, left))).min();
                if is_simple { own.unwrap_or(ALL) } else { 0 }
            }
        }
    }

    /// Counts the levels of an expression in another function. A local there counts as the value of
    /// its declaration.
    fn own_local(&self, id: ExprId, left: u8) -> u8 {
        if let What::Name(_) = self.ast.expr(id).what
            && let Some(var) = self.var_of(id)
        {
            let info = self.known.var(var);
            return match (info.origin, info.value, left.checked_sub(1)) {
                (Origin::Declared(_), Some(value), Some(left)) => {
                    let own = self.own_within(value, left);
                    if own == 0 {
                        0
                    } else if info.is_mutated {
                        1
                    } else {
                        own
                    }
                }
                _ => 0,
            };
        }
        self.own_within(id, left)
    }

    /// Tells whether the value of an expression always is a number, a text, a boolean or null.
    fn is_scalar(&self, id: ExprId) -> bool {
        match &self.ast.expr(id).what {
            What::Null | What::Boolean(_) | What::Number(_) | What::Text(_) | What::Template(_) => {
                true
            }
            What::Unary { operator, .. } => !matches!(operator, Unary::Void | Unary::Delete),
            What::Update { .. } => true,
            What::Binary { operator, .. } => {
                !matches!(operator, Binary::And | Binary::Or | Binary::Nullish)
            }
            _ => false,
        }
    }
}
