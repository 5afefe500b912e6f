//! Reads structs from the arguments of a call, each of which is JSON text. What is wrong is told by
//! the name of the argument.

use std::fmt;

use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::value::RawValue;

use super::no_text;
use crate::config::parse_size;
use crate::json::Members;

/// The name by which a text that is not read any further asks for itself.
const RAW: &str = "$serde_json::private::RawValue";

/// The name by which a number of bytes asks for itself.
pub(super) const SIZE: &str = "Size";

/// The fields of a struct.
pub(super) fn fields<T: DeserializeOwned>() -> Vec<&'static str> {
    let mut names = Vec::new();
    // It stops when it has told them.
    let _ = T::deserialize(Fields(&mut names));
    names
}

/// Reads a struct. It overlooks arguments that it does not have.
pub(super) fn read<T: DeserializeOwned>(members: &Members<'_>) -> Result<T, Wrong> {
    T::deserialize(Call(members))
}

/// Why arguments cannot be read.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) reason: String,
    /// The argument that is not there.
    pub(super) missing: Option<String>,
}

impl Wrong {
    fn missing(name: &str) -> Self {
        Self { reason: format!("the argument `{name}` is missing"), missing: Some(name.to_owned()) }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { reason: reason.to_string(), missing: None }
    }

    fn missing_field(name: &'static str) -> Self {
        Self::missing(name)
    }
}

/// Learns the fields of a struct and reads nothing.
struct Fields<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Wrong> {
        Err(de::Error::custom("it is no struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Wrong> {
        self.0.extend(fields);
        Err(de::Error::custom("it is not read"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The arguments of a call, as a struct is read from them.
struct Call<'de>(&'de Members<'de>);

impl<'de> Deserializer<'de> for Call<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_map(Walk { rest: self.0.iter().collect(), value: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The arguments that are still to be read.
struct Walk<'de> {
    rest: Vec<(&'de str, &'de str)>,
    value: Option<Argument<'de>>,
}

impl<'de> MapAccess<'de> for Walk<'de> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Wrong> {
        let Some((name, raw)) = self.rest.pop() else { return Ok(None) };
        self.value = Some(Argument { name, raw });
        let name: de::value::StrDeserializer<'_, Wrong> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        match self.value.take() {
            Some(argument) => seed.deserialize(argument),
            None => Err(de::Error::custom("a value stands without its name")),
        }
    }
}

/// An argument, or an element of one.
#[derive(Clone, Copy)]
struct Argument<'de> {
    name: &'de str,
    raw: &'de str,
}

impl Argument<'_> {
    fn wrong(self, what: impl fmt::Display) -> Wrong {
        de::Error::custom(format_args!("`{}` {what}", self.name))
    }

    fn text(self) -> Result<String, Wrong> {
        self.ensure_given()?;
        serde_json::from_str(self.raw).map_err(|_| self.wrong(no_text(self.raw)))
    }

    /// Digits in a string count too.
    fn number(self) -> Result<u64, Wrong> {
        self.ensure_given()?;
        let number = self.raw.trim_matches('"').parse();
        number.map_err(|_| self.wrong("must be a whole number, such as 1000"))
    }

    fn ensure_given(self) -> Result<(), Wrong> {
        if self.raw == "null" { Err(Wrong::missing(self.name)) } else { Ok(()) }
    }
}

impl<'de> Deserializer<'de> for Argument<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_string(self.raw.to_owned())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        if self.raw == "null" { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_string(self.text()?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.raw {
            // Where it may be left out, null leaves it out.
            "false" | "null" => visitor.visit_bool(false),
            "true" => visitor.visit_bool(true),
            _ => Err(self.wrong("must be true or false")),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let items: Vec<&RawValue> =
            serde_json::from_str(self.raw).map_err(|_| self.wrong("must be a list of strings"))?;
        let rest = items.iter().rev().map(|item| Argument { raw: item.get(), ..self }).collect();
        visitor.visit_seq(Items(rest))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match name {
            RAW => serde_json::Deserializer::from_str(self.raw)
                .deserialize_newtype_struct(name, visitor)
                .map_err(|error| self.wrong(error)),
            SIZE => match parse_size(self.raw.trim_matches('"')) {
                Ok(bytes) => visitor.visit_u64(bytes),
                Err(_) => {
                    Err(self.wrong("must be a number of bytes, such as 67108864 or \"64MiB\""))
                }
            },
            _ => visitor.visit_newtype_struct(self),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
        map struct enum identifier ignored_any
    }
}

/// The elements of a list that are still to be read.
struct Items<'de>(Vec<Argument<'de>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Wrong> {
        self.0.pop().map(|item| seed.deserialize(item)).transpose()
    }
}
