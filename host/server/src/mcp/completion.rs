//! Completes the variables in templates of resource URIs.

use std::collections::HashSet;

use pif_domain::text::quote_one;
use pif_store::journal::{Filter, Journal};
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionContext, CompletionInfo, ErrorData, Reference,
};

use super::backend::Backend;
use super::resource::{OF_ENTRY, OF_REVISION, OF_TOOL, failed};
use crate::workshop::library;

/// The most revisions of a tool that a completion reads.
const MOST_REVISIONS: usize = 10_000;

/// The values with the requested prefix, and the number of all such values.
struct Completions {
    values: Vec<String>,
    total: u64,
}

pub(super) fn complete(
    backend: &Backend,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let Reference::Resource(template) = &request.r#ref else {
        return Err(ErrorData::invalid_params("there are no prompts, only resources", None));
    };
    let (argument, prefix) = (request.argument.name.as_str(), request.argument.value.as_str());
    let completed = match (template.uri.as_str(), argument) {
        (OF_TOOL | OF_REVISION, "name") => names(backend, prefix)?,
        (OF_REVISION, "hash") => hashes(backend, request.context.as_ref(), prefix)?,
        (OF_ENTRY, "entry") => entries(backend, prefix)?,
        (OF_TOOL | OF_REVISION | OF_ENTRY, _) => {
            let message = format!("the template has no argument {}", quote_one(argument));
            return Err(ErrorData::invalid_params(message, None));
        }
        (uri, _) => {
            let message = format!(
                "there is no template {}: resources/templates/list shows them",
                quote_one(uri)
            );
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    let Completions { values, total } = completed;
    let more = total > u64::try_from(values.len()).unwrap_or(u64::MAX);
    let total = u32::try_from(total).ok();
    let completion = CompletionInfo::with_pagination(values, total, more)
        .map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(completion))
}

/// Names of tools, in order.
fn names(backend: &Backend, prefix: &str) -> Result<Completions, ErrorData> {
    let tools = backend.workshop.registry.snapshot().map_err(failed)?;
    let mut values = tools.names(prefix, CompletionInfo::MAX_VALUES).map_err(failed)?;
    let mut total = tools.count_names(prefix).map_err(failed)?;
    // A store may hold tools with names of the library.
    let of_library = library().names(prefix).into_iter();
    let of_library: Vec<&str> =
        of_library.filter(|it| !values.iter().any(|own| own == it)).collect();
    total += u64::try_from(of_library.len()).unwrap_or_default();
    let room = CompletionInfo::MAX_VALUES - values.len();
    values.extend(of_library.into_iter().take(room).map(str::to_owned));
    Ok(Completions { values, total })
}

/// Revisions of the tool chosen before, the latest first.
fn hashes(
    backend: &Backend,
    context: Option<&CompletionContext>,
    prefix: &str,
) -> Result<Completions, ErrorData> {
    let Some(name) = context.and_then(|context| context.get_argument("name")) else {
        return Ok(Completions { values: Vec::new(), total: 0 });
    };
    let tools = backend.workshop.registry.snapshot().map_err(failed)?;
    let history = tools.history(name, MOST_REVISIONS).map_err(failed)?;
    let mut seen = HashSet::new();
    let is_wanted = |hash: &String| hash.starts_with(prefix) && seen.insert(hash.clone());
    let of_library = library().revisions(name).into_iter().map(|tool| tool.hash.clone());
    let hashes = history.into_iter().filter_map(|past| past.hash).chain(of_library);
    let mut values: Vec<String> = hashes.filter(is_wanted).collect();
    let total = u64::try_from(values.len()).unwrap_or(u64::MAX);
    values.truncate(CompletionInfo::MAX_VALUES);
    Ok(Completions { values, total })
}

/// Entries whose numbers have this decimal prefix, the latest first.
fn entries(backend: &Backend, prefix: &str) -> Result<Completions, ErrorData> {
    let journal = &backend.workshop.journal;
    if !backend.principal().sees_all() {
        return own_entries(journal, prefix);
    }
    let last = journal.head().map_err(failed)?.id;
    let first = journal.entries(&Filter::default(), false, 1).map_err(failed)?;
    let first = first.first().map_or(last + 1, |entry| entry.id);
    let mut values = Vec::new();
    let mut total: u64 = 0;
    let mut ranges = ranges(prefix, first, last);
    ranges.reverse();
    for (low, high) in ranges {
        total += u64::try_from(high - low + 1).unwrap_or(0);
        let room = CompletionInfo::MAX_VALUES - values.len();
        values.extend((low..=high).rev().take(room).map(|id| id.to_string()));
    }
    Ok(Completions { values, total })
}

/// The latest entries of a principal who does not see all.
fn own_entries(journal: &Journal, prefix: &str) -> Result<Completions, ErrorData> {
    let latest = journal.entries(&Filter::default(), true, CompletionInfo::MAX_VALUES);
    let numbers = latest.map_err(failed)?.into_iter().map(|entry| entry.id.to_string());
    let values: Vec<String> = numbers.filter(|number| number.starts_with(prefix)).collect();
    let total = u64::try_from(values.len()).unwrap_or(u64::MAX);
    Ok(Completions { values, total })
}

/// The ranges of numbers from `first` to `last` that have this decimal prefix, in order.
fn ranges(prefix: &str, first: i64, last: i64) -> Vec<(i64, i64)> {
    if prefix.is_empty() {
        return if first <= last { vec![(first, last)] } else { Vec::new() };
    }
    let is_number = !prefix.starts_with('0') && prefix.bytes().all(|byte| byte.is_ascii_digit());
    let start: Option<i64> = prefix.parse().ok().filter(|_| is_number);
    let Some(start) = start else { return Vec::new() };
    let mut ranges = Vec::new();
    let mut low = start;
    let mut width = 1_i64;
    while low <= last {
        let from = low.max(first);
        let to = low.saturating_add(width - 1).min(last);
        if from <= to {
            ranges.push((from, to));
        }
        let (Some(next), Some(wider)) = (low.checked_mul(10), width.checked_mul(10)) else { break };
        (low, width) = (next, wider);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn numbers_begin_with_digits() {
        assert_eq!(ranges("", 3, 120), [(3, 120)]);
        assert_eq!(ranges("1", 3, 120), [(10, 19), (100, 120)]);
        assert_eq!(ranges("12", 3, 120), [(12, 12), (120, 120)]);
        assert_eq!(ranges("9", 1, i64::MAX).last(), Some(&(9 * 10_i64.pow(18), i64::MAX)));
        for none in ["0", "01", "x", "-1", "+1", "121", "99999999999999999999"] {
            assert_eq!(ranges(none, 3, 120), [], "{none}");
        }
        assert_eq!(ranges("", 1, 0), []);
    }
}
