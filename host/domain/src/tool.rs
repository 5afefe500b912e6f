//! The built-in tools. A row of the table and a file in `mcp/tool/` define a tool. The table
//! supplies its name for reserving, listing, calling, documenting and packaging.

use super::principal::Scope;

/// A set of tools that the operator turns on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// Makes tools, runs them and shows them.
    Core,
    /// Works with stored state.
    State,
    /// Works with sessions.
    Sessions,
    /// Works with tools of other servers.
    Capabilities,
    /// Tries changes before they count.
    Staging,
    /// Does work that survives.
    Work,
    /// Tells of programs before they run.
    Analysis,
    /// Shows what is measured.
    Debug,
}

impl Toolset {
    /// All sets.
    pub const ALL: [Self; 8] = [
        Self::Core,
        Self::State,
        Self::Sessions,
        Self::Capabilities,
        Self::Staging,
        Self::Work,
        Self::Analysis,
        Self::Debug,
    ];

    /// The sets that are off by default, or that there are only where other servers are configured.
    pub const OTHERS: [Self; 5] =
        [Self::Capabilities, Self::Staging, Self::Work, Self::Analysis, Self::Debug];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::State => "state",
            Self::Sessions => "sessions",
            Self::Capabilities => "capabilities",
            Self::Staging => "staging",
            Self::Work => "work",
            Self::Analysis => "analysis",
            Self::Debug => "debug",
        }
    }

    /// The purpose of its tools.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Core => "make tools, run them and look at them",
            Self::State => "what lasts: revisions, memory and journal",
            Self::Sessions => "names that keep their values from call to call",
            Self::Capabilities => "tools of other servers, where some are configured",
            Self::Staging => {
                "changes that are tried before they count; off unless you switch it on"
            }
            Self::Work => "runs that survive crashes; off unless you switch it on",
            Self::Analysis => {
                "what is known of programs before they run; off unless you switch it on"
            }
            Self::Debug => "what the server measures; off unless you switch it on",
        }
    }

    /// The set with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }
}

/// The effect of a tool on the state of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Reads,
    /// It runs a program. A run changes nothing except that the journal gets an entry.
    Runs,
    /// It changes something and keeps the earlier version.
    Writes,
    /// It runs a program and keeps what that binds.
    Turns,
    /// Each call adds something.
    Adds,
    /// It may remove something permanently.
    Destroys,
    /// Each call may count, or remove something permanently.
    Learns,
    /// It looks, and asks other servers.
    Asks,
}

impl Effect {
    /// Whether the tool leaves the state unchanged.
    #[must_use]
    pub fn is_read_only(self) -> bool {
        matches!(self, Self::Reads | Self::Runs | Self::Asks)
    }

    /// Whether a second call with equal arguments changes nothing more.
    #[must_use]
    pub fn is_idempotent(self) -> bool {
        !matches!(self, Self::Turns | Self::Adds | Self::Learns)
    }

    /// Whether the tool may remove something permanently.
    #[must_use]
    pub fn destroys(self) -> bool {
        matches!(self, Self::Destroys | Self::Learns)
    }

    /// Whether the journal records refused calls of the tool.
    #[must_use]
    pub fn is_journaled(self) -> bool {
        !matches!(self, Self::Reads | Self::Asks)
    }
}

/// Passes the table to a macro: tool, name, set, effect, scope, title. The rows are in the order in which
/// clients see the tools.
#[macro_export]
macro_rules! each_tool {
    ($then:ident) => {
        $then! {
            Evolve evolve Core Writes Evolve "Make a tool";
            Run run Core Runs Run "Run a program";
            List list Core Reads Read "List tools";
            Help help Core Reads Read "Help";
            Inspect inspect Core Reads Read "Show a tool";
            Check check Core Reads Read "Check a program";
            Search search State Reads Read "Search";
            Rollback rollback State Writes Evolve "Roll back";
            MemoryStore memory_store State Learns Run "Remember";
            MemoryRetrieve memory_retrieve State Reads Read "Recall";
            JournalRecent journal_recent State Reads Read "Journal";
            Replay replay State Reads Run "Replay";
            ServerInfo server_info State Reads Read "Server";
            SessionStart session_start Sessions Adds Run "Start session";
            SessionEval session_eval Sessions Turns Run "Run in a session";
            SessionInspect session_inspect Sessions Reads Run "Show session";
            SessionList session_list Sessions Reads Run "Sessions";
            SessionForget session_forget Sessions Destroys Run "Forget";
            SessionClose session_close Sessions Destroys Run "Close session";
            SessionSave session_save Sessions Writes Run "Save session";
            SessionRestore session_restore Sessions Destroys Run "Restore session";
            Capabilities capabilities Capabilities Reads Read "Tools of other servers";
            Approve approve Capabilities Runs Run "Approve a waiting run";
            UkrSearch ukr_search Capabilities Asks Run "Search other servers";
            InstallCapability install_capability Capabilities Writes Admin "Install another server";
            UninstallCapability uninstall_capability Capabilities Destroys Admin "Uninstall another server";
            Stage stage Staging Adds Evolve "Stage changes";
            Verify verify Staging Runs Run "Verify staged changes";
            Commit commit Staging Writes Evolve "Commit staged changes";
            Discard discard Staging Destroys Evolve "Discard staged changes";
            Runs runs Work Reads Run "Durable runs";
            WorkflowExecute workflow_execute Work Runs Run "Run a workflow";
            Repair repair Work Adds Evolve "Repair a program or a tool";
            Task task Work Turns Run "Have a model write a program";
            Analyze analyze Analysis Reads Read "Analyze a program";
            Receipt receipt Analysis Reads Run "Receipt of a run";
            Debug debug Debug Reads Read "What the server measures";
        }
    };
}

macro_rules! built_in {
    ($($tool:ident $name:ident $set:ident $effect:ident $scope:ident $title:literal;)*) => {
        /// A built-in tool, which is always available.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum BuiltIn {
            $(#[doc = $title] $tool,)*
        }

        impl BuiltIn {
            /// All tools, in the order in which they are listed.
            pub const ALL: &[Self] = &[$(Self::$tool,)*];

            /// The name of the tool.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$tool => stringify!($name),)* }
            }

            /// The set of the tool.
            #[must_use]
            pub fn set(self) -> Toolset {
                match self { $(Self::$tool => Toolset::$set,)* }
            }

            /// The effect on the state of the server.
            #[must_use]
            pub fn effect(self) -> Effect {
                match self { $(Self::$tool => Effect::$effect,)* }
            }

            /// The scope that a call needs.
            #[must_use]
            pub fn scope(self) -> Scope {
                match self { $(Self::$tool => Scope::$scope,)* }
            }

            /// The name shown to people.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$tool => $title,)* }
            }
        }
    };
}
each_tool!(built_in);

impl BuiltIn {
    /// Whether clients see the tool only where the operator's policy allows something.
    #[must_use]
    pub fn needs_policy(self) -> bool {
        matches!(self, Self::Approve | Self::InstallCapability | Self::UninstallCapability)
    }

    /// Whether a call with an argument that the tool does not have is made without it. A call that
    /// changes something is refused: the argument may say what not to change.
    #[must_use]
    pub fn forgives(self) -> bool {
        self.effect().is_read_only() && self != Self::Approve
    }

    /// The tool with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tool| tool.name() == name)
    }
}

/// The scope that a call of a tool needs. Tools that were evolved are run.
#[must_use]
pub fn scope_of(tool: Option<BuiltIn>) -> Scope {
    tool.map_or(Scope::Run, BuiltIn::scope)
}

/// Names of an earlier server that clients may still call, each with the tool that it means now. They
/// are accepted and not listed.
pub const SPELLINGS: [(&str, &str); 26] = [
    ("memory-store", "memory_store"),
    ("memory-retrieve", "memory_retrieve"),
    ("memory_recall", "memory_retrieve"),
    ("memory-recall", "memory_retrieve"),
    ("journal-recent", "journal_recent"),
    ("server-info", "server_info"),
    ("execute", "session_eval"),
    ("state", "session_inspect"),
    ("save_state", "session_save"),
    ("restore_state", "session_restore"),
    ("save-state", "session_save"),
    ("restore-state", "session_restore"),
    ("lisp_eval", "session_eval"),
    ("lisp_session_start", "session_start"),
    ("lisp_session_eval", "session_eval"),
    ("lisp_session_inspect", "session_inspect"),
    ("lisp_session_list", "session_list"),
    ("lisp_session_forget", "session_forget"),
    ("lisp_session_close", "session_close"),
    ("overlay_execute", "stage"),
    ("verify_changes", "verify"),
    ("overlay_commit", "commit"),
    ("overlay_discard", "discard"),
    ("reflexion_fix", "repair"),
    ("lisp_task", "task"),
    ("autonomous_task", "task"),
];

/// Such names that are more than another spelling.
pub const LEGACY: [&str; 4] = ["execute_tool", "meta_evolve", "describe_capability", "reset"];
