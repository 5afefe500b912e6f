//! Wrappers that models put around a program.

use crate::lexer::{Wrong, wrong};
use pif_core::fault::Code;
use pif_core::limits::to_u32;

/// Bytes of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

const FENCE: &str = "```";
/// Words that may stand behind a fence in its line.
const LANGUAGES: [&str; 9] =
    ["javascript", "typescript", "jsx", "tsx", "mjs", "js", "ts", "json", "pif"];

/// The program in a text: what stands between the fences, if there are any.
pub(crate) fn part(source: &str) -> Result<Range, Wrong> {
    let whole = Range { start: 0, end: source.len() };
    let fault = |at: usize, message| {
        let hint = "give the program alone, or in one code fence";
        Err(wrong((source, to_u32(at)), Code::Unparsable, message, hint))
    };
    let text = source.trim_start();
    let start = source.len() - text.len();
    let Some(text) = text.strip_prefix(FENCE) else {
        let mut at = 0;
        for line in source.split_inclusive('\n') {
            if line.trim_start().starts_with(FENCE) {
                return fault(start, "text stands before the code fence");
            }
            at += line.len();
        }
        return Ok(Range { end: at, ..whole });
    };
    let first = text.lines().next().unwrap_or_default();
    let language = LANGUAGES.iter().find(|language| first.trim_start().starts_with(**language));
    let is_word = !first.trim().contains(|c: char| !c.is_alphanumeric() && !"_-+".contains(c));
    let passed = match language {
        _ if is_word && text.len() > first.len() => first.len(),
        Some(language) => first.len() - first.trim_start().len() + language.len(),
        None => 0,
    };
    let start = start + FENCE.len() + passed;
    let body = source.get(start..).unwrap_or_default();
    let Some(length) = body.find(FENCE) else { return Ok(Range { start, ..whole }) };
    let behind = start + length + FENCE.len();
    let rest = source.get(behind..).unwrap_or_default();
    if !rest.trim().is_empty() {
        let at = behind + rest.len() - rest.trim_start().len();
        return fault(at, "text stands behind the code fence");
    }
    Ok(Range { start, end: start + length })
}
