//! The names of a trace and of its spans.

use std::fmt::Write as _;

/// The bytes of a trace's name and of a span's.
const TRACE: usize = 16;
const SPAN: usize = 8;

/// The names of a call's trace and of its spans. Whoever writes the call names them alike.
#[derive(Debug, Clone, Copy)]
pub struct Ids {
    trace: [u8; TRACE],
    first: u64,
}

impl Ids {
    /// Names that nobody else has.
    #[must_use]
    pub fn random() -> Self {
        let mut random = [0; TRACE + SPAN];
        // Zeros are no name: without random numbers the clock has to do.
        if getrandom::fill(&mut random).is_err() {
            let now = pif_domain::text::time::now().to_be_bytes();
            random.iter_mut().zip(now.iter().rev().cycle()).for_each(|(it, byte)| *it = *byte);
        }
        let mut trace = [0; TRACE];
        let mut first = [0; SPAN];
        let all = trace.iter_mut().chain(&mut first);
        all.zip(random).for_each(|(it, byte)| *it = byte);
        // Names that are counted up from here are never zero.
        let first = u64::from_be_bytes(first) >> 1 | 1;
        Self { trace, first }
    }

    /// The name of the trace in hexadecimal digits.
    #[must_use]
    pub fn trace(&self) -> String {
        let digits = String::with_capacity(2 * TRACE);
        self.trace.iter().fold(digits, |mut digits, byte| {
            let _ = write!(digits, "{byte:02x}");
            digits
        })
    }

    /// The name of a span in hexadecimal digits; 0 is the call.
    #[must_use]
    pub fn span(&self, index: usize) -> String {
        let index = u64::try_from(index).unwrap_or_default();
        format!("{:016x}", self.first.wrapping_add(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_w3c() {
        let ids = Ids::random();
        let others = Ids::random();
        assert_eq!((ids.trace().len(), ids.span(0).len()), (32, 16));
        assert!(ids.trace() != others.trace() && ids.span(0) != others.span(0));
        assert!(ids.span(0) != ids.span(1) && ids.span(7) == ids.span(7));
        let parent = format!("00-{}-{}-01", ids.trace(), ids.span(0));
        assert!(super::super::Parent::parse(&parent, None).is_some());
    }
}
