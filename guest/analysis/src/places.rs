//! The parts of the input, and what a run has asked of them so far.

use crate::values::{FunctionId, Id, PlaceId, Ref};
use pif_core::limits::to_u32;
use pif_language::kinds::{
    BOOLEAN, CONTINUATION, FLOAT, FUNCTION, INTEGER, Kinds, LIST, NULL, PAIR, QUOTED, RECORD,
    STRING,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The kinds of data and functions: what an input may be.
pub(crate) const DATA: Kinds = NULL | BOOLEAN | INTEGER | FLOAT | STRING | LIST | RECORD;

/// The kinds that a part of the input may have: what comes as data or as a term.
pub(crate) const PART: Kinds = DATA | FUNCTION | PAIR | QUOTED | CONTINUATION;

/// Kinds, and besides them whether there is a part at all.
pub(crate) type Asked = u32;
/// The kinds.
pub(crate) const KINDS: Asked = Kinds::MAX as Asked;
/// There is no such part.
pub(crate) const ABSENT: Asked = 1 << 16;
/// A run that looks here needs the part.
pub(crate) const DEMANDED: Asked = 1 << 17;
/// A test looks at the part, and forgives whatever it is.
pub(crate) const TESTED: Asked = 1 << 18;
const FLAGS: Asked = DEMANDED | TESTED;
const NO_PART: Asked = KINDS | ABSENT;

/// Deepest part that is told apart.
const DEEPEST: u8 = 7;
/// Most parts that are told apart.
const MOST: usize = 500;

/// The way from a part to one within it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Step {
    /// A parameter.
    Root(u32),
    /// The value under this key.
    Member(Rc<str>),
    /// The values under keys that are computed.
    Key,
    /// The elements of a list.
    Element,
    /// The element at this index, or the half of a pair.
    Index(u8),
    /// The values of a function.
    Result,
}

#[derive(Debug)]
struct Place {
    parent: Option<PlaceId>,
    step: Step,
    depth: u8,
}

/// All parts of the input.
#[derive(Debug, Default)]
pub(crate) struct Places {
    all: Vec<Place>,
    index: HashMap<(Option<PlaceId>, Step), PlaceId>,
    children: HashMap<PlaceId, Vec<PlaceId>>,
    /// The arguments that the program gives a function of the input.
    pub(crate) arguments: BTreeMap<PlaceId, Vec<Id>>,
    /// Functions that have been applied to anything.
    pub(crate) walked: BTreeSet<FunctionId>,
}

impl Places {
    /// A new parameter.
    pub(crate) fn root(&mut self) -> PlaceId {
        // Beyond the last page nothing is noted, and nothing is told.
        self.add(None, Step::Root(to_u32(self.all.len())), 0)
    }

    fn add(&mut self, parent: Option<PlaceId>, step: Step, depth: u8) -> PlaceId {
        let id = to_u32(self.all.len());
        self.index.insert((parent, step.clone()), id);
        self.all.push(Place { parent, step, depth });
        if let Some(parent) = parent {
            self.children.entry(parent).or_default().push(id);
        }
        id
    }

    /// A part within a part, unless it is too deep.
    pub(crate) fn within(&mut self, parent: PlaceId, step: Step) -> Option<PlaceId> {
        let key = (Some(parent), step);
        if let Some(id) = self.index.get(&key) {
            return Some(*id);
        }
        let depth = self.all.get(parent as usize)?.depth + 1;
        if depth > DEEPEST || self.all.len() >= MOST {
            return None;
        }
        Some(self.add(Some(parent), key.1, depth))
    }

    /// The part at a step, if the program has asked for it.
    pub(crate) fn find(&self, parent: PlaceId, step: Step) -> Option<PlaceId> {
        self.index.get(&(Some(parent), step)).copied()
    }

    /// The parts within a part, each with the step to it.
    pub(crate) fn children(&self, parent: PlaceId) -> Vec<(Step, PlaceId)> {
        let ids = self.children.get(&parent).map_or(&[][..], |ids| ids);
        let step = |id: &PlaceId| Some((self.all.get(*id as usize)?.step.clone(), *id));
        ids.iter().filter_map(step).collect()
    }

    /// Whether a part is the other one, or within it.
    pub(crate) fn is_within(&self, place: PlaceId, outer: PlaceId) -> bool {
        let mut at = Some(place);
        while let Some(id) = at {
            if id == outer {
                return true;
            }
            at = self.all.get(id as usize).and_then(|it| it.parent);
        }
        false
    }

    /// The part around a part, with the kinds that it has if the part is there.
    fn around(&self, place: PlaceId) -> Option<(PlaceId, Asked)> {
        let Place { parent, step, .. } = self.all.get(place as usize)?;
        let kinds = match step {
            Step::Root(_) => return None,
            Step::Member(_) | Step::Key => RECORD,
            Step::Element => LIST,
            Step::Index(_) => LIST | PAIR,
            Step::Result => FUNCTION,
        };
        Some(((*parent)?, u32::from(kinds)))
    }
}

/// What a run has asked of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The kinds that the part has in runs that have looked at it; none if no run has.
    pub(crate) looked: Asked,
    /// The kinds that it has in every run that comes here.
    pub(crate) sure: Asked,
}

const NOTHING: Request = Request { looked: 0, sure: NO_PART };

/// Requests of a page.
const PAGE: usize = 32;
/// Pages, enough for all parts.
const PAGES: usize = MOST / PAGE + 1;

type Page = [Request; PAGE];

/// What has been asked, on the way to where the walk is. Ways that part share the pages that neither
/// changes, so that it costs little to part, and to meet again.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pages: Rc<[Option<Rc<Page>>; PAGES]>,
    /// Whether no run comes here.
    pub(crate) is_dead: bool,
}

impl Default for State {
    fn default() -> Self {
        Self { pages: Rc::new([const { None }; PAGES]), is_dead: false }
    }
}

impl State {
    pub(crate) fn request(&self, place: PlaceId) -> Request {
        let at = place as usize;
        let page = self.pages.get(at / PAGE).and_then(Option::as_ref);
        page.and_then(|page| page.get(at % PAGE)).copied().unwrap_or(NOTHING)
    }

    fn set(&mut self, place: PlaceId, request: Request) {
        if self.request(place) == request {
            return;
        }
        let at = place as usize;
        let Some(page) = Rc::make_mut(&mut self.pages).get_mut(at / PAGE) else { return };
        let page = page.get_or_insert_with(|| Rc::new([NOTHING; PAGE]));
        if let Some(known) = Rc::make_mut(page).get_mut(at % PAGE) {
            *known = request;
        }
    }

    /// The kinds that a reference may have here.
    pub(crate) fn kinds(&self, it: Ref) -> Kinds {
        it.mask & low(self.request(it.place).sure)
    }

    /// Looks at a part: it has one of these kinds, or the run has no value. What is forgiven goes on,
    /// and counts as not looked at. A part that is alone is the value, whatever its kinds are.
    pub(crate) fn look(&mut self, it: Ref, kinds: Kinds, forgiven: Kinds, is_alone: bool) {
        let before = self.request(it.place);
        let (mask, kinds) = (Asked::from(it.mask), Asked::from(kinds));
        let forgiven = Asked::from(forgiven);
        let seen = before.sure & mask & kinds;
        let passed = before.sure & mask & forgiven;
        let others = if is_alone { 0 } else { before.sure & !mask };
        let needed = if is_alone { DEMANDED } else { 0 };
        let request = if it.is_strong {
            let flags = before.looked & FLAGS | needed;
            let looked = seen | before.looked & (others | passed) | flags;
            Request { looked, sure: seen | passed | others }
        } else {
            Request { looked: before.looked | seen | needed, sure: before.sure }
        };
        self.set(it.place, request);
    }

    /// Notes that a test looks at a part, whatever it is.
    pub(crate) fn test(&mut self, place: PlaceId) {
        let Request { looked, sure } = self.request(place);
        self.set(place, Request { looked: looked | TESTED, sure });
    }

    /// Asks for a part within what a reference stands for. Where a run needs it, it must be there.
    pub(crate) fn demand(&mut self, place: PlaceId, is_strong: bool) {
        let Request { looked, sure } = self.request(place);
        let sure = if is_strong { sure & !ABSENT } else { sure };
        self.set(place, Request { looked: looked | DEMANDED, sure });
    }

    /// What a test has told of a part: it surely has one of these kinds, or is absent.
    pub(crate) fn assume(&mut self, place: PlaceId, kinds: Asked) {
        let Request { looked, sure } = self.request(place);
        let request = Request { looked: looked & (kinds | FLAGS), sure: sure & kinds };
        self.set(place, request);
    }

    /// Notes that anything may have been asked of a part and of all in it.
    pub(crate) fn open(&mut self, place: PlaceId) {
        let Request { looked, sure } = self.request(place);
        self.set(place, Request { looked: looked | sure & KINDS, sure });
    }

    /// What has been asked where two ways meet.
    pub(crate) fn join(&mut self, other: Self, places: &Places) {
        self.meet(other, places, |_| false);
    }

    /// As `join`, but what the other way asks of parts that are kept is asked on both.
    pub(crate) fn meet(&mut self, other: Self, places: &Places, keep: impl Fn(PlaceId) -> bool) {
        if other.is_dead {
            return;
        }
        if self.is_dead {
            *self = other;
            return;
        }
        let mut changed = Vec::new();
        for place in self.differing(&other) {
            let second = other.reach(place, places);
            let request = if keep(place) {
                let first = self.request(place);
                Request { looked: first.looked | second.looked, sure: second.sure }
            } else {
                let first = self.reach(place, places);
                let looked = first.looked | second.looked;
                Request { looked, sure: first.sure | second.sure }
            };
            changed.push((place, request));
        }
        for (place, request) in changed {
            self.set(place, request);
        }
    }

    /// The parts of which not the same has been asked.
    fn differing(&self, other: &Self) -> Vec<PlaceId> {
        let mut places = Vec::new();
        if Rc::ptr_eq(&self.pages, &other.pages) {
            return places;
        }
        for (page, (a, b)) in self.pages.iter().zip(other.pages.iter()).enumerate() {
            let is_shared = match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                _ => false,
            };
            if !is_shared {
                let ids = (0..PAGE).map(|at| to_u32(page * PAGE + at));
                places.extend(ids.filter(|it| self.request(*it) != other.request(*it)));
            }
        }
        places
    }

    /// What has been asked of a part. Where the part cannot be, anything may be said of it.
    fn reach(&self, place: PlaceId, places: &Places) -> Request {
        let request = self.request(place);
        let mut at = place;
        while let Some((outer, kinds)) = places.around(at) {
            if self.request(outer).sure & kinds == 0 {
                return Request { sure: 0, ..request };
            }
            at = outer;
        }
        request
    }
}

/// The kinds among what is asked.
pub(crate) fn low(asked: Asked) -> Kinds {
    Kinds::try_from(asked & KINDS).unwrap_or(Kinds::MAX)
}
