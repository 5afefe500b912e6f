//! The members that changes go through. `g[k].items.push(x)` changes the value of the member
//! `items`; if nothing changes a part of the member `name`, it does not matter who else sees that
//! part.

use crate::ast::{Ast, Binary, ExprId, Key, Member, PatternId, Statement, Target, Unary, What};
use crate::lower::names::{changes_in_place, is_callback_member};
use crate::lower::resolve::resolved::{ALL_LEVELS, Reach, Resolved, VarId};
use std::cell::Cell;
use std::collections::BTreeMap;

/// How deep the values of variables are examined.
const DEEPEST: u8 = 8;

/// How many parts of values are examined. In a program that has more, changes may go anywhere.
const MOST_STEPS: u32 = 200_000;

/// How many parts of one value are examined.
const MOST_PARTS: usize = 200;

/// A step of a path of members.
#[derive(Clone, Copy)]
enum Step<'a> {
    Named(&'a str),
    /// The key is computed; the expression is the object.
    Computed(ExprId),
    /// An element of a list.
    Element,
}

/// The facts that are gathered in one pass over the expressions and statements.
struct Pass<'a, 's> {
    ast: &'a Ast<'s>,
    known: &'a Resolved<'s>,
    reach: Reach,
    /// Paths whose value a variable gets.
    given: Vec<(VarId, Vec<Step<'a>>)>,
    /// All values that a variable or a member of a name gets, where they are expressions.
    values: BTreeMap<VarId, Vec<ExprId>>,
    members: BTreeMap<&'a str, Vec<ExprId>>,
    /// Members with a written name that are assigned to.
    assigned: Vec<(&'a str, ExprId)>,
    /// How many parts of values may still be examined.
    left: Cell<u32>,
}

/// Finds the members that changes go through.
pub(super) fn reach(ast: &Ast<'_>, known: &Resolved<'_>) -> Reach {
    if !known.mutates {
        return Reach::default();
    }
    let mut pass = Pass {
        ast,
        known,
        reach: Reach::default(),
        given: Vec::new(),
        values: BTreeMap::new(),
        members: BTreeMap::new(),
        assigned: Vec::new(),
        left: Cell::new(MOST_STEPS),
    };
    let mut changes = Vec::new();
    for expr in &ast.exprs {
        pass.expr(&expr.what, &mut changes);
    }
    for stmt in &ast.stmts {
        pass.stmt(&stmt.what);
    }
    let mut deepest = vec![0; known.vars.len()];
    for event in known.events.iter().filter(|event| !event.is_call) {
        if let Some(deepest) = deepest.get_mut(event.var as usize) {
            *deepest = event.depth.max(*deepest);
        }
    }
    for (var, path) in std::mem::take(&mut pass.given) {
        let depth = deepest.get(var as usize).copied().unwrap_or_default();
        if depth > 0 {
            changes.push((path, depth > 1));
        }
    }
    for (path, is_deeper) in &changes {
        pass.through(path, *is_deeper);
    }
    pass.reach.is_any |= pass.left.get() == 0;
    pass.reach
}

impl<'a> Pass<'a, '_> {
    fn expr(&mut self, what: &'a What<'_>, changes: &mut Vec<(Vec<Step<'a>>, bool)>) {
        let ast = self.ast;
        match what {
            What::Assign { target, value, .. } => {
                for leaf in ast.leaves(*target) {
                    if let Target::Path(path) = ast.pattern(leaf).what {
                        changes.extend(self.object_paths(path));
                        if let Some(name) = self.written_name(path) {
                            self.members.entry(name).or_default().push(*value);
                            self.assigned.push((name, path));
                        }
                    }
                }
                self.give(*target, *value, false);
            }
            What::Update { target, .. } => {
                if let Target::Path(path) = ast.pattern(*target).what {
                    changes.extend(self.object_paths(path));
                }
            }
            What::Unary { operator: Unary::Delete, operand } => {
                changes.extend(self.object_paths(*operand));
            }
            What::Record(members) => {
                for member in members {
                    if let Member::Named { name, value, .. } = member {
                        self.members.entry(name).or_default().push(*value);
                    }
                }
            }
            What::Call { callee, arguments, .. } => {
                let What::Member { object, name, .. } = &ast.expr(*callee).what else { return };
                if changes_in_place(name) {
                    changes.extend(self.paths(*object).into_iter().map(|path| (path, false)));
                }
                let first = arguments.first().map(|item| item.value);
                if let ("assign", Some(first)) = (*name, first) {
                    changes.extend(self.paths(first).into_iter().map(|path| (path, false)));
                }
                if is_callback_member(name) {
                    self.callbacks(*object, name, arguments.iter().map(|item| item.value));
                }
            }
            _ => {}
        }
    }

    /// Notes what the parameters of callbacks get.
    fn callbacks(&mut self, object: ExprId, name: &str, arguments: impl Iterator<Item = ExprId>) {
        let ast = self.ast;
        let arguments: Vec<ExprId> = arguments.collect();
        let is_reducer = matches!(name, "reduce" | "reduceRight");
        for argument in &arguments {
            let What::Function(function) = ast.expr(*argument).what else { continue };
            for (at, parameter) in ast.function(function).parameters.iter().enumerate() {
                match (is_reducer, at, arguments.get(1)) {
                    (true, 0, Some(start)) => self.give(parameter.pattern, *start, false),
                    _ => self.give(parameter.pattern, object, true),
                }
            }
        }
    }

    fn stmt(&mut self, what: &'a Statement) {
        match what {
            Statement::Declare { names, .. } => {
                for (pattern, value) in names {
                    if let Some(value) = value {
                        self.give(*pattern, *value, false);
                    }
                }
            }
            Statement::ForOf { pattern, list, .. } => self.give(*pattern, *list, true),
            _ => {}
        }
    }

    /// Notes that a pattern gets a value, or an element of it.
    fn give(&mut self, pattern: PatternId, value: ExprId, is_element: bool) {
        let ast = self.ast;
        let mut open = vec![(pattern, Vec::new())];
        while let Some((id, inner)) = open.pop() {
            match &ast.pattern(id).what {
                Target::Name(_) => {
                    let Some(var) = self.known.targets.get(id as usize).copied().flatten() else {
                        continue;
                    };
                    if inner.is_empty() && !is_element {
                        self.values.entry(var).or_default().push(value);
                    }
                    for mut path in self.paths(value) {
                        path.extend(is_element.then_some(Step::Element));
                        let names = inner.iter().copied();
                        path.extend(
                            names.map(|name: Option<&'a str>| {
                                name.map_or(Step::Element, Step::Named)
                            }),
                        );
                        self.given.push((var, path));
                    }
                }
                Target::List { elements, rest } => {
                    let with = |name| inner.iter().copied().chain([name]).collect();
                    let elements = elements.iter().flatten().map(|element| element.pattern);
                    open.extend(elements.map(|pattern| (pattern, with(None))));
                    open.extend(rest.map(|pattern| (pattern, inner.clone())));
                }
                Target::Record { members, rest } => {
                    for (key, element) in members {
                        let name = match key {
                            Key::Named(name) => Some(&**name),
                            Key::Computed(_) => None,
                        };
                        let path = inner.iter().copied().chain([name]).collect();
                        open.push((element.pattern, path));
                    }
                    open.extend(rest.map(|pattern| (pattern, inner.clone())));
                }
                Target::Path(_) => {}
            }
        }
    }

    /// The paths to the object of a member, whose value a change of the member changes.
    fn object_paths(&self, member: ExprId) -> Vec<(Vec<Step<'a>>, bool)> {
        let (What::Member { object, .. } | What::Index { object, .. }) = self.ast.expr(member).what
        else {
            return Vec::new();
        };
        self.paths(object).into_iter().map(|path| (path, false)).collect()
    }

    /// Counts a part of a value. Tells whether it may be examined.
    fn takes_step(&self) -> bool {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        left > 0
    }

    /// The paths that lead to the value of an expression, without their beginnings.
    fn paths(&self, id: ExprId) -> Vec<Vec<Step<'a>>> {
        let ast = self.ast;
        let mut found = Vec::new();
        let mut open = vec![(id, Vec::new())];
        let mut parts = 0;
        while let Some((id, mut path)) = open.pop() {
            // The steps stand from the last to the first.
            let mut id = id;
            loop {
                parts += 1;
                if parts > MOST_PARTS {
                    self.left.set(0);
                }
                if !self.takes_step() {
                    return Vec::new();
                }
                match &ast.expr(id).what {
                    What::Member { object, name, .. } => {
                        path.push(Step::Named(name));
                        id = *object;
                    }
                    What::Index { object, index, .. } => {
                        path.push(match &ast.expr(*index).what {
                            What::Text(name) => Step::Named(name),
                            What::Number(_) => Step::Element,
                            _ => Step::Computed(*object),
                        });
                        id = *object;
                    }
                    What::Call { callee, arguments, .. } => {
                        let What::Member { object, name, .. } = &ast.expr(*callee).what else {
                            break;
                        };
                        let is_global = matches!(ast.expr(*object).what, What::Name("Object"));
                        let first = arguments.first().map(|item| item.value);
                        match (*name, first) {
                            ("get" | "at" | "find" | "findLast" | "pop" | "shift", _) => {
                                path.push(Step::Element);
                                id = *object;
                            }
                            ("values" | "entries", Some(first)) if is_global => {
                                path.push(Step::Computed(first));
                                id = first;
                            }
                            (
                                "filter" | "slice" | "toSorted" | "toReversed" | "concat"
                                | "values" | "flat" | "sort" | "reverse" | "entries",
                                _,
                            ) => id = *object,
                            _ => break,
                        }
                    }
                    What::List(items) => match items.as_slice() {
                        [item] if item.is_spread => id = item.value,
                        _ => break,
                    },
                    What::Await(inner) => id = *inner,
                    What::Assign { target, .. } => match ast.pattern(*target).what {
                        Target::Path(inner) => id = inner,
                        _ => break,
                    },
                    What::Binary {
                        operator: Binary::Or | Binary::Nullish | Binary::And,
                        left,
                        right,
                    } => {
                        open.push((*right, path.clone()));
                        id = *left;
                    }
                    What::Conditional { then, otherwise, .. } => {
                        open.push((*otherwise, path.clone()));
                        id = *then;
                    }
                    _ => break,
                }
            }
            path.reverse();
            found.push(path);
        }
        found
    }

    /// Notes a change of the value at the end of a path, or of a part of that value.
    fn through(&mut self, path: &[Step<'_>], is_deeper: bool) {
        for (at, step) in path.iter().enumerate() {
            let levels = if is_deeper || at + 1 < path.len() { ALL_LEVELS } else { 1 };
            match step {
                Step::Named(name) => self.reach_name(name, levels),
                Step::Computed(object) if !self.is_table(*object, DEEPEST) => {
                    self.reach.is_any = true;
                }
                // A table may have got members by their names.
                Step::Computed(object) => {
                    let is_own = |it: &&(&'a str, ExprId)| self.may_be_object(it.1, *object);
                    let own: Vec<&str> =
                        self.assigned.iter().filter(is_own).map(|it| it.0).collect();
                    for name in own {
                        self.reach_name(name, levels);
                    }
                }
                Step::Element => {}
            }
        }
    }

    /// Tells whether the object of a member may be the table that another expression names.
    fn may_be_object(&self, member: ExprId, table: ExprId) -> bool {
        let (What::Member { object, .. } | What::Index { object, .. }) = self.ast.expr(member).what
        else {
            return true;
        };
        let var_of = |id: ExprId| self.known.names.get(id as usize).copied().flatten();
        match (&self.ast.expr(object).what, &self.ast.expr(table).what) {
            (What::Name(_), What::Name(_)) => {
                let values = var_of(object).and_then(|var| self.values.get(&var));
                let is_name = |id: &ExprId| matches!(self.ast.expr(*id).what, What::Name(_));
                var_of(object) == var_of(table) || values.is_some_and(|all| all.iter().any(is_name))
            }
            (What::Member { name, .. }, What::Member { name: other, .. }) => name == other,
            (What::Index { .. } | What::Call { .. }, What::Name(_)) => false,
            _ => true,
        }
    }

    fn reach_name(&mut self, name: &str, levels: u8) {
        let known = self.reach.levels.entry(name.to_owned()).or_default();
        *known = (*known).max(levels);
    }

    /// The name of the member that is assigned to, if it is written.
    fn written_name(&self, path: ExprId) -> Option<&'a str> {
        match &self.ast.expr(path).what {
            What::Member { name, .. } => Some(name),
            What::Index { index, .. } => match &self.ast.expr(*index).what {
                What::Text(name) => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// Tells whether a value surely is a list, a map, or a record that begins empty: what a computed key
    /// leads to is no named member of a record literal.
    fn is_table(&self, id: ExprId, left: u8) -> bool {
        let Some(left) = left.checked_sub(1).filter(|_| self.takes_step()) else { return false };
        let all = |values: Option<&Vec<ExprId>>| {
            values.is_some_and(|values| values.iter().all(|value| self.is_table(*value, left)))
        };
        match &self.ast.expr(id).what {
            What::Record(members) => members.is_empty(),
            What::Name(_) => {
                let var = self.known.names.get(id as usize).copied().flatten();
                var.is_some_and(|var| all(self.values.get(&var)))
            }
            What::Member { name, .. } => all(self.members.get(name)),
            What::Call { callee, .. } => matches!(
                &self.ast.expr(*callee).what,
                What::Member { name, .. } if *name != "get" && *name != "at" && *name != "find"
            ),
            What::Binary { left: a, right: b, .. }
            | What::Conditional { then: a, otherwise: b, .. } => {
                self.is_table(*a, left) && self.is_table(*b, left)
            }
            What::Assign { value, operator: None, .. } => self.is_table(*value, left),
            What::Index { .. } | What::Function(_) | What::Await(_) => false,
            _ => true,
        }
    }
}
