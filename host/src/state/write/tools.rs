//! How tools change, once the transaction is open: whatever was judged before is judged again, for
//! nothing can come between from here on.

use crate::state::change::Taken;
use crate::state::registry::{
    Definition, Error, Evolution, Status, ensure_distinct, ensure_expected, ensure_prefix, name,
    text,
};
use crate::state::transaction::{Defined, Term, Transaction};

/// Makes or changes a tool, unless that is refused or there is nothing to change. `entry` is the
/// journal's entry of it.
pub(super) fn evolve(
    db: &mut dyn Transaction,
    evolution: &Evolution,
    entry: i64,
) -> Result<Status, Error> {
    let Evolution { name, description, source, hash, tools, examples, output_schema, expected } =
        evolution;
    name::ensure_free(name)?;
    text::ensure_plain(description)?;
    let current = db.find(name, i64::MAX)?;
    if current.is_none() {
        // Somebody may have taken its twin since the review.
        ensure_distinct(db.twin(name)?, name)?;
    }
    ensure_expected(current.as_ref(), name, expected.as_deref())?;
    let status = match current {
        None => Status::New,
        Some(current) if current.hash != *hash => Status::Changed(current.hash),
        Some(current) if current.description != *description => Status::Described,
        Some(current) if current.examples != *examples => Status::Described,
        Some(current) if current.output_schema != *output_schema => Status::Described,
        Some(_) => return Ok(Status::Unchanged),
    };
    let term = Some(Term { hash, source, tools });
    let output_schema = output_schema.as_deref();
    db.define(&Defined { name, term, description, examples, output_schema, entry })?;
    Ok(status)
}

/// Makes a name stand again for what it once stood for; gives what it stands for now.
pub(super) fn roll_back(
    db: &mut dyn Transaction,
    name: &str,
    prefix: &str,
    entry: i64,
) -> Result<(Definition, Status), Error> {
    ensure_prefix(prefix)?;
    let Some(found) = db.find_pinned(name, &prefix.to_ascii_lowercase())? else {
        return Err(if db.has_history(name)? {
            Error::Revision { name: name.to_owned(), prefix: prefix.to_owned(), found: "no" }
        } else {
            Error::Unknown(name.to_owned())
        });
    };
    let past = Definition::only(found, prefix)?;
    let status = evolve(db, &past.clone().into(), entry)?;
    Ok((past, status))
}

/// Hides a tool; gives what it was.
pub(super) fn retire(
    db: &mut dyn Transaction,
    name: &str,
    entry: i64,
) -> Result<Definition, Error> {
    let Some(tool) = db.find(name, i64::MAX)? else {
        return Err(Error::Unknown(name.to_owned()));
    };
    let Definition { description, examples, output_schema, .. } = &tool;
    let output_schema = output_schema.as_deref();
    db.define(&Defined { name, term: None, description, examples, output_schema, entry })?;
    Ok(tool)
}

/// Takes a tool from a file, of which others were taken since the change `start`.
pub(super) fn take(
    db: &mut dyn Transaction,
    Taken { evolution, pinned, supplied, replace }: &Taken,
    start: i64,
    entry: i64,
) -> Result<Status, Error> {
    let Evolution { name, hash, .. } = evolution;
    match (pinned, db.find(name, start)?) {
        (_, None) if *supplied => Ok(Status::Unchanged),
        (true, _) if db.find_pinned(name, hash)?.is_some() => Ok(Status::Unchanged),
        (true, Some(current)) => {
            // It goes into the history, and the name goes on to stand for what it stood for.
            evolve(db, evolution, entry)?;
            evolve(db, &current.into(), entry)?;
            Ok(Status::New)
        }
        // Somebody may have changed it since it was looked at.
        (false, Some(current)) if evolution.ensure_replaced(&current, *replace)? => {
            Ok(Status::Unchanged)
        }
        (false, Some(current)) => {
            evolve(db, evolution, entry)?;
            let is_described = current.hash == *hash;
            Ok(if is_described { Status::Described } else { Status::Changed(current.hash) })
        }
        (true | false, None) => {
            evolve(db, evolution, entry)?;
            Ok(Status::New)
        }
    }
}
