//! Errors of opening the sandbox.

/// The reason why the sandbox could not be opened. An error of a program is a
/// [`Fault`](pif_domain::Fault) instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// WebAssembly cannot run with this configuration, for instance because address space is
    /// scarce.
    #[error("the WebAssembly engine does not start: {0}")]
    Engine(String),
    /// The embedded component is damaged or does not match the contract.
    #[error("the embedded evaluator is unusable: {0}")]
    Component(String),
}

impl Error {
    #[expect(clippy::needless_pass_by_value, reason = "errors are mapped by it")]
    pub(super) fn engine(error: wasmtime::Error) -> Self {
        Self::Engine(format!("{error:#}"))
    }

    #[expect(clippy::needless_pass_by_value, reason = "errors are mapped by it")]
    pub(super) fn component(error: wasmtime::Error) -> Self {
        Self::Component(format!("{error:#}"))
    }
}
