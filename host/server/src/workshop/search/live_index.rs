//! Indexes in memory that follow what they show: tools of other servers, entries of the journal, sessions.

use std::sync::{Arc, Mutex, PoisonError};

use pif_domain::Offer;
use pif_store::find::{Document, Kind, decoded};
use pif_store::journal::{Entry, Filter, Follower, Journal, Payload};
use pif_store::{Error, Transient};

use super::sought::own;

/// The latest entries of an owner that a search sees.
const ENTRIES: usize = 1_000;

/// The most entries that an index holds before it is made anew.
const MOST_ENTRIES: usize = 2 * ENTRIES;

/// The most bytes of a request and of an outcome that are indexed.
const MOST_PAYLOAD: usize = 4_000;

/// The indexes that are kept from search to search.
#[derive(Debug, Default)]
pub(crate) struct IndexCache {
    offers: Mutex<Option<(Vec<Offer>, Arc<Transient>)>>,
    journal: Mutex<Option<Entries>>,
}

/// Entries of an owner.
#[derive(Debug)]
struct Entries {
    owner: String,
    follower: Follower,
    count: usize,
    index: Arc<Transient>,
}

impl Entries {
    /// Those of an owner that a search sees now.
    fn latest(journal: &Journal, owner: &str) -> Result<Self, Error> {
        let follower = Follower::after(&journal.store().heads()?);
        let mut latest = journal.entries(&of_owner(owner), true, ENTRIES)?;
        latest.retain(|entry| follower.has_passed(entry));
        let index = Arc::new(Transient::new()?);
        let mut entries = Self { owner: owner.to_owned(), follower, count: 0, index };
        entries.add(&latest)?;
        Ok(entries)
    }

    fn add(&mut self, entries: &[Entry]) -> Result<(), Error> {
        self.count += entries.len();
        let documents: Vec<Document> = entries.iter().map(of_entry).collect();
        self.index.put(own(Kind::Journal), &documents)
    }
}

impl IndexCache {
    /// The index of tools of other servers, made anew when they change.
    pub(super) fn offers(&self, offers: &[Offer]) -> Result<Arc<Transient>, Error> {
        let mut kept = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, index)) = kept.as_ref()
            && known == offers
        {
            return Ok(Arc::clone(index));
        }
        let documents: Vec<Document> = offers.iter().map(of_offer).collect();
        let index = Arc::new(Transient::new()?);
        index.put(own(Kind::Upstream), &documents)?;
        *kept = Some((offers.to_vec(), Arc::clone(&index)));
        Ok(index)
    }

    /// The index of an owner's latest entries. Only new ones are read.
    pub(super) fn journal(&self, journal: &Journal, owner: &str) -> Result<Arc<Transient>, Error> {
        let mut kept = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = match kept.take().filter(|it| it.owner == owner) {
            Some(known) => known,
            None => Entries::latest(journal, owner)?,
        };
        while known.count < MOST_ENTRIES
            && let Some(new) = known.follower.next(journal, &of_owner(owner), ENTRIES)?
        {
            known.add(&new)?;
        }
        if known.count >= MOST_ENTRIES {
            known = Entries::latest(journal, owner)?;
        }
        let index = Arc::clone(&known.index);
        *kept = Some(known);
        Ok(index)
    }
}

fn of_owner(owner: &str) -> Filter {
    Filter { principal: Some(owner.to_owned()), ..Filter::default() }
}

fn of_offer(offer: &Offer) -> Document {
    let name = format!("{} {}", offer.name, offer.title);
    Document::new(&offer.name, &name, &offer.description, &offer.signature)
}

fn of_entry(entry: &Entry) -> Document {
    let about = format!("{} {}", entry.kind, entry.ending);
    let body = entry.read_body();
    let payload = |it: Option<&Payload>| {
        let text = it.map_or("", Payload::text);
        decoded(text.get(..text.floor_char_boundary(MOST_PAYLOAD)).unwrap_or_default())
    };
    let texts = body.map(|it| [payload(it.request.as_ref()), payload(it.outcome.as_ref())]);
    let subject = entry.subject.as_deref().unwrap_or_default();
    Document::new(&entry.id.to_string(), subject, &about, &texts.unwrap_or_default().join(" "))
}
