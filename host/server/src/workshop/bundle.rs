//! The file format that moves tools between stores: each tool with its term, the term's hash, its
//! description and its examples. The file may also hold the memory.

use pif_domain::json::compact_value;
use pif_domain::text::{self, quote_one};
use pif_domain::{Fault, FaultCode, fault};
use pif_schema::Schema;
use pif_store::registry::Definition;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::example::{Example, Scripted, from_json, to_json};
use super::schemas;

/// The value of `format` that identifies such a file.
pub(super) const FORMAT: &str = "mcp-pif tools";

/// The current version of the format, whose tools may be native capabilities. All versions up to it
/// are read. A file is written in the lowest version that supports its contents.
const VERSION: u32 = 7;

/// The first version whose examples may have answers to calls.
const WITH_ANSWERS: u32 = 6;

/// The first version whose tools have the notation.
const WITH_NOTATION: u32 = 5;

/// The first version with the memory.
const WITH_MEMORY: u32 = 4;

/// The most characters of a quoted parser error.
const MOST_REASON: usize = 300;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bundle {
    format: String,
    version: u32,
    /// In the order of registration.
    pub(super) tools: Vec<Packed>,
    /// In the order of the last change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) memory: Vec<Remembered>,
}

/// A key of the memory in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Remembered {
    pub(super) key: String,
    pub(super) tags: Vec<String>,
    pub(super) value: Box<RawValue>,
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
pub(super) struct Packed {
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
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Packed {
    pub(super) fn new(tool: Definition, pinned: bool, notation: String) -> Result<Self, Fault> {
        let unreadable = |error: serde_json::Error| {
            fault(
                FaultCode::Internal,
                format!("the term of {} is no JSON: {error}", quote_one(&tool.name)),
                None,
            )
        };
        let examples = compact(from_json(&tool.examples)?);
        let source = RawValue::from_string(tool.source).map_err(unreadable)?;
        let schema = tool.output_schema.map(RawValue::from_string).transpose();
        let output_schema = schema.map_err(unreadable)?;
        let (name, sha256, description) = (tool.name.clone(), tool.hash, tool.description);
        let (capability, notation) =
            (tool.members.is_some(), Some(notation).filter(|text| !text.is_empty()));
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

/// The text of a file with these tools and keys of the memory.
pub(super) fn write(tools: Vec<Packed>, memory: Vec<Remembered>) -> Result<String, Fault> {
    let has_answers = |tool: &Packed| tool.examples.iter().any(|it| it.answers.is_some());
    let version = match tools.as_slice() {
        [] => WITH_MEMORY,
        tools if tools.iter().any(|it| it.capability) => VERSION,
        tools if tools.iter().any(has_answers) => WITH_ANSWERS,
        _ => WITH_NOTATION,
    };
    let bundle = Bundle { format: FORMAT.to_owned(), version, tools, memory };
    serde_json::to_string_pretty(&bundle).map_err(|error| {
        fault(FaultCode::Internal, format!("the tools cannot be written: {error}"), None)
    })
}

/// Parses the text of a file.
pub(super) fn read(text: &str) -> Result<Bundle, Fault> {
    let malformed = |error: serde_json::Error| {
        let reason = text::line(&error.to_string(), MOST_REASON);
        let hint = "`mcp-pif export NAME` writes such a file";
        fault(FaultCode::Malformed, format!("the file cannot be read: {reason}"), Some(hint))
    };
    let Header { format, version } = serde_json::from_str(text).map_err(malformed)?;
    if format != FORMAT {
        let message = format!("the format of the file is {}, not `{FORMAT}`", quote_one(&format));
        return Err(fault(FaultCode::Malformed, message, None));
    }
    if version > VERSION {
        let message = format!("the file has version {version}, this mcp-pif knows {VERSION}");
        return Err(fault(FaultCode::Malformed, message, Some("use a later mcp-pif")));
    }
    let mut bundle: Bundle = serde_json::from_str(text).map_err(malformed)?;
    settle(&mut bundle.tools)?;
    Ok(bundle)
}

/// Brings tools of a file into their order, and refuses those that cannot be meant.
pub(super) fn settle(tools: &mut [Packed]) -> Result<(), Fault> {
    for tool in &mut *tools {
        tool.examples = compact(std::mem::take(&mut tool.examples));
        ensure_examples(tool)?;
    }
    sort(tools);
    ensure_once(tools)
}

/// Sorts tools by name, pinned revisions before the current one.
pub(super) fn sort(tools: &mut [Packed]) {
    tools.sort_by(|a, b| (&a.name, !a.pinned, &a.sha256).cmp(&(&b.name, !b.pinned, &b.sha256)));
}

fn ensure_examples(tool: &Packed) -> Result<(), Fault> {
    for (index, example) in tool.examples.iter().enumerate() {
        let Some(reason) = example.complaint() else { continue };
        let message = format!("example {index} of {} {reason}", tool.quoted());
        return Err(fault(FaultCode::Malformed, message, None));
    }
    Ok(())
}

fn ensure_once(tools: &[Packed]) -> Result<(), Fault> {
    let twice = tools.windows(2).find_map(|pair| match pair {
        [a, b] if a.reference() == b.reference() => Some(a),
        _ => None,
    });
    match twice {
        Some(tool) => {
            let message = format!("the file holds {} twice", tool.quoted());
            Err(fault(FaultCode::Malformed, message, None))
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
            let compact = |it: Scripted| Scripted { value: it.value.map(compact_value), ..it };
            answers.into_iter().map(compact).collect()
        }),
        output: output.map(compact_value),
    };
    examples.into_iter().map(all).collect()
}
