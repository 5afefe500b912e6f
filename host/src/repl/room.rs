//! A session at the terminal: makes turns, and prints what comes of them.

mod completion;
mod limits;

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use pif_domain::text;
use pif_domain::{Fault, Limit};
use pif_sandbox::{Argument, Code, Completion, Limits, Outcome, Request, Watch, finish};
use pif_server::config::Config;
use pif_server::render;
use pif_server::workshop::{Declaration, Plan, RunResult, Workshop, too_large};
use pif_store::session::{Binding, Change, Removal, Session, USER, Which, is_name};
use serde::Deserialize;
use serde_json::Value;

use super::super::print::{MOST_LINE, Output, complain, fail, is_terminal, warn};
use super::super::run::Terminal;
use super::hint::at_the_prompt;
use super::interrupt::Interrupt;
use super::next::Next;
use super::pages::Pages;
use super::paint::Paint;
use super::table::{shape, table};

/// A row of the table of forms.
#[derive(Debug, Deserialize)]
struct Form {
    name: String,
    syntax: String,
    doc: String,
}

/// A session, and who talks with it.
pub(super) struct ReplSession {
    workshop: Workshop,
    which: Which,
    limits: Cell<Limits>,
    ceilings: Limits,
    clocks: [std::time::Duration; 2],
    most_code: usize,
    forms: Vec<Form>,
    interrupt: Option<Interrupt>,
    is_terminal: bool,
    paint: Paint,
    width: Cell<usize>,
    is_heard: Cell<bool>,
    pages: Pages,
    /// The repair of the last program, if that was wrong and the repair is sure.
    fixed: RefCell<Option<(Option<String>, String)>>,
}

impl ReplSession {
    pub(super) fn new(
        workshop: Workshop,
        config: &Config,
        session: String,
        (is_terminal, paint): (bool, Paint),
    ) -> Result<Self> {
        let time = |limit| config.values.time(limit);
        let watch = Watch::new(time(Limit::WallClock));
        let tables = workshop.sandbox.tables(&watch);
        let forms = tables.ok().and_then(|(forms, _)| serde_json::from_str(&forms).ok());
        Ok(Self {
            which: Which { owner: USER.to_owned(), name: session },
            limits: Cell::new(config.limits),
            ceilings: config.ceilings,
            clocks: [time(Limit::WallClock), time(Limit::Waiting)],
            most_code: config.values.size(Limit::Code),
            forms: forms.unwrap_or_default(),
            interrupt: is_terminal.then(Interrupt::listen).transpose()?,
            is_terminal,
            paint,
            width: Cell::new(80),
            is_heard: Cell::new(true),
            pages: Pages::default(),
            fixed: RefCell::default(),
            workshop,
        })
    }

    pub(super) fn greet(&self) {
        let name = &self.which.name;
        let line = format!("session {name}; :help shows the commands, Ctrl-D leaves");
        self.say(&self.paint().faint(&line));
    }

    /// Gets ready for the next input.
    pub(super) fn await_input(&self) {
        if let Some(interrupt) = &self.interrupt {
            interrupt.rearm();
        }
    }

    pub(super) fn set_width(&self, width: usize) {
        self.width.set(width);
    }

    /// Whether somebody still reads the output.
    pub(super) fn is_heard(&self) -> bool {
        self.is_heard.get()
    }

    pub(super) fn paint(&self) -> Paint {
        self.paint
    }

    pub(super) fn history_file(&self) -> Option<PathBuf> {
        Some(self.workshop.path()?.with_file_name("repl_history"))
    }

    fn watch(&self) -> Watch {
        let [wall, waiting] = self.clocks;
        let watch = match &self.interrupt {
            Some(interrupt) => Watch::cancelled_by(interrupt.token(), wall),
            None => Watch::new(wall),
        };
        watch.waiting_at_most(waiting)
    }

    /// Whether Ctrl-C has come since the last input.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|it| it.token().is_cancelled())
    }

    /// The declaration of which a program consists.
    pub(super) fn declaration<'a>(&self, code: &'a str) -> Option<Declaration<'a>> {
        self.workshop.declaration(code, &self.watch())
    }

    /// Whether a program is only the beginning of one.
    pub(super) fn goes_on(&self, code: &str) -> bool {
        if code.len() > self.most_code {
            return false;
        }
        match self.workshop.sandbox.check(code, &self.watch()) {
            Ok(_) => false,
            Err(faults) => faults.first().is_some_and(|fault| fault.is_incomplete),
        }
    }

    /// Makes a turn. With a name its value is bound.
    pub(super) fn turn(&self, name: Option<&str>, code: &str) -> Next {
        let length = code.len();
        let most = self.most_code;
        if length > most {
            return self.refuse(&too_large(Limit::Code, "code", length, most));
        }
        self.fixed.take();
        match self.make(name, code, false, &mut Terminal).outcome.ending {
            Ok(ending) => self.show(name, &ending),
            Err(fault) => {
                let fix = fault.fix.as_ref();
                let fixed = fix.map(|fix| (name.map(str::to_owned), fix.fixed.clone()));
                let is_fixed = fixed.is_some();
                self.fixed.replace(fixed);
                let next = self.refuse(&at_the_prompt(fault));
                if is_fixed && self.is_terminal {
                    complain("`:fix` runs it so");
                }
                next
            }
        }
    }

    /// Makes the turn again with the repair of its program.
    pub(super) fn fix(&self, _: &str) -> Next {
        match self.fixed.take() {
            Some((name, code)) => self.turn(name.as_deref(), &code),
            None => self.wrong("there is nothing to repair"),
        }
    }

    fn make(
        &self,
        name: Option<&str>,
        code: &str,
        debug: bool,
        observer: &mut (dyn pif_server::workshop::Observer + Send),
    ) -> RunResult {
        let tools = match self.workshop.tools() {
            Ok(tools) => tools,
            Err(fault) => {
                return RunResult::new(Outcome::before(fault), self.limits.get(), Duration::ZERO);
            }
        };
        let is_tool = matches!(tools.find(code), Ok(Some(_)));
        let request = Request {
            code: if is_tool { Code::Tool(code.to_owned()) } else { Code::Term(code.to_owned()) },
            // Nothing is ever given to a function, so it is a value.
            argument: Argument::Unapplied,
            context: None,
            bindings: Vec::new(),
            keep: true,
            limits: self.limits.get(),
            step: 0,
            max_steps: 0,
            output_schema: None,
            debug,
            steps: 0,
        };
        let name = name.map(str::to_owned);
        let which = self.which.clone();
        let place = String::new();
        let plan = Plan { which, define: Vec::new(), name, place };
        let watch = self.watch();
        finish(self.workshop.turn_in_turns(&plan, &request, &tools, observer, &watch))
    }

    fn show(&self, name: Option<&str>, ending: &Completion) -> Next {
        let (json, warnings) = match ending {
            Completion::Value(value) => {
                value.trace.iter().for_each(|line| complain(&text::line(line, MOST_LINE)));
                (&value.json, &value.warnings)
            }
            Completion::Continuation(continuation) => (&continuation.json, &continuation.warnings),
        };
        warn(warnings);
        if let (Some(name), true) = (name, self.is_terminal) {
            let kind = if let Completion::Value(value) = ending { value.kind.as_str() } else { "" };
            return self.say(&self.paint().faint(&format!("{name}: {kind}")));
        }
        if name.is_some() {
            return Next::Done;
        }
        if !is_terminal() {
            return self.say(&text::plain(json));
        }
        // A value may hold what a terminal obeys.
        let laid_out = self.laid_out(ending, json);
        let shown = laid_out.unwrap_or_else(|| text::visible(json).into_owned());
        self.say(&self.pages.first(shown))
    }

    /// Goes on with a value that was cut.
    pub(super) fn more(&self, all: &str) -> Next {
        match self.pages.next(all == "all") {
            Some(page) => self.say(&page),
            None => self.wrong("nothing is left to show"),
        }
    }

    /// A value for people: a table, or its source in lines.
    fn laid_out(&self, ending: &Completion, json: &str) -> Option<String> {
        let width = self.width.get();
        if let Ok(value @ Value::Array(_)) = serde_json::from_str(json)
            && let Some(table) = table(&value, width, |head| self.paint().strong(head))
        {
            return Some(table);
        }
        let Completion::Value(value) = ending else { return None };
        let term = value.term.as_ref()?.as_ref().ok()?;
        let is_short = json.len() <= width && value.kind != "function";
        let notation = (!is_short).then(|| self.workshop.sandbox.notation(term, &self.watch()));
        notation?.ok()
    }

    /// Prints lines.
    pub(super) fn say(&self, text: &str) -> Next {
        let mut output = Output::open();
        self.is_heard.set(output.line(text) && output.flush());
        output.close();
        Next::Done
    }

    fn refuse(&self, fault: &Fault) -> Next {
        fail(std::slice::from_ref(fault));
        Next::Failed
    }

    pub(super) fn wrong(&self, message: &str) -> Next {
        complain(message);
        Next::Failed
    }

    pub(super) fn open(&self) -> Result<(Session, Vec<Binding>), Fault> {
        self.workshop.session(&self.which)
    }

    pub(super) fn bindings(&self) -> Next {
        match self.open() {
            Ok((_, bindings)) if bindings.is_empty() => self.say("no bindings"),
            Ok((_, bindings)) => {
                let line = |it: &Binding| format!("{}: {}, {} bytes", it.name, it.kind, it.bytes);
                self.say(&bindings.iter().map(line).collect::<Vec<_>>().join(
                    "
",
                ))
            }
            Err(fault) => self.refuse(&fault),
        }
    }

    pub(super) fn source(&self, name: &str) -> Next {
        match self.find_source(name) {
            Ok(Some(term)) => match self.workshop.sandbox.notation(&term, &self.watch()) {
                Ok(notation) => self.say(&notation),
                Err(_) => self.say(&text::plain(&term)),
            },
            Ok(None) => {
                let name = text::quote_one(name);
                self.wrong(&format!(
                    "neither a binding nor a tool is named {name}; :bindings shows those"
                ))
            }
            Err(fault) => self.refuse(&fault),
        }
    }

    fn find_source(&self, name: &str) -> Result<Option<String>, Fault> {
        let (_, bindings) = self.open()?;
        if let Some(binding) = bindings.iter().find(|binding| binding.name == name) {
            return self.workshop.term_of(binding);
        }
        let tool = self.workshop.tools()?.find(name.trim_start_matches('@'))?;
        Ok(tool.map(|tool| tool.source))
    }

    pub(super) fn shape(&self, code: &str) -> Next {
        match self.make(None, code, false, &mut Terminal).outcome.ending {
            Ok(Completion::Value(value)) => match serde_json::from_str::<Value>(&value.json) {
                Ok(json) if matches!(value.kind.as_str(), "list" | "record") => {
                    self.say(&shape(&json))
                }
                _ => self.say(&value.kind),
            },
            Ok(Completion::Continuation(_)) => self.say("continuation"),
            Err(fault) => self.refuse(&fault),
        }
    }

    pub(super) fn trace(&self, code: &str) -> Next {
        let RunResult { outcome, .. } = self.make(None, code, true, &mut Terminal);
        match outcome.ending {
            Ok(ending) => self.show(None, &ending),
            Err(fault) => self.refuse(&fault),
        }
    }

    pub(super) fn check(&self, code: &str) -> Next {
        match self.workshop.check(code, &self.watch()) {
            Ok(summary) => {
                let told = self.workshop.type_of(&summary, code, &self.watch());
                self.say(&render::describe(&summary, told.as_ref()))
            }
            Err(faults) => {
                fail(&faults);
                Next::Failed
            }
        }
    }

    pub(super) fn doc(&self, name: &str) -> Next {
        let Some(form) = self.forms.iter().find(|form| form.name == name) else {
            let names = self.forms.iter().map(|form| form.name.as_str());
            let hint = text::similar::similar(name, names);
            let hint = hint.map_or_else(String::new, |name| format!(": did you mean {name}?"));
            return self.wrong(&format!("there is no form {}{hint}", text::quote_one(name)));
        };
        self.say(&format!(
            "{}
{}",
            form.doc, form.syntax
        ))
    }

    pub(super) fn history(&self) -> Next {
        let turns = self.open().and_then(|(session, _)| self.workshop.turns_of(&session));
        match turns {
            Ok(turns) => {
                let lines = turns.iter().rev().map(|turn| {
                    let told: Value = serde_json::from_str(&turn.told).unwrap_or_default();
                    let part = |name: &str| text::line(told[name].as_str().unwrap_or_default(), 60);
                    format!("{}: {}{} → {}", turn.turn, part("tool"), part("code"), part("value"))
                });
                let lines: Vec<String> = lines.collect();
                self.say(&if lines.is_empty() { "no turns".to_owned() } else { lines.join("\n") })
            }
            Err(fault) => self.refuse(&fault),
        }
    }

    pub(super) fn save(&self, name: &str) -> Next {
        let which = self.which.clone();
        let saved = name.to_owned();
        self.change(name, Change::Save { which, saved }, "saved")
    }

    pub(super) fn load(&self, name: &str) -> Next {
        let which = self.which.clone();
        let saved = name.to_owned();
        self.change(name, Change::Restore { which, saved }, "loaded")
    }

    pub(super) fn forget(&self, names: &str) -> Next {
        let names: Vec<String> =
            names.split([' ', ',']).filter(|it| !it.is_empty()).map(str::to_owned).collect();
        let what = if names.is_empty() { Removal::All } else { Removal::Names(names) };
        self.change("_", Change::Forget { which: self.which.clone(), what }, "forgotten")
    }

    fn change(&self, name: &str, change: Change, done: &str) -> Next {
        if !is_name(name) {
            return self
                .wrong("write a name behind it: a letter or `_`, then letters, digits and `_`");
        }
        let arguments = serde_json::json!({ "name": name }).to_string();
        match self.workshop.change_session(change, &arguments) {
            Ok(_) => self.say(&self.paint().faint(done)),
            Err(fault) => self.refuse(&fault),
        }
    }
}
