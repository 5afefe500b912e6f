//! The sessions of a principal, as searches see them.

use pif_domain::Fault;
use pif_store::Transient;
use pif_store::find::{Document, Kind, decoded};
use pif_store::session::{Session, SessionKind, is_recent};

use super::super::opening::Workshop;
use super::super::refusal::stored;
use super::sought::own;

/// The latest turns of a session that a search sees.
const TURNS: usize = 20;

impl Workshop {
    /// The sessions and saved states of the principal.
    pub(super) fn own_sessions(&self) -> Result<Vec<Session>, Fault> {
        let owner = self.principal().owner();
        let mut sessions = self.sessions(owner, SessionKind::Open)?;
        sessions.extend(self.sessions(owner, SessionKind::Saved)?);
        Ok(sessions)
    }

    /// What the latest turns of a session have run, as it was written.
    pub(super) fn codes_of(&self, session: &Session) -> Result<Vec<String>, Fault> {
        let turns = self.turns_of(session)?;
        let texts = turns.iter().take(TURNS).filter_map(|turn| {
            let told: serde_json::Value = serde_json::from_str(&turn.told).ok()?;
            let code = told.get("code").or_else(|| told.get("tool"))?;
            code.as_str().map(decoded)
        });
        Ok(texts.collect())
    }

    /// The index of the sessions of the principal.
    pub(super) fn session_index(&self) -> Result<Transient, Fault> {
        let mut documents = Vec::new();
        for session in self.own_sessions()? {
            let bindings = self.bindings_of(&session)?;
            let kept = bindings.iter().filter(|it| !is_recent(&it.name));
            let names: Vec<&str> = kept.map(|it| it.name.as_str()).collect();
            let name = session.name();
            let codes = self.codes_of(&session)?.join(" ");
            let about = format!("{} {}", session.title, names.join(" "));
            documents.push(Document::new(&name, &name, &about, &codes));
        }
        let made = Transient::new().and_then(|index| {
            index.put(own(Kind::Session), &documents)?;
            Ok(index)
        });
        made.map_err(stored)
    }
}
