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

pub use self::case::{Broken, FaultReport, Wrong};
pub use self::told::{
    AppliedFix, Diagnosis, Fragment, Inner, Least, Proof, Repair, RepairedProgram, Since, Was,
};
