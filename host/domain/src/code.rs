//! The codes of faults.

use std::fmt::{self, Write as _};

/// Declares the codes. Each row is: variant, text, whether `try` catches it, description.
macro_rules! codes {
    ($($name:ident $text:literal $catchable:literal $doc:literal)*) => {
        /// The code of a fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FaultCode {
            $(#[doc = $doc] $name,)*
        }

        impl FaultCode {
            /// All codes, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The text in replies and in the journal, such as `type-mismatch`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Whether the form `try` catches the fault.
            #[must_use]
            pub fn is_catchable(self) -> bool {
                match self { $(Self::$name => $catchable,)* }
            }

            /// When the fault occurs.
            #[must_use]
            pub fn description(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }
        }
    };
}

codes! {
    Unparsable "unparsable" true "A text is not JSON, or does not spell what a form reads."
    DuplicateKey "duplicate-key" true "An object has the same key twice."
    UnknownForm "unknown-form" true "An object has no form key."
    Malformed "malformed" true "A form has the wrong operands, or a call has wrong arguments."
    Unbound "unbound" true "Nothing binds a variable."
    NotAFunction "not-a-function" true "A program applies something that is not a function."
    TypeMismatch "type-mismatch" true "An operand has the wrong type."
    DivideByZero "divide-by-zero" true "A divisor is zero."
    NotFinite "not-finite" true "A number is beyond all doubles."
    EmptyList "empty-list" true "A form needs an element and the list has none."
    OutOfRange "out-of-range" true "An index, a count, a step or a unit is beyond what a form takes."
    MissingKey "missing-key" true "A record does not have the key."
    NoMatch "no-match" true "No test of a `cond` is true."
    Regex "regex" true "A pattern is not a regular expression."
    Fail "fail" true "The program failed by its own `fail`."
    UnknownTool "unknown-tool" true "There is no tool of that name."
    OutsideTool "outside-tool" true "`self`, `continue` or `code_of \"self\"` stands where there is no tool."
    EvalDepth "eval-depth" true "More than 100 evals are active."
    OutOfFuel "out-of-fuel" false "The run has used up its fuel."
    TooDeep "too-deep" false "Too many evaluations are pending, or a value is nested too deep."
    TooLarge "too-large" false "Something is larger than a limit allows."
    NotStorable "not-storable" false "A value cannot be kept as a term."
    Upstream "upstream" true "A call of another server has no value; `upstream` says why."
    UnknownCapability "unknown-capability" true "There is no tool of that name on another server."
    Forbidden "forbidden" false "The client's token does not have the scope that a call needs."
    CapabilityDenied "capability-denied" false "Nothing grants an effect."
    Internal "internal" false "The server or the evaluator has a defect."
    InvalidSchema "invalid-schema" false "The output schema is not a JSON Schema that the server takes."
    SchemaMismatch "schema-mismatch" false "The value does not conform to the output schema."
    Interrupted "interrupted" false "A durable run stopped before its end; it can go on."
    OutcomeUnknown "outcome-unknown" false "A durable run stopped, since nobody knows what came of a call that writes; somebody has to say it."
    Timeout "timeout" false "The run took longer than its wall clock."
    Cancelled "cancelled" false "The client cancelled the call, or the server stops."
    Busy "busy" false "The call waited too long for its turn."
    Storage "storage" false "The store cannot be read or written."
    StoreUnavailable "store-unavailable" false "The database is lost, or does not answer in time."
    UnknownSession "unknown-session" false "There is no such session, or no such saved state."
    SessionClosed "session-closed" false "The session is over: closed, or past its time."
    SessionBusy "session-busy" false "Another turn of the session is running."
    SessionLimit "session-limit" false "A session, or the sessions together, would hold more than a limit allows."
    InvalidReceipt "invalid-receipt" false "A receipt cannot be made, or does not hold."
    UnknownSnapshot "unknown-snapshot" false "There is no such snapshot, or its time is over."
    Unverified "unverified" false "A snapshot was not verified since its last change, or did not pass."
    Conflict "conflict" false "Something that a snapshot touches or depends on has changed since."
    SnapshotLimit "snapshot-limit" false "There would be more snapshots, or more operations in one, than a limit allows."
    NoModel "no-model" false "No model is configured that writes programs, and the client offers none; the record has the `prompt`, which the model that called can answer itself."
    ModelFailed "model-failed" false "The model that writes programs has not answered."
    Unsolved "unsolved" false "The programs, the tokens or the time of a task were used up before a program solved it."
    PartialSideEffects "partial-side-effects" false "A program of a task failed after a call that may have changed something; the task stops, since it is not known that the call may be repeated."
    UnknownKey "unknown-key" false "The memory has nothing under the key."
    UnknownEntry "unknown-entry" false "The journal has no such entry."
}

impl FaultCode {
    /// The code with this text.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == text)
    }

    /// Whether the fault depends on clocks, other processes or the machine, and not on the program.
    /// A replay cannot repeat such a fault.
    #[must_use]
    pub fn is_worldly(self) -> bool {
        self.is_stop()
            || self.is_of_store()
            || matches!(self, Self::Busy | Self::SessionBusy | Self::Internal)
    }

    /// Whether the store failed, which then cannot be told of in the journal either.
    #[must_use]
    pub fn is_of_store(self) -> bool {
        matches!(self, Self::Storage | Self::StoreUnavailable)
    }

    /// Whether the run was stopped from outside.
    #[must_use]
    pub fn is_stop(self) -> bool {
        matches!(self, Self::Timeout | Self::Cancelled)
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The page of all fault codes, in Markdown.
#[must_use]
pub fn faults_page() -> String {
    let mut page = "\
# Faults

A call that fails replies with `isError` and a record: `code`, `message`, `at` (a JSON Pointer to the place),
`error` (the first line of the text, also with the step that failed: only faults have it),
and where there is one `excerpt`, `hint`, `tool`, `calls`, `warnings`, `limit`, `reason` (of `session-closed`). Of a program in the notation it
has `line`, `column` and `caret`, which shows the line and a `^` below the place. The form `try` catches the
codes that say so; [the language reference](../../guest/LANGUAGE.md#faults) tells more of those that programs
cause.

Where the repair of the program is sure, the record has `fix` (`at`, which is `LINE:COLUMN`, or a JSON Pointer into a JSON term; `was`; `now`)
and `fixed`: the whole program with all sure repairs, in the notation that it came in. Sure means that one name is near or one spelling
is meant, and that the program can be read with it. `check` tells the fixes of all faults and notes; `mcp-pif check --fix FILE` writes them.

| code | when | caught by `try` |
|---|---|---|
"
    .to_owned();
    for code in FaultCode::ALL {
        let caught = if code.is_catchable() { "yes" } else { "no" };
        let _ = writeln!(page, "| `{code}` | {} | {caught} |", code.description());
    }
    page
}
