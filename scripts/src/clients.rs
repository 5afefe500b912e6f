//! Real MCP clients against the server.

use anyhow::Result;

pub(crate) fn run(_arguments: &[String]) -> Result<()> {
    anyhow::bail!("not here yet")
}
