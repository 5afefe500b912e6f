//! `mcp-pif session show`.

use std::process::ExitCode;

use clap::Args;
use pif_domain::text::quote_one;
use pif_domain::text::similar::similar;
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::Watch;
use pif_server::workshop::Workshop;
use pif_store::session::Binding;

use super::super::print::{Output, print};
use super::chosen::SessionChoice;

#[derive(Debug, Args)]
pub(super) struct Show {
    /// A binding, to print its source
    #[arg(value_name = "BINDING")]
    name: Option<String>,
    /// Print the source as JSON
    #[arg(long, requires = "name")]
    json: bool,
    #[command(flatten)]
    chosen: SessionChoice,
}

impl Show {
    pub(super) fn execute(
        self,
        workshop: &Workshop,
        principal: &str,
        watch: &Watch,
    ) -> Result<ExitCode, Fault> {
        let Self { name, json, chosen } = self;
        let (_, bindings) = chosen.find(workshop, principal)?;
        let Some(name) = name else {
            let mut output = Output::open();
            for Binding { name, kind, bytes, .. } in &bindings {
                output.line(&format!("{name}: {kind}, {bytes} bytes"));
            }
            return Ok(output.close());
        };
        let binding = bindings.iter().find(|binding| binding.name == name);
        let binding = binding.ok_or_else(|| unbound(&name, &bindings))?;
        let term = workshop.term_of(binding)?.unwrap_or_default();
        let notation = if json { None } else { workshop.notation(&term, usize::MAX, watch) };
        Ok(print(&notation.unwrap_or(term)))
    }
}

fn unbound(name: &str, bindings: &[Binding]) -> Fault {
    let hint = similar(name, bindings.iter().map(|binding| binding.name.as_str()));
    let hint = hint.map(|similar| format!("did you mean `{similar}`?"));
    let message = format!("there is no binding {}", quote_one(name));
    fault(FaultCode::Unbound, message, hint.as_deref())
}
