//! `capabilities.json`: the servers whose tools programs may call, as other clients write them, with
//! what the operator grants of each. It is read by the broker alone. Every mistake is told with its
//! place. One of a server switches that server off, and nothing else.

mod address;
mod capabilities;
mod endpoint;
mod error;
mod file;
mod import;
mod install;
mod isolation;
mod limits;
mod login_secrets;
mod oauth;
mod pattern;
mod reader;
mod redact;
mod secret;
mod server;
mod values;

pub use self::capabilities::Capabilities;
pub use self::endpoint::Endpoint;
pub use self::error::Error;
pub use self::import::imported;
pub use self::install::{Install, Origin};
pub use self::isolation::Isolation;
pub use self::limits::Limits;
pub use self::oauth::Oauth;
pub use self::pattern::Pattern;
pub use self::secret::{Secret, Secrets, Template};
pub use self::server::{Server, Transport};

pub(super) use self::install::ensure_plain;
pub(super) use self::pattern::decide;
pub(super) use self::secret::fill;
