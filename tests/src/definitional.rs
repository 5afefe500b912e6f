//! The definition of the language, in big steps: one Rust function per judgement of the reference,
//! recursive wherever the definition is. The machine has to agree with it on value, fault code and
//! fuel. Of warnings it knows code and place; nothing of memory limits, places of faults or speed.

mod bits;
mod canonical;
mod codec;
mod comparison;
mod compiled;
mod control;
mod date_text;
mod dates;
mod describe;
mod doubt;
mod effects;
mod elementary;
mod format;
mod higher;
mod javascript;
mod json;
mod kept;
mod keys;
mod lists;
mod mapping;
mod members;
mod merge;
mod numbers;
mod operation;
mod pattern;
mod program;
mod reading;
mod records;
mod replacement;
mod script;
mod spoken;
mod statistics;
mod terms;
mod text;
mod tools;
mod value;
mod warnings;

use members::record;
use pif::fault::Code;
use pif::form::Form;
use pif::limits::Limits;
use pif::request::Program;
use pif::term::{TermId, Terms};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use value::{Closure, Context, Continuation, Environment, Value};

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The value, or the kind of fault.
    pub result: Result<Finished, Code>,
    /// Fuel spent.
    pub fuel: u64,
    /// Code and place of each warning; of those beyond the first 20 that arose, their number.
    pub warnings: Vec<String>,
}

/// The value of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Canonical JSON.
    pub json: String,
    /// The value's type.
    pub kind: &'static str,
}

/// The types of values.
pub const KINDS: &[&str] = &[
    "null",
    "boolean",
    "integer",
    "float",
    "string",
    "list",
    "map",
    "set",
    "pair",
    "record",
    "function",
    "quoted",
    "continuation",
    "regex",
    "date",
];

/// Runs a program. Call it `on_large_stack` unless the program is known to be shallow.
#[must_use]
pub fn run(program: &Program, limits: &Limits) -> Outcome {
    let mut evaluator = Evaluator::of(program, limits);
    let result = evaluator.program(program).and_then(|value| {
        let printed = evaluator.print(&value)?;
        evaluator.doubt_result(program, &value);
        Ok(printed)
    });
    let warnings = evaluator.warnings.told(&evaluator.terms);
    Outcome { result, fuel: limits.fuel - evaluator.fuel, warnings }
}

/// Runs a program and compares its value with that of the term that the machine has kept it as.
pub fn compare_kept(program: &Program, limits: &Limits, term: &str) -> Result<(), String> {
    let mut evaluator = Evaluator::of(program, limits);
    let value = evaluator.program(program).map_err(|code| code.name().to_owned())?;
    evaluator.compare_kept(&value, term)
}

impl Evaluator {
    fn of(program: &Program, limits: &Limits) -> Self {
        Self {
            terms: Terms::default(),
            sources: program.tools.iter().cloned().collect(),
            parsed: BTreeMap::new(),
            values: BTreeMap::new(),
            context: Environment::default(),
            limits: *limits,
            fuel: limits.fuel,
            active_evals: 0,
            traced: 0,
            step: program.step,
            failed: Value::Unit,
            upstream: None,
            form: Form::Unit,
            at: 0,
            root: None,
            patterns: VecDeque::new(),
            warnings: warnings::Warnings::default(),
        }
    }
}

/// Calls `f` on a stack that is large enough for any term the tests use.
pub fn on_large_stack<T: Send>(f: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    const STACK: usize = 4 << 30;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, f)?;
        thread.join().map_err(|_| anyhow::anyhow!("the definitional evaluator panicked"))
    })
}

/// What evaluation gives.
type Evaluated = Result<Value, Code>;

/// What a term comes to: a value, or another term evaluated in its place (a tail position).
enum Next {
    Value(Value),
    Tail(TermId, Environment, Context),
}

/// What stands for the name of a tool in submitted code, which has none.
const SUBMITTED: &str = "";

/// The tool that code belongs to.
fn evolved(tool: &Context) -> Result<Rc<str>, Code> {
    tool.clone().filter(|name| &**name != SUBMITTED).ok_or(Code::OutsideTool)
}

/// The state of a run beside term, environment, context and depth.
struct Evaluator {
    terms: Terms,
    sources: BTreeMap<String, String>,
    parsed: BTreeMap<String, TermId>,
    values: BTreeMap<String, Value>,
    /// The variables of the submitted code.
    context: Environment,
    limits: Limits,
    fuel: u64,
    active_evals: u32,
    /// Lines of trace.
    traced: u32,
    step: u64,
    /// The value of the last `fail`.
    failed: Value,
    /// The last call that had no value, and the reason.
    upstream: Option<(String, String)>,
    /// The form whose work is done.
    form: Form,
    /// The last patterns used, the latest first, with their steps.
    patterns: VecDeque<compiled::Known>,
    warnings: warnings::Warnings,
    /// The term of that form.
    at: TermId,
    /// The submitted code.
    root: Option<TermId>,
}

impl Evaluator {
    /// Spends fuel; when there is too little, all that is left.
    fn charge(&mut self, cost: impl Into<u64>) -> Result<(), Code> {
        let left = self.fuel.checked_sub(cost.into());
        self.fuel = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Code::OutOfFuel)
    }

    /// Pays for so many units of the work of the form that is evaluated.
    fn work(&mut self, units: u64) -> Result<(), Code> {
        self.charge(units.saturating_mul(self.form.work_price()))
    }

    fn eval(&mut self, term: TermId, env: &Environment, tool: &Context, depth: u32) -> Evaluated {
        let mut next = self.visit(term, env, tool, depth)?;
        loop {
            match next {
                Next::Value(value) => return Ok(value),
                Next::Tail(term, env, tool) => next = self.visit(term, &env, &tool, depth)?,
            }
        }
    }

    fn finish(&mut self, next: Next, depth: u32) -> Evaluated {
        match next {
            Next::Value(value) => Ok(value),
            Next::Tail(term, env, tool) => self.eval(term, &env, &tool, depth),
        }
    }

    /// One visit of a term node: depth is looked at first, then fuel is spent.
    fn visit(
        &mut self,
        term: TermId,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Result<Next, Code> {
        if depth > self.limits.depth {
            return Err(Code::TooDeep);
        }
        let form = self.terms.form(term);
        self.charge(form.visit_price())?;
        let value = match form {
            Form::Unit => Value::Unit,
            Form::Boolean => Value::Boolean(self.terms.boolean(term)),
            Form::Integer => Value::Integer(self.terms.integer(term).into()),
            Form::BigInteger => {
                Value::Integer(self.terms.big_integer(term).cloned().unwrap_or_default())
            }
            Form::FloatNumber => match self.terms.float(term) {
                n if n.is_nan() => Value::NotNumber,
                n => Value::Float(n),
            },
            Form::Text => Value::Text(self.terms.text(term).into()),
            Form::Var => env.get(self.terms.only_name(term)).ok_or(Code::Unbound)?,
            Form::Lam => Value::closure(term, env, tool),
            Form::Quote => self.quote(term, env, tool, depth)?,
            Form::SelfRef => {
                let name = tool.clone().ok_or(Code::OutsideTool)?;
                self.tool_value(&name, depth + 1)?
            }
            Form::If => {
                let branch = if self.test(term, 0, env, tool, depth)? { 1 } else { 2 };
                let branch = self.terms.operand(term, branch);
                return Ok(Next::Tail(branch, env.clone(), tool.clone()));
            }
            Form::And | Form::Or => {
                let decided = form == Form::Or;
                let mut value = !decided;
                for index in 0..self.terms.operands(term).len() {
                    value = self.test(term, index, env, tool, depth)?;
                    if value == decided {
                        break;
                    }
                }
                Value::Boolean(value)
            }
            Form::Coalesce | Form::Either | Form::Both => self.coalesce(term, env, tool, depth)?,
            Form::Cond => return self.cond(term, env, tool, depth),
            Form::Try => return self.try_catch(term, env, tool, depth),
            Form::Let => return self.bind(term, env, tool, depth),
            Form::Letrec => return self.bind_functions(term, env, tool, depth),
            _ => {
                let operands = self.operands(term, env, tool, depth)?;
                return self.strict(term, operands, env, tool, depth);
            }
        };
        Ok(Next::Value(value))
    }

    fn operands(
        &mut self,
        term: TermId,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Result<Vec<Value>, Code> {
        let operands = self.terms.operands(term).to_vec();
        operands.into_iter().map(|operand| self.eval(operand, env, tool, depth + 1)).collect()
    }

    /// Forms that need no more of their operands than their values.
    fn strict(
        &mut self,
        term: TermId,
        mut operands: Vec<Value>,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Result<Next, Code> {
        let form = self.terms.form(term);
        (self.form, self.at) = (form, term);
        for (at, operand) in operands.iter_mut().enumerate() {
            if let Value::Match(found) = operand
                && form.takes_list(at)
            {
                *operand = Value::List(found.list.clone());
            }
        }
        let value = match (form, operands.as_slice()) {
            (Form::App, _) => {
                let arguments = operands.split_off(1);
                return self.apply(operands.remove(0), arguments, depth);
            }
            (Form::Fold | Form::Reduce, [function, start, list]) => {
                self.fold(form, [function, start, list], depth)?
            }
            (Form::Apply, [Value::Function(function), Value::List(list)]) => {
                let missing = self.terms.names(function.lambda).len() - function.taken.len();
                let mut arguments: Vec<Value> = list.iter().take(missing).cloned().collect();
                self.work(keys::count(arguments.len()))?;
                if arguments.is_empty() {
                    arguments.push(Value::Unit);
                }
                return self.apply(operands[0].clone(), arguments, depth);
            }
            (Form::Apply, [Value::Function(_), _]) => return Err(Code::TypeMismatch),
            (Form::Apply, _) => return Err(Code::NotAFunction),
            (Form::Pipe, _) => return self.pipe(operands, depth),
            (Form::Fail, [value]) => {
                self.failed = value.clone();
                return Err(Code::Fail);
            }
            (Form::Eval, [quoted]) => self.eval_quoted(quoted, env, depth)?,
            (Form::CodeOf, [Value::Text(name)]) => self.code_of(name, tool)?,
            (Form::Tool, [Value::Text(name)]) if &**name == SUBMITTED => {
                return Err(Code::UnknownTool);
            }
            (Form::Tool, [Value::Text(name)]) => self.tool_value(name, depth + 1)?,
            (Form::CodeOf | Form::Tool, [name]) => return Err(operation::mismatch(name)),
            (Form::Continue, [input]) => {
                let tool = evolved(tool)?;
                let (input, step) = (input.clone(), self.step + 1);
                Value::Continuation(Rc::new(Continuation { tool, input, step }))
            }
            (Form::Record, _) => {
                let names = self.terms.names(term).iter();
                let keys = names.map(|name| self.terms.name(*name).to_owned());
                record(keys.zip(operands))
            }
            (Form::Call | Form::Perform, _) => {
                if let [name, args] = operands.as_slice()
                    && let Some((function, args)) = self.function_named(name, args, depth + 1)?
                {
                    self.application(form, depth)?;
                    return self.apply(function, vec![args], depth);
                }
                self.call(&operands)?
            }
            (Form::Calls, _) => {
                let applied = self.apply_named(&operands[0], depth)?;
                (self.form, self.at) = (form, term);
                self.calls(&operands, &applied)?
            }
            (Form::Update, [of, key, function]) => self.update(of, key, function, depth)?,
            (Form::UpdateIn, [of, path, function]) => self.update_in(of, path, function, depth)?,
            (form, [function, list, ..]) if higher::applies(form) => {
                let (function, list) = (function.clone(), list.clone());
                self.each(form, &function, &list, &operands, depth)?
            }
            _ => {
                let given = operands.clone();
                let result = self.operate(form, operands);
                result.map_err(|code| operation::of_odd_operand(form, &given, code))?
            }
        };
        Ok(Next::Value(value))
    }

    /// Gives a function its arguments one by one; the body it comes down to is a tail position.
    fn apply(
        &mut self,
        mut function: Value,
        mut arguments: Vec<Value>,
        depth: u32,
    ) -> Result<Next, Code> {
        loop {
            let Value::Function(closure) = function else { return Err(Code::NotAFunction) };
            let names = self.terms.names(closure.lambda).to_vec();
            let missing = (names.len() - closure.taken.len()).min(arguments.len());
            let rest = arguments.split_off(missing);
            let mut taken = closure.taken.clone();
            taken.append(&mut arguments);
            let Closure { lambda, env, tool, .. } = closure.as_ref();
            if taken.len() < names.len() {
                let (env, tool) = (env.clone(), tool.clone());
                let partial = Closure { lambda: *lambda, taken, env, tool };
                return Ok(Next::Value(Value::Function(Rc::new(partial))));
            }
            let env = names
                .iter()
                .zip(taken)
                .fold(env.clone(), |env, (name, value)| env.with(*name, value));
            let body = self.terms.operand(*lambda, 0);
            if rest.is_empty() {
                return Ok(Next::Tail(body, env, tool.clone()));
            }
            function = self.eval(body, &env, tool, depth + 1)?;
            arguments = rest;
        }
    }

    fn fold(&mut self, form: Form, [function, start, list]: [&Value; 3], depth: u32) -> Evaluated {
        let Value::List(list) = list else { return Err(operation::mismatch(list)) };
        let Value::Function(_) = function else { return Err(Code::NotAFunction) };
        let mut accumulator = start.clone();
        for item in list.iter() {
            self.charge(form.application_price())?;
            let arguments = if form == Form::Reduce {
                vec![accumulator, item.clone()]
            } else {
                vec![Value::Pair(Rc::new((accumulator, item.clone())))]
            };
            let next = self.apply(function.clone(), arguments, depth + 1)?;
            accumulator = self.finish(next, depth + 1)?;
        }
        Ok(accumulator)
    }
}
