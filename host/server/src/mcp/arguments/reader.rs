//! Deserializes structs from the arguments of a call. Each argument is JSON text. Errors name the
//! argument.

use std::fmt;

use pif_domain::quantity::parse_size;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::value::RawValue;

/// The struct name with which `RawValue` of `serde_json` deserializes.
const RAW: &str = "$serde_json::private::RawValue";

/// The struct name with which a number of bytes deserializes.
pub(super) const SIZE: &str = "Size";

/// The fields of a struct.
pub(super) fn fields<T: DeserializeOwned>() -> Vec<&'static str> {
    let mut names = Vec::new();
    // This fails after it has listed the fields.
    let _ = T::deserialize(Fields(&mut names));
    names
}

/// Reads a struct from arguments. Arguments that are not fields of the struct are ignored.
pub(super) fn read<T: DeserializeOwned>(members: &[(&str, &str)]) -> Result<T, Wrong> {
    T::deserialize(Call(members))
}

/// The error of arguments that cannot be read.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) reason: String,
    /// The missing argument, if that is the reason.
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

/// A deserializer that only collects the field names of a struct.
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

/// A deserializer that reads a struct from the arguments of a call.
struct Call<'de>(&'de [(&'de str, &'de str)]);

impl<'de> Deserializer<'de> for Call<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_map(Walk { rest: self.0.to_vec(), value: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The remaining arguments.
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

/// One argument, or an element of a list argument.
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

    fn number(self) -> Result<u64, Wrong> {
        self.ensure_given()?;
        let number = self.raw.parse();
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
            // Null means absent, which is false for a flag.
            "false" | "null" => visitor.visit_bool(false),
            "true" => visitor.visit_bool(true),
            _ => Err(self.wrong("must be true or false")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let text = self.text()?;
        if !variants.contains(&text.as_str()) {
            return Err(self.wrong(format_args!("must be one of: {}", variants.join(", "))));
        }
        let variant: de::value::StringDeserializer<Wrong> = text.into_deserializer();
        visitor.visit_enum(variant)
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
        map struct identifier ignored_any
    }
}

/// The remaining elements of a list.
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

/// The reason why JSON text cannot be decoded as a string.
pub(super) fn no_text(raw: &str) -> &'static str {
    // The text is valid JSON, so a string fails only because of an unpaired surrogate.
    if raw.starts_with('"') {
        "holds half of a surrogate pair, which is no character"
    } else {
        "must be a string"
    }
}
