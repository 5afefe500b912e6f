//! `matches`, `find_all`, `regex_replace`, `regex_split`, `captures`; `regex`, `regex_match`,
//! `regex_match_all`, `regex_parts`, `substitute`, and the other forms of a regular expression.

use crate::algorithm::record;
use crate::builtin::call::Call;
use crate::builtin::strings::found::Found;
use pif_core::fault::Code;
use pif_language::kinds;
use pif_language::prices::units;

use crate::algorithm::regex;
use crate::algorithm::regex::script;
use crate::algorithm::regex::search::Matches;
use crate::algorithm::regex::template;
use crate::algorithm::regex::template::Template;
use crate::algorithm::regex::{Pattern, Source};
use crate::algorithm::trouble::Trouble;
use crate::memory::heap::{Full, Heap};
use crate::memory::tagged::REGEX;
use crate::memory::word::{UNIT, Word, boolean};
use crate::run::state::{Exit, Known};
use std::rc::Rc;

impl Call<'_> {
    /// Tells whether an operand is a regular expression.
    pub(super) fn is_regex(&self, i: usize) -> bool {
        self.s.heap.tagged(self.operand(i)) == REGEX
    }

    /// Returns an operand that is a regular expression or a pattern as a text. Flags are for such a
    /// text; without them it has the syntax of the Rust crates.
    pub(super) fn source(&self, i: usize, flags: Option<&str>) -> Result<Source, Exit> {
        if self.is_regex(i) {
            let [text, flags] = self.s.heap.tagged_words(self.operand(i));
            let [text, flags] = [text, flags].map(|text| self.s.heap.string(text));
            return Ok(Source { text, flags: Some(flags) });
        }
        if !self.s.heap.is_text(self.operand(i)) {
            return Err(self.wrong(i, kinds::STRING | kinds::REGEX));
        }
        Ok(Source { text: self.text(i)?, flags: flags.map(str::to_owned) })
    }
}

/// Makes a regular expression.
pub(crate) fn regex(c: &mut Call<'_>) -> Result<Word, Exit> {
    let source = Source { text: c.text(0)?, flags: Some(c.text(1)?) };
    if !c.s.patterns.iter().any(|known| known.source == source) {
        let (pattern, price) = compile(c, &source)?;
        // The first search pays for it again: a function that was kept holds its regular
        // expressions made, and its calls cost as much before and after.
        c.s.know(Known { source: source.clone(), pattern, owed: price });
    }
    c.room(
        3 + Heap::text_words(source.text.len())
            + Heap::text_words(source.flags.as_ref().map_or(0, String::len)),
    )?;
    let heap = &mut c.s.heap;
    let flags = heap.text(source.flags.as_deref().unwrap_or_default())?;
    let pattern = heap.text(&source.text)?;
    Ok(heap.make_tagged(REGEX, [pattern, flags]))
}

pub(crate) fn matches(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.source(1, None)?);
    let pattern = searched(c, &text, &source)?;
    Ok(boolean(any(&pattern, &text)))
}

fn any(pattern: &Pattern, text: &str) -> bool {
    if pattern.flags().is_some_and(|flags| flags.sticky) {
        return Found::new(text, pattern, false).next().is_some();
    }
    Matches::new(pattern, text).any()
}

pub(crate) fn find_all(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.source(1, None)?);
    let pattern = searched(c, &text, &source)?;
    let spans = spans(c, &text, &pattern)?;
    give_spans(c, &text, &spans)
}

pub(crate) fn regex_replace(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source, to) = (c.text(0)?, c.source(1, None)?, c.text(2)?);
    let pattern = searched(c, &text, &source)?;
    if let Some(doubt) = template::doubt(&to) {
        c.warn("likely-mistake", || doubt);
    }
    let dollars = paid_dollars(c, &to)?;
    let template = Template::new(&to, &pattern)?;
    if template.has_groups() {
        must_have_groups(&pattern)?;
    }
    replace(c, Found::new(&text, &pattern, true), &template, dollars)
}

pub(crate) fn regex_split(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.source(1, None)?);
    let pattern = searched(c, &text, &source)?;
    let mut spans = spans(c, &text, &pattern)?;
    // A part goes from the end of one match to the beginning of the next.
    let mut start = 0;
    for span in &mut spans {
        (start, *span) = (span.1, (start, span.0));
    }
    spans.push((start, text.len()));
    give_spans(c, &text, &spans)
}

/// Faults if the texts of some groups are not known.
pub(super) fn must_have_groups(pattern: &Pattern) -> Result<(), Trouble> {
    if !pattern.hides_groups() {
        return Ok(());
    }
    let message =
        "the pattern has a group within a lookahead, and the text of such a group is not known";
    Err(Trouble::with_hint(
        Code::Regex,
        message.to_owned(),
        "write `(?:…)` for `(…)` within `(?=…)`",
    ))
}

pub(crate) fn captures(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, source) = (c.text(0)?, c.source(1, None)?);
    let pattern = searched(c, &text, &source)?;
    must_have_groups(&pattern)?;
    let keys = keys(&pattern);
    let mut matches = Found::new(&text, &pattern, true);
    let (mut found, mut words): (Vec<usize>, _) = (Vec::new(), 0);
    while let Some(slots) = matches.next() {
        found.extend_from_slice(slots);
        let texts = slots.chunks_exact(2).map(|span| match *span {
            [start, end] if start <= end => Heap::text_words(end - start),
            _ => 0,
        });
        words += 2 + Heap::record_words(keys.len()) + texts.sum::<usize>();
        if words > c.s.heap.limit / 2 {
            break;
        }
    }
    let count = found.len() / (2 * keys.len());
    c.charge((count + found.len() / 2) as u64)?;
    if words > c.s.heap.limit / 2 {
        return Err(Full.into());
    }
    let names = keys.iter().map(|(name, _)| Heap::text_words(name.len())).sum::<usize>();
    c.room(words + names)?;
    let heap = &mut c.s.heap;
    let names = keys.iter().map(|(name, _)| heap.text(name)).collect::<Result<Vec<_>, _>>()?;
    let mut records = Vec::with_capacity(count);
    for slots in found.chunks_exact(2 * keys.len()) {
        let mut members = Vec::with_capacity(2 * keys.len());
        for (name, (_, group)) in names.iter().zip(&keys) {
            let span = slots.get(2 * group).zip(slots.get(2 * group + 1));
            let part = span.and_then(|(start, end)| text.get(*start..*end));
            members.extend([*name, part.map_or(Ok(UNIT), |part| heap.text(part))?]);
        }
        records.push(record::make(heap, &members)?);
    }
    Ok(c.make_list(&records))
}

/// Returns the key of each group: its name, or its number.
fn keys(pattern: &Pattern) -> Vec<(String, usize)> {
    let name = |group: &usize| {
        let known = pattern.names().find(|(_, number)| number == group);
        known.map_or_else(|| group.to_string(), |(name, _)| name.to_owned())
    };
    (0..=pattern.groups()).map(|group| (name(&group), group)).collect()
}

/// Returns a pattern, after charging for the search of a text.
pub(super) fn searched(c: &mut Call<'_>, text: &str, source: &Source) -> Result<Rc<Pattern>, Exit> {
    let pattern = compiled(c, source)?;
    c.charge(search_cost(text, &pattern))?;
    Ok(pattern)
}

fn search_cost(text: &str, pattern: &Pattern) -> u64 {
    (text.len() as u64).saturating_mul(8 + pattern.size) / 16
}

/// Returns a pattern, compiled now or before.
fn compiled(c: &mut Call<'_>, source: &Source) -> Result<Rc<Pattern>, Exit> {
    let known = c.s.patterns.iter().position(|known| known.source == *source);
    let known = match known.and_then(|at| c.s.patterns.remove(at)) {
        Some(known) => {
            c.charge(known.owed)?;
            Known { owed: 0, ..known }
        }
        None => Known { source: source.clone(), pattern: compile(c, source)?.0, owed: 0 },
    };
    let pattern = Rc::clone(&known.pattern);
    c.s.know(known);
    Ok(pattern)
}

/// Compiles a pattern. Returns what it has cost, too.
fn compile(c: &mut Call<'_>, source: &Source) -> Result<(Rc<Pattern>, u64), Exit> {
    let text = source.text.as_str();
    regex::check_length(text)?;
    let bytes = units::PATTERN_BYTE * text.len() as u64;
    c.charge(bytes)?;
    let (pattern, classes, size) = match &source.flags {
        None => {
            let (tree, classes) = regex::parse(text)?;
            c.charge(classes)?;
            let (hir, size) = regex::translate(text, &tree)?;
            c.charge(size)?;
            (regex::compile(text, &hir, size)?, classes, size)
        }
        Some(flags) => {
            let parsed = regex::parse_script(text, flags)?;
            c.charge(parsed.classes)?;
            let size = script::size(text, &parsed)?;
            c.charge(size)?;
            (script::compile(text, &parsed, size)?, parsed.classes, size)
        }
    };
    Ok((Rc::new(pattern), bytes + classes + size))
}

/// Finds the beginnings and ends of the matches.
pub(super) fn spans(
    c: &mut Call<'_>,
    text: &str,
    pattern: &Pattern,
) -> Result<Vec<(usize, usize)>, Exit> {
    let mut matches = Found::new(text, pattern, true);
    let (mut found, mut words) = (Vec::new(), 0);
    while let Some(slots) = matches.next() {
        if let [start, end, ..] = *slots {
            found.push((start, end));
            words += 2 + Heap::text_words(end - start);
        }
        if words > c.s.heap.limit / 2 {
            c.charge(found.len() as u64)?;
            return Err(Full.into());
        }
    }
    Ok(found)
}

/// Makes a list of parts of a text.
pub(super) fn give_spans(
    c: &mut Call<'_>,
    text: &str,
    spans: &[(usize, usize)],
) -> Result<Word, Exit> {
    c.give_texts(spans.iter().map(|(start, end)| text.get(*start..*end).unwrap_or_default()))
}

/// Counts the dollars of a replacement, after charging for reading it.
pub(super) fn paid_dollars(c: &mut Call<'_>, to: &str) -> Result<u64, Exit> {
    c.charge_texts(&[to])?;
    let dollars = to.matches('$').count() as u64;
    c.charge(dollars)?;
    c.set_aside(dollars.saturating_mul(PIECES))?;
    Ok(dollars)
}

/// Replaces matches. Each costs 1, and 1 per dollar of the replacement.
pub(super) fn replace(
    c: &mut Call<'_>,
    mut matches: Found<'_>,
    template: &Template<'_>,
    dollars: u64,
) -> Result<Word, Exit> {
    let text = matches.text;
    let (left, mut work) = (c.budget(), 0);
    let longest = c.longest_written();
    let (mut out, mut copied, mut fits) = (String::new(), 0, true);
    while fits && let Some(slots) = matches.next() {
        // The fuel of all matches is charged at once, but the loop does no more than the fuel left
        // pays for.
        work += 1 + dollars;
        if work > left {
            break;
        }
        let [start, end, ..] = *slots else { break };
        fits = push(&mut out, text.get(copied..start).unwrap_or_default(), longest)
            && template.write(text, slots, longest, &mut out);
        copied = end;
    }
    c.charge(work)?;
    if !fits || !push(&mut out, text.get(copied..).unwrap_or_default(), longest) {
        return Err(crate::builtin::bytes::TOO_LARGE.into());
    }
    c.charge_texts(&[&out])?;
    c.make_text(&out)
}

/// Most bytes of pieces that a dollar in a replacement makes.
const PIECES: u64 = 48;

/// Appends a text if the result has at most `longest` bytes. Returns whether it did.
fn push(out: &mut String, text: &str, longest: usize) -> bool {
    let fits = out.len() + text.len() <= longest;
    if fits {
        out.push_str(text);
    }
    fits
}
