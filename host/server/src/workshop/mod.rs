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
mod completion;
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
mod kept_types;
mod keys;
mod laws;
mod library;
mod memory;
mod native;
mod observer;
mod offer;
mod opening;
mod parameters;
mod past;
mod person;
mod pipeline;
mod playback;
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
mod task;
mod trial;
mod turn;
mod types;
mod upstream;
mod vouched;
mod warden;
mod world;

pub use self::analyze::{Analysis, Question, Questions, Subject};
pub use self::backup::{Contents, RestoreResult, back_up, restore};
pub use self::budget::CallLimits;
pub use self::check::Reach;
pub use self::checkpoint::{Mismatch, compare};
pub use self::completion::Writing;
pub use self::consent::Said;
pub use self::database::open_database;
pub use self::declaration::Declaration;
pub use self::durable::{DurableRun, KeptRun, Resolution, limits as kept_limits};
pub use self::effects::{CallObserver, Effects, NoEffects, PendingCalls};
pub use self::equality::Equality;
pub use self::evolve::{EvolveResult, PreparedChange, Proposal};
pub use self::example::{Example, MOST_EXAMPLES, ScriptedAnswer};
pub use self::export::{ExportFile, Selection};
pub use self::import::{ImportOptions, ImportResult, ImportedTool};
pub use self::inquiry::InquiryResult;
pub use self::keys::{open_keys, trust};
pub use self::laws::LawsResult;
pub use self::library::{Library, PREFIX as LIBRARY_PREFIX, library};
pub use self::memory::Remember;
pub use self::native::Native;
pub use self::observer::Observer;
pub use self::opening::{Error, State, Workshop, open_journal, verify};
pub use self::parameters::Takes;
pub use self::past::{ApprovalWait, WaitingRun};
pub use self::person::Belongings;
pub use self::pipeline::Stage;
pub use self::property::{MOST_PROPERTIES, read_properties};
pub use self::property_trial::PropertyResult;
pub use self::receipt::{Receipt, ReceiptCheck};
pub use self::reference::{
    CALLING, DIFFERENCES, Form, Spelling, TEXT as REFERENCE, forms, spellings,
};
pub use self::refusal::{ChangeRefusal, ended, refused, stored, too_large, unkept};
pub use self::repair::{
    AppliedFix, Broken, Diagnosis, FaultReport, Fragment, Inner, Least, Proof, Repair,
    RepairedProgram, Since, Was, Wrong,
};
pub use self::replay::{Difference, ReplayResult, Verdict};
pub use self::run::RunResult;
pub use self::script::{Line, Script};
pub use self::search::{
    EmbeddedText as Unknown, LanguageTopic, Match, Meant, Neighbor, Sought, find_forms,
    find_library,
};
pub use self::session::TurnResult;
pub use self::staging::{Commit, StageResult, StagedChange, VerificationReport, Verify};
pub use self::task::{
    Assignment, GivenExample, Helper, Keep, MOST_LOOPS, ModelError, Ran, Screening, Solution,
    USUAL_LOOPS, question, solve, until,
};
pub use self::turn::Plan;
pub use self::types::ProgramType;
pub use self::vouched::Vouched;
pub use self::world::{CancelCheck, Candidate, Tools};
