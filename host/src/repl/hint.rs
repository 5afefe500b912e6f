//! Hints of faults, as they hold at the prompt: what a client gives as an argument is a command here.

use pif_domain::{Fault, FaultCode, Limit};

/// A fault with the hint that helps at the prompt.
pub(super) fn at_the_prompt(fault: Fault) -> Fault {
    let hint = match (fault.code, fault.limit.as_deref().map(|excess| excess.name)) {
        (_, Some(Limit::Fuel)) => Some("`:fuel 4G` gives runs more, or look for a loop"),
        (_, Some(Limit::Depth)) => Some("`:depth 100k` gives runs more, or look for a recursion"),
        (_, Some(Limit::Memory)) => Some("`:memory 512MiB` gives runs more, or do less at once"),
        (FaultCode::Unbound, _) => Some("NAME = PROGRAM binds a name here"),
        _ => None,
    };
    match (hint, fault.code, &fault.hint) {
        (None, ..) => fault,
        (Some(hint), FaultCode::Unbound, Some(first)) => {
            Fault { hint: Some(format!("{first}; {hint}")), ..fault }
        }
        (Some(hint), ..) => Fault { hint: Some(hint.to_owned()), ..fault },
    }
}
