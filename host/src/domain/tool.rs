//! The built-in tools. A row of the table and a file in `mcp/tool/` make a tool: its name is
//! reserved, listed, called, documented and packaged from here.

/// A set of tools that an operator switches on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// Makes tools, runs them and shows them.
    Core,
    /// Works with what lasts.
    State,
}

impl Toolset {
    /// All sets.
    pub const ALL: [Self; 2] = [Self::Core, Self::State];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::State => "state",
        }
    }

    /// What its tools are for.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Core => "make tools, run them and look at them",
            Self::State => "what lasts: revisions, memory and journal",
        }
    }

    /// The set with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }
}

/// What a tool does to the state of the server. No tool reaches beyond the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It looks.
    Reads,
    /// It runs a program. A run changes nothing, but the journal has an entry for it.
    Runs,
    /// It changes something, and keeps what was there before.
    Writes,
    /// It may remove something for good.
    Destroys,
}

impl Effect {
    /// Whether everything is as it was afterwards.
    #[must_use]
    pub fn is_read_only(self) -> bool {
        matches!(self, Self::Reads | Self::Runs)
    }

    /// Whether the journal tells of calls that are refused.
    #[must_use]
    pub fn is_journaled(self) -> bool {
        !matches!(self, Self::Reads)
    }
}

/// Hands the table to a macro: tool, name, set, effect, title; in the order in which clients see
/// the tools.
macro_rules! each_tool {
    ($then:ident) => {
        $then! {
            Evolve evolve Core Writes "Evolve a tool";
            Run run Core Runs "Run a term or tool";
            List list Core Reads "List evolved tools";
            Help help Core Reads "Language help";
            Inspect inspect Core Reads "Inspect a tool";
            Check check Core Reads "Check a term";
            Rollback rollback State Writes "Roll a tool back";
            MemoryStore memory_store State Destroys "Store in the memory";
            MemoryRetrieve memory_retrieve State Reads "Retrieve from the memory";
            JournalRecent journal_recent State Reads "Recent entries of the journal";
            Replay replay State Reads "Replay a run";
            ServerInfo server_info State Reads "Server information";
        }
    };
}
pub(crate) use each_tool;

macro_rules! built_in {
    ($($tool:ident $name:ident $set:ident $effect:ident $title:literal;)*) => {
        /// A tool that is always there.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum BuiltIn {
            $(#[doc = $title] $tool,)*
        }

        impl BuiltIn {
            /// All of them, in the order in which they are listed.
            pub const ALL: &[Self] = &[$(Self::$tool,)*];

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$tool => stringify!($name),)* }
            }

            /// The set that it belongs to.
            #[must_use]
            pub fn set(self) -> Toolset {
                match self { $(Self::$tool => Toolset::$set,)* }
            }

            /// What it does to the state of the server.
            #[must_use]
            pub fn effect(self) -> Effect {
                match self { $(Self::$tool => Effect::$effect,)* }
            }

            /// Its name for people.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$tool => $title,)* }
            }
        }
    };
}
each_tool!(built_in);

impl BuiltIn {
    /// The tool with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tool| tool.name() == name)
    }
}

/// Names of an earlier server that clients may still call. They are accepted and not listed.
pub const LEGACY: [&str; 2] = ["execute_tool", "meta_evolve"];
