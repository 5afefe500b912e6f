//! The same suite on PostgreSQL: as the owner of the store, and as the role of the servers.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use pif_postgres::{Direct, Postgres};
use pif_store::Store;
use pif_tests::postgres::{OWNER, SERVER, Server};

use super::{journal, memory, search, sessions, staging, tools};

const DEADLINE: Duration = Duration::from_secs(30);

/// All tests of the suite.
const SUITE: [(&str, fn() -> Result<()>); 34] = [
    ("entries_are_chained_and_found", journal::entries_are_chained_and_found),
    ("the_journal_stays_within_its_size", journal::the_journal_stays_within_its_size),
    ("an_entry_keeps_what_it_is_told_to", journal::an_entry_keeps_what_it_is_told_to),
    ("writers_take_turns", journal::writers_take_turns),
    (
        "texts_go_with_the_last_entry_that_has_them",
        journal::texts_go_with_the_last_entry_that_has_them,
    ),
    (
        "parts_of_a_run_that_did_not_end_come_together",
        journal::parts_of_a_run_that_did_not_end_come_together,
    ),
    ("runs_that_did_not_end_are_told_of", journal::runs_that_did_not_end_are_told_of),
    ("values_are_kept_changed_and_forgotten", memory::values_are_kept_changed_and_forgotten),
    ("what_may_not_be_replaced_stays", memory::what_may_not_be_replaced_stays),
    (
        "words_and_tags_are_found_as_long_as_they_are_there",
        memory::words_and_tags_are_found_as_long_as_they_are_there,
    ),
    ("a_search_gives_no_more_than_is_wanted", memory::a_search_gives_no_more_than_is_wanted),
    ("entries_learn_from_outcomes", memory::entries_learn_from_outcomes),
    ("what_helps_comes_first", memory::what_helps_comes_first),
    ("each_owner_has_a_memory", memory::each_owner_has_a_memory),
    ("the_tool_that_is_meant_comes_first", search::the_tool_that_is_meant_comes_first),
    (
        "one_typo_is_forgiven_in_words_of_five_letters",
        search::one_typo_is_forgiven_in_words_of_five_letters,
    ),
    (
        "equal_scores_come_in_the_order_of_names_and_equal_questions_have_equal_answers",
        search::equal_scores_come_in_the_order_of_names_and_equal_questions_have_equal_answers,
    ),
    ("bindings_are_kept_shifted_and_forgotten", sessions::bindings_are_kept_shifted_and_forgotten),
    ("one_turn_at_a_time", sessions::one_turn_at_a_time),
    ("a_turn_that_is_refused_leaves_nothing", sessions::a_turn_that_is_refused_leaves_nothing),
    (
        "closed_sessions_say_why_and_saved_states_outlive_them",
        sessions::closed_sessions_say_why_and_saved_states_outlive_them,
    ),
    ("sessions_of_others_are_unknown", sessions::sessions_of_others_are_unknown),
    (
        "a_term_stays_as_long_as_an_entry_or_a_binding_has_it",
        sessions::a_term_stays_as_long_as_an_entry_or_a_binding_has_it,
    ),
    (
        "an_area_shows_its_tools_and_counts_with_its_commit",
        staging::an_area_shows_its_tools_and_counts_with_its_commit,
    ),
    (
        "what_others_changed_is_a_conflict_if_it_matters",
        staging::what_others_changed_is_a_conflict_if_it_matters,
    ),
    ("an_area_changes_in_one_place_at_a_time", staging::an_area_changes_in_one_place_at_a_time),
    ("history_is_kept", tools::history_is_kept),
    ("properties_belong_to_their_revision", tools::properties_belong_to_their_revision),
    ("a_change_of_something_else_is_refused", tools::a_change_of_something_else_is_refused),
    ("tools_go_and_come_back", tools::tools_go_and_come_back),
    (
        "several_changes_are_made_together_or_not_at_all",
        tools::several_changes_are_made_together_or_not_at_all,
    ),
    ("tools_of_a_file_are_taken", tools::tools_of_a_file_are_taken),
    ("tools_are_found", tools::tools_are_found),
    ("others_see_changes", tools::others_see_changes),
];

thread_local! {
    /// The role with which this thread tries the suite.
    static ROLE: RefCell<Option<&'static str>> = const { RefCell::new(None) };
}

/// A database with an empty store. It goes with this.
pub(crate) struct Database {
    pub(crate) name: String,
    role: &'static str,
    server: &'static Server,
}

impl Database {
    /// A new one, which a role opens.
    pub(crate) fn new(role: &'static str) -> Result<Self> {
        static TEMPLATE: OnceLock<Result<String, String>> = OnceLock::new();
        let server = Server::shared()?;
        let template = TEMPLATE.get_or_init(|| make(server).map_err(|error| format!("{error:#}")));
        let template = template.as_ref().map_err(|error| anyhow::anyhow!("{error}"))?;
        Ok(Self { name: server.database(Some(template))?, role, server })
    }

    /// One without a store, for its owner.
    pub(crate) fn bare() -> Result<Self> {
        let server = Server::shared()?;
        Ok(Self { name: server.database(None)?, role: OWNER, server })
    }

    pub(crate) fn kind(&self) -> &'static str {
        if self.role == OWNER { "PostgreSQL as owner" } else { "PostgreSQL as server" }
    }

    /// Opens the store as the role.
    pub(crate) fn open(&self) -> Result<Arc<dyn Store>> {
        Ok(Arc::new(self.open_as(self.role)?))
    }

    pub(crate) fn open_as(&self, role: &str) -> Result<Postgres> {
        connect(&self.server.url(role, &self.name))
    }

    /// Executes statements as a role.
    pub(crate) fn query(&self, role: &str, sql: &str) -> Result<String> {
        self.server.query_as(role, &self.name, sql)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = self.server.drop(&self.name);
    }
}

fn connect(url: &str) -> Result<Postgres> {
    let direct = Direct::parse(url).map_err(|reason| anyhow::anyhow!("{url}: {reason}"))?;
    Ok(Postgres::open(Arc::new(direct), DEADLINE)?)
}

/// A database with an empty store, to make others of.
fn make(server: &Server) -> Result<String> {
    let name = server.database(None)?;
    let migrated = connect(&server.url(OWNER, &name))?.migrate(Some(SERVER))?;
    ensure!(migrated.from == 0, "{migrated:?}");
    Ok(name)
}

/// A database for a test, if this thread tries the suite on one.
pub(crate) fn chosen() -> Result<Option<Database>> {
    ROLE.with_borrow(|role| role.map(Database::new).transpose())
}

fn try_all(role: &'static str) -> Result<()> {
    ROLE.with_borrow_mut(|it| *it = Some(role));
    let mut failed = Vec::new();
    for (name, test) in SUITE {
        let tried = std::panic::catch_unwind(test).unwrap_or_else(|_| bail!("it panicked"));
        if let Err(error) = tried.with_context(|| name) {
            failed.push(format!("{error:#}"));
        }
    }
    ensure!(
        failed.is_empty(),
        "{} of {} failed:\n{}",
        failed.len(),
        SUITE.len(),
        failed.join("\n")
    );
    Ok(())
}

#[test]
fn the_suite_is_complete() {
    let sources = [
        include_str!("journal.rs"),
        include_str!("memory.rs"),
        include_str!("search.rs"),
        include_str!("sessions.rs"),
        include_str!("staging.rs"),
        include_str!("tools.rs"),
    ];
    let tests: usize = sources.iter().map(|it| it.matches("#[test]").count()).sum();
    assert_eq!(tests, SUITE.len(), "each test of the suite stands in its table");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_owner_passes_the_suite() -> Result<()> {
    try_all(OWNER)
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_role_of_the_servers_passes_the_suite() -> Result<()> {
    try_all(SERVER)
}

/// A server reads and calls functions; nothing that it may do changes or removes an entry.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_cannot_change_an_entry() -> Result<()> {
    let database = Database::new(SERVER)?;
    let store = database.open()?;
    let journal = pif_store::journal::Journal::new(store, super::shelf::settings(1 << 20));
    let draft = pif_store::journal::Draft::new(
        pif_domain::EntryKind::Refusal,
        Some("a"),
        pif_domain::EntryEnding::Value,
    );
    assert_eq!(journal.append(draft)?, 1);
    for attempt in [
        "DELETE FROM pif.entry",
        "UPDATE pif.entry SET body = ''",
        "INSERT INTO pif.entry SELECT 9, time, kind, subject, ending, fuel, component, body, ends, hash, principal, chain FROM pif.entry",
        "TRUNCATE pif.entry",
        "UPDATE pif.chain SET hash = ''",
        "UPDATE pif.anchor SET id = 1",
        "SELECT pif.trim_chain(1, 1 << 30)",
        "DROP TABLE pif.entry",
        "ALTER TABLE pif.entry DISABLE TRIGGER ALL",
        "CREATE OR REPLACE FUNCTION pif.settle(which bigint) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        "CREATE TABLE pif.mine (id bigint)",
        "SELECT setval('pif.entry_number', 1)",
        "DELETE FROM pif.change",
        "UPDATE pif.memory SET value = ''",
    ] {
        let refused = database.query(SERVER, attempt).err().with_context(|| attempt)?;
        let told = format!("{refused:#}");
        ensure!(
            told.contains("permission denied") || told.contains("must be owner"),
            "{attempt}: {told}"
        );
    }
    assert_eq!((journal.verify()?.count(), journal.head()?.id), (1, 1));
    Ok(())
}
