//! Colors of the terminal.

/// Colors, where they are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint(bool);

impl Paint {
    /// Colors on a terminal, unless the environment wants none (<https://no-color.org>).
    pub(super) fn for_terminal(is_terminal: bool) -> Self {
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self(is_terminal && !is_plain)
    }

    pub(super) fn strong(self, text: &str) -> String {
        if self.0 { format!("\u{1b}[1;36m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    pub(super) fn faint(self, text: &str) -> String {
        if self.0 { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
