//! Properties of a tool as they are written and kept: programs that give true for every input, in which
//! `@self` is the tool.

use pif_domain::text::quote_one;
use pif_domain::{Fault, FaultCode, fault};
use pif_store::registry::Definition;
use serde_json::json;
use serde_json::value::RawValue;

/// The most properties of a tool.
pub const MOST_PROPERTIES: usize = 16;

/// Reads properties from a list of texts and terms.
pub fn read_properties(raw: &str) -> Result<Vec<String>, Fault> {
    let hint = "write {\"properties\": [\"xs => @self(xs).length == xs.length\"]}";
    let items: Vec<&RawValue> = serde_json::from_str(raw).map_err(|_| {
        fault(FaultCode::Malformed, "`properties` must be a list".to_owned(), Some(hint))
    })?;
    if items.len() > MOST_PROPERTIES {
        let message = format!("there are {} properties", items.len());
        let hint = format!("give {MOST_PROPERTIES} at most");
        return Err(fault(FaultCode::Malformed, message, Some(&hint)));
    }
    let text = |item: &&RawValue| {
        let text: Option<String> = serde_json::from_str(item.get()).ok();
        text.unwrap_or_else(|| item.get().to_owned())
    };
    Ok(items.iter().map(text).collect())
}

/// Properties as the registry keeps them.
pub(super) fn kept(properties: &[String]) -> Option<String> {
    (!properties.is_empty()).then(|| json!(properties).to_string())
}

/// The properties of a tool.
pub(super) fn of_tool(tool: &Definition) -> Result<Vec<String>, Fault> {
    let Some(text) = &tool.properties else { return Ok(Vec::new()) };
    serde_json::from_str(text).map_err(|error| {
        let message =
            format!("the properties of {} cannot be read: {error}", quote_one(&tool.name));
        fault(FaultCode::Internal, message, None)
    })
}
