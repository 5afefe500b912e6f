//! `receipt`: makes a signed statement about a run, or checks one.

use std::sync::Arc;

use pif_domain::Limit;
use pif_sandbox::Watch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::arguments::{decode, malformed, term, text_of};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, number, reply};
use crate::config::Profile;
use crate::render::{self, Reply};
use crate::workshop::{Receipt, too_large, trust};

const TEXT: &str = "\
A receipt of a run (`entry` of the journal): a statement signed by this store, with which others check the run and \
replay it without the store. Or check one with `verify`: its signature, each digest, and with `replay` the run.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// the number of the run's entry
    #[serde(default)]
    #[schemars(range(min = 1))]
    entry: Option<u64>,
    /// leave out the texts behind the digests; a replay needs this store then
    #[serde(default)]
    bare: bool,
    /// a receipt, in place of `entry`
    #[serde(default)]
    #[schemars(schema_with = "term")]
    verify: Option<Box<RawValue>>,
    /// whose signatures count: public keys in PEM. Those of this store, if it is left out
    #[serde(default)]
    trust: Option<String>,
    /// lines with the id of a key and the moment from which its signatures do not count
    #[serde(default)]
    revoked: Option<String>,
    /// run it again and compare
    #[serde(default)]
    replay: bool,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(_: Profile) -> Value {
        let text = json!({"type": "string"});
        let record = json!({"type": "object"});
        reply(
            &json!({"envelope": record, "materials": record, "signer": text, "statement": record}),
        )
    }

    async fn call(mut self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        match (self.entry, self.verify.take()) {
            (Some(entry), None) if self.says_how_to_check() => {
                let hint = "leave them out, or give `verify`";
                let message =
                    format!("`trust`, `revoked` and `replay` are for `verify`, not {entry}");
                Err(malformed(message, Some(hint)).into())
            }
            (Some(entry), None) => self.make(number(entry), backend, &call).await,
            (None, Some(_)) if self.bare => Err(malformed("`bare` is for `entry`", None).into()),
            (None, Some(text)) => self.check(text, backend, &call).await,
            _ => Err(malformed("give one of `entry` and `verify`", None).into()),
        }
    }
}

impl Arguments {
    fn says_how_to_check(&self) -> bool {
        self.replay || self.trust.is_some() || self.revoked.is_some()
    }

    async fn make(self, entry: i64, backend: &Arc<Backend>, call: &Call) -> ToolResult {
        let sign = move |backend: &Backend, _: &Watch| backend.workshop.receipt(entry);
        let receipt = backend.look(&call.caller, sign).await??;
        let receipt = if self.bare { receipt.bare() } else { receipt };
        let text = receipt.to_json();
        let most = backend.config.values.size(Limit::Result);
        if text.len() > most {
            let fault = too_large(Limit::Result, "receipt", text.len(), most);
            let hint = format!("give \"bare\": true, or use `mcp-pif receipt {entry}`");
            return Err(pif_domain::Fault { hint: Some(hint), ..fault }.into());
        }
        Ok(Reply::new(text, json!(receipt)))
    }

    async fn check(
        self,
        receipt: Box<RawValue>,
        backend: &Arc<Backend>,
        call: &Call,
    ) -> ToolResult {
        let text = match receipt.get() {
            raw if raw.starts_with('"') => decode("verify", raw)?,
            _ => text_of(receipt),
        };
        let mut trusted = match &self.trust {
            Some(pem) => trust(pem)?,
            None => backend.workshop.own_trust()?,
        };
        trusted.revoke(self.revoked.as_deref().unwrap_or_default()).map_err(|line| {
            let hint = "write the id of a key and a moment, as in `3f… 2026-01-31`";
            malformed(format!("line {line} of `revoked` cannot be read"), Some(hint))
        })?;
        let checked = Receipt::read(&text)?.check(&trusted)?;
        if !self.replay {
            return Ok(render::receipt(&checked, None));
        }
        let replay = move |backend: &Backend, watch: &Watch| {
            let replayed = backend.workshop.replay_receipt(&checked, watch)?;
            Ok(render::receipt(&checked, Some(&replayed.verdict)))
        };
        backend.run_blocking(&call.caller, replay).await?
    }
}
