//! The ways in which statements are left.

use crate::ast::{Statement, StmtId};
use crate::lower::resolve::resolved::Exits;
use crate::lower::resolve::walk::Walk;

impl Walk<'_, '_> {
    /// Notes how a statement is left. All its parts have been walked before.
    pub(super) fn exits(&mut self, id: StmtId) {
        let of = |id: &StmtId| self.out.exits.get(*id as usize).copied().unwrap_or_default();
        let sequence = |list: &[StmtId]| {
            let mut all = Exits { falls: true, ..Exits::default() };
            for id in list {
                let next = of(id);
                all = Exits { falls: all.falls && next.falls, ..all.or(next) };
            }
            all
        };
        let looped = |body: Exits| Exits { falls: true, breaks: false, continues: false, ..body };
        let exits = match &self.ast.stmt(id).what {
            Statement::Return(_) => Exits { returns: true, ..Exits::default() },
            Statement::Throw(_) => Exits::default(),
            Statement::Break(Some(_)) | Statement::Continue(Some(_)) => {
                Exits { leaves: true, ..Exits::default() }
            }
            Statement::Break(None) => Exits { breaks: true, ..Exits::default() },
            Statement::Continue(None) => Exits { continues: true, ..Exits::default() },
            Statement::If { then, otherwise, .. } => {
                let other =
                    otherwise.map_or(Exits { falls: true, ..Exits::default() }, |id| of(&id));
                let then = of(then);
                Exits { falls: then.falls || other.falls, ..then.or(other) }
            }
            Statement::For { body, .. }
            | Statement::ForOf { body, .. }
            | Statement::ForIn { body, .. }
            | Statement::While { body, .. }
            | Statement::DoWhile { body, .. } => looped(of(body)),
            Statement::Try { body, handler, finally } => {
                let mut all = sequence(body);
                if let Some((_, list)) = handler {
                    let other = sequence(list);
                    all = Exits { falls: all.falls || other.falls, ..all.or(other) };
                }
                if let Some(list) = finally {
                    let other = sequence(list);
                    all = Exits { falls: all.falls && other.falls, ..all.or(other) };
                }
                all
            }
            Statement::Switch { cases, .. } => {
                let mut all = Exits { falls: true, ..Exits::default() };
                for (_, list) in cases {
                    all = all.or(sequence(list));
                }
                Exits { falls: true, breaks: false, ..all }
            }
            Statement::Block(list) => sequence(list),
            Statement::Labeled(_, inner) => {
                let inner = of(inner);
                Exits { falls: true, leaves: false, ..inner }
            }
            _ => Exits { falls: true, ..Exits::default() },
        };
        if let Some(slot) = self.out.exits.get_mut(id as usize) {
            *slot = exits;
        }
    }
}
