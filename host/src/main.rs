//! The binary `mcp-pif`.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcp_pif::cli::main()
}
