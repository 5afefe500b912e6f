//! Answers what is asked about a program before it runs: to clients, and to programs that call
//! `pif.analyze`.

use pif_domain::text::{line, quote_one};
use pif_domain::{Call, CallOutcome, Failure, Fault, FaultCode, Reason, fault};
use pif_sandbox::{Mention, NO_TOOL, Normal, Summary, Typing, Watch};
use pif_store::registry::name::OWN;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::equality::Equality;
use super::laws::LawsResult;
use super::opening::Workshop;
use super::property::MOST_PROPERTIES;
use super::property_trial::PropertyResult;
use super::types::{ProgramType, Sight, cost_record};
use super::world::Tools;

/// The built-in capability. It is always granted, and the analyst answers it.
pub(super) const ANALYZE: &str = "pif.analyze";

/// Bytes of the longest normal form that is shown.
const MOST_NORMAL: usize = 20_000;

/// The most characters of a type.
const MOST_TYPE: usize = 2_500;

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// The type, and where it surely fails.
    Type,
    /// A bound of the fuel of a run that has a value.
    Cost,
    /// A term that gives equal values and is as simple as the rules make it.
    Normal,
    /// The tools that it calls, its own and those of other servers.
    Needs,
    /// Which laws a function has: associative, commutative, idempotent, order-preserving, total.
    Laws,
}

impl Question {
    /// The questions that no runs answer.
    pub const STILL: [Self; 4] = [Self::Type, Self::Cost, Self::Normal, Self::Needs];
}

/// What is asked about.
#[derive(Debug, Clone)]
pub enum Subject {
    /// A program, in either notation.
    Code(String),
    /// A tool, by its name or with a revision.
    Tool(String),
}

/// What is to be told of a program.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// The questions. None, without the others: all that no runs answer.
    pub ask: Vec<Question>,
    /// A program that it is compared with, in either notation.
    pub against: Option<String>,
    /// Properties that it may have.
    pub properties: Vec<String>,
}

impl Questions {
    /// What is asked, if nothing stands for some.
    fn asked(&self) -> Vec<Question> {
        let is_other = self.against.is_some() || !self.properties.is_empty();
        if self.ask.is_empty() && !is_other { Question::STILL.to_vec() } else { self.ask.clone() }
    }
}

/// The answers.
#[derive(Debug)]
pub struct Analysis {
    /// The check of the program, with what it needs.
    pub summary: Summary,
    /// Its type; None if nobody asked, or if the analyst cannot tell.
    pub told: Option<ProgramType>,
    /// What was asked.
    pub asked: Vec<Question>,
    /// Whether it is equal to another program.
    pub equality: Option<Equality>,
    /// The laws that it has, if it is a function.
    pub laws: Option<Vec<LawsResult>>,
    /// What came of properties.
    pub properties: Vec<PropertyResult>,
}

impl Workshop {
    /// Answers questions about a program.
    pub fn analyze(
        &self,
        analyzed: &Subject,
        questions: &Questions,
        watch: &Watch,
    ) -> Result<Analysis, Vec<Fault>> {
        let tools = self.tools().map_err(|fault| vec![fault])?;
        let code = match analyzed {
            Subject::Code(code) => code.clone(),
            Subject::Tool(name) => source_of(&tools, name).map_err(|fault| vec![fault])?,
        };
        let summary = self.check(&code, watch)?;
        let name = match analyzed {
            Subject::Code(_) => OWN,
            Subject::Tool(name) => name,
        };
        self.ready_sight(&tools).answer(summary, (name, &code), questions, &watch.again())
    }
}

/// The source of a tool.
pub(super) fn source_of(tools: &Tools, name: &str) -> Result<String, Fault> {
    if let Some((source, _)) = tools.look_up(name)? {
        return Ok(source);
    }
    let message = format!("there is no tool {}", quote_one(name));
    let hint = tools.similar(name).map(|it| format!("did you mean `{it}`?"));
    let hint = hint.unwrap_or_else(|| pif_domain::named(NO_TOOL).into_owned());
    Err(fault(FaultCode::UnknownTool, message, Some(&hint)))
}

impl Sight<'_> {
    /// Answers questions about a program whose check gave this summary. `name` is that of the tool, or
    /// `self`.
    fn answer(
        &self,
        summary: Summary,
        (name, code): (&str, &str),
        questions: &Questions,
        watch: &Watch,
    ) -> Result<Analysis, Vec<Fault>> {
        let one = |fault| vec![fault];
        let asked = questions.asked();
        let is_typed =
            asked.iter().any(|it| matches!(it, Question::Type | Question::Cost | Question::Normal));
        let told = match is_typed {
            true => self.type_of(&summary, code, asked.contains(&Question::Normal), watch),
            false => None,
        };
        let equality = match &questions.against {
            Some(against) => Some(self.compare_with(&summary, code, against, watch)?),
            None => None,
        };
        // Runs know a program that is no tool as the tool `self`.
        let tools = self.tools.with_own((name == OWN).then_some(&summary));
        let named = Sight { tools: &tools, ..*self };
        let is_lawful = asked.contains(&Question::Laws);
        let subject = is_lawful.then(|| named.subject_of(&summary, code, watch).0);
        let laws = subject.map(|it| named.laws(&it, name, watch)).transpose().map_err(one)?;
        let properties = match questions.properties.as_slice() {
            [] => Vec::new(),
            properties => named.properties(name, properties, watch).map_err(one)?,
        };
        Ok(Analysis { summary, told, asked, equality, laws, properties })
    }

    /// Compares a program with another one. A program that is the name of a tool stands for its source.
    fn compare_with(
        &self,
        summary: &Summary,
        code: &str,
        against: &str,
        watch: &Watch,
    ) -> Result<Equality, Vec<Fault>> {
        let one = |fault| vec![fault];
        let other = self.sandbox.check(against, watch)?;
        let mut subjects = Vec::new();
        for (summary, code) in [(summary, code), (&other, against)] {
            let named = summary.tools.first().filter(|_| summary.form == "tool");
            subjects.push(match named {
                None => self.subject_of(summary, code, watch).0,
                Some(tool) => {
                    let source = source_of(self.tools, &tool.name).map_err(one)?;
                    let summary = self.sandbox.check(&source, watch)?;
                    self.subject_of(&summary, &source, watch).0
                }
            });
        }
        let mut subjects = subjects.into_iter();
        let (Some(first), Some(second)) = (subjects.next(), subjects.next()) else {
            let message = "two programs are not two".to_owned();
            return Err(one(fault(FaultCode::Internal, message, None)));
        };
        self.compare(first, second, watch).map_err(one)
    }

    /// What comes of a call of `pif.analyze`.
    pub(super) fn answer_call(&self, call: &Call, watch: &Watch) -> CallOutcome {
        let failed = |message: String| {
            CallOutcome::Failed(Failure { reason: Reason::ToolError, message, value: None })
        };
        let Ok(AnalyzeArguments { code, ask, against, properties }) =
            serde_json::from_str(&call.args)
        else {
            return failed(format!(
                "write {ANALYZE}({{code: quote(x => x + 1), ask: [\"type\"]}})"
            ));
        };
        let code = read_code(&code);
        let against = against.as_deref().map(read_code);
        let properties = properties.iter().map(|it| read_code(it)).collect::<Vec<_>>();
        if properties.len() > MOST_PROPERTIES {
            return failed(format!("give {MOST_PROPERTIES} properties at most"));
        }
        let questions = Questions { ask, against, properties };
        // The run waits meanwhile, and all its waits have one limit.
        let watch = &watch.again_for(watch.waiting_left().min(watch.allowed()));
        let answered = self.sandbox.check(&code, watch).and_then(|mut summary| {
            let reach = self.reach(&summary, watch).map_err(|fault| vec![fault])?;
            let mention = |name| Mention { name, at: String::new(), excerpt: None };
            summary.needs = reach.needs.into_iter().map(mention).collect();
            (summary.pure, summary.computed) = (reach.pure, reach.computed);
            self.answer(summary, (OWN, &code), &questions, watch)
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
struct AnalyzeArguments {
    code: Box<RawValue>,
    #[serde(default)]
    ask: Vec<Question>,
    #[serde(default)]
    against: Option<Box<RawValue>>,
    #[serde(default)]
    properties: Vec<Box<RawValue>>,
}

/// A quoted term, as a value of a program has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuotedTerm {
    quote: Box<RawValue>,
}

/// The code in an argument: the text of a program, or a quoted term.
fn read_code(code: &RawValue) -> String {
    if let Ok(text) = serde_json::from_str::<String>(code.get()) {
        return text;
    }
    match serde_json::from_str::<QuotedTerm>(code.get()) {
        Ok(QuotedTerm { quote }) => quote.get().to_owned(),
        Err(_) => code.get().to_owned(),
    }
}

impl Analysis {
    /// The answers as a record.
    #[must_use]
    pub fn record(&self) -> Map<String, Value> {
        let Self { summary, told, asked, .. } = self;
        let mut record = Map::new();
        record.insert("revision".to_owned(), summary.hash.as_str().into());
        if let Some(told) = told {
            if asked.contains(&Question::Type) {
                told.put(&mut record);
                put_parts(&mut record, &told.typing);
            }
            let cost = told.cost.as_ref().filter(|_| asked.contains(&Question::Cost));
            match cost {
                Some(cost) => record.insert("cost".to_owned(), cost_record(cost)),
                None => record.remove("cost"),
            };
            if let Some(normal) = &told.normal {
                put_normal(&mut record, normal);
            }
        }
        if asked.contains(&Question::Needs) {
            record.insert("needs".to_owned(), needs(summary));
        }
        if let Some(equality) = &self.equality {
            record.insert("equality".to_owned(), equality.record());
        }
        if let Some(laws) = &self.laws {
            let laws: Vec<Value> = laws.iter().map(LawsResult::record).collect();
            record.insert("laws".to_owned(), laws.into());
        }
        if !self.properties.is_empty() {
            let properties: Vec<Value> =
                self.properties.iter().map(PropertyResult::record).collect();
            record.insert("properties".to_owned(), properties.into());
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
