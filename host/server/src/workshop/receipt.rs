//! Receipts: signed statements about runs, which somebody without this store can check and replay. A
//! receipt is an in-toto statement in a DSSE envelope. Its predicate holds digests; the texts behind
//! them are its materials.

use pif_domain::text::time;
use pif_domain::{EntryKind, Fault, FaultCode, fault};
use pif_receipt::{Distrust, Envelope, Keyring, Statement, Trust, sha256};
use pif_sandbox::Watch;
use pif_store::journal::{Answer, Body, Came, Digest, Entry, Hash, SentCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::archive::{Archive, Texts};
use super::keys::unsigned;
use super::opening::Workshop;
use super::refusal::stored;
use super::replay::ReplayResult;

/// The type of the predicate.
const RUN: &str = "https://github.com/mcp-pif/mcp-pif/run/v1";

/// A receipt as its file holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The signed statement.
    envelope: Envelope,
    /// How the signing key followed others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rotations: Vec<Envelope>,
    /// The texts behind the digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    materials: Option<Materials>,
}

/// The texts behind the digests of a statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Materials {
    entry: Columns,
    #[serde(flatten)]
    texts: Texts,
}

/// The columns of an entry of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    id: i64,
    time: i64,
    kind: String,
    subject: Option<String>,
    ending: String,
    fuel: Option<i64>,
    component: Option<String>,
    body: String,
    ends: i64,
    principal: Option<String>,
}

/// What a receipt says of a run. Texts are named by their sha256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// The component that evaluated it.
    evaluator: String,
    entry: Link,
    /// The hash of the entry before, which the entry's own hash is made of.
    previous: String,
    time: String,
    /// The JSON text of the whole request.
    request: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    tools: Vec<Revision>,
    calls: Vec<Call>,
    ending: String,
    fuel: i64,
    /// All texts that the entry refers to.
    texts: Vec<String>,
}

/// A revision of a tool that the run used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Revision {
    name: String,
    sha256: String,
}

/// A call of another server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    arguments: String,
    outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
}

/// An entry of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    number: i64,
    hash: String,
}

/// The predicate: the run, and when and where in the chain it was signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Predicate {
    run: Run,
    /// The last entry of the journal when the receipt was made.
    head: Link,
    signed: String,
}

/// The result of checking a receipt.
#[derive(Debug)]
pub struct ReceiptCheck {
    /// The id of the key that signed it.
    pub signer: String,
    /// The statement.
    pub statement: Statement,
    /// The entry of the run, if the receipt has it.
    entry: Option<(Entry, Texts)>,
    number: i64,
    hash: String,
}

impl Receipt {
    /// Reads a receipt.
    pub fn read(text: &str) -> Result<Self, Fault> {
        serde_json::from_str(text).map_err(|error| refused(&format!("it is no receipt: {error}")))
    }

    /// The text of its file.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Leaves out the texts.
    #[must_use]
    pub fn bare(self) -> Self {
        Self { materials: None, ..self }
    }

    /// Checks the signature, each digest and that the statement says what the texts say.
    pub fn check(&self, trust: &Trust) -> Result<ReceiptCheck, Fault> {
        let malformed = || refused("the statement is not one about a run of this version");
        let statement = Statement::read(&self.envelope, RUN).ok_or_else(malformed)?;
        let predicate: Predicate =
            serde_json::from_value(statement.predicate.clone()).map_err(|_| malformed())?;
        let signed = time::parse(&predicate.signed).ok_or_else(malformed)?;
        let signer = trust.signer(&self.envelope, &self.rotations, signed);
        let signer = signer.map_err(|distrust: Distrust| refused(&distrust.to_string()))?;
        let entry = self.materials.as_ref().map(|it| it.check(&predicate.run, &statement));
        Ok(ReceiptCheck {
            signer,
            entry: entry.transpose().map_err(|reason| refused(&reason))?,
            number: predicate.run.entry.number,
            hash: predicate.run.entry.hash,
            statement,
        })
    }
}

impl Materials {
    /// The entry with its texts, if they are those that the statement is about.
    fn check(&self, run: &Run, statement: &Statement) -> Result<(Entry, Texts), String> {
        let previous = parse_hash(&run.previous).ok_or("the hash of the entry before is none")?;
        let entry = self.entry.to_entry(previous);
        if entry.hash.to_string() != run.entry.hash {
            return Err("the entry is not the one that was signed".to_owned());
        }
        let (found, texts) = describe(&entry, previous, &self.texts)?;
        if texts != self.texts {
            return Err("there are texts that the run does not refer to".to_owned());
        }
        let said = Statement::new(&subject(&entry)?.pairs(), RUN, Value::Null).subject;
        if found != *run || said != statement.subject {
            return Err("the statement does not say what the entry says".to_owned());
        }
        Ok((entry, texts))
    }
}

impl Columns {
    fn of(entry: &Entry) -> Self {
        let Entry {
            id, time, kind, subject, ending, fuel, component, body, ends, principal, ..
        } = entry.clone();
        Self { id, time, kind, subject, ending, fuel, component, body, ends, principal }
    }

    fn to_entry(&self, previous: Hash) -> Entry {
        let Self { id, time, kind, subject, ending, fuel, component, body, ends, principal } =
            self.clone();
        let hash = previous;
        let entry = Entry {
            id,
            time,
            kind,
            subject,
            ending,
            fuel,
            component,
            body,
            ends,
            hash,
            principal,
            chain: 0,
        };
        Entry { hash: entry.link(previous), ..entry }
    }
}

impl Workshop {
    /// The keys of the store, as they were when it was opened.
    pub(super) fn keys(&self) -> Result<&Keyring, Fault> {
        self.keys.as_ref().as_ref().map_err(unsigned)
    }

    /// Trusts all keys of the store.
    pub fn own_trust(&self) -> Result<Trust, Fault> {
        let keys = self.keys()?;
        keys.current().map_err(|error| unsigned(&error))?;
        Ok(Trust::new(keys.public().map(|(_, key)| key).collect()))
    }

    /// Makes a receipt of the run of an entry, signed with the current key.
    pub fn receipt(&self, id: i64) -> Result<Receipt, Fault> {
        let keys = self.keys()?;
        let key = keys.current().map_err(|error| unsigned(&error))?;
        let Some(entry) = self.journal.entry(id).map_err(stored)? else {
            return Err(self.missing_entry(id)?);
        };
        let previous = self.previous(&entry)?;
        let (run, texts) =
            describe(&entry, previous, &self.archive()?).map_err(|reason| refused(&reason))?;
        let subject = subject(&entry).map_err(|reason| refused(&reason))?;
        let head = self.journal.head().map_err(stored)?;
        let head = Link { number: head.id, hash: head.hash.to_string() };
        let predicate = Predicate { run, head, signed: time::format(time::now()) };
        let predicate = serde_json::json!(predicate);
        Ok(Receipt {
            envelope: Statement::new(&subject.pairs(), RUN, predicate).sign(&[key]),
            rotations: keys.rotations().to_vec(),
            materials: Some(Materials { entry: Columns::of(&entry), texts }),
        })
    }

    /// Replays the run of a receipt that was checked: with its own texts, or with those of this store
    /// if it has none.
    pub fn replay_receipt(
        &self,
        checked: &ReceiptCheck,
        watch: &Watch,
    ) -> Result<ReplayResult, Fault> {
        if let Some((entry, texts)) = &checked.entry {
            return self.replay_from(entry, texts, watch);
        }
        let Some(entry) = self.journal.entry(checked.number).map_err(stored)? else {
            return Err(self.missing_entry(checked.number)?);
        };
        if entry.hash.to_string() != checked.hash {
            return Err(refused("the entry in this store is another one"));
        }
        self.replay_from(&entry, &self.archive()?, watch)
    }

    /// The hash of the entry before.
    fn previous(&self, entry: &Entry) -> Result<Hash, Fault> {
        // It may be somebody else's.
        match self.store.before(entry).map_err(stored)? {
            Some(before) => Ok(before.hash),
            None => Err(refused("the entry before it was removed meanwhile: try again")),
        }
    }
}

/// What an entry says of its run, with all texts that it refers to.
fn describe(entry: &Entry, previous: Hash, archive: &dyn Archive) -> Result<(Run, Texts), String> {
    if entry.kind != EntryKind::Run.name() {
        return Err(format!("entry {} is no run: its kind is `{}`", entry.id, entry.kind));
    }
    let body: Body = entry.read_body().ok_or("the body of the entry cannot be read")?;
    let request = body.request.as_ref().ok_or("its request was not kept")?;
    if request.digest().is_some() {
        return Err("of its request only a digest was kept".to_owned());
    }
    let asked: Value = serde_json::from_str(request.text()).map_err(|error| error.to_string())?;
    let text = |name: &str| asked[name].as_str().map(str::to_owned);
    let mut found = TextCollector { archive, texts: Texts::default() };
    let mut tools = Vec::new();
    let mut calls = Vec::new();
    for answer in &body.answers {
        match answer {
            Answer::Tool(name, Some(hash)) => {
                // A function of a tool is no text of its own: its tool is looked up, too.
                if !name.contains('.') {
                    found.source(name, hash)?;
                }
                tools.push(Revision { name: name.clone(), sha256: hash.clone() });
            }
            Answer::Schema(tool, change) => found.schema(tool, *change)?,
            Answer::StagedSchema(tool, digest) => found.text(tool, &digest.sha256)?,
            Answer::Binding(name, hash) => found.text(name, hash)?,
            Answer::Calls(made) => {
                for made in made {
                    calls.push(found.call(made)?);
                }
            }
            Answer::Tool(_, None)
            | Answer::Similar(..)
            | Answer::Refused(..)
            | Answer::Enter(_)
            | Answer::Leave(_)
            | Answer::Waited(_) => {}
        }
    }
    let run = Run {
        evaluator: entry.component.clone().ok_or("its evaluator is not known")?,
        entry: Link { number: entry.id, hash: entry.hash.to_string() },
        previous: previous.to_string(),
        time: time::format(entry.time),
        request: sha256(request.text()),
        tool: text("tool"),
        code: text("code").map(sha256),
        input: text("input").map(sha256),
        data: text("data").map(sha256),
        context: text("context").map(sha256),
        tools,
        calls,
        ending: entry.ending.clone(),
        fuel: entry.fuel.ok_or("its fuel is not known")?,
        texts: found.texts.digests(),
    };
    Ok((run, found.texts))
}

/// Collects texts.
struct TextCollector<'a> {
    archive: &'a dyn Archive,
    texts: Texts,
}

impl TextCollector<'_> {
    fn add(
        &mut self,
        of: &str,
        found: Result<Option<String>, pif_store::Error>,
    ) -> Result<(), String> {
        let text = found.map_err(|error| error.to_string())?;
        self.texts.add(text.ok_or_else(|| format!("a text of `{of}` is not there any more"))?);
        Ok(())
    }

    fn source(&mut self, tool: &str, hash: &str) -> Result<(), String> {
        self.add(tool, self.archive.source(hash))
    }

    fn text(&mut self, of: &str, digest: &str) -> Result<(), String> {
        self.add(of, self.archive.text(digest))
    }

    fn schema(&mut self, tool: &str, change: i64) -> Result<(), String> {
        let found = self.archive.output_schema(change).map_err(|error| error.to_string())?;
        let text = found.ok_or_else(|| format!("the schema of `{tool}` is not there any more"))?;
        self.texts.add_schema(change, text);
        Ok(())
    }

    fn call(&mut self, made: &SentCall) -> Result<Call, String> {
        let tool = &made.asked.tool;
        let answer = match &made.outcome {
            Came::Value(digest) => Some(digest),
            Came::Failed { value, .. } => value.as_ref(),
            Came::Unknown => None,
        };
        for Digest { sha256, .. } in answer.into_iter().chain(&made.whole) {
            self.text(tool, sha256)?;
        }
        Ok(Call {
            tool: tool.clone(),
            arguments: made.asked.args.sha256.clone(),
            outcome: made.outcome.name().to_owned(),
            answer: answer.map(|it| it.sha256.clone()),
        })
    }
}

/// The subject of a statement: the value, the fault or the continuation of the run.
struct Outcome {
    name: String,
    sha256: String,
}

impl Outcome {
    fn pairs(&self) -> [(&str, &str); 1] {
        [(&self.name, &self.sha256)]
    }
}

fn subject(entry: &Entry) -> Result<Outcome, String> {
    let body = entry.read_body().ok_or("the body of the entry cannot be read")?;
    let outcome = body.outcome.ok_or("its outcome was not kept")?;
    if let Some(digest) = outcome.digest() {
        return Ok(Outcome { name: "outcome".to_owned(), sha256: digest.sha256 });
    }
    let outcome: Value = serde_json::from_str(outcome.text()).map_err(|error| error.to_string())?;
    for name in ["value", "continuation", "fault"] {
        let digest = match &outcome[name] {
            Value::Null => continue,
            Value::String(json) => sha256(json),
            fault => sha256(fault.to_string()),
        };
        return Ok(Outcome { name: name.to_owned(), sha256: digest });
    }
    Err("its outcome cannot be read".to_owned())
}

fn parse_hash(text: &str) -> Option<Hash> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(Hash(bytes))
}

fn refused(reason: &str) -> Fault {
    fault(FaultCode::InvalidReceipt, reason.to_owned(), None)
}
