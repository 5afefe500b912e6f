//! Proofs that two programs are equal: rules as data, and a checker.
//!
//! Equal means: for each input both give values with one canonical text, or both have a fault. An input on
//! which either meets a limit says nothing.
//!
//! ```
//! use pif_proof::{Proof, check};
//!
//! // x => add(x, 1), and the sum the other way round.
//! let json = r#"{
//!   "equal": [{"lam": "x", "body": {"add": [{"var": "x"}, 1]}}, {"lam": "x", "body": {"add": [1, {"var": "x"}]}}],
//!   "steps": [{"rule": "add-swap", "at": [0], "direction": "forward",
//!     "bindings": {"a": {"var": "x"}, "b": 1}, "conditions": [],
//!     "after": {"lam": "x", "body": {"add": [1, {"var": "x"}]}}}]
//! }"#;
//! let proof = Proof::read(json)?;
//! assert_eq!(check(&proof), Ok(()));
//! # Ok::<(), String>(())
//! ```

pub mod check;
pub mod context;
pub mod facts;
pub mod proof;
pub mod rules;
pub mod schemes;
pub mod term;
pub mod types;

pub use check::check;
pub use proof::{Derivation, Proof, Step};
