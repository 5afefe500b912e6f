//! Loop statements: their parts, their first values, and their continuations.

use crate::ast::{Span, Statement, StmtId, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, Begun, Jump, List, Parts};
use crate::lower::flow::ALL;
use crate::lower::resolve::{Event, VarId};
use crate::tree::Id;
use pif_language::form::Form;
use std::rc::Rc;

impl<'s> Cx<'_, 's> {
    /// Takes a loop statement apart. The result is none for any other statement.
    fn parts(&self, id: StmtId) -> Option<Parts> {
        let none = |body| Parts {
            begin: None,
            test: None,
            update: None,
            over: None,
            body,
            tests_last: false,
            elements: None,
            members: None,
        };
        Some(match self.ast.stmt(id).what {
            Statement::For { begin, test, update, body } => {
                Parts { begin, test, update, ..none(body) }
            }
            Statement::ForOf { kind, pattern, list, body } => {
                Parts { over: Some((list, kind, pattern, false)), ..none(body) }
            }
            Statement::ForIn { kind, pattern, record, body } => {
                Parts { over: Some((record, kind, pattern, true)), ..none(body) }
            }
            Statement::While { test, body } => Parts { test: Some(test), ..none(body) },
            Statement::DoWhile { body, test } => {
                Parts { test: Some(test), tests_last: true, ..none(body) }
            }
            _ => return None,
        })
    }

    /// Lowers a loop. The result is none if the statements behind it still are to be lowered.
    pub(super) async fn loop_statement(
        &self,
        id: StmtId,
        label: Option<&'s str>,
        (list, at): (&List, usize),
        after: &After<'s>,
    ) -> Result<Option<Id>, Wrong> {
        let Some(mut parts) = self.parts(id) else {
            return self.labeled_block(id, label, (list, at), after).await.map(Some);
        };
        let span = self.stmt_span(id);
        let exits = self.exits_of(id);
        let vars: Rc<[VarId]> = self.changed(span).into();
        self.check_over(&parts);
        self.check_exec(&parts);
        let plain =
            label.is_none() && !self.exits_of(parts.body).breaks && !exits.returns && !exits.leaves;
        if let Some((over, Some(_), pattern, false)) = parts.over.filter(|_| plain) {
            let body = self.stmt_span(parts.body);
            parts.elements = self.changed_elements(over, self.target(pattern), body, &vars);
        }
        if let Some((over, Some(_), pattern, false)) = parts.over {
            let body = self.stmt_span(parts.body);
            if parts.elements.is_none() {
                parts.members = self.changed_members(over, pattern, body).await?;
            }
        }
        let begun = self.begin(&parts, span).await?;
        let lists = self.gathered_in(span, &vars);
        self.gather(&lists, span);
        let is_tail = exits.returns || exits.leaves;
        if !is_tail {
            let end = After::State(Rc::clone(&vars));
            let value = if plain && vars.len() == 1 && parts.over.is_some() {
                self.reduced(
                    &parts,
                    &begun,
                    vars.first().copied().unwrap_or_default(),
                    &lists,
                    span,
                )
                .await?
            } else {
                self.rounds(&parts, &begun, (&vars, &lists), (label, end), span).await?
            };
            if vars.is_empty() {
                self.dropped(value, span);
            } else {
                self.spread(value, false, &vars, span);
                self.gathered(&lists, span);
            }
            if let Some(elements) = parts.elements {
                self.elements_kept(elements, span);
            }
            return Ok(None);
        }
        let join = self.join(2, (list.clone(), at + 1), after, span);
        let end = Self::behind(&lists, join.after.clone());
        let value = self.rounds(&parts, &begun, (&vars, &lists), (label, end), span).await?;
        for var in lists.iter() {
            self.gathers.borrow_mut().remove(var);
        }
        self.joined(join, value, span).await.map(Some)
    }

    /// Refuses a loop that changes the list that it goes over. A loop of JavaScript would see the
    /// change.
    fn check_over(&self, parts: &Parts) {
        let Some((over, _, _, false)) = parts.over else { return };
        let Some((root, depth)) = self.root_of(over) else { return };
        let is_change = |event: &&Event| event.var == root && event.depth == usize::from(depth) + 1;
        let body = self.stmt_span(parts.body);
        if let Some(event) = self.known.effects_within(body).iter().find(is_change) {
            let name = self.known.var(root).name;
            let message = format!("`{name}` changes while a loop goes over it");
            let hint = format!("go over a copy: for (const x of [...{name}])");
            self.refuse(event.at, &message, &hint);
        }
    }

    /// Refuses a loop that calls `exec` in its test. A regular expression has no `lastIndex` here,
    /// so each call would find the first match.
    fn check_exec(&self, parts: &Parts) {
        let Some(test) = parts.test else { return };
        let assigned = match self.ast.expr(test).what {
            What::Binary { left, .. } => left,
            _ => test,
        };
        if let What::Assign { value, .. } = self.ast.expr(assigned).what
            && let What::Call { callee, .. } = self.ast.expr(value).what
            && let What::Member { name: "exec", name_at, .. } = self.ast.expr(callee).what
        {
            let hint = "write for (const m of s.matchAll(/…/g)) { … }";
            self.refuse(name_at, "`exec` in a loop keeps no place in the text", hint);
        }
    }

    /// Lowers a block with a label, which `break` leaves.
    async fn labeled_block(
        &self,
        id: StmtId,
        label: Option<&'s str>,
        (list, at): (&List, usize),
        after: &After<'s>,
    ) -> Lowered {
        let span = self.stmt_span(id);
        let join = self.join(2, (list.clone(), at + 1), after, span);
        let inner = self.with(|around| {
            around.jumps.push(Rc::new(Jump { label, end: join.after.clone(), next: None }));
        });
        let value = inner.statements(List::one(id), 0, join.after.clone()).await?;
        self.joined(join, value, span).await
    }

    /// Lowers the list that a loop goes over, or its counters with their first values.
    async fn begin(&self, parts: &Parts, span: Span) -> Result<Begun, Wrong> {
        let mut begun = Begun::default();
        if let Some(members) = &parts.members {
            begun.list = Some(self.keys_of_members(members, span));
        } else if let Some((over, _, _, is_keys)) = parts.over {
            let value = self.lenient(over).await?;
            if parts.elements.is_none() && !is_keys {
                self.share_elements(over);
            }
            begun.list = Some(if is_keys {
                self.b().form(Form::Keys, &[value], span)
            } else {
                self.elements(value, span)
            });
        }
        let Some(begin) = parts.begin else { return Ok(begun) };
        match &self.ast.stmt(begin).what {
            Statement::Declare { names, .. } => {
                for (pattern, value) in names {
                    match (self.target(*pattern), value) {
                        (Some(var), Some(value)) => {
                            let id = self.kept(*value).await?;
                            begun.counters.push((var, id, self.own_of(*value)));
                        }
                        (Some(var), None) => {
                            let null = self.b().null(span);
                            begun.counters.push((var, null, ALL));
                        }
                        (None, Some(value)) => {
                            let whole = self.kept(*value).await?;
                            let mut bindings = Vec::new();
                            self.bind_pattern(*pattern, whole, 0, &mut bindings).await?;
                            self.step(bindings, false, span);
                            for var in self.known.names_of(&self.ast, *pattern) {
                                let id = self.variable(var, span);
                                begun.counters.push((var, id, 0));
                            }
                        }
                        (None, None) => {}
                    }
                }
            }
            Statement::Expression(id) => self.effect(*id).await?,
            _ => {}
        }
        Ok(begun)
    }
}
