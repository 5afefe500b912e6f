//! Answers what is asked about a program before it runs: to clients, and to programs that call
//! `pif.analyze`.

use pif_domain::text::{line, quote_one};
use pif_domain::{Call, CallOutcome, Failure, Fault, FaultCode, Reason, fault};
use pif_sandbox::{Mention, NO_TOOL, Normal, Summary, Typing, Watch};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::opening::Workshop;
use super::types::{Inferred, Sight, told_cost};

/// The built-in capability. It is always granted, and the analyst answers it.
pub(super) const ANALYZE: &str = "pif.analyze";

/// Bytes of the longest normal form that is shown.
const MOST_NORMAL: usize = 20_000;

/// The most characters of a type.
const MOST_TYPE: usize = 2_500;

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// The type, and where it surely fails.
    Type,
    /// A bound of the fuel of a run that has a value.
    Cost,
    /// A term that gives equal values and is as simple as the rules make it.
    Normal,
    /// The tools that it calls, its own and those of other servers.
    Needs,
}

impl Asked {
    /// All questions.
    pub const ALL: [Self; 4] = [Self::Type, Self::Cost, Self::Normal, Self::Needs];
}

/// What is asked about.
#[derive(Debug, Clone)]
pub enum Analyzed {
    /// A program, in either notation.
    Code(String),
    /// A tool, by its name or with a revision.
    Tool(String),
}

/// The answers.
#[derive(Debug)]
pub struct Answered {
    /// The check of the program, with what it needs.
    pub summary: Summary,
    /// Its type; None if nobody asked, or if the analyst cannot tell.
    pub told: Option<Inferred>,
    /// What was asked.
    pub asked: Vec<Asked>,
}

impl Workshop {
    /// Answers questions about a program. No question stands for all of them.
    pub fn analyze(
        &self,
        analyzed: &Analyzed,
        asked: &[Asked],
        watch: &Watch,
    ) -> Result<Answered, Vec<Fault>> {
        let code = match analyzed {
            Analyzed::Code(code) => code.clone(),
            Analyzed::Tool(name) => self.source_of(name).map_err(|fault| vec![fault])?,
        };
        let summary = self.check(&code, watch)?;
        let tools = self.tools().map_err(|fault| vec![fault])?;
        Ok(self.ready_sight(&tools).answer(summary, &code, asked, &watch.again()))
    }

    /// The source of a tool.
    pub(super) fn source_of(&self, name: &str) -> Result<String, Fault> {
        let tools = self.tools()?;
        if let Some((source, _)) = tools.look_up(name)? {
            return Ok(source);
        }
        let message = format!("there is no tool {}", quote_one(name));
        let hint = tools.similar(name).map(|it| format!("did you mean `{it}`?"));
        let hint = hint.unwrap_or_else(|| pif_domain::named(NO_TOOL).into_owned());
        Err(fault(FaultCode::UnknownTool, message, Some(&hint)))
    }
}

impl Sight<'_> {
    /// Answers questions about a program whose check gave this summary.
    fn answer(&self, summary: Summary, code: &str, asked: &[Asked], watch: &Watch) -> Answered {
        let asked = if asked.is_empty() { Asked::ALL.to_vec() } else { asked.to_vec() };
        let told = match asked.iter().any(|it| *it != Asked::Needs) {
            true => self.type_of(&summary, code, asked.contains(&Asked::Normal), watch),
            false => None,
        };
        Answered { summary, told, asked }
    }

    /// What comes of a call of `pif.analyze`.
    pub(super) fn answer_call(&self, call: &Call, watch: &Watch) -> CallOutcome {
        let failed = |message: String| {
            CallOutcome::Failed(Failure { reason: Reason::ToolError, message, value: None })
        };
        let Ok(Given { code, ask }) = serde_json::from_str(&call.args) else {
            return failed(format!(
                "write {ANALYZE}({{code: quote(x => x + 1), ask: [\"type\"]}})"
            ));
        };
        let code = read_code(&code);
        let answered = self.sandbox.check(&code, watch).and_then(|mut summary| {
            let reach = self.reach(&summary, watch).map_err(|fault| vec![fault])?;
            let mention = |name| Mention { name, at: String::new(), excerpt: None };
            summary.needs = reach.needs.into_iter().map(mention).collect();
            (summary.pure, summary.computed) = (reach.pure, reach.computed);
            Ok(self.answer(summary, &code, &ask, watch))
        });
        match answered {
            Ok(answered) => CallOutcome::Value(Value::Object(answered.record()).to_string()),
            Err(faults) => failed(faults.first().map_or_else(String::new, |it| it.message.clone())),
        }
    }
}

/// The arguments of `pif.analyze`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    code: Box<RawValue>,
    #[serde(default)]
    ask: Vec<Asked>,
}

/// A quoted term, as a value of a program has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Quoted {
    quote: Box<RawValue>,
}

/// The code in an argument: the text of a program, or a quoted term.
fn read_code(code: &RawValue) -> String {
    if let Ok(text) = serde_json::from_str::<String>(code.get()) {
        return text;
    }
    match serde_json::from_str::<Quoted>(code.get()) {
        Ok(Quoted { quote }) => quote.get().to_owned(),
        Err(_) => code.get().to_owned(),
    }
}

impl Answered {
    /// The answers as a record.
    #[must_use]
    pub fn record(&self) -> Map<String, Value> {
        let Self { summary, told, asked } = self;
        let mut record = Map::new();
        record.insert("revision".to_owned(), summary.hash.as_str().into());
        if let Some(told) = told {
            if asked.contains(&Asked::Type) {
                told.put(&mut record);
                put_parts(&mut record, &told.typing);
            }
            let cost = told.cost.as_ref().filter(|_| asked.contains(&Asked::Cost));
            match cost {
                Some(cost) => record.insert("cost".to_owned(), told_cost(cost)),
                None => record.remove("cost"),
            };
            if let Some(normal) = &told.normal {
                put_normal(&mut record, normal);
            }
        }
        if asked.contains(&Asked::Needs) {
            record.insert("needs".to_owned(), needs(summary));
        }
        record
    }
}

/// The parameters and the output of a program.
fn put_parts(record: &mut Map<String, Value>, typing: &Typing) {
    let line = |shape: &String| line(shape, MOST_TYPE);
    let parameters: Vec<Value> = typing
        .parameters
        .iter()
        .map(|it| json!({"name": it.name, "type": line(&it.shape), "accepts": line(&it.accepted)}))
        .collect();
    record.insert("parameters".to_owned(), parameters.into());
    record.insert("output".to_owned(), line(&typing.output).into());
}

/// The normal form, if it is short enough to be shown.
fn put_normal(record: &mut Map<String, Value>, normal: &Normal) {
    if normal.notation.len() <= MOST_NORMAL {
        record.insert("normal".to_owned(), normal.notation.as_str().into());
    }
    if let Some(hash) = &normal.hash {
        record.insert("normal_hash".to_owned(), hash.as_str().into());
    }
}

fn needs(summary: &Summary) -> Value {
    let servers: Vec<&String> = summary.needs.iter().map(|it| &it.name).collect();
    json!({
        "pure": summary.pure,
        "computed": summary.computed,
        "tools": summary.names(),
        "servers": servers,
    })
}
