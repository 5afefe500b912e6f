//! One call of a tool, by the client of rmcp: in the newer era of the protocol if the server speaks it,
//! and in a session otherwise.

use std::time::Duration;

use anyhow::{Error, Result, bail};
use reqwest::Client;
use reqwest::redirect::Policy;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
    Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::refusal::Refusal;
use super::target::Target;

/// The most bytes of an answer.
const LARGEST: usize = 64 << 20;
/// The longest time until a connection is made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Calls a tool.
pub(super) async fn call(
    target: &Target,
    token: Option<String>,
    params: CallToolRequestParams,
) -> Result<CallToolResult> {
    let refusal = Refusal { target, has_token: token.is_some() };
    // A call is sent once: it may have been made though its answer was lost.
    let mut config = StreamableHttpClientTransportConfig::with_uri(target.url().as_str())
        .max_json_response_size(LARGEST)
        .max_sse_event_size(LARGEST)
        .reinit_on_expired_session(false);
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    let transport = StreamableHttpClientTransport::with_client(http_client(target)?, config);
    let name = Implementation::new("mcp-pif call", env!("CARGO_PKG_VERSION"));
    let client = ClientConfig::new(ClientCapabilities::default(), name)
        .with_protocol_version(ProtocolVersion::V_2025_11_25);
    let mode = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let service = client.serve_with_lifecycle(transport, mode).await;
    let service = service.map_err(|error| refusal.of_start(&error))?;
    let response = service.peer().call_tool_once(params).await;
    // If the session cannot be ended, the server forgets it later.
    let _ = service.cancel().await;
    match response.map_err(|error| refusal.of_call(&error))? {
        CallToolResponse::Complete(result) => Ok(result),
        CallToolResponse::InputRequired(_) => {
            bail!("the tool asks for input, which a script cannot give")
        }
        _ => bail!("the server makes a task of the call, which has no result yet"),
    }
}

fn http_client(target: &Target) -> Result<Client, Error> {
    // A second one in the process is refused, which does no harm.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .user_agent(concat!("mcp-pif/", env!("CARGO_PKG_VERSION")));
    if target.is_local() {
        client = client.no_proxy();
    }
    if let Some(path) = target.socket() {
        client = client.unix_socket(path);
    }
    Ok(client.build()?)
}
