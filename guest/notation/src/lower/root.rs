//! The beginnings of paths of members.

use crate::ast::{Ast, ExprId, PatternId, Target, What};

/// The name at the beginning of a path of members.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root<'s> {
    /// An expression that is a name.
    Name(ExprId, &'s str),
    /// The target of an assignment at the beginning of the path.
    Target(PatternId, &'s str),
}

impl<'s> Ast<'s> {
    /// Finds the name at the beginning of a path of members, and counts the members.
    pub(super) fn root(&self, mut id: ExprId) -> Option<(Root<'s>, usize)> {
        let mut depth = 0;
        loop {
            match &self.expr(id).what {
                What::Name(name) => return Some((Root::Name(id, name), depth)),
                What::Member { object, .. } | What::Index { object, .. } => id = *object,
                // `map.get(k)` and `list.at(i)` are members, too.
                What::Call { callee, .. } => match &self.expr(*callee).what {
                    What::Member { object, name: "get" | "at", .. } => id = *object,
                    _ => return None,
                },
                What::Assign { target, .. } => match self.pattern(*target).what {
                    Target::Path(path) => {
                        id = path;
                        continue;
                    }
                    Target::Name(name) => return Some((Root::Target(*target, name), depth)),
                    _ => return None,
                },
                _ => return None,
            }
            depth += 1;
        }
    }
}

impl<'s> Root<'s> {
    /// Gives the name as it is written.
    pub(super) fn name(self) -> &'s str {
        match self {
            Self::Name(_, name) | Self::Target(_, name) => name,
        }
    }
}
