//! The parts of a call that take time.

/// A part of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The wait for a place among the runs.
    Admission,
    /// A fresh instance of the evaluator is made and reads the program.
    Instance,
    /// The evaluator runs, waits for calls of other servers included.
    Run,
    /// Another server is called.
    Upstream,
    /// The journal gets the entry.
    Journal,
}

impl Part {
    /// All parts, in the order in which a run passes them.
    pub const ALL: [Self; 5] =
        [Self::Admission, Self::Instance, Self::Run, Self::Upstream, Self::Journal];

    /// The name in traces and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Admission => "admission",
            Self::Instance => "instance",
            Self::Run => "run",
            Self::Upstream => "upstream",
            Self::Journal => "journal",
        }
    }
}
