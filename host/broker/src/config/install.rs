//! Servers that a model may install: commands by their words and addresses by their beginnings. A `*` at the
//! end of a word stands for a part of that word, never for more words.

use std::collections::BTreeSet;
use std::path::Path;

use pif_domain::Grant;
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::Error;
use super::isolation::Isolation;
use super::pattern::Pattern;
use super::reader::Place;
use super::server::{self, Server, Transport};
use super::values::ByPattern;

/// The most words of a command.
const MOST_WORDS: usize = 32;

/// The most bytes of a command or an address.
const LONGEST: usize = 2_000;

/// How a server that a model wants is reached.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A program and its arguments.
    Command(Vec<String>),
    /// An address.
    Url(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Command(words) => f.write_str(&words.join(" ")),
            Self::Url(url) => f.write_str(url),
        }
    }
}

/// Commands or addresses that a model may install servers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    shape: Shape,
    /// Whether nobody has to approve what matches.
    pub trusted: bool,
    grants: Vec<(Pattern, Grant)>,
    isolation: Option<Isolation>,
}

/// What matches.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    /// A command of as many words.
    Words(Vec<Pattern>),
    Url(Pattern),
}

impl std::fmt::Display for Install {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.shape {
            Shape::Url(pattern) => pattern.fmt(f),
            Shape::Words(words) => {
                let words: Vec<String> = words.iter().map(ToString::to_string).collect();
                f.write_str(&words.join(" "))
            }
        }
    }
}

impl Install {
    /// The server with this origin; None if another pattern has to allow it.
    pub(in super::super) fn server(
        &self,
        id: &str,
        origin: &Origin,
    ) -> Option<Result<Server, Error>> {
        self.matches(origin).then(|| self.build(id, origin))
    }

    fn matches(&self, origin: &Origin) -> bool {
        match (&self.shape, origin) {
            (Shape::Words(patterns), Origin::Command(words)) => {
                patterns.len() == words.len()
                    && patterns.iter().zip(words).all(|it| is_met(it.0, it.1, is_word))
            }
            (Shape::Url(pattern), Origin::Url(url)) => is_met(pattern, url, is_path),
            _ => false,
        }
    }

    /// Reads the server as if it stood in the configuration, so that all its rules hold.
    fn build(&self, id: &str, origin: &Origin) -> Result<Server, Error> {
        let written = match origin {
            Origin::Url(url) => json!({"url": url}),
            Origin::Command(words) => {
                let (command, args) = words.split_first().unzip();
                json!({"command": command, "args": args})
            }
        };
        let secrets = BTreeSet::new();
        let place = Place::root(&secrets, Path::new("."));
        let mut server = server::read_sound(id, &written, &place, &mut Vec::new())?;
        server.grants.clone_from(&self.grants);
        server.is_unmet = !self.trusted;
        if let (Transport::Process { isolation, .. }, Some(own)) =
            (&mut server.manner, &self.isolation)
        {
            isolation.clone_from(own);
        }
        Ok(server)
    }
}

/// Whether a text is of a pattern, and what the `*` stands for is of such characters.
fn is_met(pattern: &Pattern, text: &str, is_plain: fn(char) -> bool) -> bool {
    pattern.rest(text).is_some_and(|rest| {
        // An option is never what a `*` was meant for.
        let is_option = text.len() == rest.len() && rest.starts_with('-');
        rest.chars().all(is_plain) && !text.contains("..") && !is_option
    })
}

/// A part of a word: a name and perhaps a version. No address, no folder, no blank.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '+')
}

/// A part of an address behind its host.
fn is_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '/' | '?' | '=' | '&' | '+')
}

/// Refuses what no server can be reached by.
pub(in super::super) fn ensure_plain(origin: &Origin) -> Result<(), String> {
    let texts = match origin {
        Origin::Command(words) => words.as_slice(),
        Origin::Url(url) => std::slice::from_ref(url),
    };
    if texts.is_empty() || texts.len() > MOST_WORDS {
        return Err(format!("a command has 1 to {MOST_WORDS} words"));
    }
    if texts.iter().map(String::len).sum::<usize>() > LONGEST {
        return Err(format!("it has more than {LONGEST} bytes"));
    }
    if texts.iter().any(|text| text.contains(char::is_control)) {
        return Err("it has characters that nobody sees".to_owned());
    }
    Ok(())
}

/// What a model may install, as the file writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawInstall {
    pattern: CommandLine,
    #[serde(default)]
    trusted: bool,
    grants: Option<ByPattern<Grant>>,
    isolate: Option<Isolation>,
}

/// A text of words, a list of them, or an address.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, or a list of texts")]
enum CommandLine {
    Line(String),
    List(Vec<String>),
}

/// Reads patterns, by themselves or as `{"pattern": …, "trusted": …, "grants": …, "isolate": …}`. No
/// secret is named there.
pub(super) fn installs(value: &Value, place: &Place<'_>) -> Result<Vec<Install>, Error> {
    let elements: Vec<Value> = place.read(value)?;
    let read = |(index, element): (usize, &Value)| {
        let place = place.member(index);
        if !element.is_object() {
            let shape = shape(place.read(element)?, &place)?;
            return Ok(Install { shape, trusted: false, grants: ask(), isolation: None });
        }
        let RawInstall { pattern, trusted, grants, isolate } = place.read(element)?;
        Ok(Install {
            shape: shape(pattern, &place.member("pattern"))?,
            trusted,
            grants: grants.map_or_else(ask, |it| it.0),
            isolation: isolate.map(|it| it.resolve(&place.member("isolate"))).transpose()?,
        })
    };
    elements.iter().enumerate().map(read).collect()
}

/// Each call has to be approved.
fn ask() -> Vec<(Pattern, Grant)> {
    vec![(Pattern::ANY, Grant::Ask)]
}

fn shape(words: CommandLine, place: &Place<'_>) -> Result<Shape, Error> {
    let all = |words: &mut dyn Iterator<Item = &str>| -> Result<Vec<Pattern>, Error> {
        words.map(|word| pattern(word, place)).collect()
    };
    match words {
        CommandLine::List(words) => command(all(&mut words.iter().map(String::as_str))?, place),
        CommandLine::Line(text) => match text.split_once("://") {
            Some((_, host)) if !host.contains('/') => {
                Err(place.wrong("write a `/` after the host, so that no other host matches"))
            }
            Some(_) => Ok(Shape::Url(pattern(&text, place)?)),
            None => command(all(&mut text.split_whitespace())?, place),
        },
    }
}

fn command(words: Vec<Pattern>, place: &Place<'_>) -> Result<Shape, Error> {
    match words.first() {
        None => Err(place.wrong("a pattern is not empty; write the command, as in `npx -y mcp-*`")),
        Some(first) if first.is_open() => {
            Err(place.wrong("the program has no `*` in its name: others could be started"))
        }
        Some(_) => Ok(Shape::Words(words)),
    }
}

fn pattern(text: &str, place: &Place<'_>) -> Result<Pattern, Error> {
    if text.contains("${") {
        return Err(place.wrong("secrets have no place in what a model may install"));
    }
    Pattern::parse(text).map_err(|reason| place.wrong(reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    fn allows(pattern: &Value, origin: &Origin) -> bool {
        let written = json!([{"pattern": pattern}]);
        let read = installs(&written, &Place::root(&BTreeSet::new(), Path::new("/etc")))
            .expect("patterns");
        read.iter().any(|it| it.server("a", origin).is_some_and(|built| built.is_ok()))
    }

    #[test]
    fn patterns_match_word_by_word() {
        let words = |words: &[&str]| Origin::Command(words.iter().map(|it| (*it).into()).collect());
        let pattern = json!("npx -y @scope/*");
        for (command, expected) in [
            (words(&["npx", "-y", "@scope/server"]), true),
            (words(&["npx", "-y", "@scope/server@1.2.3"]), true),
            (words(&["npx", "-y", "@scope/server", "--more"]), false),
            (words(&["npx", "-y"]), false),
            (words(&["npx", "-y @scope/server"]), false),
            (words(&["npx", "-y", "@scope/a @scope/b"]), false),
            (words(&["npx", "-y", "@scope/../other"]), false),
            (words(&["npx", "-y", "@scope/a/b"]), false),
            (words(&["npx", "-y", "@scope/a@https://x.test/a.tgz"]), false),
            (words(&["npx", "-y", "@scope/a;rm"]), false),
            (words(&["npx", "-y", "@scope/$(id)"]), false),
            (words(&["npx", "-y", "@scopes/a"]), false),
            (words(&["/tmp/npx", "-y", "@scope/a"]), false),
            (Origin::Url("npx -y @scope/a".into()), false),
        ] {
            assert_eq!(allows(&pattern, &command), expected, "{command}");
        }
        assert!(allows(&json!("uvx *"), &words(&["uvx", "mcp-server-time"])));
        assert!(!allows(&json!("uvx *"), &words(&["uvx", "--from"])));
        assert!(allows(&json!(["my server", "a b"]), &words(&["my server", "a b"])));
        assert!(!allows(&json!("npx mcp-pif*"), &words(&["npx", "mcp-pif"])));
    }

    #[test]
    fn addresses_match_by_their_host() {
        let pattern = json!("https://mcp.test/a/*");
        for (url, expected) in [
            ("https://mcp.test/a/b", true),
            ("https://mcp.test/b", false),
            ("https://mcp.test.evil/a/b", false),
            ("https://mcp.test/a/../b", false),
            ("https://mcp.test/a/${TOKEN}", false),
            ("https://mcp.test/a/%2e%2e/b", false),
            ("http://mcp.test/a/b", false),
        ] {
            assert_eq!(allows(&pattern, &Origin::Url(url.into())), expected, "{url}");
        }
    }
}
