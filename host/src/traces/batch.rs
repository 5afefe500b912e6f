//! Lines of the files of traces, as one request of OTLP.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;

use anyhow::{Context as _, Result};
use pif_server::observe::{day_of, file_of};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::position::{Mark, Position};

/// Bytes of a request, unless a single line has more.
const MOST: usize = 1 << 20;

/// Calls that are sent together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) calls: usize,
    /// An `ExportTraceServiceRequest`.
    pub(super) body: String,
    /// Lines that are no traces, and are passed over.
    pub(super) broken: usize,
    /// The place behind the last line.
    pub(super) end: Mark,
}

/// A line as the server writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow, rename = "resourceSpans")]
    calls: Vec<&'a RawValue>,
}

impl Batch {
    /// Reads lines behind a position. None: all were sent.
    pub(super) fn read(directory: &Path, position: &Position) -> Result<Option<Self>> {
        let mark = position.mark();
        for day in days(directory)? {
            if day < mark.day {
                continue;
            }
            let from = if day == mark.day { mark.bytes } else { 0 };
            if let Some(batch) = Self::of_day(directory, day, from)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn of_day(directory: &Path, day: String, from: u64) -> Result<Option<Self>> {
        let path = directory.join(file_of(&day));
        let opened = || format!("cannot read {}", path.display());
        let mut file = BufReader::new(File::open(&path).with_context(opened)?);
        file.seek(SeekFrom::Start(from)).with_context(opened)?;
        let mut all = Vec::new();
        let mut bytes = 0;
        let mut broken = 0;
        let mut end = from;
        let mut line = String::new();
        while bytes < MOST {
            line.clear();
            file.read_line(&mut line).with_context(opened)?;
            // The server may be about to write the rest of a line.
            let Some(text) = line.strip_suffix('\n') else { break };
            end += u64::try_from(line.len())?;
            match serde_json::from_str::<Line<'_>>(text) {
                Ok(Line { calls }) => {
                    bytes += text.len();
                    all.extend(calls.into_iter().map(|call| call.get().to_owned()));
                }
                Err(_) => broken += 1,
            }
        }
        let body = format!(r#"{{"resourceSpans":[{}]}}"#, all.join(","));
        let end = Mark { day, bytes: end };
        Ok((end.bytes > from).then_some(Self { calls: all.len(), body, broken, end }))
    }
}

/// The days of which there are traces, in order.
fn days(directory: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(directory);
    let entries = entries.with_context(|| format!("cannot read {}", directory.display()))?;
    let mut days = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        days.extend(name.to_str().and_then(day_of).map(str::to_owned));
    }
    days.sort_unstable();
    Ok(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_what_is_no_trace_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |day: &str, text: &str| {
            fs::write(folder.path().join(format!("traces-{day}.jsonl")), text).expect("a file");
        };
        let line = |n: u32| format!("{{\"resourceSpans\":[{{\"n\":{n}}}]}}\n");
        write("2026-11-26", &format!("{}nonsense\n{}", line(1), line(2)));
        write("2026-11-27", &format!("{}{{\"resourceSp", line(3)));
        fs::write(folder.path().join("traces-of-mine.jsonl"), line(9)).expect("a file");
        let mut position = Position::open(folder.path()).expect("a position");
        let mut next = || {
            let batch = Batch::read(folder.path(), &position).expect("read")?;
            position.move_to(batch.end.clone()).expect("written");
            Some((batch.body, batch.broken))
        };
        let of = |body: &str| body.to_owned();
        assert_eq!(next(), Some((of(r#"{"resourceSpans":[{"n":1},{"n":2}]}"#), 1)));
        assert_eq!(next(), Some((of(r#"{"resourceSpans":[{"n":3}]}"#), 0)));
        // The last line has no end yet.
        assert_eq!(next(), None);
        write("2026-11-27", &format!("{}{}", line(3), line(4)));
        assert_eq!(next(), Some((of(r#"{"resourceSpans":[{"n":4}]}"#), 0)));
    }
}
