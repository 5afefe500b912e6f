//! Joins the sandbox, the registry and the journal: runs terms with the registered tools and
//! journals the results. The server, the command line and replays use it. Its calls block the
//! thread. It does not depend on MCP.

mod analyze;
mod archive;
mod backup;
mod bindings;
mod budget;
mod bundle;
mod call_log;
mod call_record;
mod calls;
mod certificate;
mod check;
mod checkpoint;
mod conform;
mod consent;
mod database;
mod declaration;
mod durable;
mod effects;
mod equality;
mod evolve;
mod example;
mod explain;
mod export;
mod forewarn;
mod import;
mod import_session;
mod inquiry;
mod intent;
mod interruption;
mod keys;
mod laws;
mod library;
mod memory;
mod native;
mod observer;
mod offer;
mod opening;
mod past;
mod person;
mod pipeline;
mod property;
mod property_trial;
mod receipt;
mod record;
mod recovery;
mod reference;
mod refusal;
mod repair;
mod replay;
mod resume;
mod rollback;
mod run;
mod schemas;
mod script;
mod search;
mod session;
mod staging;
mod step_log;
mod takes;
mod task;
mod trial;
mod turn;
mod types;
mod upstream;
mod vouched;
mod warden;
mod world;

pub use self::analyze::{Analyzed, Answered, Asked, Questions};
pub use self::backup::{Contents, Restored, back_up, restore};
pub use self::budget::Allowed;
pub use self::check::Reach;
pub use self::checkpoint::{Grown, Mismatch, compare};
pub use self::consent::Said;
pub use self::database::open_database;
pub use self::declaration::Declaration;
pub use self::durable::{Begun, KeptRun, Resolution, limits as kept_limits};
pub use self::effects::{Denied, Effects, Sending, Told};
pub use self::equality::Equality;
pub use self::evolve::{Evolved, Prepared, Proposal};
pub use self::example::{Example, MOST_EXAMPLES, Scripted};
pub use self::export::{Exported, Selection};
pub use self::import::{Imported, Taken, Wanted};
pub use self::inquiry::Inquired;
pub use self::keys::{open_keys, trust};
pub use self::laws::Lawful;
pub use self::library::{Library, PREFIX as LIBRARY_PREFIX, library};
pub use self::memory::Remember;
pub use self::native::Native;
pub use self::observer::Observer;
pub use self::opening::{Error, State, Workshop, open_journal, verify};
pub use self::past::{Kept, Waiting};
pub use self::person::Belongings;
pub use self::pipeline::Stage;
pub use self::property::{MOST_PROPERTIES, read_properties};
pub use self::property_trial::Held;
pub use self::receipt::{Checked, Receipt};
pub use self::reference::{
    CALLING, DIFFERENCES, Form, Spelling, TEXT as REFERENCE, forms, spellings,
};
pub use self::refusal::{Refused, ended, refused, stored, too_large, unkept};
pub use self::repair::{
    Applied, Broken, Diagnosis, Inner, Least, Mended, Part, Proof, Repaired, Reported, Since, Was,
    Wrong,
};
pub use self::replay::{Difference, Replayed, Verdict};
pub use self::run::Finished;
pub use self::script::{Line, Script};
pub use self::search::{
    Known, Match, Meant, Neighbor, Sought, Told as Unknown, find_forms, find_library,
};
pub use self::session::Turned;
pub use self::staging::{Commit, Staged, StagedChange, Verified, Verify};
pub use self::takes::Takes;
pub use self::task::{
    Assignment, Given, Helper, Keep, MOST_LOOPS, Ran, Screened, Solution, USUAL_LOOPS, Unanswered,
    question, solve, until,
};
pub use self::turn::Plan;
pub use self::types::Inferred;
pub use self::vouched::Vouched;
pub use self::world::{Candidate, EndedByHand, Tools};
