//! The rules for changes of tools in an open transaction. Earlier checks are repeated here, because
//! other processes may have written since.

use pif_domain::text::description::ensure_plain;

use crate::change::ToolImport;
use crate::registry::{
    Definition, Error, Evolution, Fact, Status, ensure_distinct, ensure_expected, ensure_prefix,
    name,
};
use crate::transaction::{Term, ToolChange, Transaction};

/// Creates or changes a tool, or refuses. An equal tool stays unchanged. `entry` is the number of
/// the journal entry.
pub(super) fn evolve(
    db: &mut dyn Transaction,
    evolution: &Evolution,
    entry: i64,
) -> Result<Status, Error> {
    let Evolution { name, description, source, hash, tools, examples, .. } = evolution;
    let Evolution { output_schema, members, properties, expected, .. } = evolution;
    name::ensure_free(name)?;
    ensure_plain(description).map_err(Error::Description)?;
    let current = db.find(name, i64::MAX)?;
    if current.is_none() {
        // Another process may have taken a confusable name since the review.
        ensure_distinct(db.twin(name)?, name)?;
    }
    ensure_expected(current.as_ref(), name, expected.as_deref())?;
    let status = match current {
        None => Status::New,
        Some(current) if current.hash != *hash => Status::Changed(current.hash),
        Some(current) if current.description != *description => Status::Described,
        Some(current) if current.examples != *examples => Status::Described,
        Some(current) if current.output_schema != *output_schema => Status::Described,
        Some(current) if current.members != *members => Status::Described,
        Some(current) if current.properties != *properties => Status::Described,
        Some(_) => return Ok(Status::Unchanged),
    };
    let term = Some(Term { hash, source, tools });
    db.define(&ToolChange {
        name,
        term,
        description,
        examples,
        output_schema: output_schema.as_deref(),
        members: members.as_deref(),
        properties: properties.as_deref(),
        entry,
    })?;
    Ok(status)
}

/// Makes an earlier revision current again. Returns it.
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

/// Retires a tool. Returns it.
pub(super) fn retire(
    db: &mut dyn Transaction,
    name: &str,
    entry: i64,
) -> Result<Definition, Error> {
    let Some(tool) = db.find(name, i64::MAX)? else {
        return Err(Error::Unknown(name.to_owned()));
    };
    db.define(&ToolChange {
        name,
        term: None,
        description: &tool.description,
        examples: &tool.examples,
        output_schema: tool.output_schema.as_deref(),
        members: tool.members.as_deref(),
        properties: tool.properties.as_deref(),
        entry,
    })?;
    Ok(tool)
}

/// Imports a tool. `start` is the last change before the import: tools are compared with the state
/// at that time.
pub(super) fn take(
    db: &mut dyn Transaction,
    taken: &ToolImport,
    start: i64,
    entry: i64,
) -> Result<Status, Error> {
    let Evolution { name, hash, .. } = &taken.evolution;
    let status = take_tool(db, taken, start, entry)?;
    if let Some(certificate) = &taken.certificate {
        db.put_fact(Fact::Certificate, &format!("{name}@{hash}"), certificate)?;
    }
    Ok(status)
}

fn take_tool(
    db: &mut dyn Transaction,
    ToolImport { evolution, pinned, supplied, replace, .. }: &ToolImport,
    start: i64,
    entry: i64,
) -> Result<Status, Error> {
    let Evolution { name, hash, .. } = evolution;
    match (pinned, db.find(name, start)?) {
        (_, None) if *supplied => Ok(Status::Unchanged),
        (true, _) if db.find_pinned(name, hash)?.is_some() => Ok(Status::Unchanged),
        (true, Some(current)) => {
            // The revision goes into the history; then the current revision becomes current again.
            evolve(db, evolution, entry)?;
            evolve(db, &current.into(), entry)?;
            Ok(Status::New)
        }
        // Another process may have changed it since the check.
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
