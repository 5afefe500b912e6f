//! Principals: whom the server works for. The user of this machine is one; over HTTP each token is
//! another.

use std::fmt;
use std::sync::Arc;

/// The rights of a principal. Each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Looks at tools, and at what belongs to the principal.
    Read,
    /// Runs programs and tools, and keeps sessions and values.
    Run,
    /// Makes and changes tools, which all principals share.
    Evolve,
    /// Does everything, and sees what belongs to others.
    Admin,
}

impl Scope {
    /// All scopes, from the least.
    pub const ALL: [Self; 4] = [Self::Read, Self::Run, Self::Evolve, Self::Admin];

    /// The name in token files and in tokens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Run => "run",
            Self::Evolve => "evolve",
            Self::Admin => "admin",
        }
    }

    /// The scope with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A principal. Sessions, values of the memory, runs that wait and entries of the journal belong to
/// one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    owner: Arc<str>,
    scope: Scope,
}

impl Principal {
    /// The user of this machine, who may do everything.
    #[must_use]
    pub fn local() -> Self {
        Self { owner: Arc::default(), scope: Scope::Admin }
    }

    /// The principal with this name, which is not empty.
    #[must_use]
    pub fn new(name: &str, scope: Scope) -> Self {
        Self { owner: name.into(), scope }
    }

    /// The owner of what belongs to the principal; empty for the user of this machine.
    #[must_use]
    pub fn owner(&self) -> &Arc<str> {
        &self.owner
    }

    /// Whether the principal has a scope.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.scope >= scope
    }

    /// Whether the principal sees what belongs to others.
    #[must_use]
    pub fn sees_all(&self) -> bool {
        self.may(Scope::Admin)
    }
}
