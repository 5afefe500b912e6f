//! Long values in pages.

use std::cell::RefCell;

/// The most lines of a page.
const MOST_LINES: usize = 50;

/// The most characters of a page: a long text is one line.
const MOST_CHARACTERS: usize = 8_000;

/// What of the last value has not been shown.
#[derive(Debug, Default)]
pub(super) struct Pages(RefCell<String>);

impl Pages {
    /// The first page of a text. The rest is kept.
    pub(super) fn first(&self, text: String) -> String {
        self.0.replace(text);
        self.next(false).unwrap_or_default()
    }

    /// The next page, or all that is left; None if nothing is.
    pub(super) fn next(&self, all: bool) -> Option<String> {
        let text = self.0.take();
        if text.is_empty() {
            return None;
        }
        let end = if all { text.len() } else { end_of_page(&text) };
        let (page, rest) = text.split_at(end);
        let rest = rest.strip_prefix('\n').unwrap_or(rest);
        if rest.is_empty() {
            return Some(page.to_owned());
        }
        let left = match rest.lines().count() {
            1 => format!("{} characters", rest.chars().count()),
            lines => format!("{lines} lines"),
        };
        let message = format!("{page}\n… {left} more: `:more` goes on, `:more all` shows them all");
        self.0.replace(rest.to_owned());
        Some(message)
    }
}

fn end_of_page(text: &str) -> usize {
    let end_of_lines =
        text.match_indices('\n').nth(MOST_LINES - 1).map_or(text.len(), |(at, _)| at);
    let end = text.char_indices().nth(MOST_CHARACTERS).map_or(text.len(), |(at, _)| at);
    end_of_lines.min(end)
}

#[cfg(test)]
mod tests {
    use super::Pages;

    #[test]
    fn a_long_text_comes_in_pages() {
        let pages = Pages::default();
        assert_eq!(pages.first("a\nb".to_owned()), "a\nb");
        assert_eq!(pages.next(false), None);
        let lines: Vec<String> = (1..=120).map(|n| n.to_string()).collect();
        let first = pages.first(lines.join("\n"));
        assert!(first.contains("\n50\n… 70 lines more") && !first.contains("\n51\n"), "{first}");
        let second = pages.next(false).unwrap_or_default();
        assert!(second.starts_with("51\n") && second.contains("… 20 lines more"), "{second}");
        assert!(
            pages.next(true).is_some_and(|rest| rest.starts_with("101\n") && rest.ends_with("120"))
        );
        assert_eq!(pages.next(true), None);
        let first = pages.first("é".repeat(10_000));
        assert!(
            first.ends_with("… 2000 characters more: `:more` goes on, `:more all` shows them all")
        );
    }
}
