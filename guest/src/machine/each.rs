//! Forms that apply a function to the elements of a list, one by one. The function is called like
//! any other; these operations are before and after the call. Their slots are in `slots::each` and
//! `slots::update`. Forms that need keys keep the whole list, and their result so far is the keys.
//! A `sort_by` with an order keeps the order before the list. `partition` keeps the elements for
//! which the function is false.

use crate::algorithm::member::{self, Missing};
use crate::builtin::records::path;
use crate::code::Slot;
use crate::code::slots::each::{ELEMENT, GIVEN, KEPT, LIST, RESULT};
use crate::code::slots::update;
use crate::machine::keyed;
use crate::machine::keyed::{check_order, has_order};
use crate::machine::merge;
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use pif_language::form::{Evaluation, Form, Taken};
use pif_language::forms::FORMS;
use pif_language::kinds::{self, Wanted};
use pif_language::table::Table;

use crate::algorithm::record;
use crate::memory::word::{
    CONS, FALSE, HOLE, KIND_RECORD, NIL, TRUE, UNIT, Word, as_small, is_function, is_list, small,
    tag,
};
use std::cmp::Ordering;

type Finish = fn(&mut Context<'_>, Slot) -> Result<Word, Exit>;

/// How a form applies its function, in slots from the given one on.
#[derive(Clone, Copy)]
enum Each {
    /// To each element of a list.
    List {
        /// Whether all elements are kept beside the values of the function.
        keeps: bool,
        /// Takes a value of the function. It is there where the row has `Taken::Next`.
        next: Option<Next>,
        /// Makes the value of the form after the last element.
        finish: Finish,
    },
    /// To two elements at a time, in a merge sort.
    Merge,
    /// Once, to a value in a record or list.
    Update {
        /// Checks the operands, and takes that value.
        begin: fn(&mut Context<'_>, Slot) -> Result<(), Exit>,
        /// Puts the value of the function there.
        end: Finish,
    },
}

/// Takes a value of the function. Returns the value of the form, if it is there already.
type Next = fn(&mut Context<'_>, Slot) -> Result<Option<Word>, Exit>;

/// A form whose value is a list that is made element by element.
const fn list(next: Option<Next>) -> Each {
    Each::List { keeps: false, next, finish: |c, d| Ok(c.s.heap.reverse(c.s.part(d, RESULT))) }
}

/// A form that looks at the values of the function until one decides.
const fn search(next: Next, finish: Finish) -> Each {
    Each::List { keeps: false, next: Some(next), finish }
}

/// A form whose value is made of the keys that its function gives.
const fn keyed(finish: Finish) -> Each {
    Each::List { keeps: true, next: None, finish }
}

/// How each form applies its function.
static EACH: Table<Each> = {
    const ENTRIES: &[(Form, Each)] = &[
        (Form::Map, list(None)),
        (Form::Filter, list(None)),
        (Form::FlatMap, list(Some(push_all))),
        (Form::Find, search(find, |_, _| Ok(UNIT))),
        (Form::Any, search(any, |_, _| Ok(FALSE))),
        (Form::All, search(all, |_, _| Ok(TRUE))),
        (Form::Partition, search(partition, parts)),
        (Form::SortBy, keyed(keyed::sort)),
        (Form::SortWith, Each::Merge),
        (Form::GroupBy, keyed(keyed::gather)),
        (Form::CountBy, keyed(keyed::count)),
        (Form::DistinctBy, keyed(keyed::distinct)),
        (Form::MaxBy, keyed(|c, d| keyed::best(c, d, Ordering::Greater))),
        (Form::MinBy, keyed(|c, d| keyed::best(c, d, Ordering::Less))),
        (Form::Update, Each::Update { begin: begin_update, end: end_update }),
        (Form::UpdateIn, Each::Update { begin: begin_update_in, end: end_update_in }),
    ];
    let mut at = 0;
    while at < ENTRIES.len() {
        let (form, each) = ENTRIES[at];
        let agrees = match FORMS[form as usize].taken {
            Some(Taken::Push | Taken::Select) => matches!(each, Each::List { next: None, .. }),
            Some(Taken::Next) => matches!(each, Each::List { next: Some(_), .. } | Each::Merge),
            Some(Taken::Update) => matches!(each, Each::Update { .. }),
            None => false,
        };
        assert!(agrees, "the row of the form says otherwise");
        at += 1;
    }
    Table::of(Evaluation::Elementwise, &[ENTRIES])
};

impl State {
    pub(super) fn part(&self, d: Slot, part: Slot) -> Word {
        self.at(self.base + usize::from(d) + usize::from(part))
    }

    pub(super) fn set_part(&mut self, d: Slot, part: Slot, word: Word) {
        self.set(self.base + usize::from(d) + usize::from(part), word);
    }

    /// Makes room for `n` words. Keeps the parts up to this one.
    pub(super) fn part_room(&mut self, d: Slot, part: Slot, n: usize) -> Result<(), Exit> {
        self.make_room(n, self.base + usize::from(d) + usize::from(part) + 1)
    }

    /// Takes the next element of the list. Returns whether there is one.
    #[inline]
    pub(super) fn take_element(&mut self, d: Slot) -> bool {
        let list = self.part(d, LIST);
        if tag(list) != CONS {
            return false;
        }
        let [element, rest] = self.heap.next(list);
        self.set_part(d, ELEMENT, element);
        self.set_part(d, LIST, rest);
        true
    }

    /// Continues with the next element. Returns whether there is one.
    fn go_on(&mut self, d: Slot, body: u32) -> bool {
        let is_more = self.take_element(d);
        if is_more {
            self.pc = body as usize;
        }
        is_more
    }

    /// Returns the function's value, which must be a boolean.
    fn holds(&self, d: Slot) -> Result<bool, Exit> {
        match self.part(d, GIVEN) {
            TRUE => Ok(true),
            FALSE => Ok(false),
            given => Err(self.wrong_type(0, given, Wanted::FunctionTo(kinds::BOOLEAN))),
        }
    }
}

/// Checks the operands, and takes the first element.
pub(super) fn begin(c: &mut Context<'_>, form: Form, d: Slot, exit: u32) -> Result<(), Exit> {
    let keeps = match EACH.get(form) {
        Some(Each::List { keeps, .. }) => keeps,
        Some(Each::Merge) => return merge::begin(c, d, exit),
        Some(Each::Update { begin, .. }) => return begin(c, d),
        None => return Err(Exit::defect("a form of elements stands where it cannot")),
    };
    let (f, list) = (c.s.part(d, 0), c.s.heap.without_match(c.s.part(d, LIST)));
    c.s.set_part(d, LIST, list);
    if !is_list(list) {
        return Err(c.refuse(1, list));
    }
    if !is_function(f) && f != HOLE {
        return Err(c.s.not_a_function(f));
    }
    let has_order = form == Form::SortBy && has_order(c);
    if has_order {
        check_order(c.s, d)?;
        c.s.part_room(d, KEPT, 2)?;
        let [list, order] = [LIST, KEPT].map(|part| c.s.part(d, part));
        let kept = c.s.heap.two(order, list, CONS);
        c.s.set_part(d, KEPT, kept);
    } else {
        c.s.set_part(d, KEPT, if keeps { list } else { NIL });
    }
    c.s.set_part(d, RESULT, NIL);
    if !c.s.take_element(d) {
        finish(c, form, d)?;
        c.s.pc = exit as usize;
    }
    Ok(())
}

/// Puts the function's value before the result so far.
pub(super) fn push_next(s: &mut State, d: Slot, body: u32) -> Result<(), Exit> {
    push(s, d, GIVEN, RESULT)?;
    s.go_on(d, body);
    Ok(())
}

/// Puts the element before the result so far, if the function's value is true.
pub(super) fn select_next(s: &mut State, d: Slot, body: u32) -> Result<(), Exit> {
    if s.holds(d)? {
        push(s, d, ELEMENT, RESULT)?;
    }
    s.go_on(d, body);
    Ok(())
}

/// Takes the function's value for all other forms.
pub(super) fn next(c: &mut Context<'_>, form: Form, d: Slot, body: u32) -> Result<(), Exit> {
    let value = match EACH.get(form) {
        Some(Each::List { next: Some(next), .. }) => next(c, d)?,
        Some(Each::Merge) => return merge::next(c, d, body),
        Some(Each::Update { end, .. }) => Some(end(c, d)?),
        Some(Each::List { next: None, .. }) | None => {
            return Err(Exit::defect("a form of elements stands where it cannot"));
        }
    };
    if let Some(value) = value {
        c.s.set_part(d, 0, value);
    } else if !c.s.go_on(d, body) {
        finish(c, form, d)?;
    }
    Ok(())
}

fn find(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    Ok(c.s.holds(d)?.then(|| c.s.part(d, ELEMENT)))
}

fn any(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    Ok(c.s.holds(d)?.then_some(TRUE))
}

fn all(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    Ok((!c.s.holds(d)?).then_some(FALSE))
}

fn partition(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    let onto = if c.s.holds(d)? { RESULT } else { KEPT };
    push(c.s, d, ELEMENT, onto)?;
    Ok(None)
}

/// Puts a part before a list that is another part.
fn push(s: &mut State, d: Slot, part: Slot, onto: Slot) -> Result<(), Exit> {
    if !s.heap.has_room_within(2) {
        // If a collection is needed, a single one for the whole result is better than several. The
        // rest of the list is no longer than the words that the collection frees.
        let words = 2 + 2 * s.heap.length(s.part(d, LIST));
        let words = if s.heap.could_have(words) { words } else { 2 };
        s.part_room(d, GIVEN, words)?;
    }
    let (first, rest) = (s.part(d, part), s.part(d, onto));
    let list = s.heap.two(first, rest, CONS);
    s.set_part(d, onto, list);
    Ok(())
}

/// Puts the elements of the list that the function gave before the result so far, one after
/// another.
fn push_all(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    let given = c.s.heap.without_match(c.s.part(d, GIVEN));
    c.s.set_part(d, GIVEN, given);
    if !is_list(given) {
        c.bulk(1)?;
        push(c.s, d, GIVEN, RESULT)?;
        return Ok(None);
    }
    let n = c.s.heap.length(given);
    c.bulk(n as u64)?;
    c.s.part_room(d, GIVEN, 2 * n)?;
    let (mut rest, mut result) = (c.s.part(d, GIVEN), c.s.part(d, RESULT));
    while tag(rest) == CONS {
        let [first, next] = c.s.heap.next(rest);
        result = c.s.heap.two(first, result, CONS);
        rest = next;
    }
    c.s.set_part(d, RESULT, result);
    Ok(None)
}

/// Makes the value when there are no more elements.
pub(super) fn finish(c: &mut Context<'_>, form: Form, d: Slot) -> Result<(), Exit> {
    let Some(Each::List { finish, .. }) = EACH.get(form) else {
        return Err(Exit::defect("a form of elements stands where it cannot"));
    };
    let value = finish(c, d)?;
    c.s.set_part(d, 0, value);
    Ok(())
}

fn parts(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    c.s.part_room(d, RESULT, 4)?;
    let (others, these) = (c.s.part(d, KEPT), c.s.part(d, RESULT));
    let (others, these) = (c.s.heap.reverse(others), c.s.heap.reverse(these));
    Ok(c.s.heap.list_of_two(these, others))
}

/// Looks at the operands of `update`, and takes the value of the key.
fn begin_update(c: &mut Context<'_>, d: Slot) -> Result<(), Exit> {
    let (of, key, f) = (c.s.part(d, 0), c.s.part(d, update::KEY), c.s.part(d, update::FUNCTION));
    if !is_list(of) && c.s.heap.object_kind(of) != KIND_RECORD {
        return Err(c.refuse(0, of));
    }
    if !member::is_key(&c.s.heap, key) {
        return Err(c.refuse(1, key));
    }
    if !is_function(f) {
        return Err(c.s.not_a_function(f));
    }
    c.bulk(member::key_work(&c.s.heap, key))?;
    let (place, value) = if is_list(of) {
        let n = path::place_in(c.s, 1, key)?;
        let (rest, before) = c.s.heap.after(of, n);
        c.bulk(before as u64 / Form::Update.work_price())?;
        if tag(rest) != CONS {
            return Err(path::beyond(&n.to_string()).into());
        }
        (n, c.s.heap.next(rest)[0])
    } else {
        let Some(value) = member::value(&mut c.s.heap, of, key) else {
            return Err(path::missing(&c.s.heap, of, key, Missing::Key).into());
        };
        (0, value)
    };
    c.s.set_part(d, update::PLACE, small(i64::try_from(place).unwrap_or_default()));
    c.s.set_part(d, update::VALUE, value);
    Ok(())
}

/// Makes the record or list with the value that the function gave.
fn end_update(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let place = usize::try_from(as_small(c.s.part(d, update::PLACE))).unwrap_or_default();
    let of = c.s.part(d, 0);
    if is_list(of) {
        c.bulk(path::put_work(place))?;
        c.s.part_room(d, update::GIVEN, 2 * place + 2)?;
        let (list, value) = (c.s.part(d, 0), c.s.part(d, update::GIVEN));
        return Ok(path::with_element(&mut c.s.heap, list, place, value));
    }
    c.bulk(record::change_work(c.s.heap.count_members(of)))?;
    let parts = [0, update::KEY, update::GIVEN].map(|part| c.s.base + usize::from(d + part));
    let live = c.s.base + usize::from(d + update::GIVEN) + 1;
    path::with_member(c.s, parts, live)
}

/// Checks the operands of `update_in`, and takes the value at the end of the path.
fn begin_update_in(c: &mut Context<'_>, d: Slot) -> Result<(), Exit> {
    let f = c.s.part(d, update::FUNCTION);
    path::steps(c, c.s.part(d, update::KEY), false)?;
    if !is_function(f) {
        return Err(c.s.not_a_function(f));
    }
    let parts = [0, update::KEY].map(|part| c.s.base + usize::from(d + part));
    let live = c.s.base + usize::from(d + update::FUNCTION.max(update::KEY)) + 1;
    let value = path::follow(c, parts, live)?;
    c.s.set_part(d, update::VALUE, value);
    Ok(())
}

/// Puts the value that the function gave at the end of the path.
fn end_update_in(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let parts = [0, update::KEY, update::GIVEN].map(|part| c.s.base + usize::from(d + part));
    let live = c.s.base + usize::from(d + update::GIVEN) + 1;
    path::put(c, parts, live)
}
