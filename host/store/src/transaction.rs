//! A transaction of a store: the rows that the rules read and write.

use super::error::Error;
use super::journal::{Entry, Link, Pending};
use super::lease::ProcessLease;
use super::memory::Memo;
use super::registry::{Definition, Evolution, Fact};
use super::session::{Binding, Rows, Session, Turn};
use super::staging::{self, Area};

/// A term to be kept.
#[derive(Debug, Clone, Copy)]
pub struct Term<'a> {
    /// sha256 of `source`. A term that is already kept does not change.
    pub hash: &'a str,
    /// The canonical text.
    pub source: &'a str,
    /// The tools that it names, each by name or by `name@hash`.
    pub tools: &'a [String],
}

/// A change of a tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolChange<'a> {
    /// The name.
    pub name: &'a str,
    /// The new term. None retires the tool.
    pub term: Option<Term<'a>>,
    /// The author's description.
    pub description: &'a str,
    /// A JSON list of examples.
    pub examples: &'a str,
    /// A JSON Schema.
    pub output_schema: Option<&'a str>,
    /// The functions of a native capability.
    pub members: Option<&'a str>,
    /// A JSON list of properties.
    pub properties: Option<&'a str>,
    /// The number of the change's journal entry.
    pub entry: i64,
}

/// A transaction of a store: it reads and writes rows and applies no rules. Its reads see its own
/// writes.
pub trait Transaction: Rows + staging::Rows {
    /// Whether nobody has ended a lease. Nobody ends it before this transaction has ended.
    fn has_lease(&self, name: &str) -> Result<bool, Error>;
    /// A lease that lasts. Ends one that is over.
    fn lasting_lease(&mut self, name: &str) -> Result<Option<ProcessLease>, Error>;

    /// See [`super::store::Store::last_change`].
    fn last_change(&self) -> Result<i64, Error>;
    /// See [`super::store::Store::find`].
    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error>;
    /// See [`super::store::Store::find_pinned`].
    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<(Definition, bool)>, Error>;
    /// See [`super::store::Store::twin`].
    fn twin(&self, name: &str) -> Result<Option<String>, Error>;
    /// Whether a name has ever referred to a tool.
    fn has_history(&self, name: &str) -> Result<bool, Error>;
    /// Keeps a fact about a revision, in place of the one before.
    fn put_fact(&mut self, kind: Fact, of: &str, told: &str) -> Result<(), Error>;
    /// Writes a change of a tool and makes it current.
    fn define(&mut self, defined: &ToolChange<'_>) -> Result<(), Error>;

    /// See [`super::store::Store::head`].
    fn head(&self) -> Result<Link, Error>;
    /// See [`super::store::Store::anchor`].
    fn anchor(&self) -> Result<Link, Error>;
    /// The number of the next entry, which follows `head`.
    fn next(&mut self, head: Link) -> Result<i64, Error> {
        Ok(head.id + 1)
    }
    /// Adds an entry.
    fn append(&mut self, entry: &Entry) -> Result<(), Error>;
    /// Forgets a run that has not ended, since it has now; whether it was there.
    fn settle(&mut self, run: i64) -> Result<bool, Error>;
    /// Keeps what is left of a run that has ended, in place of what has its number, if this process
    /// works on it; whether it does.
    fn end(&mut self, owner: &str, run: &Pending) -> Result<bool, Error>;
    /// Keeps a text beside an entry, by its sha256. What is kept already goes with this entry now.
    fn keep_text(&mut self, sha256: &str, text: &str, entry: i64) -> Result<(), Error>;
    /// Removes all entries whose `ends` is at most this, and the texts that neither a later entry nor
    /// a binding has. The last removed entry becomes the anchor. A store whose entries only its
    /// operator removes does nothing.
    fn trim(&mut self, ends: i64) -> Result<(), Error>;

    /// Writes a session. Returns its number, which the store makes if it is 0.
    fn put_session(&mut self, session: &Session) -> Result<i64, Error>;
    /// Removes a session, whose bindings and turns are gone already.
    fn remove_session(&mut self, session: i64) -> Result<(), Error>;
    /// Binds a name of a session. Replaces the one with this name.
    fn bind(&mut self, session: i64, binding: &Binding) -> Result<(), Error>;
    /// Removes a name of a session.
    fn unbind(&mut self, session: i64, name: &str) -> Result<(), Error>;
    /// Remembers a turn of a session.
    fn note(&mut self, session: i64, turn: &Turn) -> Result<(), Error>;
    /// Forgets the turns of a session up to this number.
    fn unnote(&mut self, session: i64, last: i64) -> Result<(), Error>;
    /// Keeps the text of a term as long as a binding has it.
    fn keep_term(&mut self, sha256: &str, term: &str) -> Result<(), Error>;
    /// Keeps a text as long as an entry, too.
    fn pin(&mut self, sha256: &str, entry: i64) -> Result<(), Error>;
    /// Removes a text that neither an entry nor a binding has.
    fn sweep(&mut self, sha256: &str) -> Result<(), Error>;

    /// Writes a staging area with its operations. Returns its number, which the store makes if it is 0.
    fn put_area(&mut self, area: &Area) -> Result<i64, Error>;
    /// Who works on a staging area.
    fn area_holder(&self, id: i64) -> Result<Option<String>, Error>;
    /// Notes who works on a staging area.
    fn hold_area(&mut self, id: i64, holder: Option<&str>) -> Result<(), Error>;
    /// Removes a staging area.
    fn remove_area(&mut self, id: i64) -> Result<(), Error>;
    /// Keeps a term that no tool has yet. A term that is already kept does not change.
    fn keep_source(&mut self, term: &Evolution) -> Result<(), Error>;

    /// See [`super::store::Store::memo`].
    fn memo(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error>;
    /// See [`super::store::Store::sums`].
    fn sums(&self) -> Result<(u64, u64), Error>;
    /// The time of the memory's last change in milliseconds since 1970; 0 before the first.
    fn last_update(&self) -> Result<i64, Error>;
    /// Writes an entry of the memory. Replaces the one with this key.
    fn keep(&mut self, owner: &str, memo: &Memo) -> Result<(), Error>;
    /// Notes that a key is used at a time.
    fn note_use(&mut self, owner: &str, key: &str, time: i64) -> Result<(), Error>;
    /// The first key of an owner with this context and this value, if there is one.
    fn equal_memo(&self, owner: &str, context: &str, value: &str) -> Result<Option<String>, Error>;
    /// Forgets a key.
    fn forget(&mut self, owner: &str, key: &str) -> Result<(), Error>;
    /// Forgets all keys of an owner. Gives their number.
    fn forget_all(&mut self, owner: &str) -> Result<u64, Error>;
}
