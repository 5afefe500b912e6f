//! `char_code`, `from_char_code`, `encode`, `decode`: texts as codes and encodings.

use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;

use crate::builtin::bytes::TOO_LARGE;
use crate::run::state::Exit;
use pif_core::fault::Code;
use pif_language::hint::nearest;

use crate::algorithm::codec;
use crate::algorithm::codec::Encoding;
use crate::memory::word::{Word, small};
use pif_core::text::quote::shorten;

pub(crate) fn char_code(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    match text.chars().next() {
        Some(first) => Ok(small(u32::from(first).into())),
        None => Err(Trouble::OutOfRange("`char_code` of a text without characters".into()).into()),
    }
}

pub(crate) fn from_char_code(c: &mut Call<'_>) -> Result<Word, Exit> {
    let code = c.integer(0)?.ok().and_then(|n| u32::try_from(n).ok());
    if let Some(one) = code.and_then(char::from_u32) {
        return c.make_text(one.encode_utf8(&mut [0; 4]));
    }
    let message =
        format!("{} is not a character: the codes are 0 to 55295 and 57344 to 1114111", c.shown(0));
    Err(Trouble::OutOfRange(message).into())
}

pub(crate) fn encode(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, encoding) = operands(c)?;
    let most = codec::MOST * text.len() as u64;
    if most > c.longest() {
        return Err(TOO_LARGE.into());
    }
    c.set_aside(most)?;
    c.give_text(&codec::encode(text.as_bytes(), encoding))
}

pub(crate) fn decode(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (text, encoding) = operands(c)?;
    c.set_aside(text.len() as u64)?;
    let wrong = |what: &str| {
        Trouble::Unparsable(format!("`{}` is not {}: {what}", shorten(&text), encoding.name()))
    };
    let bytes = codec::decode(&text, encoding).map_err(&wrong)?;
    let decoded = String::from_utf8(bytes).map_err(|_| wrong("its bytes are not UTF-8"))?;
    c.give_text(&decoded)
}

/// Returns the text and the encoding, after charging for both.
fn operands(c: &mut Call<'_>) -> Result<(String, Encoding), Exit> {
    let (text, name) = (c.text(0)?, c.text(1)?);
    c.charge_texts(&[&text, &name])?;
    Ok((text, encoding(&name)?))
}

fn encoding(name: &str) -> Result<Encoding, Trouble> {
    Encoding::of(name).ok_or_else(|| {
        let names = Encoding::ALL.map(Encoding::name);
        let message = format!("there is no encoding `{}`", shorten(name));
        let hint = match nearest(name, names.into_iter()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("the encodings are {}", names.join(", ")),
        };
        Trouble::with_hint(Code::OutOfRange, message, hint)
    })
}
