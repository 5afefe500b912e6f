//! The same suite on PostgreSQL: as the owner of the store, and as the role of the servers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use pif_domain::{EntryKind, EntryOutcome};
use pif_postgres::{Direct, Postgres};
use pif_store::journal::{Draft, Filter, Follower, Journal, Settings};
use pif_store::portable::{COUNTERS, MEANINGS, Source, TABLES, summary};
use pif_store::{Change, Checkpoints as _, Place, Position, Sqlite, Store};
use pif_tests::postgres::{ADMIN, OWNER, SERVER, Server};

use super::shelf::{Shelf, settings, tool, write};
use super::{journal, leases, memory, search, sessions, staging, tools};

const DEADLINE: Duration = Duration::from_secs(30);

/// All tests of the suite.
const SUITE: [(&str, fn() -> Result<()>); 41] = [
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
    ("a_lease_is_taken_renewed_and_given_back", leases::a_lease_is_taken_renewed_and_given_back),
    (
        "a_process_keeps_its_lease_as_long_as_it_lives",
        leases::a_process_keeps_its_lease_as_long_as_it_lives,
    ),
    (
        "a_turn_whose_lease_is_over_changes_nothing",
        leases::a_turn_whose_lease_is_over_changes_nothing,
    ),
    (
        "a_snapshot_is_changed_by_one_who_has_its_lease",
        leases::a_snapshot_is_changed_by_one_who_has_its_lease,
    ),
    ("a_run_goes_on_with_one_who_has_its_lease", leases::a_run_goes_on_with_one_who_has_its_lease),
    ("the_end_of_a_run_is_written_once", leases::the_end_of_a_run_is_written_once),
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
    ("facts_stand_beside_revisions", tools::facts_stand_beside_revisions),
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
        include_str!("leases.rs"),
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
    let journal = Journal::new(store, settings(1 << 20));
    let draft = Draft::new(EntryKind::Refusal, Some("a"), EntryOutcome::Value);
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

/// Some of everything that a store keeps.
fn fill(shelf: &Shelf) -> Result<()> {
    use pif_store::journal::RunProgress;
    use pif_store::memory::Note;
    let run = |n: u64| Draft {
        fuel: Some(n),
        texts: vec![format!("text\0 {n}")],
        outcome: serde_json::json!({"b": n, "a": [1.50, "ü\u{0}"]}),
        ..Draft::new(pif_domain::EntryKind::Run, Some("double"), pif_domain::EntryOutcome::Value)
    };
    shelf.evolve(tool("double", "1"))?;
    shelf.evolve(tool("double", "\"2\0\""))?;
    shelf.evolve(tool("gone", "3"))?;
    shelf.change(Change::Retire { name: "gone".to_owned() })?;
    for n in 0..5 {
        shelf.journal.append(run(n))?;
    }
    let tags = Some(vec!["t".to_owned()]);
    for (key, value) in [("b", "\"list of sorted words\""), ("a", "1.50")] {
        let note = Note {
            context: Some("when".to_owned()),
            ..Note::new(key.to_owned(), value, tags.clone())?
        };
        shelf.change(Change::Keep { note, replace: true })?;
    }
    let ana = Settings { principal: "ana".into(), ..settings(64 << 20) };
    Journal::new(Arc::clone(&shelf.store), ana).append(run(9))?;
    let unfinished = RunProgress { subject: Some("double".to_owned()), ..RunProgress::default() };
    shelf.journal.pend(None, unfinished, Duration::from_hours(1), true)?;
    sessions::bind(shelf, pif_store::session::DEFAULT, "x", "[1]")?;
    Ok(())
}

/// A digest of all rows.
fn digests(source: &dyn Source) -> Result<Vec<(&'static str, u64, [u8; 32])>, pif_store::Error> {
    let tables = TABLES.iter().chain([&COUNTERS, &MEANINGS]);
    tables.map(|it| summary(source, it).map(|(rows, digest)| (it.name, rows, digest))).collect()
}

fn place(folder: &tempfile::TempDir) -> Place {
    Place::Directory(folder.path().to_owned())
}

/// A copy has all rows as they are, there and back. A store that several servers wrote goes on in one file.
#[test]
#[ignore = "needs PostgreSQL"]
fn stores_are_copied_there_and_back() -> Result<()> {
    let (first, second, third) = (tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?);
    let origin = Sqlite::open(&place(&first), DEADLINE)?;
    super::shelf::try_on_file(&first, fill)?;
    let database = Database::new(OWNER)?;
    let copy = database.open_as(OWNER)?;
    let copied = origin.state(|source| copy.fill(source))?;
    ensure!(copied.0.iter().any(|it| it.0 == "entry" && it.1 > 10), "{copied:?}");
    let told = origin.state(digests)?;
    assert_eq!(copy.state(digests)?, told, "there");
    ensure!(origin.state(|source| copy.fill(source)).is_err(), "it is not empty any more");
    copy.state(|source| Sqlite::of(source, &place(&second)))?;
    let back = Sqlite::open(&place(&second), DEADLINE)?;
    assert_eq!(back.state(digests)?, told, "and back");
    ensure!(
        copy.state(|source| Sqlite::of(source, &place(&second))).is_err(),
        "there is one already"
    );
    // Two servers go on, each with a chain of its own.
    let servers = [database.open_as(SERVER)?, database.open_as(SERVER)?].map(Arc::new);
    for server in &servers {
        fill(&Shelf::of("a server", Arc::clone(server) as Arc<dyn Store>))?;
    }
    let other = database.open_as(SERVER)?;
    let verified = other.verify()?;
    ensure!(verified.chains == 3 && verified.entries == 3 * 13, "{verified:?}");
    copy.state(|source| Sqlite::of(source, &place(&third)))?;
    let many = Sqlite::open(&place(&third), DEADLINE)?;
    assert_eq!(many.state(digests)?, copy.state(digests)?);
    let head = many.head()?;
    super::shelf::try_on_file(&third, fill)?;
    let next = many.head()?;
    ensure!(next.chain == head.chain && next.id > head.id, "{head:?} {next:?}");
    many.check()?;
    assert_eq!(many.verify()?.chains, verified.chains);
    many.verify_texts()?;
    let again = Database::new(OWNER)?;
    let whole = again.open_as(OWNER)?;
    many.state(|source| whole.fill(source))?;
    assert_eq!(whole.state(digests)?, many.state(digests)?);
    Ok(())
}

/// Checkpoints learn where each chain ends and how many entries it had, whatever was removed, in a copy too.
#[test]
#[ignore = "needs PostgreSQL"]
fn each_chain_tells_where_it_ends() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let database = Database::new(OWNER)?;
    let owner = database.open_as(OWNER)?;
    let servers = [database.open_as(SERVER)?, database.open_as(SERVER)?].map(Arc::new);
    for server in &servers {
        fill(&Shelf::of("a server", Arc::clone(server) as Arc<dyn Store>))?;
    }
    let heads = owner.heads()?;
    let counted = heads.iter().map(|it| (it.chain, it.entries)).collect::<Vec<_>>();
    assert_eq!(counted, [(1, 13), (2, 13)]);
    let first = owner.verify()?.anchor.id + 1;
    ensure!(matches!(owner.position(1, first)?, Position::Known(head) if head.entries == 1));
    let removed = owner.trim(1)?;
    ensure!(removed == 24, "{removed} entries removed");
    owner.state(|source| Sqlite::of(source, &place(&folder)))?;
    let copy = Arc::new(Sqlite::open(&place(&folder), DEADLINE)?);
    for store in [&owner as &dyn Store, copy.as_ref()] {
        assert_eq!(store.heads()?, heads, "what was removed counts still");
        for head in &heads {
            assert_eq!(store.position(head.chain, head.id)?, Position::Known(*head));
            assert_eq!(store.position(head.chain, head.id + 100)?, Position::Missing);
        }
        ensure!(matches!(store.position(1, first)?, Position::Removed(id) if id > first));
        assert_eq!(store.position(7, first)?, Position::Missing);
    }
    // The copy goes on with the chain of the last entry, and removes entries of it.
    let journal = Journal::new(Arc::clone(&copy) as Arc<dyn Store>, settings(4_000));
    for n in 1..=30 {
        let draft = Draft {
            outcome: "x".repeat(500).into(),
            ..Draft::new(EntryKind::Run, Some("a"), EntryOutcome::Value)
        };
        journal.append(draft)?;
        let ends = copy.heads()?;
        assert_eq!(ends.iter().map(|it| it.entries).sum::<i64>(), 26 + n, "{ends:?}");
    }
    ensure!(copy.verify()?.entries < 30, "nothing was removed");
    Ok(())
}

/// What a database does not answer is said, and it is used again once it answers.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_database_that_dies_is_used_again() -> Result<()> {
    let server = Server::start()?;
    let name = make(&server)?;
    let store = Arc::new(connect(&server.url(SERVER, &name))?);
    store.watch();
    let journal = Journal::new(store.clone() as Arc<dyn Store>, settings(1 << 20));
    let draft = || Draft::new(EntryKind::Refusal, Some("a"), EntryOutcome::Value);
    journal.append(draft())?;
    journal.commit_one(write(Change::Evolve(tool("a", "1"))))?;
    let (sent, received) = std::sync::mpsc::channel();
    let writer = std::thread::spawn({
        let journal = journal.clone();
        move || {
            let mut acknowledged = Vec::new();
            while received.try_recv().is_err() {
                match journal
                    .commit_one(write(Change::Evolve(tool("a", &acknowledged.len().to_string()))))
                {
                    Ok(done) => acknowledged.push(done.entry),
                    Err(pif_store::Refusal::Store(pif_store::Error::Unavailable { .. })) => {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(acknowledged)
        }
    });
    std::thread::sleep(Duration::from_millis(500));
    server.crash(Duration::from_millis(500))?;
    let start = std::time::Instant::now();
    while let Err(error) = journal.append(draft()) {
        ensure!(matches!(error, pif_store::Error::Unavailable { .. }), "{error}");
        ensure!(start.elapsed() < Duration::from_secs(20), "{error}");
        std::thread::sleep(Duration::from_millis(20));
    }
    sent.send(())?;
    let acknowledged = writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
    ensure!(acknowledged.len() > 1, "{acknowledged:?}");
    for entry in acknowledged {
        ensure!(journal.entry(entry)?.is_some(), "entry {entry} was acknowledged and is lost");
    }
    journal.verify()?;
    store.check()?;
    Ok(())
}

/// A server that lost its chain to another one cannot write into it.
#[test]
#[ignore = "needs PostgreSQL"]
fn who_lost_a_chain_cannot_write_into_it() -> Result<()> {
    let database = Database::new(SERVER)?;
    let (one, other) = (database.open()?, database.open()?);
    let journal = |store: &Arc<dyn Store>| Journal::new(Arc::clone(store), settings(1 << 20));
    let draft = || Draft::new(EntryKind::Refusal, Some("a"), EntryOutcome::Value);
    journal(&one).append(draft())?;
    // The first one is silent for longer than its time.
    database.query(ADMIN, "UPDATE pif.chain SET until = 0")?;
    journal(&other).append(draft())?;
    assert_eq!(database.query(ADMIN, "SELECT count(*) FROM pif.chain")?, "1", "it is theirs");
    let refused = journal(&one).append(draft()).err().context("its chain is another's")?;
    ensure!(matches!(refused, pif_store::Error::Unavailable { .. }), "{refused}");
    journal(&one).append(draft())?;
    journal(&other).append(draft())?;
    assert_eq!((one.verify()?.entries, one.verify()?.chains), (4, 3));
    Ok(())
}

/// Numbers are given before entries are committed. An entry of a slow server, which comes after others with
/// greater numbers, is counted once, whichever chain it has.
#[test]
#[ignore = "needs PostgreSQL"]
fn an_entry_that_is_committed_late_is_counted_once() -> Result<()> {
    let database = Database::new(SERVER)?;
    let servers = [database.open()?, database.open()?, database.open()?];
    let append = |store: &Arc<dyn Store>| {
        let journal = Journal::new(Arc::clone(store), settings(1 << 20));
        journal.append(Draft::new(EntryKind::Refusal, Some("a"), EntryOutcome::Value)).map(drop)
    };
    let reader = Journal::new(Arc::clone(&servers[0]), settings(1 << 20));
    let mut follower = Follower::default();
    let mut given = BTreeSet::new();
    let mut follow = |given: &mut BTreeSet<i64>| -> Result<()> {
        while let Some(page) = follower.next(&reader, &Filter::default(), 2)? {
            page.iter().try_for_each(|it| {
                ensure!(given.insert(it.id), "entry {} is given twice", it.id);
                Ok(())
            })?;
        }
        Ok(())
    };
    let mut chains = Vec::new();
    for store in &servers {
        append(store)?;
        chains.push(store.head()?.chain);
    }
    database.query(
        ADMIN,
        "CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_sleep(1); RETURN new; END'",
    )?;
    let number = || database.query(ADMIN, "SELECT last_value FROM pif.entry_number");
    let count = || -> Result<i64> {
        let heads = servers[0].heads()?;
        for head in &heads {
            let position = servers[0].position(head.chain, head.id)?;
            ensure!(position == Position::Known(*head), "{head:?} {position:?}");
        }
        Ok(heads.iter().map(|head| head.entries).sum())
    };
    for (late, chain) in servers.iter().zip(&chains) {
        let before = count()?;
        let delay = format!(
            "CREATE TRIGGER late AFTER INSERT ON pif.entry FOR EACH ROW WHEN (new.chain = {chain})
                EXECUTE FUNCTION public.wait()"
        );
        database.query(ADMIN, &delay)?;
        let last = number()?;
        std::thread::scope(|scope| -> Result<()> {
            let waiting = scope.spawn(|| append(late));
            let start = std::time::Instant::now();
            while number()? == last {
                ensure!(start.elapsed() < DEADLINE, "no number was given");
            }
            for store in servers.iter().filter(|store| !Arc::ptr_eq(store, late)) {
                append(store)?;
            }
            assert_eq!(count()?, before + 2, "the late one is there already");
            follow(&mut given)?;
            waiting.join().map_err(|_| anyhow::anyhow!("it panicked"))??;
            Ok(())
        })?;
        database.query(ADMIN, "DROP TRIGGER late ON pif.entry")?;
        assert_eq!(count()?, before + 3);
        assert_eq!(servers[0].verify()?.entries, before + 3);
        follow(&mut given)?;
        assert_eq!(i64::try_from(given.len())?, before + 3, "a reader has each entry once");
    }
    Ok(())
}

/// A server sees changes of another one within a second.
#[test]
#[ignore = "needs PostgreSQL"]
fn changes_of_others_are_seen_within_a_second() -> Result<()> {
    let database = Database::new(SERVER)?;
    let (one, other) = (database.open_as(SERVER)?, database.open()?);
    one.watch();
    let journal = Journal::new(other, settings(1 << 20));
    for n in 1..=5 {
        std::thread::sleep(Duration::from_millis(200));
        journal.commit_one(write(Change::Evolve(tool("a", &n.to_string()))))?;
        let start = std::time::Instant::now();
        while one.last_change()? < n {
            ensure!(start.elapsed() < Duration::from_secs(1), "change {n} is not seen");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    Ok(())
}

/// Entries a second of many writers, and the median of one, beside a file of SQLite.
#[test]
#[ignore = "needs PostgreSQL"]
fn entries_of_many_writers_go_together() -> Result<()> {
    const WRITERS: u32 = 64;
    let folder = tempfile::tempdir()?;
    let file: Arc<dyn Store> = Arc::new(Sqlite::open(&place(&folder), DEADLINE)?);
    let database = Database::new(SERVER)?;
    for (kind, store) in [("SQLite", file), ("PostgreSQL", database.open()?)] {
        let journal = Journal::new(store, settings(1 << 40));
        let draft = || Draft {
            outcome: "x".repeat(300).into(),
            ..Draft::new(EntryKind::Run, Some("a"), EntryOutcome::Value)
        };
        journal.append(draft())?;
        let mut times: Vec<Duration> = (0..500)
            .map(|_| {
                let start = std::time::Instant::now();
                journal.append(draft()).map(|_| start.elapsed())
            })
            .collect::<Result<_, _>>()?;
        times.sort_unstable();
        let start = std::time::Instant::now();
        let written = std::thread::scope(|scope| {
            let write = || {
                let mut written = 0_u32;
                while start.elapsed() < Duration::from_secs(3) {
                    journal.append(draft())?;
                    written += 1;
                }
                Ok::<_, pif_store::Error>(written)
            };
            let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
            writers
                .into_iter()
                .map(|it| {
                    it.join().map_err(|_| anyhow::anyhow!("a writer panicked"))?.map_err(Into::into)
                })
                .sum::<Result<u32>>()
        })?;
        let rate = f64::from(written) / start.elapsed().as_secs_f64();
        pif_tests::tell(&format!(
            "{kind}: {rate:.0} entries a second of {WRITERS} writers; alone, median {:?}",
            times[250]
        ));
        assert_eq!(journal.verify()?.entries, i64::from(written) + 501);
    }
    Ok(())
}
