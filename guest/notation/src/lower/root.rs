//! Paths of members: where they begin, and how long they are.

use crate::ast::{Ast, ExprId, PatternId, Target, What};

/// What a path of members begins with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root<'s> {
    /// A name.
    Name(ExprId, &'s str),
    /// A name that an assignment at the beginning of the path gives a value.
    Target(PatternId, &'s str),
}

impl<'s> Ast<'s> {
    /// The beginning of a path of members, and how many members there are.
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
    /// The name as it is written.
    pub(super) fn name(self) -> &'s str {
        match self {
            Self::Name(_, name) | Self::Target(_, name) => name,
        }
    }
}
