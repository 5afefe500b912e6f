//! Forms that decide what is evaluated, and forms of which types alone do not say all.

use super::{Core, Walk};
use crate::places::State;
use crate::values::{ANY, EVERY, Entry, EnvId, Id, NEVER};
use pif_language::form::Form;
use pif_language::kinds::{BOOLEAN, FUNCTION, LIST, NULL, NUMBER, ODD, QUOTED, RECORD, STRING};
use pif_language::term::{TermId, Terms};

impl<'a> Walk<'a> {
    /// Walks through a form of which the analyst has a function of its own.
    pub(crate) async fn own(&self, form: Form, term: TermId, env: EnvId) -> Id {
        match form {
            Form::App => self.application(term, env).await,
            Form::Let => self.bindings(term, env).await,
            Form::Letrec => {
                let body = self.terms.operands(term).last().copied().unwrap_or_default();
                let inner = self.with(|core| core.recursive(self.terms, term, env));
                self.value(body, inner).await
            }
            Form::If => self.choice(term, env).await,
            Form::Cond => self.branches(term, env).await,
            Form::And | Form::Or => self.junction(form == Form::And, term, env).await,
            Form::Either | Form::Both => self.alternative(form == Form::Both, term, env).await,
            Form::Coalesce => self.coalesce(term, env).await,
            Form::Try => self.attempt(term, env).await,
            Form::Pipe => self.pipe(term, env).await,
            Form::Retry => self.retry(term, env).await,
            Form::Fold | Form::Reduce => self.fold(form == Form::Fold, term, env).await,
            Form::Filter | Form::Find => self.filter(form == Form::Find, term, env).await,
            Form::FlatMap => self.flat_map(term, env).await,
            Form::Update | Form::UpdateIn => self.update(form == Form::UpdateIn, term, env).await,
            Form::Quote => self.quote(term, env).await,
            Form::Eval => self.eval(term, env).await,
            Form::SelfRef => self.with(|core| core.root).unwrap_or_else(|| {
                self.with(|core| core.is_opaque = true);
                ANY
            }),
            Form::Tool => self.tool(term, env).await,
            Form::Call => self.call(term, env).await,
            _ => {
                let Some(values) = self.operands(term, env).await else { return NEVER };
                if form == Form::Apply {
                    return self.apply_list(term, &values);
                }
                self.with(|core| core.plain(self.terms, form, term, &values))
            }
        }
    }

    async fn application(&self, term: TermId, env: EnvId) -> Id {
        let Some(mut values) = self.operands(term, env).await else { return NEVER };
        let callee = values.remove(0);
        self.apply((term, 0), callee, values).await
    }

    async fn bindings(&self, term: TermId, mut env: EnvId) -> Id {
        let terms: &'a Terms = self.terms;
        let (names, operands) = (terms.names(term), terms.operands(term));
        for (name, operand) in names.iter().zip(operands) {
            let value = self.value(*operand, env).await;
            if self.is_dead() {
                return NEVER;
            }
            env = self.with(|core| core.values.bind(env, *name, Entry::Value(value)));
        }
        let body = operands.last().copied().unwrap_or_default();
        self.value(body, env).await
    }

    /// A test that must be a boolean.
    async fn test(&self, term: TermId, at: usize, test: TermId, env: EnvId) -> Option<()> {
        let value = self.value(test, env).await;
        if self.is_dead() {
            return None;
        }
        self.with(|core| core.expect((term, at), value, BOOLEAN, 0)).map(|_| ())
    }

    /// Walks through a term as far as a test is true, or false.
    async fn when(&self, test: TermId, truth: bool, term: TermId, env: EnvId) -> Id {
        let inner = self.with(|core| core.assume(self.terms, test, truth, env));
        self.value(term, inner).await
    }

    async fn choice(&self, term: TermId, env: EnvId) -> Id {
        let [test, then, otherwise] = *self.terms.operands(term) else { return ANY };
        if self.terms.form(test) == Form::Boolean {
            let taken = if self.terms.boolean(test) { then } else { otherwise };
            return self.value(taken, env).await;
        }
        if self.test(term, 0, test, env).await.is_none() {
            return NEVER;
        }
        let before = self.enter_branch();
        let first = self.when(test, true, then, env).await;
        let after = self.with(|core| std::mem::replace(&mut core.state, before));
        let second = self.when(test, false, otherwise, env).await;
        self.with(|core| {
            core.branches -= 1;
            core.state.join(after, &core.places);
            core.values.join(first, second)
        })
    }

    async fn branches(&self, term: TermId, env: EnvId) -> Id {
        let terms: &'a Terms = self.terms;
        let (mut joined, mut env) = (NEVER, env);
        let mut met: Option<State> = None;
        let depth = self.with(|core| core.branches);
        for (at, pair) in terms.operands(term).chunks(2).enumerate() {
            let [test, value] = *pair else { return ANY };
            let is_last = terms.form(test) == Form::Boolean && terms.boolean(test);
            if !is_last && self.test(term, 2 * at, test, env).await.is_none() {
                break;
            }
            let before = self.enter_branch();
            let given = if is_last {
                self.value(value, env).await
            } else {
                self.when(test, true, value, env).await
            };
            self.with(|core| {
                joined = core.values.join(joined, given);
                let after = std::mem::replace(&mut core.state, before);
                match &mut met {
                    Some(met) => met.join(after, &core.places),
                    None => met = Some(after),
                }
            });
            if is_last {
                break;
            }
            env = self.with(|core| core.assume(terms, test, false, env));
        }
        self.with(|core| {
            core.branches = depth;
            match met {
                Some(met) => core.state = met,
                None => core.state.is_dead = true,
            }
        });
        joined
    }

    async fn junction(&self, is_and: bool, term: TermId, env: EnvId) -> Id {
        let terms: &'a Terms = self.terms;
        let mut env = env;
        let mut befores = Vec::new();
        for (at, operand) in terms.operands(term).iter().enumerate() {
            if at > 0 {
                befores.push(self.enter_branch());
                let last = terms.operand(term, at - 1);
                env = self.with(|core| core.assume(terms, last, is_and, env));
            }
            if self.test(term, at, *operand, env).await.is_none() {
                break;
            }
        }
        while let Some(before) = befores.pop() {
            self.leave_branch(before);
        }
        self.with(|core| core.values.of(BOOLEAN))
    }

    /// `both` and `either`: the first operand whose truth decides, else the last.
    async fn alternative(&self, is_both: bool, term: TermId, env: EnvId) -> Id {
        let terms: &'a Terms = self.terms;
        let (mut joined, mut env) = (NEVER, env);
        let mut befores = Vec::new();
        let operands = terms.operands(term);
        for (at, operand) in operands.iter().enumerate() {
            if at > 0 {
                befores.push(self.enter_branch());
                let last = terms.operand(term, at - 1);
                env = self.with(|core| core.assume(terms, last, is_both, env));
            }
            let value = self.value(*operand, env).await;
            if self.is_dead() {
                break;
            }
            let is_last = at + 1 == operands.len();
            joined = self.with(|core| {
                let falsy = NULL | BOOLEAN | NUMBER | STRING | ODD;
                let kinds = match (is_last, is_both) {
                    (true, _) => EVERY,
                    (false, true) => falsy,
                    (false, false) => !NULL,
                };
                // A boolean, a number or a text is the value only if it counts as true.
                let is_perhaps = !is_last && core.kinds(value) & falsy & !NULL != 0;
                let value = core.restrict(value, kinds);
                let is_weak = at > 0 || is_perhaps;
                let value = if is_weak { core.values.weaken(value) } else { value };
                core.values.union(joined, value)
            });
        }
        while let Some(before) = befores.pop() {
            self.leave_branch(before);
        }
        if is_both { self.with(|core| core.values.weaken(joined)) } else { joined }
    }

    async fn coalesce(&self, term: TermId, env: EnvId) -> Id {
        let terms: &'a Terms = self.terms;
        let mut joined = NEVER;
        let mut befores = Vec::new();
        let operands = terms.operands(term);
        for (at, operand) in operands.iter().enumerate() {
            let value = self.value(*operand, env).await;
            if self.is_dead() {
                break;
            }
            let is_last = at + 1 == operands.len();
            let is_null = self.with(|core| {
                let is_null = core.kinds(value) & NULL != 0;
                let kinds = if is_last { EVERY } else { !NULL };
                let value = core.restrict(value, kinds);
                let value = if at > 0 { core.values.weaken(value) } else { value };
                joined = core.values.union(joined, value);
                is_null
            });
            if !is_null || is_last {
                break;
            }
            befores.push(self.enter_branch());
        }
        while let Some(before) = befores.pop() {
            self.leave_branch(before);
        }
        joined
    }

    async fn attempt(&self, term: TermId, env: EnvId) -> Id {
        let body = self.terms.operand(term, 0);
        let handler = self.terms.operand(term, 1);
        let before = self.enter_branch();
        self.with(|core| core.doubts += 1);
        let value = self.value(body, env).await;
        let was_dead = self.with(|core| {
            core.doubts -= 1;
            core.branches -= 1;
            let was_dead = core.state.is_dead;
            let after = std::mem::replace(&mut core.state, before);
            core.state.join(after, &core.places);
            was_dead
        });
        let before = self.enter_branch();
        let function = self.value(handler, env).await;
        let mut handled = NEVER;
        if !self.is_dead() {
            let fault = self.with(Core::fault_record);
            handled = self.apply((term, 1), function, vec![fault]).await;
        }
        self.with(|core| {
            core.branches -= 1;
            if !was_dead {
                let after = std::mem::replace(&mut core.state, before);
                core.state.join(after, &core.places);
            }
            let value = core.values.weaken(value);
            core.values.join(value, handled)
        })
    }

    async fn pipe(&self, term: TermId, env: EnvId) -> Id {
        let Some(values) = self.operands(term, env).await else { return NEVER };
        let mut values = values.into_iter().enumerate();
        let Some((_, mut value)) = values.next() else { return ANY };
        for (at, function) in values {
            value = self.apply((term, at), function, vec![value]).await;
            if self.is_dead() {
                return NEVER;
            }
        }
        value
    }

    async fn retry(&self, term: TermId, env: EnvId) -> Id {
        let Some(values) = self.operands(term, env).await else { return NEVER };
        let [options, function] = *values else { return ANY };
        let null = self.with(|core| {
            core.expect((term, 0), options, RECORD, 0)?;
            core.expect((term, 1), function, FUNCTION, 0)?;
            core.look_through(options);
            core.values.forget(options);
            Some(core.values.of(NULL))
        });
        let Some(null) = null else { return NEVER };
        self.apply((term, 1), function, vec![null]).await
    }

    fn apply_list(&self, term: TermId, values: &[Id]) -> Id {
        let [function, list] = *values else { return ANY };
        let Some(function) = self.with(|core| core.expect_function((term, 0), function)) else {
            return NEVER;
        };
        // How many of the arguments the function takes depends on the function.
        self.with(|core| {
            core.look(list, LIST, 0);
            core.values.forget(list);
            core.values.forget(function);
            core.pass((term, 1));
            core.is_opaque |= !core.values.node(function).refs.is_empty();
        });
        ANY
    }

    async fn quote(&self, term: TermId, env: EnvId) -> Id {
        let terms: &'a Terms = self.terms;
        let Some(values) = self.all(terms.evaluated(term), env).await else { return NEVER };
        self.with(|core| {
            for value in values {
                core.look_through(value);
                core.values.forget(value);
            }
            core.values.of(QUOTED)
        })
    }

    /// Code that is written out is walked through where it is evaluated. Of any other nothing is
    /// known.
    async fn eval(&self, term: TermId, env: EnvId) -> Id {
        let code = self.terms.operand(term, 0);
        if self.terms.form(code) == Form::Quote && self.terms.evaluated(code).is_empty() {
            let inner = self.terms.operand(code, 0);
            return self.value(inner, env).await;
        }
        let value = self.value(code, env).await;
        if self.is_dead() {
            return NEVER;
        }
        self.with(|core| {
            let id = core.expect((term, 0), value, QUOTED, 0);
            core.is_opaque = true;
            if id.is_some() { ANY } else { NEVER }
        })
    }

    async fn tool(&self, term: TermId, env: EnvId) -> Id {
        let name = self.terms.operand(term, 0);
        let value = self.value(name, env).await;
        if self.is_dead() {
            return NEVER;
        }
        let number = self.number(name);
        self.with(|core| match number {
            Some(number) => core.tool_value(self.world.shapes, number),
            None => core.expect((term, 0), value, STRING, 0).map_or(NEVER, |_| ANY),
        })
    }

    /// A call of a tool of another server gives what its schema says.
    async fn call(&self, term: TermId, env: EnvId) -> Id {
        let Some(values) = self.operands(term, env).await else { return NEVER };
        let number = self.number(self.terms.operand(term, 0));
        self.with(|core| {
            let any = core.plain(self.terms, Form::Call, term, &values);
            number.map_or(any, |number| core.called(self.world.shapes, number))
        })
    }

    /// The number of the tool that a term names literally.
    fn number(&self, name: TermId) -> Option<u32> {
        let is_literal = self.terms.form(name) == Form::Text;
        is_literal.then(|| self.world.tools.get(self.terms.text(name)).copied()).flatten()
    }
}
