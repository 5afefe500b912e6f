//! Maps the scopes of a token to those of the server: the names of scopes that an issuer gives are rarely
//! the server's.

use pif_domain::Scope;
use pif_domain::text;

use super::error::Error;

/// The words that mean a scope, beside the names of scopes.
#[derive(Debug, Clone, Default)]
pub struct ScopeWords {
    /// Of the claims `scope` and `scp`. Clients ask for them.
    scopes: Vec<(String, Scope)>,
    /// Of the claims `roles`, `permissions` and `groups`, which mean nothing by themselves.
    roles: Vec<(String, Scope)>,
}

impl ScopeWords {
    /// Reads settings such as `api://pif/run=run`, first of scopes and then of roles.
    pub fn read(scopes: &[String], roles: &[String]) -> Result<Self, Error> {
        let all = |settings: &[String]| -> Result<Vec<_>, Error> {
            settings.iter().map(|it| setting(it)).collect()
        };
        Ok(Self { scopes: all(scopes)?, roles: all(roles)? })
    }

    /// The scope that a word of `scope` or `scp` means.
    pub(super) fn of_scope(&self, word: &str) -> Option<Scope> {
        find(&self.scopes, word).max(Scope::find(word))
    }

    /// The scope that a role means.
    pub(super) fn of_role(&self, word: &str) -> Option<Scope> {
        find(&self.roles, word)
    }

    /// The words that a client asks the issuer for, from the least scope.
    #[must_use]
    pub fn offered(&self) -> Vec<&str> {
        if self.scopes.is_empty() {
            return Scope::ALL.map(Scope::name).to_vec();
        }
        let of = |scope: Scope| self.scopes.iter().filter(move |(_, means)| *means == scope);
        Scope::ALL.into_iter().flat_map(of).map(|(word, _)| word.as_str()).collect()
    }

    /// The word that a client asks for if it needs a scope: of the least one that includes it.
    #[must_use]
    pub fn asked(&self, needed: Scope) -> &str {
        let fitting = self.scopes.iter().filter(|(_, scope)| *scope >= needed);
        let least = fitting.min_by_key(|(_, scope)| *scope);
        least.map_or(needed.name(), |(word, _)| word.as_str())
    }
}

fn find(words: &[(String, Scope)], word: &str) -> Option<Scope> {
    words.iter().filter(|(known, _)| known == word).map(|(_, scope)| *scope).max()
}

fn setting(setting: &str) -> Result<(String, Scope), Error> {
    // Words that are URLs may hold `=`.
    let found = setting.rsplit_once('=').and_then(|(word, scope)| {
        let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
        Some((word.to_owned(), Scope::find(scope)?)).filter(|_| is_word)
    });
    found.ok_or_else(|| {
        let shown = text::line(setting, text::MOST_NAME);
        Error(format!(
            "`{shown}` maps no word: write WORD=SCOPE, such as api://pif/run=run, with a scope of \
             read, run, evolve and admin"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(scopes: &[&str], roles: &[&str]) -> Result<ScopeWords, Error> {
        let owned = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        ScopeWords::read(&owned(scopes), &owned(roles))
    }

    #[test]
    fn words_mean_scopes() {
        let words = words(&["api://pif/run=run", "a=b=admin", "all=evolve"], &["Boss=admin"]);
        let words = words.expect("words");
        assert_eq!(words.of_scope("api://pif/run"), Some(Scope::Run));
        assert_eq!(words.of_scope("a=b"), Some(Scope::Admin));
        assert_eq!(words.of_scope("read"), Some(Scope::Read));
        assert_eq!((words.of_scope("Boss"), words.of_role("Boss")), (None, Some(Scope::Admin)));
        assert_eq!((words.of_role("admin"), words.of_role("all")), (None, None));
        assert_eq!(words.offered(), ["api://pif/run", "all", "a=b"]);
        assert_eq!(
            (words.asked(Scope::Read), words.asked(Scope::Evolve)),
            ("api://pif/run", "all")
        );
        let plain = ScopeWords::default();
        assert_eq!(plain.offered(), ["read", "run", "evolve", "admin"]);
        assert_eq!(plain.asked(Scope::Run), "run");
    }

    #[test]
    fn a_setting_names_a_scope() {
        for wrong in ["", "run", "=run", "a=walk", "a b=run", "a=", "\u{e9}=run"] {
            assert!(words(&[wrong], &[]).is_err() && words(&[], &[wrong]).is_err(), "{wrong}");
        }
    }
}
