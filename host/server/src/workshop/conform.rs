//! Compares the value of a run with output schemas: the caller's and the tool's. A value that does
//! not conform becomes a fault.

use std::sync::Arc;

use pif_domain::text::{self, quote_one};
use pif_domain::{Excess, Fault, FaultCode, Limit, Mismatch, Mismatches, fault};
use pif_sandbox::{Completion, Outcome, Watch, give_way};
use pif_schema::{Refusal, Schema, Stop};
use pif_store::journal::{Answer, Digest};
use pif_store::registry::STAGED;

use super::archive::Archive;
use super::schemas::{recall, recall_in_turns};
use super::world::Tools;

/// The most characters of a JSON pointer in a message.
const MOST_PLACE: usize = 200;

/// What the journal records of a tool's schema, and its text if only the entry keeps it.
type RecordedSchema = (Answer, Option<String>);

/// A schema and its name in messages.
struct NamedSchema {
    schema: Arc<Schema>,
    name: String,
}

/// Compares the value of a run with the caller's schema and the tool's. Returns the answer that the
/// journal records for the tool's schema, and the text of the schema if the tool is staged. A
/// continuation is not compared.
pub(super) async fn conform(
    outcome: &mut Outcome,
    asked: Option<Arc<Schema>>,
    tools: &Tools,
    watch: &Watch,
) -> (Option<Answer>, Option<String>) {
    let kept = match kept(outcome, tools).await {
        Ok(kept) => kept,
        Err(fault) => {
            outcome.ending = Err(fault);
            return (None, None);
        }
    };
    let (recorded, kept) = kept.unzip();
    let (answer, text) = recorded.unzip();
    let all = asked.iter().chain(kept.iter().map(|used| &used.schema));
    if let Ok(Completion::Value(value)) = &outcome.ending
        && all.into_iter().any(|schema| !schema.is_quick(&value.json))
    {
        give_way().await;
    }
    judge(outcome, asked, kept, watch);
    (answer, text.flatten())
}

/// Like [`conform`], for a replay: uses the schema that the tool had at the recorded run.
pub(super) fn conform_again(
    outcome: &mut Outcome,
    asked: Option<Arc<Schema>>,
    recorded: Option<&Answer>,
    archive: &dyn Archive,
    watch: &Watch,
) -> Result<Option<Answer>, String> {
    let is_value = matches!(outcome.ending, Ok(Completion::Value(_)));
    let found = recorded.and_then(|answer| match answer {
        Answer::Schema(name, change) => Some((name, archive.output_schema(*change))),
        Answer::StagedSchema(name, digest) => Some((name, archive.text(&digest.sha256))),
        _ => None,
    });
    let found = found.filter(|(name, _)| is_value && outcome.tool.as_ref() == Some(*name));
    let Some((name, found)) = found else {
        judge(outcome, asked, None, watch);
        return Ok(None);
    };
    let text = found
        .map_err(|error| error.to_string())?
        .ok_or_else(|| format!("the output schema of {} is not in the store", quote_one(name)))?;
    let schema = recall(&text).map_err(|fault| fault.message)?;
    let kept = of_tool(name, schema);
    judge(outcome, asked, Some(kept), watch);
    Ok(recorded.cloned())
}

/// The output schema of the tool that returned the value.
async fn kept(
    outcome: &Outcome,
    tools: &Tools,
) -> Result<Option<(RecordedSchema, NamedSchema)>, Fault> {
    let (Ok(Completion::Value(_)), Some(name)) = (&outcome.ending, &outcome.tool) else {
        return Ok(None);
    };
    let Some(tool) = tools.find(name)? else { return Ok(None) };
    let Some(text) = tool.output_schema else { return Ok(None) };
    let schema = recall_in_turns(&text).await?;
    // A staged tool has no change of the registry yet, so its schema is kept as a text.
    let recorded = if tool.change == STAGED {
        (Answer::StagedSchema(name.clone(), Digest::of(&text)), Some(text))
    } else {
        (Answer::Schema(name.clone(), tool.change), None)
    };
    Ok(Some((recorded, of_tool(name, schema))))
}

fn of_tool(name: &str, schema: Arc<Schema>) -> NamedSchema {
    NamedSchema { schema, name: format!("the output schema of the tool {}", quote_one(name)) }
}

/// Applies both schemas, the caller's first. The first mismatch becomes the outcome's fault.
fn judge(
    outcome: &mut Outcome,
    asked: Option<Arc<Schema>>,
    kept: Option<NamedSchema>,
    watch: &Watch,
) {
    let Ok(Completion::Value(value)) = &mut outcome.ending else { return };
    let asked = asked.map(|schema| NamedSchema { schema, name: "`output_schema`".to_owned() });
    let refused = asked
        .into_iter()
        .chain(kept)
        .find_map(|used| compare(&used.schema, &used.name, &value.json, watch).err());
    if let Some(mut fault) = refused {
        fault.tool.clone_from(&outcome.tool);
        fault.warnings = std::mem::take(&mut value.warnings);
        outcome.ending = Err(fault);
    }
}

/// Compares a value, as JSON text, with a schema. `name` is the schema's name in messages.
pub(super) fn compare(schema: &Schema, name: &str, json: &str, watch: &Watch) -> Result<(), Fault> {
    let clock = watch.clone();
    let stop: Stop = Arc::new(move || clock.verdict().is_err());
    let Err(refusal) = schema.judge(json, &stop) else {
        return Ok(());
    };
    Err(match refusal {
        Refusal::Mismatch(mismatches, more) => mismatch(name, mismatches, more),
        Refusal::TooDeep(used, limit) => {
            let message = format!("the value is nested too deeply to be compared with {name}");
            let hint = "return a flatter value, or leave the schema out";
            fault(FaultCode::TooDeep, message, Some(hint)).by(Some(excess(
                Limit::SchemaDepth,
                used,
                limit,
            )))
        }
        Refusal::TooMany(used, limit) => {
            let message = format!("the value has too many parts to be compared with {name}");
            let hint = "return less, or leave the schema out";
            fault(FaultCode::TooLarge, message, Some(hint)).by(Some(excess(
                Limit::SchemaParts,
                used,
                limit,
            )))
        }
        Refusal::TooMuch(limit) => {
            let message = format!("to compare the value with {name} takes too much work");
            let hint = "return less, or use a simpler schema: one that tries fewer alternatives";
            let limit = Excess { name: Limit::SchemaWork, used: limit, limit };
            fault(FaultCode::TooLarge, message, Some(hint)).by(Some(limit))
        }
        Refusal::Stopped => match watch.verdict() {
            Err(verdict) => verdict,
            Ok(()) => fault(FaultCode::Cancelled, "the run was cancelled".to_owned(), None),
        },
        Refusal::Defect(reason) => {
            tracing::error!(reason, "a value could not be compared with a schema");
            fault(
                FaultCode::Internal,
                format!("the value cannot be compared with {name}: {reason}"),
                None,
            )
        }
    })
}

fn mismatch(name: &str, mismatches: Mismatches, more: Option<usize>) -> Fault {
    let lines: Vec<String> = mismatches.iter().map(render).collect();
    let more = match more {
        None => "; and more".to_owned(),
        Some(0) => String::new(),
        Some(more) => format!("; and {more} more"),
    };
    let message = format!("the value does not conform to {name}: {}{more}", lines.join("; "));
    let hint = "return what the schema describes, or change the schema";
    let mismatches = Some(Box::new(mismatches));
    Fault { mismatches, ..fault(FaultCode::SchemaMismatch, message, Some(hint)) }
}

fn render(Mismatch { instance, expected, found, schema_at: _ }: &Mismatch) -> String {
    let place = if instance.is_empty() {
        String::new()
    } else {
        format!("at {} ", text::line(instance, MOST_PLACE))
    };
    format!("{place}expected {expected}, found {found}")
}

fn excess(name: Limit, used: usize, limit: usize) -> Excess {
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    Excess { name, used: count(used), limit: count(limit) }
}
