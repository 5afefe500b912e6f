//! Joins the sandbox, the registry and the journal: runs terms with the registered tools and
//! journals the results. The server, the command line and replays use it. Its calls block the
//! thread. It does not depend on MCP.

mod backup;
mod bundle;
mod check;
mod conform;
mod consent;
mod effects;
mod evolve;
mod example;
mod export;
mod import;
mod intent;
mod ledger;
mod library;
mod means;
mod memory;
mod native;
mod observer;
mod offer;
mod opening;
mod past;
mod purse;
mod record;
mod refusal;
mod replay;
mod resume;
mod rollback;
mod run;
mod schemas;
mod trial;
mod upstream;
mod world;

pub use self::backup::{Contents, Restored, back_up, restore};
pub use self::check::Reach;
pub use self::consent::Said;
pub use self::effects::{Allowed, Denied, Effects, Line, Script};
pub use self::evolve::{Evolved, Prepared, Proposal};
pub use self::example::{Example, Scripted};
pub use self::export::Exported;
pub use self::import::{Imported, Taken, Wanted};
pub use self::library::{Library, PREFIX as LIBRARY_PREFIX, library};
pub use self::memory::Remember;
pub use self::native::Native;
pub use self::observer::Observer;
pub use self::opening::{Error, State, Workshop, open_journal, verify};
pub use self::past::{Kept, Waiting};
pub use self::refusal::{Refused, refused, stored, too_large, unkept};
pub use self::replay::{Difference, Replayed, Verdict};
pub use self::resume::Resumed;
pub use self::run::Finished;
pub use self::world::{Candidate, Tools};
