//! Logins at other servers: the operator gets a token for a server in a browser (OAuth 2.1, the
//! authorization code with PKCE), the broker keeps it and renews it. Tokens stand in a folder beside the
//! configuration, which the sealed server cannot read, and leave it in requests to their server only.
//!
//! | step | by |
//! |---|---|
//! | the server says who grants tokens for it | RFC 9728 |
//! | that one says where it does | RFC 8414, OIDC Discovery |
//! | we are a client of it | the file, or RFC 7591 |
//! | the operator agrees, in a browser that comes back to a port of this machine | RFC 7636, 8252, 9207 |
//! | the code becomes tokens for this server alone | RFC 6749, 8707 |
//! | the operator gives the tokens back | RFC 7009 |

mod address;
mod challenge;
mod client;
mod discovery;
mod flow;
mod folder;
mod keeper;
mod metadata;
mod page;
mod pkce;
mod problem;
mod target;
mod token;
mod wire;

pub use self::flow::{LoginGrant, LoginRequest};
pub use self::problem::Problem;
pub use self::target::Target;

pub(super) use self::challenge::{asks_for_token, wanted};
pub(super) use self::folder::Folder;
pub(super) use self::keeper::Keeper;
