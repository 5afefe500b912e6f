//! Repairs programs and tools by sure fixes, and finds what is least around a fault: the input, the program,
//! the change that brought it. All by runs, without a model.

mod answers;
mod bench;
mod bisection;
mod case;
mod fixes;
mod minimization;
mod proof;
mod report;
mod stages;

pub use self::case::{Broken, FaultReport, Wrong};
pub use self::report::{
    AppliedFix, Diagnosis, Fragment, Inner, Least, Proof, Repair, RepairedProgram, Since, Was,
};
