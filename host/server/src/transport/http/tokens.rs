//! The file of tokens: a line for each, `NAME SCOPES SHA256` and, if the token ends, when. The file
//! holds digests only, so that nobody who reads it can call the server.

use std::path::{Path, PathBuf};

use pif_domain::text::{self, time};
use pif_domain::{Principal, Scope};
use pif_system::{ForbiddenAccess, read_owned};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// The fewest characters of a token. Fewer could be guessed.
pub(super) const SHORTEST: usize = 32;

/// The most characters of a token.
const LONGEST: usize = 16 << 10;

/// The most bytes of a file.
const MOST_BYTES: u64 = 1 << 20;

/// The most tokens in a file.
const MOST: usize = 1_000;

/// The most characters of a name.
const LONGEST_NAME: usize = 64;

/// Why a file of tokens is not used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason, and what to do.
        reason: String,
    },
    /// A line is wrong.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The reason, and what to write.
        reason: String,
    },
}

/// A token that the server accepts.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) principal: Principal,
    digest: [u8; 32],
    /// When it ends, in milliseconds since 1970.
    pub(super) end: Option<i64>,
}

/// The tokens that the server accepts.
#[derive(Debug, Default)]
pub(super) struct Tokens(Vec<Token>);

impl Tokens {
    /// Reads a file that only its owner can read.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = read_owned(path, MOST_BYTES, ForbiddenAccess::Any)
            .map_err(|reason| Error::Unreadable { path: path.to_owned(), reason })?;
        Self::parse(&text).map_err(|(line, reason)| Error::Line {
            path: path.to_owned(),
            line,
            reason,
        })
    }

    /// Reads the lines. An error has the number of its line.
    fn parse(lines: &str) -> Result<Self, (usize, String)> {
        let mut tokens = Self::default();
        // Editors of some systems put a mark at the start of a file.
        let lines = lines.strip_prefix('\u{feff}').unwrap_or(lines);
        for (index, line) in lines.lines().enumerate() {
            let line = uncommented(line);
            if line.is_empty() {
                continue;
            }
            let token = token(line).map_err(|reason| (index + 1, reason))?;
            tokens.ensure_new(&token).map_err(|reason| (index + 1, reason))?;
            if tokens.0.len() == MOST {
                return Err((index + 1, format!("there are more than {MOST} tokens")));
            }
            tokens.0.push(token);
        }
        if tokens.0.is_empty() {
            return Err((1, format!("there is no token: {EXAMPLE}")));
        }
        Ok(tokens)
    }

    fn ensure_new(&self, token: &Token) -> Result<(), String> {
        let name = token.principal.owner();
        for known in &self.0 {
            let other = known.principal.owner();
            if other == name || known.digest == token.digest {
                return Err("the name or the digest is there twice".to_owned());
            }
            if other.eq_ignore_ascii_case(name) {
                return Err(format!(
                    "`{name}` and `{other}` would be two people: write one of them in another way"
                ));
            }
        }
        Ok(())
    }

    /// The entry of a token. It compares with all tokens, in constant time.
    pub(super) fn find(&self, token: &str) -> Option<&Token> {
        if token.len() > LONGEST {
            return None;
        }
        let digest: [u8; 32] = Sha256::digest(token).into();
        let mut found = None;
        for known in &self.0 {
            if bool::from(known.digest.ct_eq(&digest)) {
                found = Some(known);
            }
        }
        found
    }

    /// Whether a token of the file has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|token| &**token.principal.owner() == name)
    }

    /// Whether a token itself stands in the file, where its digest should.
    pub(super) fn has_plain(&self, token: &str) -> bool {
        decode(token).is_some_and(|bytes| self.0.iter().any(|known| known.digest == bytes))
    }
}

/// A line without its comment, which begins with a word that begins with `#`.
fn uncommented(line: &str) -> &str {
    let starts = |(index, _): &(usize, _)| {
        line.get(..*index).is_none_or(|before| before.is_empty() || before.ends_with([' ', '\t']))
    };
    let end = line.match_indices('#').find(starts).map_or(line.len(), |(index, _)| index);
    line.get(..end).unwrap_or_default().trim()
}

/// What a line looks like.
const EXAMPLE: &str = "write a line such as `ana read,run 9f86d0…`: a name, scopes of read, run, evolve \
    and admin, the sha256 of the token in 64 hexadecimal digits, and its last moment if it has one";

fn token(line: &str) -> Result<Token, String> {
    let mut parts: Vec<&str> = line.split_whitespace().collect();
    // `sha256sum` writes a dash behind a digest, for standard input.
    parts.retain(|part| !matches!(*part, "-" | "*-"));
    let (name, scopes, digest, end) = match *parts.as_slice() {
        [name, scopes, digest] => (name, scopes, digest, None),
        [name, scopes, digest, end] => (name, scopes, digest, Some(end)),
        _ => return Err(format!("a line has three or four parts: {EXAMPLE}")),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '+');
    if name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
        return Err(format!(
            "{} is no name: use letters, digits, `.`, `_`, `-`, `@` and `+`, {LONGEST_NAME} at most",
            text::quote_one(name)
        ));
    }
    let mut greatest = None;
    for scope in scopes.split(',') {
        let found = Scope::find(scope).ok_or_else(|| {
            format!("there is no scope {}: use read, run, evolve or admin", text::quote_one(scope))
        })?;
        greatest = greatest.max(Some(found));
    }
    let scope = greatest.unwrap_or(Scope::Read);
    let digest = decode(digest).ok_or_else(|| {
        "the digest is not 64 hexadecimal digits: `printf %s TOKEN | sha256sum` prints it"
            .to_owned()
    })?;
    let end = end.map(|end| time::parse(end).ok_or_else(|| no_moment(end))).transpose()?;
    Ok(Token { principal: Principal::new(name, scope), digest, end })
}

fn no_moment(text: &str) -> String {
    format!(
        "{} is no moment: write when the token ends as 2027-01-31 or 2027-01-31T18:00:00Z",
        text::quote_one(text)
    )
}

fn decode(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, index) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(index..index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(token: &str) -> String {
        Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn a_token_is_a_principal() {
        let ana = "a".repeat(32);
        let bob = "b".repeat(40);
        let lines = format!(
            "# people\n\nana read,run {}\n  bob\tadmin  {}\n",
            digest(&ana),
            digest(&bob).to_uppercase()
        );
        let tokens = Tokens::parse(&lines).expect("two tokens");
        let of = |token: &str| tokens.find(token).map(|it| it.principal.clone());
        assert_eq!(of(&ana), Some(Principal::new("ana", Scope::Run)));
        assert_eq!(of(&bob), Some(Principal::new("bob", Scope::Admin)));
        for wrong in ["", "a", "ana", &digest(&ana), &"a".repeat(33), &"a".repeat(20_000)] {
            assert_eq!(of(wrong), None);
        }
        assert!(tokens.has_plain(&digest(&ana)) && !tokens.has_plain(&ana));
        assert!(tokens.has("ana") && !tokens.has("Ana"));
    }

    #[test]
    fn a_line_may_hold_what_people_write() {
        let ana = "a".repeat(32);
        for line in [
            format!("\u{feff}ana@example.com run {}", digest(&ana)),
            format!("ana@example.com run {}  -", digest(&ana)),
            format!("ana@example.com run {} *-\r", digest(&ana)),
            format!("ana@example.com run {} # her laptop", digest(&ana)),
            format!("\u{feff}# people\nana@example.com\trun\t{}\t#", digest(&ana)),
        ] {
            let tokens = Tokens::parse(&line).expect(&line);
            let found = tokens.find(&ana).expect(&line);
            assert_eq!((&**found.principal.owner(), found.end), ("ana@example.com", None));
        }
        for (end, moment) in [("1970-01-02", 86_400_000), ("1970-01-01T01:00:00+01:00", 0)] {
            let tokens = Tokens::parse(&format!("ana run {} {end} # soon", digest(&ana)));
            assert_eq!(tokens.expect(end).find(&ana).expect(end).end, Some(moment));
        }
    }

    #[test]
    fn a_wrong_line_is_named() {
        let good = digest("x");
        for (lines, line, reason) in [
            ("".to_owned(), 1, "no token"),
            ("ana run".to_owned(), 1, "three or four parts"),
            (format!("ana run {good} more"), 1, "`more` is no moment"),
            (format!("ana run {good} 2027-01-31 more"), 1, "three or four parts"),
            (format!("ana run {good}#comment"), 1, "64"),
            (format!("ana run {good}\nAna read {}", digest("y")), 2, "two people"),
            (format!("# x\nana walk {good}"), 2, "`walk`"),
            (format!("ana run, {good}"), 1, "no scope"),
            (format!("a:b run {good}"), 1, "`a:b`"),
            ("ana run 12ab".to_owned(), 1, "64"),
            (format!("ana run {}", "g".repeat(64)), 1, "64"),
            (format!("ana run {good}\nana read {}", digest("y")), 2, "twice"),
            (format!("ana run {good}\nbob read {good}"), 2, "twice"),
        ] {
            let (at, told) = Tokens::parse(&lines).expect_err(&lines);
            assert_eq!(at, line, "{lines}");
            assert!(told.contains(reason), "{told}");
        }
    }
}
