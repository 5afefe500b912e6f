//! The limits. Each row of the table makes a name in faults, a flag, an environment variable, a
//! line of `server_info` and a row of `host/docs/limits.md`.

use std::fmt;

use super::code::FaultCode;

/// All there is to say about a limit, except its value.
#[derive(Debug)]
pub struct Row {
    /// Its name in faults and in `server_info`.
    pub name: &'static str,
    /// One sentence for `--help`, without a final period.
    pub help: &'static str,
    /// The heading it stands under.
    pub section: Section,
    /// What it counts.
    pub unit: Unit,
    /// Where its value comes from.
    pub setting: Setting,
    /// What happens beyond it.
    pub beyond: Beyond,
    /// The test in which this limit takes effect.
    pub test: &'static str,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Things.
    Count,
    /// Bytes.
    Size,
    /// Nanoseconds; shown as milliseconds.
    Time,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// A flag or an environment variable.
    Flag {
        /// The flag without its dashes.
        flag: &'static str,
        /// The value without it.
        default: Default,
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
        /// A limit whose value it may not exceed.
        ceiling: Option<Limit>,
    },
    /// The server.
    Fixed {
        /// Its value.
        value: u64,
        /// Why nobody sets it, as a sentence.
        why: &'static str,
    },
}

/// The value of a limit that nobody sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// As a user would write it.
    Text(&'static str),
    /// The number of processors.
    Processors,
    /// The one of the profile.
    Profile,
}

impl Default {
    /// The default in words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Text(text) => text,
            Self::Processors => "the number of processors",
            Self::Profile => "20k, 50k or 200k, by profile",
        }
    }
}

/// What happens beyond a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// The call fails with this code.
    Fault(FaultCode),
    /// Something else, in a word or two.
    Other(&'static str),
}

impl Beyond {
    /// The code of the fault, or the words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Fault(code) => code.name(),
            Self::Other(text) => text,
        }
    }
}

/// The heading that limits stand under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// What one run may use.
    Run,
    /// What stops an evaluator that does not keep to these.
    Net,
    /// What a request may hold.
    Request,
    /// How requests are served.
    Service,
    /// What is kept.
    State,
    /// What a value may be that is compared with an output schema.
    Schema,
}

impl Section {
    /// All sections, in order.
    pub const ALL: [Self; 6] =
        [Self::Run, Self::Net, Self::Request, Self::Service, Self::State, Self::Schema];

    /// The heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Run => "Limits of a run",
            Self::Net => "The net below the limits of a run",
            Self::Request => "Limits of requests",
            Self::Service => "Service",
            Self::State => "State",
            Self::Schema => "Output schemas",
        }
    }
}

const fn flag(flag: &'static str, default: &'static str, least: u64, most: u64) -> Setting {
    Setting::Flag { flag, default: Default::Text(default), least, most, ceiling: None }
}

const fn fixed(value: u64, why: &'static str) -> Setting {
    Setting::Fixed { value, why }
}

impl Setting {
    const fn below(self, limit: Limit) -> Self {
        match self {
            Self::Flag { flag, default, least, most, .. } => {
                Self::Flag { flag, default, least, most, ceiling: Some(limit) }
            }
            Self::Fixed { value, why } => Self::Fixed { value, why },
        }
    }

    const fn or(self, default: Default) -> Self {
        match self {
            Self::Flag { flag, least, most, ceiling, .. } => {
                Self::Flag { flag, default, least, most, ceiling }
            }
            Self::Fixed { value, why } => Self::Fixed { value, why },
        }
    }
}

const fn fault(code: FaultCode) -> Beyond {
    Beyond::Fault(code)
}

/// The least memory a machine can start in.
const LEAST_MEMORY: u64 = 1 << 20;

/// The most memory a run may have: the evaluator needs twice that, and room for its input.
const MOST_MEMORY: u64 = 512 << 20;

/// The deepest recursion that may be allowed.
const MOST_DEPTH: u64 = 100_000_000;

/// The most wasmtime fuel: beyond it numbers of wasmtime's overflow.
const MOST_FUEL: u64 = 1 << 62;

/// The longest text that may be accepted: the component addresses 32 bits, several times over.
const MOST_TEXT: u64 = 256 << 20;

/// The most memory any instance gets. The component is linked with the same maximum.
pub(crate) const MEMORY_CAP: u64 = 1280 << 20;

/// The longest time that can be counted.
const MOST_TIME: u64 = u64::MAX;

/// Why a limit is fixed that a result depends on and that an entry of the journal does not keep.
const REPLAYS: &str = "It is fixed, so that a replay on any server gives an equal result.";

macro_rules! limits {
    ($($limit:ident $name:literal $section:ident $unit:ident
       $setting:expr, $beyond:expr, $test:literal, $help:literal;)*) => {
        /// A limit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Limit {
            $(#[doc = $help] $limit,)*
        }

        impl Limit {
            /// All limits, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$limit,)*];

            /// What there is to say about it.
            #[must_use]
            pub const fn row(self) -> &'static Row {
                match self {
                    $(Self::$limit => {
                        const ROW: Row = Row {
                            name: $name,
                            help: $help,
                            section: Section::$section,
                            unit: Unit::$unit,
                            setting: $setting,
                            beyond: $beyond,
                            test: $test,
                        };
                        &ROW
                    })*
                }
            }
        }
    };
}

limits! {
    Fuel "fuel" Run Count
        flag("fuel", "100M", 1, u64::MAX).below(Limit::FuelCeiling),
        fault(FaultCode::OutOfFuel), "language_fuel_stops_a_run",
        "Fuel of a run: one unit for each evaluated node, more for a form that does more work";
    FuelCeiling "fuel_ceiling" Run Count
        flag("fuel-ceiling", "1G", 1, u64::MAX),
        fault(FaultCode::Malformed), "every_refusal_names_its_code_and_says_what_to_do",
        "The most fuel that a call may ask for";
    Depth "depth" Run Count
        flag("depth", "1M", 1, MOST_DEPTH).below(Limit::DepthCeiling),
        fault(FaultCode::TooDeep), "language_depth_stops_a_run",
        "Pending evaluations of a run";
    DepthCeiling "depth_ceiling" Run Count
        flag("depth-ceiling", "4M", 1, MOST_DEPTH),
        fault(FaultCode::Malformed), "every_refusal_names_its_code_and_says_what_to_do",
        "The greatest depth that a call may ask for";
    Memory "memory" Run Size
        flag("memory", "64MiB", LEAST_MEMORY, MOST_MEMORY).below(Limit::MemoryCeiling),
        fault(FaultCode::TooLarge), "language_memory_stops_a_run",
        "Memory of a run";
    MemoryCeiling "memory_ceiling" Run Size
        flag("memory-ceiling", "512MiB", LEAST_MEMORY, MOST_MEMORY),
        fault(FaultCode::Malformed), "every_refusal_names_its_code_and_says_what_to_do",
        "The most memory that a call may ask for, up to 512MiB";
    WallClock "wall_clock_ms" Run Time
        flag("wall-clock", "5s", 1, MOST_TIME),
        fault(FaultCode::Timeout), "the_deadline_stops_an_evaluator_that_spins",
        "Time of a run, all its continuations together";
    Waiting "waiting_ms" Run Time
        fixed(60_000_000_000, "No server lets programs wait yet."),
        fault(FaultCode::Timeout), "a_run_does_not_wait_for_the_world_without_end",
        "How long a run may wait for one answer of the world, while its wall clock stands still";
    Result "result" Run Count
        flag("max-result", "", 1, 2_000_000).or(Default::Profile),
        Beyond::Other("truncated"), "a_result_over_its_cap_is_absent",
        "Characters of a result; of a longer one the reply tells only the size";
    Sources "sources" Run Size
        fixed(8 << 20, REPLAYS),
        fault(FaultCode::TooLarge), "the_sources_of_a_run_are_bounded",
        "Bytes of all tools that one step of a run uses, if there are several";
    WasmtimeFuel "wasmtime_fuel" Net Count
        flag("wasmtime-fuel", "10G", 1, MOST_FUEL),
        fault(FaultCode::Internal), "wasmtime_fuel_stops_an_evaluator_that_spins",
        "Wasm instructions of one call into the evaluator. It gets 64 more for each byte of \
         `--memory` and 20,000 more for each byte of text that it reads";
    WasmtimeFuelPerUnit "wasmtime_fuel_per_unit" Net Count
        flag("wasmtime-fuel-per-unit", "5000", 0, MOST_FUEL),
        fault(FaultCode::Internal), "wasmtime_fuel_stops_an_evaluator_that_spins",
        "Wasm instructions more for each unit of a run's fuel";
    InstanceMemory "instance_memory" Net Size
        flag("instance-memory", "1280MiB", 4 << 20, MEMORY_CAP),
        fault(FaultCode::Internal), "the_memory_ceiling_stops_an_evaluator_that_grows",
        "The most memory of one instance of the evaluator";
    WasmStack "wasm_stack" Net Size
        fixed(512 << 10, "The evaluator needs a small part of it, whatever it evaluates."),
        fault(FaultCode::Internal), "the_wasm_stack_stops_an_evaluator_that_recurses",
        "The stack of one instance of the evaluator, which never recurses";
    Line "line" Request Size
        flag("max-line", "16MiB", 1, MOST_TEXT),
        Beyond::Other("-32600"), "a_line_over_its_cap_is_refused",
        "Length of a request line";
    Nesting "nesting" Request Count
        flag("max-nesting", "1000", 1, 1_000_000),
        Beyond::Other("-32600"), "nesting_over_its_cap_is_refused",
        "Levels of nesting in the arguments of a call";
    Code "code" Request Size
        flag("max-code", "4MiB", 1, MOST_TEXT),
        fault(FaultCode::TooLarge), "code_and_data_over_their_caps_are_refused",
        "Length of a term";
    Data "data" Request Size
        flag("max-data", "8MiB", 1, MOST_TEXT),
        fault(FaultCode::TooLarge), "code_and_data_over_their_caps_are_refused",
        "Length of input, data and context together";
    Concurrency "concurrency" Service Count
        flag("concurrency", "", 1, 1_000).or(Default::Processors),
        Beyond::Other("waits"), "the_gate_lets_in_as_many_as_there_are_places",
        "Runs at the same time";
    Queue "queue" Service Count
        flag("queue", "256", 1, 100_000),
        Beyond::Other("reading stops"), "a_full_queue_stops_the_reading",
        "Requests that may wait before the server stops reading";
    Patience "patience_ms" Service Time
        flag("patience", "10s", 1, MOST_TIME),
        fault(FaultCode::Busy), "the_gate_lets_in_as_many_as_there_are_places",
        "How long a run may wait for its turn, and a write for another process that writes";
    Listed "listed" Service Count
        flag("listed", "64", 0, 10_000),
        Beyond::Other("not listed"), "long_lists_come_in_pages",
        "Evolved tools in tools/list; clients can call all of them";
    JournalEntry "journal_entry" State Size
        flag("journal-entry", "64KiB", 0, 64 << 20),
        Beyond::Other("a digest"), "a_policy_says_what_entries_keep",
        "Length of a request or result that the journal keeps; of a longer one it keeps a digest";
    JournalSize "journal_size" State Size
        flag("journal-size", "128MiB", 1 << 20, 64 << 30),
        Beyond::Other("the oldest go"), "a_journal_keeps_within_its_size",
        "Size of the journal; the oldest entries go first. Without a file 16MiB at most";
    MemoryKeys "memory_keys" State Count
        flag("memory-keys", "100k", 1, 10_000_000),
        fault(FaultCode::TooLarge), "holds_so_many_keys",
        "Keys of the memory";
    MemoryBytes "memory_bytes" State Size
        flag("memory-bytes", "1GiB", 1, 64 << 30),
        fault(FaultCode::TooLarge), "holds_so_many_bytes",
        "Bytes of all values in the memory";
    SchemaDepth "schema_depth" Schema Count
        fixed(1_000, REPLAYS),
        fault(FaultCode::TooDeep), "hostile_schemas_and_values_end",
        "Levels of nesting in a value that is compared with a schema";
    SchemaParts "schema_parts" Schema Count
        fixed(2_000_000, REPLAYS),
        fault(FaultCode::TooLarge), "hostile_patterns_numbers_and_lists_end",
        "Items and members of such a value; an object counts as several";
    SchemaWork "schema_work" Schema Count
        fixed(50_000_000, REPLAYS),
        fault(FaultCode::TooLarge), "hostile_schemas_and_values_end",
        "Steps of a comparison";
}

impl Limit {
    /// Its name in faults and in `server_info`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The limit with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|limit| limit.name() == name)
    }

    /// The value of a limit that nobody can set; 0 for others.
    #[must_use]
    pub const fn fixed(self) -> u64 {
        match self.row().setting {
            Setting::Fixed { value, .. } => value,
            Setting::Flag { .. } => 0,
        }
    }

    /// The value of a limit that nobody can set, as a length.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "fixed limits fit into 32 bits")]
    pub const fn fixed_count(self) -> usize {
        self.fixed() as usize
    }

    /// A value as replies show it: times in milliseconds.
    #[must_use]
    pub fn shown(self, value: u64) -> u64 {
        match self.row().unit {
            Unit::Time => value / 1_000_000,
            Unit::Count | Unit::Size => value,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
