//! Programs that only declare a name, as in `const k = 1`. A session can bind it.

use pif_domain::FaultCode;
use pif_sandbox::Watch;
use pif_store::session::is_name;

use super::opening::Workshop;

/// The words before a name that is declared.
const WORDS: [&str; 3] = ["const", "let", "var"];

/// A declared name and the code of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declaration<'a> {
    /// The name.
    pub name: &'a str,
    /// The code of its value.
    pub value: &'a str,
}

impl Workshop {
    /// The declaration of which a program consists; None of other programs.
    #[must_use]
    pub fn declaration<'a>(&self, code: &'a str, watch: &Watch) -> Option<Declaration<'a>> {
        let found = read(code)?;
        let is_program = match self.sandbox.check(found.value, &watch.again()) {
            Ok(_) => true,
            // A binding of the session is not known here.
            Err(faults) => faults.iter().all(|fault| fault.code == FaultCode::Unbound),
        };
        is_program.then_some(found)
    }
}

/// The first declaration of a text, with all that stands behind its equals sign.
fn read(code: &str) -> Option<Declaration<'_>> {
    let (word, rest) = code.trim().split_once(char::is_whitespace)?;
    let (name, value) = rest.split_once('=').filter(|_| WORDS.contains(&word))?;
    let name = name.trim();
    let value = value.trim().trim_end_matches(';');
    let is_one = is_name(name) && !value.is_empty() && !value.starts_with(['=', '>']);
    is_one.then_some(Declaration { name, value })
}

#[cfg(test)]
mod tests {
    use super::{Declaration, read};

    #[test]
    fn a_declaration_is_a_word_a_name_and_a_value() {
        for code in ["const k = x => x + 1", " let  k=x => x + 1;\n"] {
            assert_eq!(read(code), Some(Declaration { name: "k", value: "x => x + 1" }), "{code}");
        }
        for code in
            ["const k", "k = 1", "const k == 1", "constant k = 1", "const {a} = r", "const k ="]
        {
            assert_eq!(read(code), None, "{code}");
        }
    }
}
