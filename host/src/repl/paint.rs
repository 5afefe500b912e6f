//! Colors of the terminal.

/// Colors, where they are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint(pub(super) bool);

impl Paint {
    pub(super) fn strong(self, text: &str) -> String {
        if self.0 { format!("\u{1b}[1;36m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    pub(super) fn faint(self, text: &str) -> String {
        if self.0 { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
