//! The rows of the journal, and runs that have not ended.

use pif_domain::EntryKind;
use pif_store::Error;
use pif_store::journal::{
    ChainEnds, Digest, Entry, Error as JournalError, Filter, Hash, Link, Parked, Pending,
    Statistics, Walk,
};
use pif_store::lease::ProcessLease;
use tokio_postgres::Row;

use super::{bytes, limit};
use crate::connection::{Columns as _, Connection, Parameter};
use crate::error::damaged;

/// The columns that [`read`] expects.
const SELECT: &str =
    "SELECT e.id, e.time, e.kind, e.subject, e.ending, e.fuel, c.hash, e.body, e.ends, e.hash,
    e.principal, e.chain FROM entry e LEFT JOIN component c ON c.id = e.component";

fn read(row: &Row) -> Result<Entry, Error> {
    Ok(Entry {
        id: row.number(0)?,
        time: row.number(1)?,
        kind: row.text(2)?,
        subject: row.text_if_any(3)?,
        ending: row.text(4)?,
        fuel: row.number_if_any(5)?,
        component: row.text_if_any(6)?,
        body: row.text(7)?,
        ends: row.number(8)?,
        hash: hash(row, 9)?,
        principal: row.text_if_any(10)?,
        chain: row.number(11)?,
    })
}

pub(crate) fn hash(row: &Row, column: usize) -> Result<Hash, Error> {
    let bytes = <[u8; 32]>::try_from(row.bytes(column)?);
    Ok(Hash(bytes.map_err(|_| damaged("a hash does not have 32 bytes".to_owned()))?))
}

fn link(row: &Row) -> Result<Link, Error> {
    Ok(Link {
        id: row.number(0)?,
        ends: row.number(1)?,
        hash: hash(row, 2)?,
        chain: row.number(3)?,
    })
}

/// The last removed entry of the chain with the last entry.
pub(crate) fn anchor(db: &Connection) -> Result<Link, Error> {
    link(&db.row(
        "SELECT id, ends, hash, chain FROM anchor
            ORDER BY chain = (SELECT chain FROM entry ORDER BY id DESC LIMIT 1) DESC NULLS LAST, id DESC LIMIT 1",
        &[],
    )?)
}

/// The position after the last entry.
pub(crate) fn head(db: &Connection) -> Result<Link, Error> {
    link(&db.row(
        "(SELECT id, ends, hash, chain FROM entry ORDER BY id DESC LIMIT 1)
            UNION ALL (SELECT id, ends, hash, chain FROM anchor ORDER BY id DESC LIMIT 1) LIMIT 1",
        &[],
    )?)
}

/// The position before an entry in its chain.
pub(crate) fn before(db: &Connection, entry: &Entry) -> Result<Option<Link>, Error> {
    let row = db.row_if_any(
        "(SELECT id, ends, hash, chain FROM entry WHERE chain = $1 AND id < $2 ORDER BY id DESC LIMIT 1)
            UNION ALL SELECT id, ends, hash, chain FROM anchor WHERE chain = $1 LIMIT 1",
        &[&entry.chain, &entry.id],
    )?;
    let before = row.as_ref().map(link).transpose()?;
    Ok(before.filter(|before| entry.link(before.hash) == entry.hash))
}

/// Numbers for entries.
pub(crate) fn numbers(db: &Connection, most: usize) -> Result<Vec<i64>, Error> {
    let mut numbers = db.row("SELECT entry_numbers($1)", &[&limit(most)])?.numbers(0)?;
    numbers.sort_unstable();
    Ok(numbers)
}

/// A text beside an entry.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    pub(crate) sha256: String,
    pub(crate) text: &'a str,
    pub(crate) entry: i64,
}

/// Adds entries to the chain that `holder` holds, after `head`, with texts beside them.
pub(crate) fn append(
    db: &Connection,
    holder: &str,
    head: Link,
    entries: &[Entry],
    texts: &[Text<'_>],
) -> Result<(), Error> {
    let column = |of: fn(&Entry) -> i64| -> Vec<i64> { entries.iter().map(of).collect() };
    let text = |of: fn(&Entry) -> &str| -> Vec<&[u8]> {
        entries.iter().map(|it| of(it).as_bytes()).collect()
    };
    let text_if_any = |of: fn(&Entry) -> Option<&str>| -> Vec<Option<&[u8]>> {
        entries.iter().map(|it| of(it).map(str::as_bytes)).collect()
    };
    let fuels: Vec<Option<i64>> = entries.iter().map(|it| it.fuel).collect();
    let hashes: Vec<&[u8]> = entries.iter().map(|it| it.hash.0.as_slice()).collect();
    let of: &[Parameter<'_>] = &[
        &head.chain,
        &holder.as_bytes(),
        &head.hash.0.as_slice(),
        &column(|it| it.id),
        &column(|it| it.time),
        &text(|it| &it.kind),
        &text_if_any(|it| it.subject.as_deref()),
        &text(|it| &it.ending),
        &fuels,
        &text_if_any(|it| it.component.as_deref()),
        &text(|it| &it.body),
        &column(|it| it.ends),
        &hashes,
        &text_if_any(|it| it.principal.as_deref()),
        &texts.iter().map(|it| it.sha256.as_bytes()).collect::<Vec<_>>(),
        &texts.iter().map(|it| it.text.as_bytes()).collect::<Vec<_>>(),
        &texts.iter().map(|it| it.entry).collect::<Vec<_>>(),
    ];
    let sql =
        "SELECT append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
    db.rows(sql, of).map(drop)
}

/// Keeps a text beside an entry.
pub(crate) fn keep_text(db: &Connection, hash: &str, text: &str, entry: i64) -> Result<(), Error> {
    let of: &[Parameter<'_>] = &[&hash.as_bytes(), &text.as_bytes(), &entry];
    db.rows("SELECT keep_text($1, $2, $3)", of).map(drop)
}

/// Makes the statement that follows in a transaction of its own withstand a power failure.
fn lasting(is_lasting: bool) -> &'static str {
    if is_lasting { "SELECT set_config('synchronous_commit', 'on', true), " } else { "SELECT '', " }
}

/// Keeps a run that has not ended, or adds parts to one that is kept.
pub(crate) fn pend(db: &Connection, run: &Pending, is_lasting: bool) -> Result<Option<i64>, Error> {
    let sql = format!("{}pend($1, $2, $3, $4)", lasting(is_lasting));
    db.row(&sql, &[&run.id, &run.owner.as_bytes(), &run.until, &bytes(&run.parts)])?
        .number_if_any(1)
}

/// Keeps what is left of a run, if the process works on it.
pub(crate) fn end(db: &Connection, owner: &str, run: &Pending) -> Result<bool, Error> {
    let of: &[Parameter<'_>] =
        &[&run.id, &owner.as_bytes(), &run.owner.as_bytes(), &run.until, &bytes(&run.parts)];
    db.row("SELECT end_run($1, $2, $3, $4, $5)", of)?.truth(0)
}

/// Keeps a run in place of what has its number and this holder, unless so many others have its owner.
pub(crate) fn park(
    db: &Connection,
    run: &Pending,
    holder: &str,
    most: u64,
) -> Result<Parked, Error> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let sql = format!("{}park($1, $2, $3, $4, $5, $6)", lasting(true));
    let of: &[Parameter<'_>] = &[
        &run.id,
        &holder.as_bytes(),
        &run.owner.as_bytes(),
        &run.until,
        &bytes(&run.parts),
        &most,
    ];
    Ok(match db.row(&sql, of)?.number_if_any(1)? {
        None => Parked::Full,
        Some(0) => Parked::Lost,
        Some(id) => Parked::Kept(id),
    })
}

/// Keeps a run in place of another one that is still as it was read.
pub(crate) fn exchange(db: &Connection, kept: &Pending, next: &Pending) -> Result<bool, Error> {
    let sql = format!("{}exchange($1, $2, $3, $4, $5, $6, $7)", lasting(true));
    let of: &[Parameter<'_>] = &[
        &kept.id,
        &kept.owner.as_bytes(),
        &kept.until,
        &bytes(&kept.parts),
        &next.owner.as_bytes(),
        &next.until,
        &bytes(&next.parts),
    ];
    db.row(&sql, of)?.truth(1)
}

/// All runs that have not ended.
pub(crate) fn pending(db: &Connection) -> Result<Vec<Pending>, Error> {
    let read = |row: &Row| {
        let owner = row.text(1)?;
        let lease = row.text_if_any(4)?.zip(row.number_if_any(5)?);
        let lease = lease.map(|(place, until)| ProcessLease { name: owner.clone(), place, until });
        Ok(Pending {
            id: Some(row.number(0)?),
            owner,
            lease,
            until: row.number(2)?,
            parts: row.texts(3)?,
        })
    };
    let sql = "SELECT p.id, p.owner, p.until,
        ARRAY(SELECT t.text FROM part t WHERE t.run = p.id ORDER BY t.number), l.place, l.until
        FROM pending p LEFT JOIN lease l ON l.name = p.owner AND l.until >= clock() ORDER BY p.id";
    db.rows(sql, &[])?.iter().map(read).collect()
}

/// Forgets a run that has ended.
pub(crate) fn settle(db: &Connection, run: i64) -> Result<bool, Error> {
    db.row("SELECT settle($1)", &[&run])?.truth(0)
}

/// A text that is kept beside entries.
pub(crate) fn text(db: &Connection, hash: &str) -> Result<Option<String>, Error> {
    let row = db.row_if_any("SELECT text FROM text WHERE hash = $1", &[&hash.as_bytes()])?;
    row.map(|row| row.text(0)).transpose()
}

/// An entry by its number.
pub(crate) fn entry(db: &Connection, id: i64) -> Result<Option<Entry>, Error> {
    let row = db.row_if_any(&format!("{SELECT} WHERE e.id = $1"), &[&id])?;
    row.as_ref().map(read).transpose()
}

/// The entries that pass a filter.
pub(crate) fn entries(
    db: &Connection,
    filter: &Filter,
    latest_first: bool,
    most: usize,
) -> Result<Vec<Entry>, Error> {
    // The index of kinds leaves out runs.
    let is_rare = !matches!(filter.kind, None | Some(EntryKind::Run));
    let mut clauses = vec![if is_rare { "e.kind <> 'run'" } else { "true" }.to_owned()];
    let kind = filter.kind.map(|kind| kind.name().as_bytes());
    let subject = filter.subject.as_deref().map(str::as_bytes);
    let ending = filter.ending.as_deref().map(str::as_bytes);
    let principal = filter.principal.as_deref().filter(|it| !it.is_empty()).map(str::as_bytes);
    if filter.principal.as_deref() == Some("") {
        clauses.push("e.principal IS NULL".to_owned());
    }
    let mut values: Vec<Parameter<'_>> = Vec::new();
    let texts: [(&str, &Option<&[u8]>); 4] = [
        ("e.kind =", &kind),
        ("e.subject =", &subject),
        ("e.ending =", &ending),
        ("e.principal =", &principal),
    ];
    for (clause, value) in &texts {
        if value.is_some() {
            values.push(*value);
            clauses.push(format!("{clause} ${}", values.len()));
        }
    }
    let numbers: [(&str, &Option<i64>); 4] = [
        ("e.time >=", &filter.since),
        ("e.id <", &filter.before),
        ("e.id >", &filter.after),
        ("e.chain =", &filter.chain),
    ];
    for (clause, value) in numbers {
        if value.is_some() {
            values.push(value);
            clauses.push(format!("{clause} ${}", values.len()));
        }
    }
    let order = if latest_first { "DESC" } else { "ASC" };
    let (clauses, most) = (clauses.join(" AND "), limit(most));
    let sql = format!("{SELECT} WHERE {clauses} ORDER BY e.id {order} LIMIT {most}");
    db.rows(&sql, &values)?.iter().map(read).collect()
}

/// The cost of the latest runs of a tool.
pub(crate) fn statistics(db: &Connection, tool: &str, most: usize) -> Result<Statistics, Error> {
    let rows = db.rows(
        "SELECT coalesce(fuel, 0), ending IN ('value', 'continuation') FROM entry
            WHERE subject = $1 AND kind = 'run' ORDER BY id DESC LIMIT $2",
        &[&tool.as_bytes(), &limit(most)],
    )?;
    let (mut fuel, mut faults) = (Vec::new(), 0);
    for row in &rows {
        fuel.push(row.number(0)?);
        faults += usize::from(!row.truth(1)?);
    }
    fuel.sort_unstable();
    Ok(Statistics { fuel, faults })
}

/// Verifies all chains from their anchors to their heads, on a connection that does nothing else meanwhile.
pub(crate) fn verify(db: &Connection) -> Result<ChainEnds, JournalError> {
    db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0")?;
    let verified = follow(db)?;
    db.execute("COMMIT")?;
    Ok(verified)
}

/// Verifies all chains, in the transaction that is open.
pub(crate) fn follow(db: &Connection) -> Result<ChainEnds, JournalError> {
    let anchors = db.rows("SELECT id, ends, hash, chain FROM anchor", &[])?;
    let heads = db.rows("SELECT id, ends, hash, chain FROM chain", &[])?;
    let mut walk = Walk::new(anchors.iter().map(link).collect::<Result<Vec<_>, _>>()?);
    db.each(&format!("{SELECT} ORDER BY e.id"), &[], |row| {
        let entry = read(row);
        let entry = entry.map_err(|error| JournalError::Broken {
            id: row.number(0).unwrap_or_else(|_| walk.next()),
            reason: format!("it cannot be read: {error}"),
        })?;
        walk.step(&entry)
    })?;
    for head in &heads {
        walk.end(link(head)?)?;
    }
    Ok(walk.verified())
}

/// Verifies that each kept text has its hash.
pub(crate) fn verify_texts(db: &Connection) -> Result<(), JournalError> {
    db.each("SELECT hash, text FROM text", &[], |row| {
        let (hash, text) = (row.text(0)?, row.text(1)?);
        if Digest::of(&text).sha256 == hash { Ok(()) } else { Err(JournalError::Altered { hash }) }
    })
}

/// Verifies that each chain ends at its last entry, or at its anchor.
pub(crate) fn check_heads(db: &Connection) -> Result<(), Error> {
    let wrong = db.row_if_any(
        "SELECT c.chain FROM chain c WHERE c.hash IS DISTINCT FROM coalesce(
            (SELECT e.hash FROM entry e WHERE e.chain = c.chain ORDER BY e.id DESC LIMIT 1),
            (SELECT a.hash FROM anchor a WHERE a.chain = c.chain)) ORDER BY c.chain LIMIT 1",
        &[],
    )?;
    wrong.map_or(Ok(()), |row| {
        Err(damaged(format!("chain {} does not end at its last entry", row.number(0)?)))
    })
}
