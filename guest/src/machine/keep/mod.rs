//! A value as a term that evaluates to an equal value. Data becomes literals, a function its lambda
//! in a `let` of the variables that the lambda names.
//!
//! | module | task |
//! |---|---|
//! | `function` | each function as a lambda with its variables and arguments |
//! | `knot` | functions that refer to one another: they become a `letrec` |
//! | `share` | values that occur more than once: they are bound once, around the whole |
//! | `mark`, `obstacle` | what is known of the objects of the heap; why a value has no term |
//! | `write` | the text |
//! | `place` | where in the value stands what no term can hold |

mod function;
mod knot;
mod mark;
mod obstacle;
mod place;
mod share;
mod write;

use crate::machine::{Failure, Machine};
use crate::memory::word::Word;
use function::Functions;
use obstacle::Obstacle;
use pif_core::fault::{Code, Fault, Limit};

impl Machine {
    /// Returns the value as a term.
    pub(super) fn term(&mut self, value: Word) -> Result<String, Failure> {
        let limit = self.limits.output as usize;
        self.written(value, limit).map_err(|obstacle| match obstacle {
            Obstacle::Part(part, message) => {
                let fault = Fault::new(Code::NotStorable, message);
                Box::new(fault.at(place::of(&self.state.heap, value, part)))
            }
            Obstacle::TooLong => {
                let message = format!("the value is longer than {limit} bytes as a term");
                let fault = Fault::new(Code::TooLarge, message).by(Limit::Output);
                Box::new(fault.at("/value").hint("keep a part of it"))
            }
        })
    }

    fn written(&mut self, value: Word, limit: usize) -> Result<String, Obstacle> {
        let functions = Functions::of(&self.image, &mut self.state, value, limit)?;
        let knots = knot::find(&self.state.terms, &functions)?;
        for parts_too in [false, true] {
            let shared = share::find(&self.state.heap, &functions, &knots, (value, parts_too))?;
            let text = write::text(&mut self.state, (&functions, &knots, &shared), value, limit);
            if let Some(text) = text {
                return Ok(text);
            }
        }
        Err(Obstacle::TooLong)
    }
}
