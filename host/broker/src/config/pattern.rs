//! Patterns of names: a literal beginning, and perhaps a `*` at the end.

use std::fmt;

use serde::Deserialize;

/// A pattern of names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern {
    /// How names begin, or the whole name.
    beginning: String,
    /// Whether anything may follow.
    open: bool,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.beginning, if self.open { "*" } else { "" })
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl Pattern {
    /// What every name matches.
    pub const ANY: Self = Self { beginning: String::new(), open: true };

    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, String> {
        let open = text.ends_with('*');
        let beginning = text.strip_suffix('*').unwrap_or(text);
        if beginning.contains('*') {
            return Err("a pattern has its `*` at the end, as in `search_*`".to_owned());
        }
        if text.is_empty() {
            return Err("a pattern is not empty; `*` stands for every name".to_owned());
        }
        Ok(Self { beginning: beginning.to_owned(), open })
    }

    /// Whether a name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        if self.open { name.starts_with(&self.beginning) } else { name == self.beginning }
    }

    /// What the `*` stands for in a text that matches; nothing without a `*`.
    #[must_use]
    pub fn rest<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.strip_prefix(&self.beginning).filter(|rest| self.open || rest.is_empty())
    }

    /// Whether it has a `*`.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// How specific it is: a whole name before a beginning, a long beginning before a short one.
    #[must_use]
    pub fn weight(&self) -> (usize, bool) {
        (self.beginning.len(), !self.open)
    }
}

/// What the most specific pattern says of a name; of equal ones, what `stricter` puts first.
pub(in super::super) fn decide<T: Copy + Ord>(rules: &[(Pattern, T)], name: &str) -> Option<T> {
    let matching = rules.iter().filter(|(pattern, _)| pattern.matches(name));
    let best = matching.clone().map(|(pattern, _)| pattern.weight()).max()?;
    matching.filter(|(pattern, _)| pattern.weight() == best).map(|(_, said)| *said).min()
}
