//! Names the first member of a malformed `initialize` that is missing or has the wrong type.

use pif_domain::json::Members;
use rmcp::model::ClientCapabilities;

/// An example of valid parameters.
const EXAMPLE: &str = r#"{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "my-client", "version": "1.0"}}"#;

/// Returns the error message for malformed parameters of `initialize`, or `None` if they are valid.
pub(super) fn complain(params: Option<&str>) -> Option<String> {
    let reason = judge(params).err()?;
    Some(format!("{reason} in `initialize`: write \"params\": {EXAMPLE}"))
}

fn judge(params: Option<&str>) -> Result<(), String> {
    let params = params.ok_or("`params` is missing")?;
    let params = record("params", params)?;
    string("params.protocolVersion", params.raw("protocolVersion"))?;
    let capabilities = params.raw("capabilities").ok_or("`params.capabilities` is missing")?;
    for (name, value) in record("params.capabilities", capabilities)?.iter() {
        let alone = format!("{{{}:{value}}}", serde_json::Value::from(name));
        if serde_json::from_str::<ClientCapabilities>(&alone).is_err() {
            return Err(format!(
                "`params.capabilities.{name}` has another shape than it must have: an object"
            ));
        }
    }
    let client = params.raw("clientInfo").ok_or("`params.clientInfo` is missing")?;
    let client = record("params.clientInfo", client)?;
    string("params.clientInfo.name", client.raw("name"))?;
    string("params.clientInfo.version", client.raw("version"))
}

fn record<'a>(place: &str, raw: &'a str) -> Result<Members<'a>, String> {
    Members::parse(raw).map_err(|_| format!("`{place}` must be an object"))
}

fn string(place: &str, raw: Option<&str>) -> Result<(), String> {
    match raw {
        None => Err(format!("`{place}` is missing")),
        Some(raw) if serde_json::from_str::<String>(raw).is_err() => {
            Err(format!("`{place}` must be a string"))
        }
        Some(_) => Ok(()),
    }
}
