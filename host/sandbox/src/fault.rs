//! Converts faults of the evaluator into faults of the host.

use std::fmt;

use pif_domain::{Excess, FailedCall, Fault, FaultCode, Fix, Limit, Place, Reason, fault};

use super::bindings::{Exceeded, Fix as Repair, Limits, Note, Place as Spot, Reported, Usage};

/// Characters of a message or hint that are kept. The evaluator's own texts are far shorter. The
/// bound protects against any other component.
const LONGEST: usize = 4_000;

/// The hint of faults that no program should be able to cause.
pub(super) const DEFECT: &str =
    "this is a defect in the evaluator, not in your program: please report it with the program";

impl From<Reported> for Fault {
    fn from(told: Reported) -> Self {
        let Reported { code, message, at, tool, hint, calls, excerpt, warnings, .. } = told;
        let Reported { upstream, place, variable, incomplete: is_incomplete, fix, .. } = told;
        let Some(code) = FaultCode::find(&code) else {
            let message = format!("the evaluator reports a fault with an unknown code: {code}");
            return Self { at, tool, ..fault(FaultCode::Internal, cut(message), Some(DEFECT)) };
        };
        let message = cut(message);
        let hint = hint.map(cut);
        let excerpt = excerpt.map(|it| cut(it).into());
        let upstream = upstream.map(|call| {
            let reason = Reason::find(&call.reason).unwrap_or(Reason::BadOutput);
            Box::new(FailedCall { tool: cut(call.tool), reason })
        });
        let plain = fault(code, message, None);
        let place = place.map(|it| Box::new(it.into()));
        let variable = variable.map(|it| cut(it).into());
        Self {
            at,
            tool,
            hint,
            calls,
            excerpt,
            warnings,
            upstream,
            place,
            variable,
            is_incomplete,
            fix: fix.map(|it| Box::new(it.into())),
            ..plain
        }
    }
}

/// The longest program that the evaluator repairs has fewer bytes. Another component may not send more.
const LONGEST_FIXED: usize = 64 << 10;

impl From<Repair> for Fix {
    fn from(Repair { at, was, now, fixed }: Repair) -> Self {
        let [at, was, now, fixed] = [at, was, now, fixed].map(|text| {
            let end = text.floor_char_boundary(LONGEST_FIXED);
            text.get(..end).unwrap_or_default().to_owned()
        });
        Self { at, was, now, fixed }
    }
}

impl From<Spot> for Place {
    fn from(Spot { line, column, caret }: Spot) -> Self {
        Self { line, column, caret: cut(caret) }
    }
}

/// The limit that caused a fault, with the amount used of it.
pub(super) fn excess(exceeded: Exceeded, limits: Limits, used: Usage) -> Option<Excess> {
    let (name, used, limit) = match exceeded {
        Exceeded::Fuel => (Limit::Fuel, used.fuel, limits.fuel),
        Exceeded::Depth => (Limit::Depth, used.peak_depth.into(), limits.depth.into()),
        Exceeded::Memory => (Limit::Memory, used.peak_memory, limits.memory),
        // The limit on output cannot be set, and the message names it.
        Exceeded::Output => return None,
    };
    Some(Excess { name, used, limit })
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, at, message, hint, place, .. } = self;
        f.write_str(code)?;
        match place {
            Some(Spot { line, column, .. }) => write!(f, " at line {line}, column {column}")?,
            None if at.is_empty() => {}
            None => write!(f, " at {at}")?,
        }
        write!(f, ": {message}")?;
        hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}
