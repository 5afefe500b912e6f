//! The subject of a repair: a program or a tool with an input, or a run of the journal.

use std::sync::Arc;

use pif_domain::{EntryKind, Fault, FaultCode, fault};
use pif_sandbox::{Argument, Binding, Code, Request};
use pif_store::journal::{Answer, Entry, Filter};
use serde::Deserialize;

use super::answers::{Before, of_example, of_run};
use crate::workshop::archive::Archive as _;
use crate::workshop::example::{Example, from_json};
use crate::workshop::opening::Workshop;
use crate::workshop::refusal::stored;
use crate::workshop::replay::read;

/// The most entries in which the last run of a tool that failed is looked for.
const MOST_ENTRIES: usize = 100;

/// What is wrong.
#[derive(Debug)]
pub struct Wrong {
    /// The program, the tool or the run.
    pub broken: Broken,
    /// The argument, if one is given.
    pub argument: Argument,
    /// Variables of the program, a JSON object.
    pub context: Option<String>,
    /// The fault, as an earlier call told it.
    pub error: Option<FaultReport>,
    /// More examples, which the repair has to pass.
    pub examples: Vec<Example>,
    /// More properties, which have to hold of the repair.
    pub properties: Vec<String>,
}

/// What is broken.
#[derive(Debug)]
pub enum Broken {
    /// A program, in either notation.
    Code(String),
    /// A tool, by its name.
    Tool(String),
    /// A run, by the number of its entry in the journal.
    Run(i64),
}

/// A fault that an earlier call told. What else it holds is passed over.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct FaultReport {
    /// Its code.
    #[serde(default)]
    pub code: Option<String>,
    /// Where it was.
    #[serde(default)]
    pub at: Option<String>,
    /// The tool in whose source that is.
    #[serde(default)]
    pub tool: Option<String>,
    /// The entry of the run.
    #[serde(default, alias = "entry")]
    pub run: Option<i64>,
}

impl FaultReport {
    /// Whether a fault is this one, as far as it is told.
    pub(super) fn is(&self, fault: &Fault) -> bool {
        let is_same = |told: &Option<String>, own: Option<&str>| {
            told.as_ref().is_none_or(|told| own == Some(told.as_str()))
        };
        is_same(&self.code, Some(fault.code.name()))
            && is_same(&self.at, Some(&fault.at))
            && is_same(&self.tool, fault.tool.as_deref())
    }
}

/// A run that may fail.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) request: Request,
    /// What came of calls of other servers.
    pub(super) calls: Arc<[Before]>,
    /// Where it comes from, if that is not the request.
    pub(super) from: Option<String>,
}

impl Workshop {
    /// The runs that may fail, in the order in which they are tried.
    pub(super) fn cases(&self, wrong: &Wrong) -> Result<Vec<Case>, Fault> {
        let run = match &wrong.broken {
            Broken::Run(run) => Some(*run),
            _ => wrong.error.as_ref().and_then(|error| error.run),
        };
        let is_given = !matches!(wrong.argument, Argument::None) || wrong.context.is_some();
        let code = match &wrong.broken {
            Broken::Run(_) => None,
            Broken::Code(code) => Some(Code::Term(code.clone())),
            Broken::Tool(name) => Some(Code::Tool(name.clone())),
        };
        if let Some(run) = run.filter(|_| !is_given || code.is_none()) {
            let mut case = self.case_of(&self.entry_of(run)?)?;
            case.from = code.is_some().then(|| format!("the input is that of entry {run}"));
            if let Some(code) = code {
                case.request.code = code;
            }
            return Ok(vec![case]);
        }
        let Some(code) = code else { return Ok(Vec::new()) };
        let request = Request {
            context: wrong.context.clone(),
            ..self.request(code, wrong.argument.clone())
        };
        let plain = Case { request, calls: Arc::default(), from: None };
        if is_given {
            return Ok(vec![plain]);
        }
        let mut cases = self.example_cases(wrong)?;
        if let Broken::Tool(name) = &wrong.broken {
            cases.extend(self.last_failed(name)?);
        }
        if cases.is_empty() {
            // A function is its value then: nobody knows what to apply it to.
            let request = Request { argument: Argument::Unapplied, ..plain.request };
            cases.push(Case { request, ..plain });
        }
        Ok(cases)
    }

    /// A request with the limits of the server.
    #[must_use]
    pub fn request(&self, code: Code, argument: Argument) -> Request {
        Request {
            code,
            argument,
            context: None,
            bindings: Vec::new(),
            keep: false,
            limits: self.limits,
            step: 0,
            max_steps: u64::MAX,
            output_schema: None,
            debug: false,
            steps: 0,
        }
    }

    /// A run for each example that has one argument.
    fn example_cases(&self, wrong: &Wrong) -> Result<Vec<Case>, Fault> {
        let (code, stored) = match &wrong.broken {
            Broken::Code(code) => (Code::Term(code.clone()), Vec::new()),
            Broken::Tool(name) => {
                let tool = self.tools()?.find(name)?;
                let stored = tool.map(|it| from_json(&it.examples)).transpose()?;
                (Code::Tool(name.clone()), stored.unwrap_or_default())
            }
            Broken::Run(_) => return Ok(Vec::new()),
        };
        let given =
            wrong.examples.iter().enumerate().map(|(index, it)| ("given example", index, it));
        let stored = stored.iter().enumerate().map(|(index, it)| ("example", index, it));
        let cases = given.chain(stored).filter_map(|(kind, index, example)| {
            let argument = match (&example.input, &example.data) {
                (Some(input), _) => Argument::Input(input.get().to_owned()),
                (None, Some(data)) => Argument::Data(data.get().to_owned()),
                (None, None) => return None,
            };
            let from = Some(format!("the input is that of {kind} {index}"));
            let request = self.request(code.clone(), argument);
            Some(Case { request, calls: of_example(example), from })
        });
        Ok(cases.collect())
    }

    /// The last run of a tool that failed, if the journal still has it.
    fn last_failed(&self, tool: &str) -> Result<Option<Case>, Fault> {
        let filter = Filter {
            kind: Some(EntryKind::Run),
            subject: Some(tool.to_owned()),
            ..Filter::default()
        };
        let entries = self.journal.entries(&filter, true, MOST_ENTRIES).map_err(stored)?;
        let failed = entries
            .iter()
            .filter(|it| FaultCode::find(&it.ending).is_some_and(|code| !code.is_worldly()));
        let mut cases = failed.filter_map(|entry| Some((entry.id, self.case_of(entry).ok()?)));
        Ok(cases.next().map(|(id, case)| Case {
            from: Some(format!("the input is that of entry {id}")),
            ..case
        }))
    }

    fn entry_of(&self, run: i64) -> Result<Entry, Fault> {
        match self.journal.entry(run).map_err(stored)? {
            Some(entry) => Ok(entry),
            None => Err(self.missing_entry(run)?),
        }
    }

    /// The run of an entry, with what others answered then.
    fn case_of(&self, entry: &Entry) -> Result<Case, Fault> {
        let (mut request, body) = read(entry).map_err(|reason| {
            let message = format!("the run of entry {} cannot be repeated: {reason}", entry.id);
            fault(FaultCode::Malformed, message, Some("give the program and its input"))
        })?;
        let archive = self.archive()?;
        let mut bindings = Vec::new();
        for answer in &body.answers {
            if let Answer::Binding(name, hash) = answer {
                let term = archive.text(hash).map_err(stored)?;
                bindings.push(Binding { name: name.clone(), term });
            }
        }
        (request.bindings, request.keep) = (bindings, false);
        (request.debug, request.output_schema) = (false, None);
        Ok(Case { request, calls: of_run(&body.answers, &archive), from: None })
    }
}
