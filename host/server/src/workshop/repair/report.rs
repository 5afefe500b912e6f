//! What a repair has come to.

use pif_domain::Fault;

/// The result of a repair.
#[derive(Debug, Default)]
pub struct Repair {
    /// The fault; None: no run has one.
    pub fault: Option<Box<Fault>>,
    /// Whether it is the fault that was given, where one was.
    pub is_given: Option<bool>,
    /// The sure fixes, in their order. They repair nothing unless there is `repaired`.
    pub fixes: Vec<AppliedFix>,
    /// What is repaired; None: nothing is.
    pub repaired: Vec<RepairedProgram>,
    /// The examples, with the repair if there is one.
    pub proof: Proof,
    /// What is least around the fault, and what brought it.
    pub diagnosis: Option<Diagnosis>,
    /// Where the repaired tools are staged.
    pub snapshot: Option<i64>,
    /// What to know beside.
    pub notes: Vec<String>,
}

/// A fix that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedFix {
    /// The tool that it changes; None: the program.
    pub tool: Option<String>,
    /// The part as it was.
    pub was: String,
    /// The part as it is meant.
    pub now: String,
}

/// A repaired program, or tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedProgram {
    /// The tool; None: the program.
    pub tool: Option<String>,
    /// The code, in the notation that it came in; of a tool in the notation.
    pub code: String,
}

/// The examples that ran, and the properties that were tried.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Proof {
    /// How many examples passed.
    pub passed: usize,
    /// What is told of each of the others.
    pub failed: Vec<String>,
    /// How many properties hold for all inputs that were tried.
    pub held: usize,
    /// What is told of each of the others.
    pub refuted: Vec<String>,
    /// Whether not all could run in time.
    pub is_cut: bool,
}

/// What is least around a fault, and what brought it.
#[derive(Debug, Default)]
pub struct Diagnosis {
    /// The least input that still fails so; None: there is no input.
    pub input: Option<Least>,
    /// The least variables, where the program had some.
    pub context: Option<Least>,
    /// The call within which it fails, if that is not the whole run.
    pub inner: Option<Inner>,
    /// The least program that still fails so; of a fault in a tool that of the tool.
    pub program: Option<Fragment>,
    /// The term at which it fails.
    pub term: Option<Fragment>,
    /// The change that brought it; None: no change of a tool did.
    pub since: Option<Since>,
}

/// A text that was made small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Least {
    /// The text.
    pub json: String,
    /// Whether nothing smaller was left to try. Else a bound of the search was met.
    pub is_least: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inner {
    /// The tool.
    pub tool: String,
    /// Its least argument with which it fails so by itself.
    pub input: Least,
}

/// A program, or a term of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The tool that it is of; None: the program.
    pub tool: Option<String>,
    /// The code in the notation.
    pub code: String,
    /// Its type, if that is known.
    pub shape: Option<String>,
    /// Whether nothing smaller was left to try.
    pub is_least: bool,
}

/// The change of a tool that brought a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The tool.
    pub tool: String,
    /// The revision that the change made current; None: it retired the tool.
    pub revision: Option<String>,
    /// The revision before; None: there was none.
    pub before: Option<String>,
    /// What the run came to before the change.
    pub was: Was,
    /// The number of the entry of the change.
    pub entry: i64,
    /// When it was made, in RFC 3339 format.
    pub time: String,
}

/// What a run came to before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Was {
    /// A value.
    Value,
    /// A fault of another kind, by its code.
    Fault(String),
}
