//! The search: which indexes are looked through, and what they find.

use pif_domain::{Fault, Offer, Scope};
use pif_store::find::{Index, Kind, Query, SearchHit, Source, rank, telling};
use pif_store::registry::Definition;

use super::super::library::library;
use super::super::opening::Workshop;
use super::super::refusal::{refused, stored};
use super::brought::brought;
use super::language::{LanguageTopic, known};
use super::sought::{Sought, own};
use super::tell::Match;

impl Workshop {
    /// What a search finds, the best first, and the number of all matches.
    pub fn search(&self, sought: &Sought) -> Result<(Vec<Match>, usize), Fault> {
        let query = Query::new(&sought.query);
        let mut found = self.rank(&query, sought)?;
        if let Some(meant) = &sought.meaning {
            found = self.join(found, &sought.kinds, meant)?;
        }
        let total = found.len();
        let mut matches = Vec::new();
        for found in found.drain(..) {
            if matches.len() == sought.most {
                break;
            }
            matches.extend(self.describe(&found, &query, sought)?);
        }
        if sought.neighbors {
            for it in &mut matches {
                it.neighbors = self.neighbors(it.kind, &it.place)?;
            }
        }
        Ok((matches, total))
    }

    fn rank(&self, query: &Query, sought: &Sought) -> Result<Vec<SearchHit>, Fault> {
        let owner = self.principal().owner();
        let has = |kind: Kind| sought.kinds.contains(&kind);
        let may_see_sessions = self.principal().may(Scope::Run);
        let upstream = has(Kind::Upstream)
            .then(|| self.fed.offers(&sought.offers))
            .transpose()
            .map_err(stored)?;
        let journal = has(Kind::Journal).then(|| self.fed.journal(&self.journal, owner));
        let journal = journal.transpose().map_err(stored)?;
        let sessions = (has(Kind::Session) && may_see_sessions).then(|| self.session_index());
        let sessions = sessions.transpose()?;
        let tools = self.tools()?.registered;
        let found = tools.look(|tools| {
            self.memory.look(|memory| {
                let mut sources: Vec<Source<'_>> = Vec::new();
                sources.extend(tools.iter().filter(|_| has(Kind::Tool)));
                sources.extend(memory.iter().filter(|_| has(Kind::Memory)));
                for kind in [Kind::Library, Kind::Form].into_iter().filter(|kind| has(*kind)) {
                    sources.push(Source { index: brought()?, shelf: own(kind), hidden: &[] });
                }
                for (index, kind) in [
                    (upstream.as_deref(), Kind::Upstream),
                    (journal.as_deref(), Kind::Journal),
                    (sessions.as_ref(), Kind::Session),
                ] {
                    let index: Option<&dyn Index> = index.map(|index| index as &dyn Index);
                    let shelf = own(kind);
                    sources.extend(index.map(|index| Source { index, shelf, hidden: &[] }));
                }
                rank(query, &sources)
            })
        });
        let mut weighed = Vec::new();
        for found in found.map_err(stored)? {
            match found.kind {
                Kind::Memory => {
                    weighed.extend(self.memory.weigh(found).map_err(stored)?.map(|(it, _)| it));
                }
                _ => weighed.push(found),
            }
        }
        // The order of equal ones stays.
        weighed.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(weighed)
    }

    /// The tools that words find, evolved ones and those of the library, the best first. Of the library the
    /// second part is true.
    pub fn find_tools(&self, words: &str) -> Result<Vec<(Definition, bool)>, Fault> {
        let (query, tools) = (Query::new(words), self.tools()?.registered);
        let found = tools.look(|sources| {
            let shelf = own(Kind::Library);
            let library = Source { index: brought()?, shelf, hidden: &[] };
            rank(&query, &[sources, &[library]].concat())
        });
        let mut told = Vec::new();
        for SearchHit { kind, place, .. } in telling(found.map_err(stored)?) {
            let tool = match kind {
                Kind::Library => library().find(&place).cloned(),
                _ => tools.find(&place).map_err(refused)?,
            };
            told.extend(tool.map(|tool| (tool, kind == Kind::Library)));
        }
        Ok(told)
    }

    /// The tools of other servers that words find, the best first.
    pub fn find_offers<'a>(
        &self,
        offers: &'a [Offer],
        words: &str,
    ) -> Result<Vec<&'a Offer>, Fault> {
        let index = self.fed.offers(offers).map_err(stored)?;
        let source = Source { index: &*index, shelf: own(Kind::Upstream), hidden: &[] };
        let found = rank(&Query::new(words), &[source]).map_err(stored)?;
        let offer = |it: SearchHit| offers.iter().find(|offer| offer.name == it.place);
        Ok(found.into_iter().filter_map(offer).collect())
    }
}

/// The forms and spellings that words find, the best first.
pub fn find_forms(words: &str) -> Result<Vec<LanguageTopic>, Fault> {
    let found = find_brought(Kind::Form, words)?;
    Ok(found.into_iter().filter_map(|it| known(&it.place)).collect())
}

/// The tools of the library that words find, the best first.
pub fn find_library(words: &str) -> Result<Vec<&'static Definition>, Fault> {
    let found = find_brought(Kind::Library, words)?;
    Ok(found.into_iter().filter_map(|it| library().find(&it.place)).collect())
}

fn find_brought(kind: Kind, words: &str) -> Result<Vec<SearchHit>, Fault> {
    let index = brought().map_err(stored)?;
    let source = Source { index, shelf: own(kind), hidden: &[] };
    Ok(telling(rank(&Query::new(words), &[source]).map_err(stored)?))
}

#[cfg(test)]
mod tests {
    use super::super::super::reference::{forms, spellings};
    use super::*;

    fn first(query: &str) -> String {
        match find_forms(query).expect("an index").first() {
            Some(LanguageTopic::Form(form)) => form.name.clone(),
            Some(LanguageTopic::Spelling(it)) => it.names.clone(),
            None => String::new(),
        }
    }

    #[test]
    fn operators_names_and_questions_are_found() {
        let mut wrong = Vec::new();
        for (query, name) in [
            ("||", "a || b"),
            ("/", "a / b"),
            ("?.", "a?.b"),
            ("=>", "=>"),
            ("??", "a ?? b"),
            ("%", "a % b"),
            ("Math.floor", "Math.floor Math.ceil Math.trunc"),
            ("push", "xs.push(x) pop shift unshift splice"),
            ("xs.push(4)", "xs.push(x) pop shift unshift splice"),
            ("for", "for"),
            ("while", "while do"),
            ("Promise.all", "async await Promise.all Promise.allSettled"),
            ("new Map", "new Map get set has delete"),
            ("how do I sort by two keys", "xs.sort((a, b) => …) toSorted"),
            ("regular expression", "/re/ match matchAll test search exec RegExp"),
            ("fold", "fold"),
            ("date_diff", "date_diff"),
        ] {
            let found = first(query);
            if found != name {
                wrong.push(format!("{query}: {found}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn the_index_has_every_form_and_tool() {
        let index = brought().expect("an index");
        let size = |kind| index.size(own(kind)).expect("a size");
        let count = |n: usize| u64::try_from(n).expect("few");
        assert_eq!(size(Kind::Form), count(forms().len() + spellings().len()));
        assert_eq!(size(Kind::Library), count(library().tools().count()));
    }
}
