//! What each form costs beside its visits, and how large its value is.

use super::bound::Bound;
use super::loops::Round;
use super::value::{Value, tuple};
use super::walk::Walk;
use super::work::{self, Work};
use pif_language::form::Form;
use pif_language::term::TermId;

impl Walk<'_> {
    /// A form whose operands are known.
    pub(super) async fn operation(&self, form: Form, term: TermId, values: Vec<Value>) -> Value {
        match form {
            Form::Map
            | Form::Filter
            | Form::FlatMap
            | Form::Find
            | Form::Any
            | Form::All
            | Form::SortBy
            | Form::GroupBy
            | Form::CountBy
            | Form::DistinctBy
            | Form::MaxBy
            | Form::MinBy
            | Form::Partition => self.each(form, &values).await,
            Form::SortWith => self.sort_with(&values).await,
            Form::Fold | Form::Reduce => self.fold(form, &values).await,
            _ => {
                let found = work::of(self.terms, form, term, &values);
                match found {
                    Some(Work { units, fuel, value }) => {
                        let price = form.work_price();
                        self.pay(&units.times(price).plus(&fuel));
                        self.shallow(value)
                    }
                    None => self.lost(),
                }
            }
        }
    }

    /// Pays for so many applications of a function to an element, and gives what it gives.
    async fn applied(
        &self,
        form: Form,
        function: &Value,
        arguments: Vec<Value>,
        count: &Bound,
    ) -> Value {
        let before = self.with(|core| std::mem::take(&mut core.fuel));
        let value = self.apply(function, arguments).await;
        let fuel = self.with(|core| std::mem::replace(&mut core.fuel, before));
        let each = fuel.plus(&Bound::from(u64::from(form.application_price())));
        self.pay(&each.by(count));
        value
    }

    async fn each(&self, form: Form, values: &[Value]) -> Value {
        let [function, list, ..] = values else { return self.lost() };
        let Some((count, element)) = work::elements(list) else { return self.lost() };
        let given = self.applied(form, function, vec![(*element).clone()], &count).await;
        let Some((units, value)) = gathered(form, &count, &element, &given) else {
            return self.lost();
        };
        self.pay(&units.times(form.work_price()));
        self.shallow(value)
    }

    async fn sort_with(&self, values: &[Value]) -> Value {
        let [function, list] = values else { return self.lost() };
        let Some((count, element)) = work::elements(list) else { return self.lost() };
        let all = count.by(&count.log());
        let arguments = vec![(*element).clone(), (*element).clone()];
        self.applied(Form::SortWith, function, arguments, &all).await;
        self.pay(&count.plus(&all).times(Form::SortWith.work_price()));
        Value::list(count, (*element).clone())
    }

    async fn fold(&self, form: Form, values: &[Value]) -> Value {
        let [function, start, list] = values else { return self.lost() };
        let Some((count, element)) = work::elements(list) else { return self.lost() };
        self.pay(&count.times(u64::from(form.application_price())));
        let round = Round::Fold {
            function: Box::new(function.clone()),
            element: Box::new((*element).clone()),
            is_paired: form == Form::Fold,
        };
        let state = self.rounds(&round, vec![start.clone()], &count).await;
        state.and_then(|mut state| state.pop()).unwrap_or_else(|| self.lost())
    }
}

/// The work of a form that has applied its function to all elements, and its value.
fn gathered(form: Form, count: &Bound, element: &Value, given: &Value) -> Option<(Bound, Value)> {
    let none = Bound::default();
    let list = |element: &Value| Value::list(count.clone(), element.clone());
    Some(match form {
        Form::Map => (none, list(given)),
        Form::Filter => (none, list(element)),
        Form::Find => (none, element.or(&Value::plain())),
        Form::Any | Form::All => (none, Value::plain()),
        Form::Partition => (none, tuple(vec![list(element), list(element)])),
        Form::FlatMap => {
            let (inner, part, other) = work::flat(given);
            let length = count.by(&inner.cover(&Bound::from(1)));
            (length.clone(), Value::list(length, part.or(&other)))
        }
        Form::SortBy => (work::sorted(count, given)?, list(element)),
        Form::MaxBy | Form::MinBy => {
            (count.plus(&count.by(&work::weight(given)?)), element.clone())
        }
        Form::GroupBy | Form::CountBy | Form::DistinctBy => {
            let units = count.times(4).plus(&count.by(&work::content(given)?));
            let value = match form {
                Form::GroupBy => list(&tuple(vec![given.clone(), list(element)])),
                Form::CountBy => list(&tuple(vec![given.clone(), Value::count(count.clone())])),
                _ => list(element),
            };
            (units, value)
        }
        _ => return None,
    })
}
