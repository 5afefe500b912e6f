//! Changes of places. A change binds the variable anew, and the variable of which it is an alias. A
//! change that another name would see is refused.

use crate::ast::{ExprId, Span, What};
use crate::lower::context::Cx;
use crate::lower::flow::{ALL, Alias, Key, differ};
use crate::lower::resolve::{Origin, VarId};
use crate::tree::Id;
use pif_language::form::Form;

impl Cx<'_, '_> {
    /// Binds a variable anew.
    pub(super) fn rebind(&self, var: VarId, value: Id, span: Span) {
        let name = self.name_of(var);
        self.step(vec![(name, value)], false, span);
    }

    /// Puts a value, of which nobody else sees so many levels, at a path.
    pub(super) fn store(
        &self,
        var: VarId,
        keys: &[Key],
        (value, own): (Id, u8),
        span: Span,
        change: Change<'_>,
    ) {
        if !self.may_change(var, keys.len(), span.0) {
            self.refuse_change(var, change, span);
            return;
        }
        let whole = self.variable(var, span);
        let value = self.written(whole, keys, value, span);
        self.changed_in_place(var, value, Some(keys), span);
        let own = keys.last().and_then(Key::name).map_or(own, |name| self.needed(name, own));
        let levels = u8::try_from(keys.len()).unwrap_or(ALL).saturating_add(own);
        self.flow.borrow_mut().limit_place(var, levels);
    }

    /// Binds a variable to its changed value, and changes the place of which it is an alias. `keys`
    /// is the path of the change; without it, elements may have moved.
    pub(super) fn changed_in_place(&self, var: VarId, value: Id, keys: Option<&[Key]>, span: Span) {
        self.rebind(var, value, span);
        let stale: Vec<VarId> = {
            let flow = self.flow.borrow();
            let stale = flow.aliases.iter().filter(|(other, alias)| {
                **other != var
                    && alias.root == var
                    && !keys.is_some_and(|keys| differ(keys, &alias.keys))
            });
            stale.map(|(other, _)| *other).collect()
        };
        {
            let mut flow = self.flow.borrow_mut();
            for other in stale {
                flow.aliases.remove(&other);
                flow.stale.insert(other);
            }
        }
        self.pass_on(var, span);
    }

    /// Binds a variable to its changed value, in which all elements are still where they were.
    pub(super) fn grown(&self, var: VarId, value: Id, span: Span) {
        self.rebind(var, value, span);
        self.pass_on(var, span);
    }

    /// Changes the place of which a variable is an alias.
    fn pass_on(&self, var: VarId, span: Span) {
        let alias = self.flow.borrow().aliases.get(&var).cloned();
        if let Some(alias) = alias {
            let whole = self.variable(alias.root, span);
            let value = self.variable(var, span);
            let mut value = self.written(whole, &alias.keys, value, span);
            if let Some(condition) = alias.condition {
                value = self.b().form(Form::If, &[condition, value, whole], span);
            }
            let mine = self.flow.borrow_mut().aliases.remove(&var);
            self.changed_in_place(alias.root, value, Some(&alias.keys), span);
            if let Some(mine) = mine {
                self.flow.borrow_mut().add_alias(var, mine);
            }
        }
    }

    /// Tells whether nobody else sees the value so many levels below a variable, so that it may
    /// change.
    pub(super) fn may_change(&self, var: VarId, depth: usize, at: u32) -> bool {
        if let Some(known) = self.depths.borrow_mut().get_mut(var as usize) {
            *known = depth.max(*known);
        }
        let alias = self.flow.borrow().aliases.get(&var).cloned();
        if let Some(alias) = alias {
            // A branch or a loop hands on only the variables that events tell of.
            let is_inner = self.chains.borrow().len() > alias.made;
            let mut events = self.known.within((at, at + 1)).iter();
            if is_inner && !events.any(|event| event.var == alias.root && !event.is_call) {
                return false;
            }
            return self.may_change(alias.root, depth + alias.keys.len(), at);
        }
        let own = usize::from(self.flow.borrow().own(var));
        let depth = depth.max(1);
        if own >= depth {
            return true;
        }
        let info = self.known.var(var);
        let is_alone =
            !self.flow.borrow().is_escaped(var) && !self.is_seen_by_others(var, depth - 1, at);
        match info.origin {
            Origin::Declared(_) => is_alone && own == 0 && info.source.is_some(),
            Origin::Callback | Origin::Loop => is_alone,
            _ => false,
        }
    }

    /// Tells whether a variable is a parameter of the program, if that is a function.
    pub(super) fn is_main(&self, var: VarId) -> bool {
        let Some(function) = self.known.var(var).owner else { return false };
        let owner = self.known.owners.get(function as usize).copied().flatten();
        let named = self.known.function_vars.get(function as usize).copied().flatten();
        owner.is_none() && named.is_none()
    }

    /// Tells whether a value is a variable that changes in place, so that it becomes an alias of
    /// the place where it is put.
    pub(super) fn is_kept_name(&self, value: ExprId, root: VarId) -> bool {
        let var = match self.ast.expr(value).what {
            What::Name(_) => self.var_of(value),
            _ => None,
        };
        var.is_some_and(|var| {
            self.known.var(var).is_mutated && var != root && self.flow.borrow().own(var) == 0
        })
    }

    /// Notes that a variable has been put at a path. If it changes later, it is an alias of the
    /// place. `own` counts the levels of its value that nobody else saw before.
    pub(super) fn alias_stored(&self, root: VarId, keys: &[Key], (value, own): (ExprId, u8)) {
        if let What::Name(_) = self.ast.expr(value).what
            && let Some(var) = self.var_of(value)
            && self.known.var(var).is_mutated
            && var != root
        {
            let is_back = self.is_alias(var, root, keys);
            let mut flow = self.flow.borrow_mut();
            if flow.own(var) > 0 || (own == 0 && !is_back) {
                return;
            }
            let known =
                flow.aliases.get(&var).filter(|it| it.condition.is_none() && is_back).cloned();
            let alias = known.unwrap_or_else(|| self.alias(root, keys.to_vec(), None));
            flow.add_alias(var, alias);
        }
    }

    /// Makes an alias of a place.
    pub(super) fn alias(&self, root: VarId, keys: Vec<Key>, condition: Option<Id>) -> Alias {
        let here = self.chains.borrow().len();
        let levels = self.levels.borrow();
        let level_of = |key: &Key| match key.steady {
            Some(var) => levels.get(var as usize).copied().unwrap_or(here),
            None if key.is_literal() => 0,
            None => here,
        };
        let level = keys.iter().map(level_of).max().unwrap_or_default();
        let level = if condition.is_some() { here } else { level };
        Alias { root, keys, condition, level, made: here }
    }

    /// Tells whether a variable is an alias of a place.
    fn is_alias(&self, var: VarId, root: VarId, keys: &[Key]) -> bool {
        let flow = self.flow.borrow();
        flow.aliases.get(&var).is_some_and(|alias| alias.root == root && alias.keys == keys)
    }

    /// Tells whether a value is the alias of the place where it is put, as in
    /// `const e = m.get(k) ?? []; …; m.set(k, e)`.
    pub(super) fn is_put_back(&self, value: ExprId, root: VarId, keys: &[Key]) -> bool {
        let var = match self.ast.expr(value).what {
            What::Name(_) => self.var_of(value),
            _ => None,
        };
        var.is_some_and(|var| self.is_alias(var, root, keys))
    }

    /// Refuses a change that another name would see. The hint is a way without the change.
    pub(super) fn refuse_change(&self, var: VarId, change: Change<'_>, span: Span) {
        let name = self.known.var(var).name;
        let origin = self.known.var(var).origin;
        let what = match change {
            Change::Assignment => "an assignment".to_owned(),
            Change::Method(method) => format!("`{method}`"),
            Change::Delete => "`delete`".to_owned(),
        };
        let message = format!("{what} would change `{name}`, which is seen by another name, too");
        let hint = match (change, origin) {
            (Change::Method("sort"), _) => format!("write {name}.toSorted((a, b) => a - b)"),
            (Change::Method("reverse"), _) => format!("write {name}.toReversed()"),
            (Change::Method("push"), _) => format!("make a new list: [...{name}, value]"),
            (Change::Delete, _) => {
                format!("make a record without the member: const {{k, ...rest}} = {name}")
            }
            (Change::Assignment, Origin::Callback | Origin::Loop) => {
                format!("make new elements: list.map({name} => ({{...{name}, key: value}}))")
            }
            (Change::Assignment, Origin::Parameter) => {
                format!("return a changed copy: ({{...{name}, key: value}})")
            }
            _ => format!("make a copy first: structuredClone({name})"),
        };
        self.refuse(span.0, &message, &hint);
    }
}

/// A change of a value in its place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<'a> {
    /// By `=`, `+=` or `++`.
    Assignment,
    Method(&'a str),
    Delete,
}
