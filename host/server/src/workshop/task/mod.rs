//! Tasks: a model writes a program, which is checked and run; of what is wrong with it the model is
//! told, until a program solves the task or the means of the task are used up. The model, the check and
//! the runs are those of a [`Helper`]: a server has live ones, a replay has those of the journal.

mod account;
mod answer;
mod assignment;
mod attempt;
mod entry;
mod keep;
mod marks;
mod prompt;
mod replay;
mod sample;
mod solve;

pub use self::assignment::{Assignment, GivenExample, MOST_LOOPS, USUAL_LOOPS};
pub use self::attempt::until;
pub use self::keep::Keep;
pub use self::prompt::question;
pub use self::solve::{Helper, ModelError, Ran, Screening, Solution, solve};
