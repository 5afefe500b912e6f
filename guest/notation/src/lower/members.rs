//! Loops over the members of a record, a map or a list that change these: `for (const v of
//! Object.values(r)) v.n = 1`. Such a loop goes over the keys, and its variable is an alias of the
//! member.

use crate::ast::{ExprId, PatternId, Span, Target, What};
use crate::lexer::Wrong;
use crate::lower::context::Cx;
use crate::lower::control::{Members, MembersKind};
use crate::lower::flow::Key;
use crate::lower::place::PlaceStep;
use crate::lower::resolve::VarId;
use crate::tree::Id;
use pif_language::form::Form;

impl<'s> Cx<'_, 's> {
    /// Finds the members that a loop goes over and changes. `pattern` takes a value, or a key and a
    /// value.
    pub(super) async fn changed_members(
        &self,
        over: ExprId,
        pattern: PatternId,
        body: Span,
    ) -> Result<Option<Members>, Wrong> {
        match self.named_members(over, pattern, body) {
            Some(members) => Ok(Some(members)),
            None => self.listed_members(over, pattern, body).await,
        }
    }

    /// Finds the elements of a list that is a member of a variable, as in `for (const x of r.xs)`.
    async fn listed_members(
        &self,
        over: ExprId,
        pattern: PatternId,
        body: Span,
    ) -> Result<Option<Members>, Wrong> {
        let Some(place) = self.place_of(over) else { return Ok(None) };
        let Some(value) = self.target(pattern) else { return Ok(None) };
        let [PlaceStep::Name(first, _), ..] = place.steps.as_slice() else { return Ok(None) };
        let is_plain = place.steps.iter().all(|step| matches!(step, PlaceStep::Name(..)));
        let root = place.root;
        if !is_plain
            || !self.known.var(value).is_mutated
            || !self.stays_as_it_is(root, first, body)
            || !self.may_change(root, place.depth() + 2, body.0)
        {
            return Ok(None);
        }
        let path = self.place_keys(&place).await?;
        Ok(Some(Members { root, path, kind: MembersKind::List, key: None, value }))
    }

    /// Tells whether a part of the program names a variable only to use other members of it.
    fn stays_as_it_is(&self, var: VarId, member: &str, (start, end): Span) -> bool {
        let is_inside = |at: &&u32| start <= **at && **at < end;
        let uses = self.known.var(var).uses.iter().filter(is_inside).count();
        let is_other = |expr: &&crate::ast::Expr<'s>| match expr.what {
            What::Member { object, name, .. } => {
                let at = self.span(object).0;
                self.var_of(object) == Some(var) && name != member && start <= at && at < end
            }
            _ => false,
        };
        uses == self.ast.exprs.iter().filter(is_other).count()
    }

    fn named_members(&self, over: ExprId, pattern: PatternId, body: Span) -> Option<Members> {
        let (object, has_keys) = self.members_of(over)?;
        let root = self.var_of(object)?;
        let kind = self.kind_of(root);
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
        self.may_be_members(Members { root, path: Vec::new(), kind, key, value }, body)
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

    /// Finds the record or the map whose members an expression lists. Tells whether it lists keys.
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
        self.var_of(id).is_some_and(|var| self.kind_of(var) == MembersKind::Map)
    }

    fn kind_of(&self, var: VarId) -> MembersKind {
        match self.known.var(var).value.map(|value| &self.ast.expr(value).what) {
            Some(What::New { name: "Map", .. }) => MembersKind::Map,
            _ => MembersKind::Record,
        }
    }

    /// Lists the keys that the loop goes over.
    pub(super) fn keys_of_members(&self, members: &Members, span: Span) -> Id {
        let whole = self.variable(members.root, span);
        let whole = self.read(whole, &members.path, false, span);
        let mut b = self.b();
        if members.kind == MembersKind::List {
            let zero = b.number("0", span);
            let length = b.text("length", span);
            let length = b.form(Form::Get, &[whole, length], span);
            return b.form(Form::Range, &[zero, length], span);
        }
        b.form(Form::Keys, &[whole], span)
    }

    /// Binds the variables of a round to a key and its member.
    pub(super) fn bind_member(&self, members: &Members, key: Id, span: Span) {
        let Members { root, kind, key: key_var, value, .. } = *members;
        if let Some(var) = key_var {
            self.bind_round(var, key, span);
        }
        let whole = self.variable(root, span);
        let made = Key::made(key, kind == MembersKind::Map);
        let keys: Vec<Key> = members.path.iter().cloned().chain([made]).collect();
        let member = self.read(whole, &keys, false, span);
        self.bind_round(value, member, span);
        let alias = self.alias(root, keys, None);
        self.flow.borrow_mut().add_alias(value, alias);
    }

    fn bind_round(&self, var: VarId, value: Id, span: Span) {
        let name = self.term_name(var);
        self.set_own(var, 0);
        self.step(vec![(name, value)], false, span);
    }
}
