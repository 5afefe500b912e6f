//! Loops over the members of a record or a map that change these: `for (const v of
//! Object.values(r)) v.n = 1`. Such a loop goes over the keys, and its variable is an alias of the
//! member.

use crate::ast::{ExprId, PatternId, Span, Target, What};
use crate::lower::context::Cx;
use crate::lower::control::Members;
use crate::lower::flow::Key;
use crate::lower::resolve::VarId;
use crate::tree::Id;
use pif_language::form::Form;

impl<'s> Cx<'_, 's> {
    /// Finds the members that a loop goes over and changes. `pattern` takes a value, or a key and a
    /// value.
    pub(super) fn changed_members(
        &self,
        over: ExprId,
        pattern: PatternId,
        body: Span,
    ) -> Option<Members> {
        let (object, has_keys) = self.members_of(over)?;
        let root = self.var_of(object)?;
        let is_map = self.known.var(root).value.is_some_and(|value| {
            matches!(self.ast.expr(value).what, What::New { name: "Map", .. })
        });
        let (key, value) = match (&self.ast.pattern(pattern).what, has_keys) {
            (Target::Name(_), false) => (None, pattern),
            (Target::List { elements, rest: None }, true) => match elements.as_slice() {
                [key, Some(value)] if value.default.is_none() => {
                    (key.as_ref().map(|key| key.pattern), value.pattern)
                }
                _ => return None,
            },
            _ => return None,
        };
        let value = self.target(value)?;
        let key = match key {
            Some(key) => Some(self.target(key)?),
            None => None,
        };
        self.may_be_members(Members { root, is_map, key, value }, body)
    }

    /// Tells whether the loop changes the values, and the record in no other way.
    pub(super) fn may_be_members(&self, members: Members, body: Span) -> Option<Members> {
        let Members { root, value, .. } = members;
        let events = self.known.within(body);
        let changes_alone = events.iter().filter(|it| it.var == root && !it.is_call).all(|it| {
            events.iter().any(|other| other.var == value && other.at == it.at && other.depth > 0)
        });
        (self.known.var(value).is_mutated && changes_alone).then_some(members)
    }

    /// The record or the map whose members an expression lists, and whether it lists keys, too.
    fn members_of(&self, over: ExprId) -> Option<(ExprId, bool)> {
        let What::Call { callee, arguments, .. } = &self.ast.expr(over).what else {
            return self.is_map_name(over).then_some((over, true));
        };
        let What::Member { object, name, .. } = self.ast.expr(*callee).what else { return None };
        let has_keys = match name {
            "entries" => true,
            "values" => false,
            _ => return None,
        };
        let is_global = matches!(self.ast.expr(object).what, What::Name("Object"))
            && self.var_of(object).is_none();
        match arguments.first() {
            Some(first) if is_global => Some((first.value, has_keys)),
            None if self.is_map_name(object) => Some((object, has_keys)),
            _ => None,
        }
    }

    pub(super) fn is_map_name(&self, id: ExprId) -> bool {
        let value = self.var_of(id).and_then(|var| self.known.var(var).value);
        value.is_some_and(|id| matches!(self.ast.expr(id).what, What::New { name: "Map", .. }))
    }

    /// Lists the keys that the loop goes over.
    pub(super) fn keys_of_members(&self, members: Members, span: Span) -> Id {
        let whole = self.variable(members.root, span);
        self.b().form(Form::Keys, &[whole], span)
    }

    /// Binds the variables of a round to a key and its member.
    pub(super) fn bind_member(&self, members: Members, key: Id, span: Span) {
        let Members { root, is_map, key: key_var, value } = members;
        if let Some(var) = key_var {
            self.bind_round(var, key, span);
        }
        let whole = self.variable(root, span);
        let keys = vec![Key::made(key, is_map)];
        let member = self.read(whole, &keys, false, span);
        self.bind_round(value, member, span);
        let alias = self.alias(root, keys, None);
        self.flow.borrow_mut().aliases.insert(value, alias);
    }

    fn bind_round(&self, var: VarId, value: Id, span: Span) {
        let name = self.term_name(var);
        self.set_own(var, 0);
        self.step(vec![(name, value)], false, span);
    }
}
