//! Extensions of a request: the arguments as they were sent, and the principal.

use std::sync::Arc;

use http::request::Parts;
use pif_domain::text;
use pif_domain::{BuiltIn, Fault, FaultCode, Principal, Scope, bare, fault, listed, scope_of};
use rmcp::model::{Extensions, Tool};

use crate::transport::RawArguments;
use crate::transport::http::Way;

/// The principal of a request over HTTP.
pub(super) fn principal(of: &Extensions) -> Option<&Principal> {
    of.get::<Parts>()?.extensions.get()
}

/// The way by which a request came, in the words of the conventions.
pub(super) fn way(of: &Extensions) -> &'static str {
    let over_http = || of.get::<Parts>()?.extensions.get::<Way>();
    over_http().map_or("pipe", |way| way.0)
}

/// A header of a request over HTTP.
pub(super) fn header<'a>(of: &'a Extensions, name: &str) -> Option<&'a str> {
    of.get::<Parts>()?.headers.get(name)?.to_str().ok()
}

/// The tools of a list that a principal may call.
pub(super) fn seen_by(principal: &Principal, listed: Arc<[Tool]>) -> Arc<[Tool]> {
    if principal.sees_all() {
        return listed;
    }
    let may = |tool: &&Tool| principal.may(scope_of(BuiltIn::find(bare(&tool.name))));
    listed.iter().filter(may).cloned().collect()
}

/// The arguments of a call as they were sent, on any transport.
pub(super) fn sent(of: &Extensions) -> Option<RawArguments> {
    let over_http = || of.get::<Parts>()?.extensions.get::<RawArguments>();
    of.get::<RawArguments>().or_else(over_http).cloned()
}

/// The fault of a call for which the principal has not the scope.
pub(super) fn forbidden(name: &str, needed: Scope) -> Fault {
    let message =
        format!("a call of {} needs the scope `{needed}`", text::quote_one(&listed(name)));
    let hint = "ask the operator of the server for a token with that scope";
    fault(FaultCode::Forbidden, message, Some(hint))
}
