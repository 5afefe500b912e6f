//! The order of messages in the broker's protocol, as each end sees to it.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::protocol::{
    Batch, FromBroker, LONGEST_NAME, LONGEST_TEXT, MOST_AT_ONCE, MOST_CALLS, MOST_MESSAGES,
    MOST_PENDING, MOST_PROMPT, MOST_TEXTS, Outcome, PROTOCOL, ToBroker, Violation, violation,
};

fn parse<T: DeserializeOwned>(frame: &[u8]) -> Result<T, Violation> {
    serde_json::from_slice(frame).map_err(|error| Violation(error.to_string()))
}

/// What the broker has heard: it takes nothing that is out of order.
#[derive(Debug, Default)]
pub struct Heard {
    greeted: bool,
    /// Whether an endpoint tells what texts mean.
    embeds: bool,
    /// Whether a model writes programs.
    completes: bool,
    latest: u64,
}

impl Heard {
    /// A broker with an endpoint that tells what texts mean, and a model that writes programs, or without.
    #[must_use]
    pub fn with(embeds: bool, completes: bool) -> Self {
        Self { embeds, completes, ..Self::default() }
    }

    /// Reads the next message.
    pub fn accept(&mut self, frame: &[u8]) -> Result<ToBroker, Violation> {
        let message: ToBroker = parse(frame)?;
        match &message {
            ToBroker::Hello { protocol } if *protocol != PROTOCOL => {
                return violation(format!("hello of version {protocol}"));
            }
            ToBroker::Hello { .. } => self.greeted = true,
            _ if !self.greeted => return violation("a message came before the hello"),
            ToBroker::Calls(batch) => {
                check(batch)?;
                self.begin(batch.id)?;
            }
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
            ToBroker::Complete { .. } if !self.completes => {
                return violation("a conversation came, and no model is configured");
            }
            ToBroker::Complete { id, messages, .. } => {
                let bytes: usize = messages.iter().map(|it| it.content.len()).sum();
                if !(1..=MOST_MESSAGES).contains(&messages.len()) || bytes > MOST_PROMPT {
                    return violation("the messages are too many or too long");
                }
                self.begin(*id)?;
            }
            ToBroker::Cancel { .. } => {}
        }
        Ok(message)
    }

    fn begin(&mut self, id: u64) -> Result<(), Violation> {
        if id <= self.latest {
            return violation(format!("the id {id} came before"));
        }
        self.latest = id;
        Ok(())
    }
}

/// Looks at calls that came together.
fn check(Batch { calls, at_most, .. }: &Batch) -> Result<(), Violation> {
    if !(1..=MOST_CALLS).contains(&calls.len()) || !(1..=MOST_AT_ONCE).contains(at_most) {
        return violation(format!("{} calls, {at_most} at once", calls.len()));
    }
    if calls.iter().any(|call| call.tool.len() > LONGEST_NAME) {
        return violation("the name of a tool is too long");
    }
    if calls.iter().any(|call| call.args.is_some() == call.bytes.is_some()) {
        return violation("a call has neither arguments nor their length, or both");
    }
    Ok(())
}

/// What the server has asked: it takes no answers to anything else.
#[derive(Debug, Default)]
pub struct Outstanding {
    greeted: bool,
    pending: BTreeMap<u64, Pending>,
}

/// What is missing of an answer.
#[derive(Debug)]
enum Pending {
    /// For each call whether there is an outcome.
    Calls(Vec<bool>),
    /// Only the end: the calls are refused, or wait for approvals.
    End,
    /// Tools, or nothing.
    Other,
    /// Nobody waits for it any more.
    Cancelled,
}

impl Outstanding {
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
            FromBroker::Refusal { id, index, .. } => self.unsent(*id, &[*index])?,
            FromBroker::Asks { id, calls } => {
                let places: Vec<usize> = calls.iter().map(|it| it.index).collect();
                self.unsent(*id, &places)?;
            }
            FromBroker::Offer { id, .. }
            | FromBroker::Installed { id, .. }
            | FromBroker::Meaning { id, .. }
            | FromBroker::Completion { id, .. }
            | FromBroker::Remark { id, .. }
            | FromBroker::Failed { id, .. } => match self.pending.get(id) {
                Some(Pending::Other | Pending::Cancelled) => {}
                _ => return violation(format!("an answer to {id}")),
            },
            FromBroker::Done { id } => {
                if self.pending.remove(id).is_none() {
                    return violation(format!("the end of {id}"));
                }
            }
        }
        Ok(message)
    }

    /// Takes the news that none of the calls was sent, for the sake of those at these places.
    fn unsent(&mut self, id: u64, places: &[usize]) -> Result<(), Violation> {
        match self.pending.get(&id) {
            Some(Pending::Cancelled) => return Ok(()),
            Some(Pending::Calls(done)) if !done.contains(&true) => {
                let are_there = places.last().is_some_and(|last| *last < done.len());
                if are_there && places.is_sorted_by(|a, b| a < b) {
                    self.pending.insert(id, Pending::End);
                    return Ok(());
                }
            }
            _ => {}
        }
        violation(format!("{id} was not sent for the sake of {places:?}"))
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

    fn calls(id: u64, calls: &[&str]) -> String {
        let calls = calls.join(",");
        format!(r#"{{"calls":{{"id":{id},"calls":[{calls}],"at_most":1,"deadline_ms":5}}}}"#)
    }

    fn told(messages: &[&str]) -> Result<(), Violation> {
        let mut heard = Heard::default();
        messages.iter().try_for_each(|it| heard.accept(it.as_bytes()).map(|_| ()))
    }

    const HELLO: &str = r#"{"hello":{"protocol":2}}"#;
    const CALL: &str = r#"{"tool":"a.b","args":{"n":12345678901234567890123}}"#;

    #[test]
    fn the_broker_takes_nothing_out_of_order() {
        let one = calls(1, &[CALL]);
        let two = calls(2, &[CALL, CALL]);
        let offers = r#"{"offers":{"id":3}}"#;
        assert_eq!(told(&[HELLO, &one, HELLO, &two, r#"{"cancel":{"id":1}}"#, offers]), Ok(()));
        let long = format!(r#"{{"tool":"{}","args":{{}}}}"#, "x".repeat(LONGEST_NAME + 1));
        let odd = [
            calls(1, &[]),
            calls(1, &[CALL; MOST_CALLS + 1]),
            calls(1, &[&long]),
            calls(1, &[r#"{"tool":"a.b"}"#]),
            calls(1, &[r#"{"tool":"a.b","args":{},"bytes":1}"#]),
            calls(1, &[CALL]).replace(r#""at_most":1"#, r#""at_most":0"#),
        ];
        for message in &odd {
            assert!(told(&[HELLO, message]).is_err(), "{message}");
        }
        let wrong: &[&[&str]] = &[
            &[&one],
            &[r#"{"hello":{"protocol":1}}"#],
            &[HELLO, &one, &one],
            &[HELLO, &two, &one],
            &[HELLO, offers, offers],
            &[HELLO, r#"{"offers":{"id":2,"more":1}}"#],
            &[HELLO, r#"{"other":{}}"#],
            &[HELLO, "null"],
        ];
        for messages in wrong {
            assert!(told(messages).is_err(), "{messages:?}");
        }
    }

    #[test]
    fn the_broker_takes_texts_if_there_is_an_endpoint_for_them() {
        let embed =
            |texts: &[&str]| serde_json::json!({"embed": {"id": 1, "texts": texts}}).to_string();
        let accept = |embeds: bool, texts: &[&str]| {
            let mut heard = Heard::with(embeds, false);
            let messages = [HELLO.to_owned(), embed(texts)];
            messages.iter().try_for_each(|it| heard.accept(it.as_bytes()).map(|_| ()))
        };
        assert_eq!(accept(true, &["a", "b"]), Ok(()));
        let long = "x".repeat(LONGEST_TEXT + 1);
        assert!(accept(false, &["a"]).is_err() && accept(true, &[]).is_err());
        assert!(accept(true, &[&long]).is_err() && accept(true, &["a"; MOST_TEXTS + 1]).is_err());
    }

    #[test]
    fn the_broker_takes_conversations_if_there_is_a_model() {
        let complete = |texts: &[&str]| {
            let message = |it: &&str| serde_json::json!({"role": "user", "content": it});
            let messages: Vec<_> = texts.iter().map(message).collect();
            let asked = serde_json::json!({"id": 1, "messages": messages, "deadline_ms": 5});
            serde_json::json!({ "complete": asked }).to_string()
        };
        let accept = |completes: bool, texts: &[&str]| {
            let mut heard = Heard::with(false, completes);
            let messages = [HELLO.to_owned(), complete(texts)];
            messages.iter().try_for_each(|it| heard.accept(it.as_bytes()).map(|_| ()))
        };
        assert_eq!(accept(true, &["a", "b"]), Ok(()));
        let long = "x".repeat(MOST_PROMPT + 1);
        assert!(accept(false, &["a"]).is_err() && accept(true, &[]).is_err());
        assert!(
            accept(true, &[&long]).is_err() && accept(true, &["a"; MOST_MESSAGES + 1]).is_err()
        );
    }

    #[test]
    fn the_server_takes_no_answers_that_it_did_not_ask_for() {
        let hello =
            r#"{"hello":{"protocol":2,"servers":[],"variables":[],"approvable":[],"warnings":[]}}"#;
        let outcome = |id: u64, index: usize| {
            format!(r#"{{"outcome":{{"id":{id},"index":{index},"value":null,"ms":1}}}}"#)
        };
        let check = |messages: &[&str]| {
            let mut asked = Outstanding::default();
            asked.ask(1, 2).and_then(|()| {
                messages.iter().try_for_each(|it| asked.accept(it.as_bytes()).map(|_| ()))
            })
        };
        let first = outcome(1, 0);
        let second = outcome(1, 1);
        let done = r#"{"done":{"id":1}}"#;
        assert_eq!(check(&[hello, &second, &first, done]), Ok(()));
        assert_eq!(check(&[hello, r#"{"restarted":{}}"#, hello]), Ok(()));
        let asks = |places: &[u64]| {
            let call = |it: &u64| format!(r#"{{"index":{it},"class":"write","model":false}}"#);
            let calls: Vec<String> = places.iter().map(call).collect();
            format!(r#"{{"asks":{{"id":1,"calls":[{}]}}}}"#, calls.join(","))
        };
        let both = asks(&[0, 1]);
        let swapped = asks(&[1, 0]);
        let more = asks(&[2]);
        let none = asks(&[]);
        assert_eq!(check(&[hello, &both, done]), Ok(()));
        let wrong: &[&[&str]] = &[
            &[&first],
            &[hello, hello],
            &[hello, &first, &first],
            &[hello, &outcome(1, 2)],
            &[hello, &outcome(2, 0)],
            &[hello, r#"{"restarted":{}}"#, &first],
            &[hello, &swapped],
            &[hello, &more],
            &[hello, &none],
            &[hello, &both, &both],
            &[hello, &both, &first],
            &[hello, &first, &both],
            &[hello, done, &both],
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
