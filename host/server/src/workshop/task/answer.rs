//! The program in the answer of a model.

use pif_domain::text::unfence;

/// The mark of a block of code.
const FENCE: &str = "```";

/// The end of what a model thought before it answered.
const THOUGHT: &str = "</think>";

/// The program that an answer holds: its last block of code, or all of it. None: there is nothing.
pub(super) fn program(answer: &str) -> Option<String> {
    let said = answer.rsplit_once(THOUGHT).map_or(answer, |(_, said)| said).trim();
    let code = match block(said) {
        Some(block) => unfence(block),
        None => said,
    };
    (!code.trim().is_empty()).then(|| code.trim().to_owned())
}

/// The last block of code with its marks. Models sometimes omit the closing one.
fn block(said: &str) -> Option<&str> {
    let marks: Vec<usize> = said.match_indices(FENCE).map(|(at, _)| at).collect();
    let last = marks.len().checked_sub(1)?;
    let begin = *marks.get(last - last % 2)?;
    let end = marks.get(last - last % 2 + 1).map_or(said.len(), |end| end + FENCE.len());
    if last % 2 == 1 {
        return said.get(*marks.get(last - 1)?..marks.get(last)? + FENCE.len());
    }
    said.get(begin..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_answers() {
        for (answer, expected) in [
            ("1 + 2", Some("1 + 2")),
            ("```js\n1 + 2\n```", Some("1 + 2")),
            ("Here it is:\n```js\nx => x\n```\nIt doubles.", Some("x => x")),
            ("First\n```js\n1\n```\nor better\n```javascript\n2\n```", Some("2")),
            ("```js\n1 + 2", Some("1 + 2")),
            ("```js\n1\n```\nand\n```js\n2", Some("2")),
            ("<think>```js\n1\n```</think>\n```js\n2\n```", Some("2")),
            ("<think>hm</think>", None),
            ("```js\n```", None),
            ("", None),
        ] {
            assert_eq!(program(answer).as_deref(), expected, "{answer}");
        }
    }
}
