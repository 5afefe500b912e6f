//! The file that moves tools, the memory and the bindings of a session between stores. A tool has its
//! term, the hash of that, its description and its examples; a binding has its term and the hash.

use std::collections::BTreeSet;

use pif_domain::json::compact_value;
use pif_domain::text::{self, quote_one};
use pif_domain::{Excess, Fault, FaultCode, Limit, Place, fault};
use pif_schema::Schema;
use pif_store::memory::Outcomes;
use pif_store::registry::Definition;
use pif_store::session::{LONGEST_NAME, SessionCapacity, ensure_title, is_name, is_recent};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::example::{Example, ScriptedAnswer, from_json, to_json};
use super::property::{MOST_PROPERTIES, of_tool};
use super::refusal::too_large;
use super::schemas;
use super::vouched::Certificates;

/// The value of `format` that identifies such a file.
const FORMAT: &str = "mcp-pif export";

/// The version of the format.
const VERSION: u32 = 1;

/// The most characters of a quoted parser error.
const MOST_REASON: usize = 300;

/// The most characters that stand before and behind the place of an error.
const AROUND: usize = 30;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bundle {
    format: String,
    version: u32,
    /// In the order of registration.
    #[serde(default)]
    pub(super) tools: Vec<BundledTool>,
    /// In the order of the last change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) memory: Vec<BundledMemo>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<PackedSession>,
    /// Signed statements about the tools.
    #[serde(default, skip_serializing_if = "Certificates::is_empty")]
    pub(super) certificates: Certificates,
}

/// A session in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PackedSession {
    /// Words for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) title: String,
    /// In the order of their names.
    pub(super) bindings: Vec<BundledBinding>,
}

/// A binding in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BundledBinding {
    pub(super) name: String,
    /// The kind of the value.
    pub(super) kind: String,
    /// sha256 of the canonical text of `term`.
    pub(super) sha256: String,
    /// The term of the value.
    pub(super) term: Box<RawValue>,
}

/// A key of the memory in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BundledMemo {
    pub(super) key: String,
    pub(super) tags: Vec<String>,
    pub(super) value: Box<RawValue>,
    /// The situation in which it helps, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) context: String,
    /// How sure its author was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f64>,
    /// What came of it since.
    #[serde(default, skip_serializing_if = "Outcomes::is_none")]
    pub(super) outcomes: Outcomes,
}

/// The members that identify a file. Others are ignored here.
#[derive(Debug, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// A tool in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BundledTool {
    pub(super) name: String,
    /// sha256 of the canonical text of `source`.
    pub(super) sha256: String,
    pub(super) description: String,
    /// Whether only this revision is needed, by tools that pin it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) pinned: bool,
    /// The term in the notation, for people. Whoever reads the file reads `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notation: Option<String>,
    /// The term.
    pub(super) source: Box<RawValue>,
    pub(super) examples: Vec<Example>,
    /// Whether the tool is a native capability.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) capability: bool,
    /// The JSON Schema of the tool's values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) output_schema: Option<Box<RawValue>>,
    /// Programs that give true for every input.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) properties: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl BundledTool {
    pub(super) fn new(tool: Definition, pinned: bool, notation: String) -> Result<Self, Fault> {
        let unreadable = |error: serde_json::Error| {
            fault(
                FaultCode::Internal,
                format!("the term of {} is no JSON: {error}", quote_one(&tool.name)),
                None,
            )
        };
        let examples = compact(from_json(&tool.examples)?);
        let properties = of_tool(&tool)?;
        let source = RawValue::from_string(tool.source).map_err(unreadable)?;
        let schema = tool.output_schema.map(RawValue::from_string).transpose();
        let output_schema = schema.map_err(unreadable)?;
        let name = tool.name.clone();
        let sha256 = tool.hash;
        let description = tool.description;
        let capability = tool.members.is_some();
        let notation = Some(notation).filter(|text| !text.is_empty());
        Ok(Self {
            name,
            sha256,
            description,
            pinned,
            notation,
            source,
            examples,
            capability,
            output_schema,
            properties,
        })
    }

    /// The tool's reference in backticks, for messages.
    pub(super) fn quoted(&self) -> String {
        quote_one(&self.reference())
    }

    /// The reference that runs this revision: the name, or `name@hash` if it is pinned.
    pub(super) fn reference(&self) -> String {
        let Self { name, sha256, pinned, .. } = self;
        if *pinned { format!("{name}@{sha256}") } else { name.clone() }
    }

    /// All that the file holds of it, without white space.
    pub(super) fn content(&self) -> Result<String, Fault> {
        serde_json::to_string(self).map_err(|error| {
            let message = format!("{} cannot be written: {error}", self.quoted());
            fault(FaultCode::Internal, message, None)
        })
    }

    /// The examples as the registry keeps them, without white space.
    pub(super) fn examples(&self) -> String {
        to_json(&self.examples)
    }

    /// The output schema; None if there is none or if every value conforms.
    pub(super) fn schema(&self) -> Result<Option<Schema>, Fault> {
        let read = |raw: &RawValue| {
            schemas::read(raw.get()).map_err(|fault| Fault {
                message: format!("{}: {}", self.quoted(), fault.message),
                ..fault
            })
        };
        let schema = self.output_schema.as_deref().map(read).transpose()?;
        Ok(schema.filter(|schema| !schema.is_trivial()))
    }
}

/// The text of a file.
pub(super) fn write(
    tools: Vec<BundledTool>,
    memory: Vec<BundledMemo>,
    session: Option<PackedSession>,
    certificates: Certificates,
) -> Result<String, Fault> {
    let format = FORMAT.to_owned();
    let bundle = Bundle { format, version: VERSION, tools, memory, session, certificates };
    serde_json::to_string_pretty(&bundle).map_err(|error| {
        fault(FaultCode::Internal, format!("the file cannot be written: {error}"), None)
    })
}

/// Parses the text of a file, and checks all that can be checked without the evaluator.
pub(super) fn read(text: &str) -> Result<Bundle, Fault> {
    let longest = Limit::ExportFile.fixed_count();
    if text.len() > longest {
        return Err(too_large(Limit::ExportFile, "the file", text.len(), longest));
    }
    let unreadable = |error| unreadable(text, &error);
    let Header { format, version } = serde_json::from_str(text).map_err(unreadable)?;
    if format != FORMAT {
        let message = format!("the format of the file is {}, not `{FORMAT}`", quote_one(&format));
        return Err(at("/format", fault(FaultCode::Malformed, message, None)));
    }
    if version != VERSION {
        let message = format!("the file has version {version}, this mcp-pif knows {VERSION}");
        let fault = fault(FaultCode::Malformed, message, Some("use a later mcp-pif"));
        return Err(at("/version", fault));
    }
    let mut bundle: Bundle = serde_json::from_str(text).map_err(unreadable)?;
    settle(&mut bundle.tools)?;
    Ok(bundle)
}

impl PackedSession {
    /// Refuses titles and names that there cannot be, and more than a session holds. The store refuses
    /// these as well; this is before each term is checked.
    pub(super) fn ensure(&self, most: &SessionCapacity) -> Result<(), Fault> {
        ensure_title(&self.title).map_err(|error| {
            at("/session/title", fault(FaultCode::Malformed, error.to_string(), None))
        })?;
        ensure_room(&self.bindings, most)?;
        ensure_names(&self.bindings)
    }
}

/// Brings tools of a file into their order, and refuses those that cannot be meant.
fn settle(tools: &mut [BundledTool]) -> Result<(), Fault> {
    for tool in &mut *tools {
        tool.examples = compact(std::mem::take(&mut tool.examples));
        ensure_tests(tool)?;
    }
    sort(tools);
    ensure_once(tools)
}

/// Sorts tools by name, pinned revisions before the current one.
pub(super) fn sort(tools: &mut [BundledTool]) {
    tools.sort_by(|a, b| (&a.name, !a.pinned, &a.sha256).cmp(&(&b.name, !b.pinned, &b.sha256)));
}

fn ensure_tests(tool: &BundledTool) -> Result<(), Fault> {
    for (index, example) in tool.examples.iter().enumerate() {
        let Some(reason) = example.complaint() else { continue };
        let message = format!("example {index} of {} {reason}", tool.quoted());
        return Err(at("/tools", fault(FaultCode::Malformed, message, None)));
    }
    let count = tool.properties.len();
    if count > MOST_PROPERTIES {
        let message = format!("{} has {count} properties", tool.quoted());
        let hint = format!("give {MOST_PROPERTIES} at most");
        return Err(at("/tools", fault(FaultCode::Malformed, message, Some(&hint))));
    }
    Ok(())
}

fn ensure_once(tools: &[BundledTool]) -> Result<(), Fault> {
    let twice = tools.windows(2).find_map(|pair| match pair {
        [a, b] if a.reference() == b.reference() => Some(a),
        _ => None,
    });
    match twice {
        Some(tool) => {
            let message = format!("the file holds {} twice", tool.quoted());
            Err(at("/tools", fault(FaultCode::Malformed, message, None)))
        }
        None => Ok(()),
    }
}

/// Examples without white space between tokens.
fn compact(examples: Vec<Example>) -> Vec<Example> {
    let all = |Example { input, data, args, answers, output }| Example {
        input: input.map(compact_value),
        data: data.map(compact_value),
        args: args.map(|args| args.into_iter().map(compact_value).collect()),
        answers: answers.map(|answers| {
            let compact =
                |it: ScriptedAnswer| ScriptedAnswer { value: it.value.map(compact_value), ..it };
            answers.into_iter().map(compact).collect()
        }),
        output: output.map(compact_value),
    };
    examples.into_iter().map(all).collect()
}

/// The fault at a place of the file.
pub(super) fn at(place: &str, fault: Fault) -> Fault {
    Fault { at: format!("{place}{}", fault.at), ..fault }
}

/// The place of a binding in the file.
pub(super) fn place(index: usize, member: &str) -> String {
    format!("/session/bindings/{index}/{member}")
}

/// The store refuses too much as well. This is before each term is checked.
fn ensure_room(bindings: &[BundledBinding], most: &SessionCapacity) -> Result<(), Fault> {
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let bytes = bindings.iter().map(|it| count(it.term.get().len())).sum();
    for (limit, used, most, what) in [
        (Limit::SessionBindings, count(bindings.len()), most.bindings, "bindings"),
        (Limit::SessionSize, bytes, most.bytes, "bytes of bindings"),
    ] {
        if used > most {
            let message = format!("the file has {used} {what}, more than the {most} of a session");
            let excess = Excess { name: limit, used, limit: most };
            let fault = fault(FaultCode::SessionLimit, message, None).by(Some(excess));
            return Err(at("/session/bindings", fault));
        }
    }
    Ok(())
}

fn ensure_names(bindings: &[BundledBinding]) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    for (index, BundledBinding { name, .. }) in bindings.iter().enumerate() {
        let quoted = quote_one(name);
        let reason = if !is_name(name) {
            format!("{quoted} is no name of a binding")
        } else if is_recent(name) {
            format!("{quoted} is one of the last values, which are not imported")
        } else if !seen.insert(name) {
            format!("the file has the binding {quoted} twice")
        } else {
            continue;
        };
        let hint =
            format!("use a letter or `_`, then letters, digits and `_`, {LONGEST_NAME} at most");
        let hint = (!is_name(name)).then_some(hint.as_str());
        return Err(at(&place(index, "name"), fault(FaultCode::Malformed, reason, hint)));
    }
    Ok(())
}

/// The fault of a text that is no such file, with the line and the column of the error.
fn unreadable(text: &str, error: &serde_json::Error) -> Fault {
    let line = error.line();
    let column = error.column();
    let told = error.to_string();
    let told = told.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&told);
    let message = format!("the file cannot be read: {}", text::line(told, MOST_REASON));
    let hint = "`mcp-pif export` writes such a file";
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let caret = caret(text, line, column);
    let place = Place { line: count(line), column: count(column), caret };
    Fault { place: Some(Box::new(place)), ..fault(FaultCode::Malformed, message, Some(hint)) }
}

/// A piece of a line, and below it a mark at a place, which the parser counts in bytes from 1.
fn caret(text: &str, line: usize, column: usize) -> String {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let place = line.floor_char_boundary(column.saturating_sub(1));
    let (before, behind) = line.split_at(place);
    let skipped = before.chars().count().saturating_sub(AROUND);
    let before: String = before.chars().skip(skipped).collect();
    let before = text::line(&before, usize::MAX);
    let behind: String = behind.chars().take(AROUND).collect();
    let behind = text::line(&behind, usize::MAX);
    format!("{before}{behind}\n{}^", " ".repeat(before.chars().count()))
}
