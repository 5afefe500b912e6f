//! Repairs programs and tools by sure fixes, and finds what is least around a fault: the input, the program,
//! the change that brought it. All by runs, without a model.

mod answers;
mod bench;
mod case;
mod fixes;
mod least;
mod proof;
mod since;
mod told;
mod whole;

pub use self::case::{Broken, Reported, Wrong};
pub use self::told::{Applied, Diagnosis, Inner, Least, Mended, Part, Proof, Repaired, Since, Was};
