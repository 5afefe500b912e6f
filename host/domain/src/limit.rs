//! The limits. Each row of the table defines a name in faults, a flag, an environment variable, a
//! line of `server_info` and a row of `host/docs/limits.md`.

use super::bound::{Default, LEAST_MEMORY, MOST_DEPTH, MOST_MEMORY, Overrun, Unit};
use super::code::FaultCode;
use super::section::Section;

/// The description of a limit.
#[derive(Debug)]
pub struct Row {
    /// The name in faults and in `server_info`.
    pub name: &'static str,
    /// One sentence for `--help`, without a final period.
    pub help: &'static str,
    /// The heading that it is listed under.
    pub section: Section,
    /// The unit of its value.
    pub unit: Unit,
    /// The source of its value.
    pub setting: Setting,
    /// The effect of exceeding it.
    pub beyond: Overrun,
    /// The test in which this limit takes effect.
    pub test: &'static str,
}

/// The source of a limit's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The value is set by a flag or an environment variable.
    Flag {
        /// The flag without its dashes.
        flag: &'static str,
        /// The value if neither is set.
        default: Default,
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
        /// A limit whose value it may not exceed.
        ceiling: Option<Limit>,
    },
    /// The value cannot be set.
    Fixed {
        /// Its value.
        value: u64,
        /// The reason why it cannot be set, as a sentence.
        why: &'static str,
    },
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

const fn fault(code: FaultCode) -> Overrun {
    Overrun::Fault(code)
}

/// The most wasmtime fuel. Counters of wasmtime overflow beyond it.
const MOST_FUEL: u64 = 1 << 62;

/// The longest text that can be accepted. The component has 32-bit addresses and needs a multiple
/// of the text's size.
const MOST_TEXT: u64 = 256 << 20;

/// The most memory of an instance. The component is linked with an equal maximum.
pub const MEMORY_CAP: u64 = 1280 << 20;
/// The longest time that fits into the counter.
const MOST_TIME: u64 = u64::MAX;
/// The reason of fixed limits that affect results and that journal entries do not record.
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

            /// The description of the limit.
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
        flag("fuel", "2G", 1, u64::MAX).below(Limit::FuelCeiling),
        fault(FaultCode::OutOfFuel), "language_fuel_stops_a_run",
        "Fuel of a run: one unit for each evaluated node, more for a form that does more work";
    FuelCeiling "fuel_ceiling" Run Count
        flag("fuel-ceiling", "10G", 1, u64::MAX),
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
        flag("memory", "512MiB", LEAST_MEMORY, MOST_MEMORY).below(Limit::MemoryCeiling),
        fault(FaultCode::TooLarge), "language_memory_stops_a_run",
        "Memory of a run";
    MemoryCeiling "memory_ceiling" Run Size
        flag("memory-ceiling", "512MiB", LEAST_MEMORY, MOST_MEMORY),
        fault(FaultCode::Malformed), "every_refusal_names_its_code_and_says_what_to_do",
        "The most memory that a call may ask for, up to 512MiB";
    WallClock "wall_clock_ms" Run Time
        flag("wall-clock", "20s", 1, MOST_TIME),
        fault(FaultCode::Timeout), "the_deadline_stops_an_evaluator_that_spins",
        "Time of a run, all its continuations together";
    Waiting "waiting_ms" Run Time
        flag("upstream-wall-clock", "60s", 1, MOST_TIME),
        fault(FaultCode::Timeout), "a_run_does_not_wait_for_the_world_without_end",
        "How long a run may wait for other servers, all its calls together; its wall clock stands \
         still meanwhile";
    DurableWaiting "durable_waiting_ms" Run Time
        flag("durable-wall-clock", "1h", 1, MOST_TIME),
        fault(FaultCode::Timeout), "a_durable_run_waits_longer_for_others",
        "How long a durable run may wait for other servers before it is interrupted";
    TaskTokens "task_tokens" Run Count
        flag("task-tokens", "200k", 1, 1 << 40),
        fault(FaultCode::Unsolved), "a_task_ends_with_its_tokens",
        "Tokens that the model of a task may use, questions and answers together";
    TaskWallClock "task_wall_clock_ms" Run Time
        flag("task-wall-clock", "5m", 1, MOST_TIME),
        fault(FaultCode::Unsolved), "a_task_ends_with_its_time",
        "Time of a task, all its questions and runs together";
    Asking "asking_ms" Run Time
        flag("approval-wait", "5m", 1, MOST_TIME),
        Overrun::Other("`declined`"), "a_client_that_never_answers_declines",
        "How long a question to the client waits for its answer; no clock of the run counts meanwhile";
    Calls "calls" Run Count
        flag("upstream-calls", "50", 0, 10_000),
        fault(FaultCode::Upstream), "a_run_has_a_budget_of_calls_and_bytes",
        "Calls of other servers that a run may make; one more fails for the reason `budget`";
    AnswersSize "answers" Run Size
        flag("upstream-answers", "16MB", 1, 256 << 20),
        fault(FaultCode::Upstream), "a_run_has_a_budget_of_calls_and_bytes",
        "Bytes of all answers of other servers to a run";
    Result "result" Run Count
        flag("max-result", "", 1, 2_000_000).or(Default::Profile),
        Overrun::Other("truncated"), "a_result_over_its_cap_is_absent",
        "Characters of a result; of a longer one the reply tells only the size";
    Steps "steps" Run Count
        fixed(1_000, "More are hard to read. A part of a program has fewer."),
        Overrun::Other("not shown, with a note"), "steps_show_terms_with_their_values",
        "Steps of a run that `steps` shows: terms, with the values that they came to";
    NamedSteps "named_steps" Run Count
        fixed(1_000, REPLAYS),
        Overrun::Other("not told"), "a_durable_run_tells_its_first_steps",
        "Forms `step` of a durable run that are told and are not evaluated again";
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
        Overrun::Other("-32600"), "a_line_over_its_cap_is_refused",
        "Length of a request line";
    Nesting "nesting" Request Count
        flag("max-nesting", "1000", 1, 1_000_000),
        Overrun::Other("-32600"), "nesting_over_its_cap_is_refused",
        "Levels of nesting in the arguments of a call";
    Code "code" Request Size
        flag("max-code", "4MiB", 1, MOST_TEXT),
        fault(FaultCode::TooLarge), "code_and_data_over_their_caps_are_refused",
        "Length of a term";
    Data "data" Request Size
        flag("max-data", "32MiB", 1, MOST_TEXT),
        fault(FaultCode::TooLarge), "code_and_data_over_their_caps_are_refused",
        "Length of input, data and context together";
    Concurrency "concurrency" Service Count
        flag("concurrency", "", 1, 1_000).or(Default::Processors),
        Overrun::Other("waits"), "the_gate_lets_in_as_many_as_there_are_places",
        "Runs at the same time";
    WaitingRuns "waiting_runs" Service Count
        fixed(32, "Each of them keeps its machine."),
        Overrun::Other("keeps the place of a run"), "runs_that_wait_leave_their_places_to_others",
        "Runs that may wait for other servers beside those that run";
    Queue "queue" Service Count
        flag("queue", "256", 1, 100_000),
        Overrun::Other("reading stops"), "a_full_queue_stops_the_reading",
        "Requests that may wait before the server stops reading";
    Patience "patience_ms" Service Time
        flag("patience", "10s", 1, MOST_TIME),
        fault(FaultCode::Busy), "the_gate_lets_in_as_many_as_there_are_places",
        "How long a run may wait for its turn, and a write for another process that writes";
    Listed "listed" Service Count
        flag("listed", "64", 0, 10_000),
        Overrun::Other("not listed"), "long_lists_come_in_pages",
        "Evolved tools in tools/list; clients can call all of them";
    JournalEntry "journal_entry" State Size
        flag("journal-entry", "64KiB", 0, 64 << 20),
        Overrun::Other("a digest"), "a_policy_says_what_entries_keep",
        "Length of a request or result that the journal keeps; of a longer one it keeps a digest";
    JournalSize "journal_size" State Size
        flag("journal-size", "128MiB", 1 << 20, 64 << 30),
        Overrun::Other("the oldest go"), "a_journal_keeps_within_its_size",
        "Size of the journal; the oldest entries go first. Without a file 16MiB at most";
    StoreDeadline "store_deadline_ms" State Time
        flag("store-deadline", "5s", 10_000_000, 600_000_000_000),
        fault(FaultCode::StoreUnavailable), "a_silent_database_is_waited_for_so_long",
        "How long a database may take to answer, and to let the server in";
    Lease "lease_ms" State Time
        flag("lease", "30s", 100_000_000, 600_000_000_000),
        Overrun::Other("others go on"), "a_silent_server_keeps_others_out_so_long",
        "How long a server may be silent before others go on with its sessions, snapshots and runs";
    PendingRuns "pending_runs" State Count
        flag("pending-runs", "32", 0, 1_000),
        fault(FaultCode::CapabilityDenied), "so_many_runs_wait_for_approvals",
        "Runs that wait for an approval";
    PendingLife "pending_life_ms" State Time
        flag("pending-life", "24h", 1, MOST_TIME),
        fault(FaultCode::Timeout), "a_run_waits_so_long_for_an_approval",
        "How long a run is kept that waits for an approval";
    MemoryKeys "memory_keys" State Count
        flag("memory-keys", "100k", 1, 10_000_000),
        fault(FaultCode::TooLarge), "holds_so_many_keys",
        "Keys of the memory";
    MemoryBytes "memory_bytes" State Size
        flag("memory-bytes", "1GiB", 1, 64 << 30),
        fault(FaultCode::TooLarge), "holds_so_many_bytes",
        "Bytes of all values in the memory";
    Snapshots "snapshots" Session Count
        flag("snapshots", "16", 1, 10_000),
        fault(FaultCode::SnapshotLimit), "holds_so_many_snapshots_and_operations",
        "Snapshots of an owner: changes that are tried before they count";
    SnapshotOperations "snapshot_operations" Session Count
        flag("snapshot-operations", "200", 1, 10_000),
        fault(FaultCode::SnapshotLimit), "holds_so_many_snapshots_and_operations",
        "Operations of a snapshot";
    SnapshotLife "snapshot_life_ms" Session Time
        flag("snapshot-life", "24h", 1, MOST_TIME),
        fault(FaultCode::UnknownSnapshot), "snapshots_end_by_themselves",
        "How long a snapshot lives since its last change";
    Sessions "sessions" Session Count
        flag("sessions", "64", 1, 10_000),
        fault(FaultCode::SessionLimit), "holds_so_many_sessions_and_saved_states",
        "Sessions that are not over";
    SavedStates "saved_states" Session Count
        flag("saved-states", "64", 0, 10_000),
        fault(FaultCode::SessionLimit), "holds_so_many_sessions_and_saved_states",
        "Saved states of sessions";
    SessionBindings "session_bindings" Session Count
        flag("session-bindings", "200", 1, 10_000),
        fault(FaultCode::SessionLimit), "a_session_holds_so_many_bindings_and_bytes",
        "Bindings of a session, without its last values";
    SessionSize "session_size" Session Size
        flag("session-size", "8MiB", 1, 64 << 20),
        fault(FaultCode::SessionLimit), "a_session_holds_so_many_bindings_and_bytes",
        "Bytes of the terms of these bindings";
    SessionTtl "session_ttl_ms" Session Time
        flag("session-ttl", "24h", 1, MOST_TIME),
        fault(FaultCode::SessionClosed), "sessions_end_by_themselves",
        "How long a session lives";
    SessionIdle "session_idle_ms" Session Time
        flag("session-idle", "2h", 1, MOST_TIME),
        fault(FaultCode::SessionClosed), "sessions_end_by_themselves",
        "How long a session lives without use. The session `default` lives 30 days";
    SessionHistory "session_history" Session Count
        flag("session-history", "50", 0, 10_000),
        Overrun::Other("the oldest go"), "a_session_remembers_so_many_turns",
        "Turns that a session remembers";
    SessionTurn "session_turn" Session Size
        fixed(64 << 10, "It bounds the store; the journal has the whole turn."),
        Overrun::Other("its size"), "a_session_remembers_so_many_turns",
        "Bytes of a turn that a session remembers";
    SessionLast "session_last" Session Size
        fixed(1 << 20, "It bounds the store; a larger value can be bound to a name."),
        Overrun::Other("not kept, with a warning"), "a_large_value_is_no_last_value",
        "Bytes of the term of a last value: `_1`, `_2` and `_3`";
    ExportFile "export_file" Session Size
        fixed(128 << 20, "It bounds the memory of an import; all bindings and their tools fit in."),
        fault(FaultCode::TooLarge), "a_file_that_is_too_large_is_not_read",
        "Bytes of a file that is imported";
    ClosedSessions "closed_sessions" Session Count
        fixed(1_000, "It bounds the store."),
        fault(FaultCode::UnknownSession), "closed_sessions_are_remembered",
        "Sessions that are over and remembered, so that a call is told why";
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
    HttpConnections "http_connections" Http Count
        flag("http-connections", "1000", 1, 100_000),
        Overrun::Other("503"), "connections_over_their_limit_are_turned_away",
        "Connections at the same time";
    HttpSessions "http_sessions" Http Count
        flag("http-sessions", "256", 1, 100_000),
        Overrun::Other("the idlest ends, or 429"), "sessions_at_work_stay",
        "Sessions of the older protocol versions";
    HttpSessionsEach "http_sessions_each" Http Count
        flag("http-sessions-each", "32", 1, 100_000),
        Overrun::Other("the idlest ends, or 429"), "the_session_that_nobody_uses_goes_first",
        "Such sessions of one principal";
    HttpSessionIdle "http_session_idle_ms" Http Time
        flag("http-session-idle", "30min", 1, MOST_TIME),
        Overrun::Other("404"), "a_session_without_use_ends",
        "How long such a session lasts without a request or an open stream";
    HttpAnswers "http_answers" Http Count
        fixed(8, "It bounds memory. All answers that are kept have 64 MiB."),
        Overrun::Other("the oldest go"), "an_answer_waits_for_its_client",
        "Answers of such a session that are kept for a minute, for a client that lost its connection";
    HttpCalls "http_calls" Http Count
        flag("http-calls", "4", 1, 10_000),
        Overrun::Other("waits, then 429"), "so_many_calls_of_a_session_are_open",
        "Calls of such a session that are served at once; another one waits for its turn";
    HttpHead "http_head_ms" Http Time
        flag("http-head", "10s", 1, MOST_TIME),
        Overrun::Other("cut"), "clients_that_send_slowly_are_cut",
        "How long the head of a request may take, and the start of TLS";
    HttpBody "http_body_ms" Http Time
        flag("http-body", "30s", 1, MOST_TIME),
        Overrun::Other("408, or cut"), "clients_that_send_slowly_are_cut",
        "How long a body may take, and how long a reply waits for a client that does not read";
    HttpIdle "http_idle_ms" Http Time
        flag("http-idle", "75s", 1, MOST_TIME),
        Overrun::Other("cut"), "clients_that_send_slowly_are_cut",
        "How long a connection stays without a request";
    HttpBodies "http_bodies" Http Size
        fixed(64 << 20, "It bounds memory. A body of the greatest length fits in."),
        Overrun::Other("503"), "long_bodies_share_a_room",
        "Bytes of all bodies longer than 64 KiB that are being served";
    HttpDrain "http_drain_ms" Http Time
        flag("http-drain", "10s", 1, MOST_TIME),
        Overrun::Other("canceled"), "a_signal_lets_requests_finish",
        "How long open requests may take when the server ends";
    HttpStrikes "http_strikes" Http Count
        fixed(5, "A right token is never refused, so more is of no use."),
        Overrun::Other("429"), "wrong_tokens_block_an_address",
        "Wrong tokens of an address within a minute; more block it for a minute";
    Measured "measured" Measure Count
        fixed(1_000, "It bounds memory; the counts of `/metrics` go on."),
        Overrun::Other("the oldest go"), "the_last_calls_are_kept",
        "Calls of which `debug` and `mcp-pif top` know";
    TraceSize "trace_size" Measure Size
        flag("trace-size", "1GiB", 1 << 10, 64 << 30),
        Overrun::Other("the oldest days go"), "traces_keep_within_their_size",
        "Size of all files in the directory of the traces; without older ones, no more are written";
    TracePayload "trace_payload" Measure Size
        fixed(64 << 10, "Few collectors take more."),
        Overrun::Other("its size and sha256"), "a_policy_says_what_traces_hold",
        "Length of arguments or of a result that a trace holds";
    UpstreamCall "upstream_call_ms" Upstream Time
        fixed(5_000_000_000, "The configuration sets it for a server or a tool."),
        Overrun::Other("`timeout` of the call"), "a_slow_server_times_out",
        "How long a call may take, unless the configuration gives it another time";
    UpstreamLongest "upstream_longest_ms" Upstream Time
        fixed(3_600_000_000_000, "A run waits that long too."),
        Overrun::Other("cut, with a warning"), "every_mistake_is_told_with_its_place",
        "The longest time that the configuration may give a call";
    UpstreamAnswer "upstream_answer" Upstream Size
        fixed(2_000_000, "The configuration sets it for a server or a tool."),
        Overrun::Other("`too-large` of the call"), "a_large_answer_is_refused",
        "Bytes of the answer to a call, unless the configuration allows another size";
    UpstreamMostAnswer "upstream_most_answer" Upstream Size
        fixed(4_000_000, "An answer fits into one frame of the broker."),
        Overrun::Other("the file is refused"), "every_mistake_is_told_with_its_place",
        "The largest size of an answer that the configuration may allow";
    UpstreamLine "upstream_line" Upstream Size
        fixed(16 << 20, "It bounds memory, not what programs get."),
        Overrun::Other("the server is stopped"), "a_line_without_end_stops_the_server",
        "Bytes of one message of a server";
    UpstreamAtOnce "upstream_at_once" Upstream Count
        fixed(8, "The configuration sets it for a server."),
        Overrun::Other("waits"), "calls_at_once_are_bounded",
        "Calls of one server at the same time, unless the configuration allows another number";
    UpstreamStarts "upstream_starts" Upstream Count
        fixed(4, "Starts are heavy, and others wait a moment only."),
        Overrun::Other("waits"), "servers_start_four_at_a_time",
        "Servers that are in the first 5 seconds of their start at the same time";
    UpstreamStart "upstream_start_ms" Upstream Time
        fixed(60_000_000_000, "It bounds what a server that hangs can hold up."),
        Overrun::Other("`unavailable`"), "a_server_that_does_not_start_hides_only_itself",
        "How long a server may take to start";
    UpstreamLogin "upstream_login_ms" Upstream Time
        fixed(300_000_000_000, "A person has to type a password meanwhile."),
        Overrun::Other("the login is given up"), "a_login_waits_for_the_browser_as_long_as_it_may",
        "How long `capability login` waits for the browser";
    UpstreamInstalled "upstream_installed" Upstream Count
        fixed(32, "A model that wants more can uninstall one."),
        Overrun::Other("refused"), "no_more_servers_are_installed_than_may_be",
        "Servers that are installed at run time";
    UpstreamTools "upstream_tools" Upstream Count
        fixed(1_000, "More are of no use to a model."),
        Overrun::Other("not offered"), "a_flood_of_tools_is_cut",
        "Tools of one server";
}
