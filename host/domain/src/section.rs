//! The headings under which limits are listed.

/// The headings of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// The limits of one run.
    Run,
    /// The ceilings that stop a defective evaluator.
    Net,
    /// The limits of a request.
    Request,
    /// The limits of the service.
    Service,
    /// The limits of the stored state.
    State,
    /// The limits of sessions.
    Session,
    /// The limits of a value that is compared with an output schema.
    Schema,
    /// The limits of HTTP.
    Http,
    /// The limits of what is measured.
    Measure,
    /// What other servers may take.
    Upstream,
}

impl Section {
    /// All sections, in order.
    pub const ALL: [Self; 10] = [
        Self::Run,
        Self::Net,
        Self::Request,
        Self::Service,
        Self::State,
        Self::Session,
        Self::Schema,
        Self::Http,
        Self::Measure,
        Self::Upstream,
    ];

    /// The heading.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Run => "Limits of a run",
            Self::Net => "The net below the limits of a run",
            Self::Request => "Limits of requests",
            Self::Service => "Service",
            Self::State => "State",
            Self::Session => "Sessions",
            Self::Schema => "Output schemas",
            Self::Http => "HTTP",
            Self::Measure => "What is measured",
            Self::Upstream => "Servers that programs call",
        }
    }
}
