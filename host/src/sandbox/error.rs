//! Why there is no sandbox.

/// Why the sandbox could not be opened. What a program did wrong is a [`Fault`](crate::domain::Fault) instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The host cannot run WebAssembly as configured, for instance for want of address space.
    #[error("the WebAssembly engine does not start: {0}")]
    Engine(String),
    /// The embedded component is damaged or does not fit the contract.
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
