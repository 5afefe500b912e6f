//! The steps of a run: terms in the notation, and beside them the values that they came to.

use pif_domain::Limit;
use pif_domain::text;
use pif_sandbox::Stepped;

/// The deepest level that is indented.
const DEEPEST: u32 = 12;

/// Characters of a term.
const TERM: usize = 120;

/// The first steps of a run, a line each.
#[derive(Debug, Default)]
pub struct Steps {
    most: usize,
    lines: Vec<String>,
    is_cut: bool,
}

impl Steps {
    /// Keeps so many steps, and no more than the limit allows.
    #[must_use]
    pub fn new(most: u64) -> Self {
        let most = most.min(Limit::Steps.fixed());
        Self { most: usize::try_from(most).unwrap_or(usize::MAX), ..Self::default() }
    }

    /// Adds a step.
    pub fn add(&mut self, step: &Stepped) {
        if self.lines.len() >= self.most {
            // Of a run that shows no steps none is missing.
            self.is_cut = self.most > 0;
            return;
        }
        let indent = "  ".repeat(step.depth.min(DEEPEST) as usize);
        let term = match step.text.as_str() {
            "" => format!("{}(…)", step.form),
            text => text::line(text, TERM),
        };
        let tool = step.tool.as_ref().map(|tool| format!("   in {tool}")).unwrap_or_default();
        self.lines.push(format!("{indent}{term} → {}{tool}", step.value));
    }

    /// The lines. The last one says so if there were more steps.
    #[must_use]
    pub fn lines(mut self) -> Vec<String> {
        if self.is_cut {
            self.lines.push(format!("… more steps came (shown: {})", self.most));
        }
        self.lines
    }
}
