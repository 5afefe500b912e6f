//! Evaluators that mean harm: components with the contract of wit/ whose functions do whatever a
//! test has them do. What the sandbox promises must hold for them too.

use std::fmt::Write;
use std::future::ready;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use pif_domain::{CallOutcome, Fault, Refusal};
use pif_sandbox::{
    Answer, AnswerFuture, Argument, Calls, Code, Limits, Net, Outcome, Program, Request, Sandbox,
    Setup, Watch, World, drive,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Never comes back.
pub(crate) const SPIN: &str = "(loop $again (br $again)) (unreachable)";
/// Dies at once.
pub(crate) const TRAP: &str = "(unreachable)";
/// Takes memory until there is no more, and dies.
pub(crate) const GREED: &str = "(loop $more (br_if $more (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0)))) (unreachable)";
/// Calls itself for ever.
pub(crate) const RECURSE: &str = "(call $recurse (i32.const 0))";

/// Where a step is written.
pub(crate) const STEP: u32 = 64;

/// The bodies of an evaluator's functions, in the text format of WebAssembly. The ones that are
/// there from the start do their duty: every program's value is 42.
#[derive(Debug, Clone)]
pub(crate) struct Evaluator {
    pub(crate) realloc: String,
    pub(crate) start: String,
    pub(crate) resume: String,
    pub(crate) usage: String,
    pub(crate) debug: String,
    pub(crate) check: String,
    pub(crate) forms: String,
    /// Bytes in memory from address 2,048 on.
    pub(crate) data: String,
}

impl Default for Evaluator {
    fn default() -> Self {
        let empty = "(i32.const 512)".to_owned();
        Self {
            realloc: "(call $allocate (local.get 3))".to_owned(),
            start: "(i32.store (i32.const 20) (call $new (i32.const 1))) (i32.const 16)".to_owned(),
            resume: step(0, &[(8, 1_024), (12, 2), (16, 1_032), (20, 7)]),
            usage: empty.clone(),
            debug: empty.clone(),
            check: failing(),
            forms: empty,
            data: String::new(),
        }
    }
}

/// A body that gives this case of a step, with these words at these offsets.
pub(crate) fn step(case: u32, words: &[(u32, u32)]) -> String {
    let mut body = format!("(i32.store8 (i32.const {STEP}) (i32.const {case}))");
    for (offset, word) in words {
        let _ = write!(body, "(i32.store (i32.const {}) (i32.const {word}))", STEP + offset);
    }
    body + &format!("(i32.const {STEP})")
}

/// A `check` that finds no fault and no summary either: an empty list of faults.
fn failing() -> String {
    "(i32.store8 (i32.const 640) (i32.const 1)) (i32.const 640)".to_owned()
}

impl Evaluator {
    /// One whose function of this name has this body.
    pub(crate) fn with(function: &str, body: &str) -> Self {
        let mut evaluator = Self::default();
        let place = match function {
            "realloc" => &mut evaluator.realloc,
            "start" => &mut evaluator.start,
            "usage" => &mut evaluator.usage,
            "debug" => &mut evaluator.debug,
            "check" => &mut evaluator.check,
            "forms" => &mut evaluator.forms,
            _ => &mut evaluator.resume,
        };
        body.clone_into(place);
        evaluator
    }

    fn module(&self) -> String {
        let Self { realloc, start, resume, usage, debug, check, forms, data } = self;
        format!(
            r#"(module
  (import "[export]pif:evaluator/machines@0.1.0" "[resource-new]machine"
    (func $new (param i32) (result i32)))
  (memory (export "memory") 1)
  (table $table 1 funcref)
  (global $top (mut i32) (i32.const 4096))
  (global $calls (mut i32) (i32.const 0))
  (data (i32.const 1024) "42\00\00\00\00\00\00integer\00")
  (data (i32.const 2048) "{data}")
  (func $allocate (param $size i32) (result i32) (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get $size)))
    (block $fits (loop $grow
      (br_if $fits (i32.le_u (global.get $top) (i32.mul (memory.size) (i32.const 65536))))
      (br_if $grow (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0)))
      (unreachable)))
    (local.get $at))
  (func $recurse (param i32) (result i32)
    (i32.add (call $recurse (i32.add (local.get 0) (i32.const 1))) (i32.const 1)))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) {realloc})
  (func (export "pif:evaluator/machines@0.1.0#[static]machine.start")
    (param i32) (result i32) {start})
  (func (export "pif:evaluator/machines@0.1.0#[method]machine.resume")
    (param i32 i32 i64 i32 i64 i32 i32 i32 i32 i32 i32 i32 i32 i64) (result i32) {resume})
  (func (export "pif:evaluator/machines@0.1.0#[method]machine.usage")
    (param i32) (result i32) {usage})
  (func (export "pif:evaluator/machines@0.1.0#[method]machine.debug")
    (param i32) (result i32) {debug})
  (func (export "pif:evaluator/machines@0.1.0#[method]machine.tell-named-steps") (param i32 i32))
  (func (export "pif:evaluator/machines@0.1.0#[method]machine.steps")
    (param i32) (result i32) (i32.const 512))
  (func (export "pif:evaluator/machines@0.1.0#[dtor]machine") (param i32) (unreachable))
  (func (export "pif:evaluator/machines@0.1.0#evaluate") (param i32 i32) (result i32) (unreachable))
  (func (export "pif:evaluator/analysis@0.1.0#check") (param i32 i32) (result i32) {check})
  (func (export "pif:evaluator/analysis@0.1.0#foresee") (param i32 i32) (result i32) (unreachable))
  (func (export "pif:evaluator/analysis@0.1.0#locate") (param i32 i32 i32 i32) (result i32)
    (unreachable))
  (func (export "pif:evaluator/analysis@0.1.0#notation") (param i32 i32) (result i32) (unreachable))
  (func (export "pif:evaluator/analysis@0.1.0#rename") (param i32 i32 i32 i32 i32 i32)
    (result i32) (unreachable))
  (func (export "pif:evaluator/analysis@0.1.0#words") (result i32) (unreachable))
  (func (export "pif:evaluator/analysis@0.1.0#forms") (result i32) {forms}))"#
        )
    }

    /// The component.
    pub(crate) fn component(&self) -> Result<Vec<u8>> {
        let mut module = wat::parse_str(self.module())?;
        let mut resolve = Resolve::default();
        let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wit");
        let (package, _) = resolve.push_dir(wit)?;
        let world = resolve.select_world(&[package], Some("guest"))?;
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
        ComponentEncoder::default().module(&module)?.validate(true).encode()
    }

    /// A sandbox around it.
    pub(crate) fn sandbox(&self, net: Net) -> Result<Sandbox> {
        self.sandbox_for(net, 1)
    }

    pub(crate) fn sandbox_for(&self, net: Net, concurrency: usize) -> Result<Sandbox> {
        let component = self.component()?;
        let setup = Setup { component: &component, cache: None, concurrency, net };
        Sandbox::set_up(&setup).context("no sandbox")
    }
}

/// Limits that no evaluator meets which does not count.
pub(crate) const LIMITS: Limits =
    Limits { fuel: 1_000, depth: 1_000, memory: 1 << 10, output: 1 << 20 };

/// A net that no evaluator meets in a test's time.
pub(crate) const ENDLESS: Net = Net { fuel: 1 << 60, fuel_per_unit: 0, memory: Net::WIDE.memory };

/// A net that is met at once.
pub(crate) const NARROW: Net = Net { fuel: 1_000_000, fuel_per_unit: 0, memory: 8 << 20 };

/// A clock that never ends a test.
pub(crate) fn patient() -> Watch {
    Watch::new(Duration::from_hours(1))
}

pub(crate) fn program(code: &str) -> Program {
    Program {
        code: Code::Term(code.into()),
        argument: Argument::None,
        context: None,
        bindings: Vec::new(),
        tools: Vec::new(),
        step: 0,
        debug: false,
        keep: false,
    }
}

/// Drives a run as the server does.
pub(crate) fn run(sandbox: &Sandbox, code: &str, debug: bool, watch: &Watch) -> Outcome {
    let request = Request {
        code: Code::Term(code.into()),
        argument: Argument::None,
        context: None,
        bindings: Vec::new(),
        keep: false,
        limits: LIMITS,
        step: 0,
        max_steps: 1_000_000,
        output_schema: None,
        steps: 0,
        debug,
    };
    drive(sandbox, request, &mut Nothing, watch)
}

/// A world without tools.
struct Nothing;

impl World for Nothing {
    fn source<'a>(&'a mut self, _tool: &'a str) -> AnswerFuture<'a, Result<Option<String>, Fault>> {
        Box::pin(ready(Ok(None)))
    }

    fn similar<'a>(&'a mut self, _tool: &'a str) -> AnswerFuture<'a, Option<String>> {
        Box::pin(ready(None))
    }

    fn perform<'a>(&'a mut self, calls: &'a Calls) -> AnswerFuture<'a, Result<Answer, Fault>> {
        let denied = Refusal::denied(&calls.calls);
        Box::pin(ready(Ok(Err::<Vec<CallOutcome>, _>(denied).into())))
    }

    fn advance(&mut self, _driven: u64) {}

    fn debug(&mut self, _line: &str) {}
}
