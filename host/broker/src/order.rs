//! The order of messages in the broker's protocol, as each end sees to it.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::protocol::{
    CallPart, FromBroker, LONGEST_NAME, LONGEST_TEXT, MOST_AT_ONCE, MOST_CALLS, MOST_PENDING,
    MOST_TEXTS, Outcome, PROTOCOL, ToBroker, Violation, violation,
};

fn parse<T: DeserializeOwned>(frame: &[u8]) -> Result<T, Violation> {
    serde_json::from_slice(frame).map_err(|error| Violation(error.to_string()))
}

/// What the broker has heard: it takes nothing that is out of order.
#[derive(Debug, Default)]
pub struct Heard {
    greeted: bool,
    /// Whether traces are sent to a collector.
    exports: bool,
    /// Whether an endpoint tells what texts mean.
    embeds: bool,
    latest: u64,
    /// The request whose calls are coming, and how many have come.
    open: Option<(u64, usize, usize)>,
}

impl Heard {
    /// What a broker hears that sends traces to a collector.
    #[must_use]
    pub fn exporting(exports: bool) -> Self {
        Self { exports, ..Self::default() }
    }

    /// A broker with an endpoint that tells what texts mean, or without.
    #[must_use]
    pub fn embedding(self, embeds: bool) -> Self {
        Self { embeds, ..self }
    }

    /// Reads the next message.
    pub fn accept(&mut self, frame: &[u8]) -> Result<ToBroker, Violation> {
        let message: ToBroker = parse(frame)?;
        match &message {
            ToBroker::Hello { protocol } => {
                if self.open.is_some() || *protocol != PROTOCOL {
                    return violation(format!("hello of version {protocol}"));
                }
                self.greeted = true;
                return Ok(message);
            }
            _ if !self.greeted => return violation("a message came before the hello"),
            ToBroker::Call(part) => self.take(part)?,
            ToBroker::Offers { id, .. } => self.begin(*id)?,
            ToBroker::Approve { id, name }
            | ToBroker::Install { id, name, .. }
            | ToBroker::Uninstall { id, name } => {
                if name.len() > LONGEST_NAME {
                    return violation("a name is too long");
                }
                self.begin(*id)?;
            }
            ToBroker::Embed { .. } if !self.embeds => {
                return violation("texts came, and no endpoint for them is configured");
            }
            ToBroker::Embed { id, texts } => {
                let is_long = texts.iter().any(|text| text.len() > LONGEST_TEXT);
                if texts.is_empty() || texts.len() > MOST_TEXTS || is_long {
                    return violation("the texts are too many or too long");
                }
                self.begin(*id)?;
            }
            ToBroker::Cancel { .. } if self.open.is_some() => {
                return violation("a cancel came between calls");
            }
            ToBroker::Spans { .. } if !self.exports => {
                return violation("spans came, and no collector is configured");
            }
            ToBroker::Spans { text } if !is_object(text) => {
                return violation("spans are no JSON object");
            }
            ToBroker::Cancel { .. } | ToBroker::Spans { .. } => {}
        }
        Ok(message)
    }

    fn begin(&mut self, id: u64) -> Result<(), Violation> {
        if self.open.is_some() {
            return violation("a request came between calls");
        }
        if id <= self.latest {
            return violation(format!("the id {id} came before"));
        }
        self.latest = id;
        Ok(())
    }

    fn take(&mut self, part: &CallPart) -> Result<(), Violation> {
        let (id, index, of) = (part.id, part.index, part.of);
        if of == 0 || of > MOST_CALLS || !(1..=MOST_AT_ONCE).contains(&part.at_most) {
            return violation(format!("{of} calls, {} at once", part.at_most));
        }
        if part.tool.len() > LONGEST_NAME {
            return violation("the name of a tool is too long");
        }
        if part.args.is_some() == part.bytes.is_some() {
            return violation("a call has neither arguments nor their length, or both");
        }
        let expected = match self.open {
            None => {
                self.begin(id)?;
                (id, 0, of)
            }
            Some(open) => open,
        };
        if expected != (id, index, of) {
            return violation("calls came out of order");
        }
        self.open = (index + 1 < of).then_some((id, index + 1, of));
        Ok(())
    }
}

/// Whether a text is one JSON object, however deep.
fn is_object(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok_and(|it| it.get().starts_with('{'))
}

/// What the server has asked: it takes no answers to anything else.
#[derive(Debug, Default)]
pub struct Asked {
    greeted: bool,
    pending: BTreeMap<u64, Pending>,
}

/// What is missing of an answer.
#[derive(Debug)]
enum Pending {
    /// For each call whether there is an outcome.
    Calls(Vec<bool>),
    /// For how many calls was asked, and the least place of the next one that needs an approval.
    Asks(usize, usize),
    /// Tools, or nothing.
    Other,
    /// Nobody waits for it any more.
    Cancelled,
}

impl Asked {
    /// Says that the hello was heard before.
    pub fn greeted(&mut self) {
        self.greeted = true;
    }

    /// Remembers a request with so many calls; 0: one without calls.
    pub fn ask(&mut self, id: u64, calls: usize) -> Result<(), Violation> {
        if self.pending.len() >= MOST_PENDING {
            return violation("too many requests wait");
        }
        let pending = if calls == 0 { Pending::Other } else { Pending::Calls(vec![false; calls]) };
        self.pending.insert(id, pending);
        Ok(())
    }

    /// Forgets what a request was for. Its answer may be on its way.
    pub fn cancel(&mut self, id: u64) {
        if let Some(pending) = self.pending.get_mut(&id) {
            *pending = Pending::Cancelled;
        }
    }

    /// Reads the next message.
    pub fn accept(&mut self, frame: &[u8]) -> Result<FromBroker, Violation> {
        let message: FromBroker = parse(frame)?;
        match &message {
            FromBroker::Hello(greeting) => {
                if self.greeted || greeting.protocol != PROTOCOL {
                    return violation(format!("hello of version {}", greeting.protocol));
                }
                self.greeted = true;
            }
            FromBroker::Refused { .. } if !self.greeted => {}
            FromBroker::Refused { .. } => return violation("a refusal came after the hello"),
            // It is lost before it has said a word.
            FromBroker::Restarted {} => *self = Self::default(),
            _ if !self.greeted => return violation("a message came before the hello"),
            FromBroker::Outcome(Outcome {
                id, index, value, reason, told, whole, warning, ..
            }) => {
                if value.is_some() == reason.is_some() {
                    return violation("an outcome is a value or a reason");
                }
                let is_beside = if value.is_some() {
                    told.is_none()
                } else {
                    whole.is_none() && warning.is_none()
                };
                if !is_beside {
                    return violation("an outcome holds what does not belong to it");
                }
                self.fill(*id, *index)?;
            }
            FromBroker::Refusal { id, index, .. } => match self.pending.get(id) {
                Some(Pending::Calls(done)) if *index < done.len() && !done.contains(&true) => {}
                Some(Pending::Cancelled) => {}
                _ => return violation(format!("a refusal of {id}")),
            },
            FromBroker::Asks { id, index, .. } => {
                let (of, least) = match self.pending.get(id) {
                    Some(Pending::Calls(done)) if !done.contains(&true) => (done.len(), 0),
                    Some(Pending::Asks(of, least)) => (*of, *least),
                    Some(Pending::Cancelled) => return Ok(message),
                    _ => return violation(format!("a question about {id}")),
                };
                if *index < least || *index >= of {
                    return violation(format!("a question about call {index} of {id}"));
                }
                self.pending.insert(*id, Pending::Asks(of, index + 1));
            }
            FromBroker::Offer { id, .. }
            | FromBroker::Installed { id, .. }
            | FromBroker::Meaning { id, .. }
            | FromBroker::Remark { id, .. }
            | FromBroker::Failed { id, .. } => match self.pending.get(id) {
                Some(Pending::Other | Pending::Cancelled) => {}
                _ => return violation(format!("an answer to {id}")),
            },
            FromBroker::Lost { .. } => {}
            FromBroker::Done { id } => {
                if self.pending.remove(id).is_none() {
                    return violation(format!("the end of {id}"));
                }
            }
        }
        Ok(message)
    }

    fn fill(&mut self, id: u64, index: usize) -> Result<(), Violation> {
        match self.pending.get_mut(&id) {
            Some(Pending::Cancelled) => return Ok(()),
            Some(Pending::Calls(done)) => {
                if let Some(done) = done.get_mut(index).filter(|done| !**done) {
                    *done = true;
                    return Ok(());
                }
            }
            _ => {}
        }
        violation(format!("an outcome of call {index} of {id}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: u64, index: usize, of: usize) -> String {
        format!(
            r#"{{"call":{{"id":{id},"index":{index},"of":{of},"tool":"a.b","args":{{"n":12345678901234567890123}},"at_most":1,"deadline_ms":5}}}}"#
        )
    }

    fn told(messages: &[&str]) -> Result<(), Violation> {
        let mut heard = Heard::default();
        messages.iter().try_for_each(|it| heard.accept(it.as_bytes()).map(|_| ()))
    }

    const HELLO: &str = r#"{"hello":{"protocol":1}}"#;

    #[test]
    fn the_broker_takes_nothing_out_of_order() {
        let (first, second) = (call(1, 0, 2), call(1, 1, 2));
        assert_eq!(told(&[HELLO, &first, &second, r#"{"offers":{"id":2}}"#]), Ok(()));
        let wrong: &[&[&str]] = &[
            &[&first],
            &[r#"{"hello":{"protocol":2}}"#],
            &[HELLO, &first, HELLO],
            &[HELLO, &second],
            &[HELLO, &first, &first],
            &[HELLO, &first, r#"{"cancel":{"id":1}}"#],
            &[HELLO, &first, r#"{"offers":{"id":2}}"#],
            &[HELLO, r#"{"offers":{"id":2}}"#, r#"{"offers":{"id":2}}"#],
            &[HELLO, r#"{"offers":{"id":2,"more":1}}"#],
            &[HELLO, r#"{"other":{}}"#],
            &[HELLO, "null"],
        ];
        for messages in wrong {
            assert!(told(messages).is_err(), "{messages:?}");
        }
    }

    #[test]
    fn the_broker_takes_spans_if_there_is_a_collector() {
        let (first, second) = (call(1, 0, 2), call(1, 1, 2));
        let spans = |text: &str| serde_json::json!({"spans": {"text": text}}).to_string();
        let good = spans(r#" {"resourceSpans": []} "#);
        let deep = spans(&format!("{{\"a\": {}{}}}", "[".repeat(5_000), "]".repeat(5_000)));
        let told = |exports: bool, messages: &[&str]| {
            let mut heard = Heard::exporting(exports);
            messages.iter().try_for_each(|it| heard.accept(it.as_bytes()).map(|_| ()))
        };
        assert_eq!(told(true, &[HELLO, &good, &first, &good, &second, &deep]), Ok(()));
        assert!(told(false, &[HELLO, &good]).is_err());
        assert!(told(true, &[&good]).is_err());
        for text in ["", "[]", "null", "{} {}", "{\"a\":}", "\"{}\"", "{", "\u{feff}{}"] {
            assert!(told(true, &[HELLO, &spans(text)]).is_err(), "{text}");
        }
        for message in [
            r#"{"spans":{}}"#,
            r#"{"spans":{"text":{}}}"#,
            r#"{"spans":{"text":"{}","id":1}}"#,
            r#"{"spans":{"text":"{}"},"hello":{"protocol":1}}"#,
        ] {
            assert!(told(true, &[HELLO, message]).is_err(), "{message}");
        }
    }

    #[test]
    fn the_broker_takes_texts_if_there_is_an_endpoint_for_them() {
        let embed =
            |texts: &[&str]| serde_json::json!({"embed": {"id": 1, "texts": texts}}).to_string();
        let told = |embeds: bool, texts: &[&str]| {
            let mut heard = Heard::default().embedding(embeds);
            let messages = [HELLO.to_owned(), embed(texts)];
            messages.iter().try_for_each(|it| heard.accept(it.as_bytes()).map(|_| ()))
        };
        assert_eq!(told(true, &["a", "b"]), Ok(()));
        let long = "x".repeat(LONGEST_TEXT + 1);
        assert!(told(false, &["a"]).is_err() && told(true, &[]).is_err());
        assert!(told(true, &[&long]).is_err() && told(true, &["a"; MOST_TEXTS + 1]).is_err());
    }

    #[test]
    fn the_server_takes_no_answers_that_it_did_not_ask_for() {
        let hello =
            r#"{"hello":{"protocol":1,"servers":[],"variables":[],"approvable":[],"warnings":[]}}"#;
        let outcome = |id: u64, index: usize| {
            format!(r#"{{"outcome":{{"id":{id},"index":{index},"value":null,"ms":1}}}}"#)
        };
        let check = |messages: &[&str]| {
            let mut asked = Asked::default();
            asked.ask(1, 2).and_then(|()| {
                messages.iter().try_for_each(|it| asked.accept(it.as_bytes()).map(|_| ()))
            })
        };
        let (first, second) = (outcome(1, 0), outcome(1, 1));
        let done = r#"{"done":{"id":1}}"#;
        assert_eq!(check(&[hello, &second, &first, done]), Ok(()));
        assert_eq!(check(&[hello, r#"{"restarted":{}}"#, hello]), Ok(()));
        let asks = |index: u64| {
            format!(r#"{{"asks":{{"id":1,"index":{index},"class":"write","model":false}}}}"#)
        };
        let (asks_first, asks_second, asks_more) = (asks(0), asks(1), asks(2));
        assert_eq!(check(&[hello, &asks_first, &asks_second, done]), Ok(()));
        let wrong: &[&[&str]] = &[
            &[&first],
            &[hello, hello],
            &[hello, &first, &first],
            &[hello, &outcome(1, 2)],
            &[hello, &outcome(2, 0)],
            &[hello, r#"{"restarted":{}}"#, &first],
            &[hello, &asks_second, &asks_first],
            &[hello, &asks_more],
            &[hello, &asks_first, &first],
            &[hello, &first, &asks_second],
            &[hello, done, &asks_first],
            &[hello, done, done],
            &[hello, done, &first],
            &[hello, r#"{"outcome":{"id":1,"index":0,"ms":1}}"#],
            &[hello, r#"{"refused":{"message":""}}"#],
            &[hello, r#"{"failed":{"id":1,"message":""}}"#],
        ];
        for messages in wrong {
            assert!(check(messages).is_err(), "{messages:?}");
        }
    }
}
