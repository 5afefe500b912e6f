//! `mcp-pif task`: has a model write a program that solves a task.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use pif_broker::Client;
use pif_domain::{Completion, Failure, Fault, FaultCode, Limit, Message, Reason, Thinking, fault};
use pif_sandbox::{AnswerFuture, Watch, finish, milliseconds};
use pif_server::config::Options;
use pif_server::render;
use pif_server::workshop::{
    Assignment, GivenExample, Helper, ModelError, Ran, Screening, USUAL_LOOPS, Workshop, question,
    solve, until,
};
use serde_json::{Value, json};

use super::open::open;
use super::print::{complain, fail, print};
use super::run::{Terminal, link};
use super::settings::start;
use super::source::read;

#[derive(Debug, Args)]
pub(super) struct Task {
    /// What is wanted, in words; `-` reads stdin, `@FILE` a file
    task: String,
    /// What the program is applied to, as plain JSON; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON", allow_negative_numbers = true)]
    data: Option<String>,
    /// A JSON object whose members are variables of the program; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    context: Option<String>,
    /// A JSON Schema for the answer; or `-`, or `@FILE`
    #[arg(long, value_name = "JSON")]
    output_schema: Option<String>,
    /// What the program gives for other data, as {"data": …, "output": …}; may be given again
    #[arg(long = "example", value_name = "JSON")]
    examples: Vec<String>,
    /// The most programs that are tried
    #[arg(long, value_name = "N", default_value_t = USUAL_LOOPS, value_parser = clap::value_parser!(u64).range(1..=50))]
    max_loops: u64,
    /// How much the model thinks
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    thinking_level: Option<Thinking>,
    /// Let programs call tools of other servers that change something
    #[arg(long)]
    allow_writes: bool,
    /// A snapshot whose tools programs have, and which gets the program
    #[arg(long, value_name = "N")]
    snapshot: Option<i64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn level(text: &str) -> Result<Thinking, String> {
    let names: Vec<&str> = Thinking::ALL.iter().map(|(_, name)| *name).collect();
    let found = Thinking::ALL.into_iter().find(|(_, name)| *name == text);
    found.map(|(level, _)| level).ok_or_else(|| format!("write one of: {}", names.join(", ")))
}

impl Task {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let mut config = start(options, None)?;
        let values = config.values;
        // It ends with this process, and its broker too.
        let (broker, _runtime) = link(&mut config)?.unzip();
        let workshop = open(&config)?.calling(broker.clone());
        let is_json = self.json;
        let mut asked = self.assignment()?;
        asked.most_tokens = values.get(Limit::TaskTokens);
        asked.most_millis = milliseconds(values.time(Limit::TaskWallClock));
        let clock = Watch::new(values.time(Limit::WallClock));
        let offers = broker.as_ref().map(|it| finish(it.offers(None)).tools).unwrap_or_default();
        let inner = match workshop.of_task(&asked) {
            Ok(inner) => inner,
            Err(fault) => return Ok(fail(&[fault])),
        };
        if let Err(fault) = inner.furnish(&mut asked, &offers, &clock) {
            return Ok(fail(&[fault]));
        }
        let Some(model) = broker.filter(|it| it.model().is_some()) else {
            complain(&question(&asked));
            return Ok(fail(&[no_model()]));
        };
        let mut live = Live {
            model,
            workshop: &inner,
            asked: &asked,
            until: until(&asked),
            clock: values.time(Limit::WallClock),
            waiting: values.time(Limit::Waiting),
        };
        let solved = finish(solve(&asked, &mut live));
        let entry = match workshop.note_task(&asked, &solved) {
            Ok(entry) => entry,
            Err(fault) => return Ok(fail(&[fault])),
        };
        let keep = inner.keep(&asked, &solved, &clock.again()).ok().flatten();
        let arguments = json!({ "snapshot": asked.snapshot }).to_string();
        let staged = workshop.stage_solution(&asked, keep.as_ref(), &arguments, &clock.again());
        let most = usize::MAX;
        Ok(match render::solution(&solved, entry, keep.as_ref(), staged.as_ref(), most) {
            Ok(reply) if is_json => print(&reply.record()),
            Ok(reply) => {
                reply.asides().iter().for_each(|line| complain(line));
                print(reply.text())
            }
            Err(refusal) => {
                complain(refusal.text());
                refusal.asides().iter().for_each(|line| complain(line));
                ExitCode::FAILURE
            }
        })
    }

    fn assignment(self) -> Result<Assignment> {
        let given = |text: &String| -> Result<GivenExample> {
            let value: Value = serde_json::from_str(text).context("an example")?;
            let part = |name: &str| value.get(name).map(ToString::to_string).context("an example");
            Ok(GivenExample { data: part("data")?, output: part("output")? })
        };
        Ok(Assignment {
            task: read(&self.task)?,
            data: self.data.as_deref().map(read).transpose()?,
            context: self.context.as_deref().map(read).transpose()?,
            output_schema: self.output_schema.as_deref().map(read).transpose()?,
            examples: self.examples.iter().map(given).collect::<Result<_>>()?,
            max_loops: self.max_loops,
            thinking: self.thinking_level,
            allow_writes: self.allow_writes,
            snapshot: self.snapshot,
            ..Assignment::default()
        })
    }
}

fn no_model() -> Fault {
    let message = "no model is configured; the prompt stands above".to_owned();
    let hint = "the operator names a model under `models` in capabilities.json";
    fault(FaultCode::NoModel, message, Some(hint))
}

/// The helper of a task on the command line.
struct Live<'a> {
    model: Client,
    workshop: &'a Workshop,
    asked: &'a Assignment,
    until: Instant,
    /// The clocks of a run.
    clock: Duration,
    waiting: Duration,
}

impl Live<'_> {
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

impl Helper for Live<'_> {
    fn ask<'a>(
        &'a mut self,
        messages: &'a [Message],
    ) -> AnswerFuture<'a, Result<Completion, ModelError>> {
        Box::pin(async move {
            let left = self.left();
            if left.is_zero() {
                let message = "the time of the task is over, nothing was asked";
                return Err(ModelError::Failed(Failure::new(Reason::Timeout, message)));
            }
            let answer = self.model.complete(messages.to_vec(), self.asked.thinking, left).await;
            answer.map_err(ModelError::Failed)
        })
    }

    fn check<'a>(&'a mut self, program: &'a str) -> AnswerFuture<'a, Result<Screening, Fault>> {
        let clock = Watch::new(self.clock);
        let checked = self.workshop.check_program(self.asked, program, &clock);
        Box::pin(std::future::ready(checked))
    }

    fn run<'a>(
        &'a mut self,
        program: &'a str,
        data: Option<&'a str>,
    ) -> AnswerFuture<'a, Result<Ran, Fault>> {
        let clock = Watch::new(self.clock).waiting_at_most(self.waiting.min(self.left()));
        Box::pin(async move {
            let workshop = self.workshop;
            let asked = self.asked;
            workshop.run_program(asked, (program, data), &mut Terminal, &clock).await
        })
    }
}
