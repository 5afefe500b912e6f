//! Records of options.

use crate::fault::Code;
use crate::hint::nearest;
use crate::primitive::Trouble;
use crate::quote::shorten;

/// The fault of an option that a form does not have.
pub(super) fn unknown(name: &str, known: &[&'static str]) -> Trouble {
    let (last, others) = known.split_last().unwrap_or((&"", &[]));
    let message =
        format!("`{}` is none of the options {} and {last}", shorten(name), others.join(", "));
    match nearest(name, known.iter().copied()) {
        Some(near) => {
            Trouble::with_hint(Code::OutOfRange, message, format!("did you mean `{near}`?"))
        }
        None => Trouble::OutOfRange(message),
    }
}
