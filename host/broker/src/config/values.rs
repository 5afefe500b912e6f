//! Values as the file writes them: times, sizes, numbers within bounds, and words by patterns.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use pif_domain::quantity::{parse_duration, parse_size};
use serde::de::value::StrDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::pattern::Pattern;

/// The longest time that can be written.
const DAY: Duration = Duration::from_hours(24);

/// A number, or a text of a number with its unit.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or a text of a number and its unit")]
enum Quantity {
    Number(u64),
    Text(String),
}

/// Reads a time such as `"5s"`.
pub(super) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    Option::<String>::deserialize(from)?.map(|text| duration(&text)).transpose()
}

/// Reads a time as other clients write it: seconds or milliseconds. A number from 1000 on is taken for
/// the latter.
pub(super) fn timeout<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let read = |quantity| match quantity {
        Quantity::Text(text) => duration(&text),
        Quantity::Number(number @ 1..1_000) => Ok(Duration::from_secs(number)),
        Quantity::Number(number) => within(Duration::from_millis(number)),
    };
    Option::deserialize(from)?.map(read).transpose()
}

fn duration<E: Error>(text: &str) -> Result<Duration, E> {
    within(parse_duration(text).map_err(E::custom)?)
}

fn within<E: Error>(time: Duration) -> Result<Duration, E> {
    if time.is_zero() || time > DAY {
        return Err(E::custom(format_args!("write a time above 0, up to {DAY:?}")));
    }
    Ok(time)
}

/// Reads a number of bytes such as `"2MB"`.
pub(super) fn size<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let read = |quantity| match quantity {
        Quantity::Number(size) => Ok(size),
        Quantity::Text(text) => parse_size(&text).map_err(D::Error::custom),
    };
    Option::deserialize(from)?.map(read).transpose()
}

/// Reads a number from 1 to a bound.
pub(super) fn count<'de, D: Deserializer<'de>, const MOST: u64>(
    from: D,
) -> Result<Option<u64>, D::Error> {
    let count = Option::<u64>::deserialize(from)?;
    if count.is_some_and(|count| !(1..=MOST).contains(&count)) {
        return Err(D::Error::custom(format_args!("write a whole number from 1 to {MOST}")));
    }
    Ok(count)
}

/// A value for each pattern of names, or one for all names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ByPattern<T>(pub(super) Vec<(Pattern, T)>);

impl<T> Default for ByPattern<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByPattern<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = ByPattern<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of patterns, or one word for all names")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<ByPattern<T>, E> {
        let value = T::deserialize(StrDeserializer::new(word))?;
        Ok(ByPattern(vec![(Pattern::ANY, value)]))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByPattern<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(ByPattern(entries))
    }
}
