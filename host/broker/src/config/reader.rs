//! JSON with places: each value knows its JSON Pointer, so that every mistake is told with it.

use std::fmt::Display;
use std::time::Duration;

use pif_domain::quantity::{parse_duration, parse_size};
use pif_domain::text;
use pif_domain::text::similar::similar;
use serde_json::{Map, Value};

use super::error::Error;

/// A value of the file, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) value: &'a Value,
    /// A JSON Pointer; empty for the whole file.
    pub(super) at: String,
}

impl<'a> Node<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        Self { value, at: String::new() }
    }

    /// A mistake at this place.
    pub(super) fn wrong(&self, message: impl Display) -> Error {
        let at = if self.at.is_empty() { "the file" } else { &self.at };
        Error(format!("{at}: {message}"))
    }

    /// A mistake that also quotes the value that stands there, unless that may be a secret.
    fn expected(&self, what: &str) -> Error {
        if ["/secrets/", "/env/", "/headers/", "/oauth/"]
            .iter()
            .any(|place| self.at.contains(place))
        {
            return self.wrong(format!("write {what}"));
        }
        let written = text::line(&self.value.to_string(), text::MOST_NAME);
        self.wrong(format!("write {what} instead of {written}"))
    }

    fn child(&self, key: &str, value: &'a Value) -> Self {
        let key = key.replace('~', "~0").replace('/', "~1");
        Self { value, at: format!("{}/{key}", self.at) }
    }

    fn object(&self) -> Result<&'a Map<String, Value>, Error> {
        self.value.as_object().ok_or_else(|| self.expected("an object"))
    }

    /// The members of an object.
    pub(super) fn members(&self) -> Result<Vec<(&'a str, Self)>, Error> {
        let members = self.object()?.iter();
        Ok(members.map(|(key, value)| (key.as_str(), self.child(key, value))).collect())
    }

    /// A member of an object, unless it is missing or null.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.as_object()?.get(key).filter(|value| !value.is_null())?;
        Some(self.child(key, value))
    }

    /// What a member holds, if there is one.
    pub(super) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Self) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.get(key).map(|member| read(&member)).transpose()
    }

    /// Refuses members of other names.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Error> {
        for (key, member) in self.members()? {
            if known.contains(&key) {
                continue;
            }
            let hint = match similar(key, known.iter().copied()) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("there may be {}", text::quote(known)),
            };
            return Err(member.wrong(format!("no member has this name; {hint}")));
        }
        Ok(())
    }

    /// Mistakes for members of other names, and whether each is near a known one: then somebody
    /// relies on it.
    pub(super) fn strange(&self, known: &[&str]) -> Result<Vec<(Error, bool)>, Error> {
        let members = self.members()?.into_iter();
        let strange = members.filter(|(key, _)| !known.contains(key)).map(|(key, member)| {
            match similar(key, known.iter().copied()) {
                Some(similar) => (
                    member.wrong(format!("no member has this name; did you mean `{similar}`?")),
                    true,
                ),
                None => (member.wrong("no member has this name: it is ignored"), false),
            }
        });
        Ok(strange.collect())
    }

    pub(super) fn text(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.expected("a text"))
    }

    pub(super) fn flag(&self) -> Result<bool, Error> {
        self.value.as_bool().ok_or_else(|| self.expected("true or false"))
    }

    /// The elements of a list.
    pub(super) fn elements(&self) -> Result<Vec<Self>, Error> {
        let elements = self.value.as_array().ok_or_else(|| self.expected("a list"))?;
        Ok((0..)
            .zip(elements)
            .map(|(index, value): (usize, _)| self.child(&index.to_string(), value))
            .collect())
    }

    pub(super) fn texts(&self) -> Result<Vec<String>, Error> {
        self.elements()?.iter().map(|element| Ok(element.text()?.to_owned())).collect()
    }

    /// A whole number between bounds.
    pub(super) fn count(&self, least: u64, most: u64) -> Result<u64, Error> {
        let count = self.value.as_u64().filter(|count| (least..=most).contains(count));
        count.ok_or_else(|| self.expected(&format!("a whole number from {least} to {most}")))
    }

    /// A time such as `"5s"`, up to a bound.
    pub(super) fn time(&self, most: Duration) -> Result<Duration, Error> {
        let time = parse_duration(self.text()?).map_err(|reason| self.wrong(reason))?;
        if time.is_zero() || time > most {
            return Err(self.wrong(format!("write a time above 0, up to {most:?}")));
        }
        Ok(time)
    }

    /// A number of bytes such as `"2MB"`, up to a bound.
    pub(super) fn size(&self, most: u64) -> Result<u64, Error> {
        let size = match self.value.as_u64() {
            Some(size) => size,
            None => parse_size(self.text()?).map_err(|reason| self.wrong(reason))?,
        };
        if size == 0 || size > most {
            return Err(self.wrong(format!("write a size from 1 to {most} bytes")));
        }
        Ok(size)
    }

    /// One of these words.
    pub(super) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Error> {
        let written = self.text()?;
        let found = words.iter().find(|(word, _)| *word == written).map(|(_, meant)| *meant);
        found.ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.expected(&format!("one of {}", text::quote(&words)))
        })
    }
}
