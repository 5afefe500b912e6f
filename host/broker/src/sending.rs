//! Calls of a request: judged together, sent, and each ended by itself.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::{self, FuturesUnordered};
use pif_domain::{FaultCode, Reason, Refusal, Remarks};
use serde_json::value::RawValue;
use tokio::time::timeout_at;

use super::catalog::{AdmittedCall, CallRequest};
use super::protocol::{Batch, CallPart, FromBroker, MOST_ARGUMENTS, Outcome, Question};
use super::upstream::{Trouble, Upstream, object};
use super::worker::{PATIENCE, Request};

/// How long before its deadline a request has ended.
const SPARE: Duration = Duration::from_millis(500);

/// A call on its way, with its place among the calls of the request.
struct PlannedCall {
    index: usize,
    part: CallPart,
    plan: Plan,
    /// Whether it must change nothing.
    reads: bool,
}

/// What to do for a call.
enum Plan {
    Send(Box<AdmittedCall>, Box<RawValue>),
    /// To judge it and to send it when its server has started, which takes long.
    Late(Arc<Upstream>, Box<RawValue>),
    Fail(Trouble),
}

/// What is known of servers that nobody had asked before.
#[derive(Default)]
struct NewServers {
    failed: HashMap<String, Trouble>,
    late: HashMap<String, Arc<Upstream>>,
}

impl Request {
    /// Judges all calls, and sends them if nothing is wrong with any.
    pub(super) async fn call(self, Batch { calls: parts, at_most, reads, deadline_ms, .. }: Batch) {
        let longest = Duration::from_hours(1);
        let within = Duration::from_millis(deadline_ms).min(longest);
        // Whoever waits so long should hear of it before the time is over.
        let deadline = Instant::now() + within.saturating_sub(SPARE.min(within / 10));
        let denied = |(index, part): (usize, &CallPart)| {
            Some((index, self.worker.catalog.denied(&part.tool)?))
        };
        if let Some((index, refusal)) = parts.iter().enumerate().find_map(denied) {
            return self.refuse(index, refusal).await;
        }
        // The calls of one server wait for it; those of several do not wait for each other.
        let server = |part: &CallPart| part.tool.split('.').next().map(str::to_owned);
        let first = parts.first().and_then(server);
        let is_one = parts.iter().all(|part| server(part) == first);
        let until = if is_one { deadline } else { Instant::now() + PATIENCE.min(within / 4) };
        let met = self.meet(&parts, deadline.min(until)).await;
        let mut sendings = Vec::new();
        let mut asks = Vec::new();
        for (index, part) in parts.into_iter().enumerate() {
            match self.plan(&part, reads, &met) {
                Ok(plan) => {
                    if let Plan::Send(judged, _) = &plan
                        && let Some((class, model)) = judged.asks
                    {
                        asks.push(Question { index, class, model });
                    }
                    sendings.push(PlannedCall { index, part, plan, reads });
                }
                Err(refusal) => return self.refuse(index, refusal).await,
            }
        }
        if !asks.is_empty() {
            return self.reply(FromBroker::Asks { id: self.id, calls: asks }).await;
        }
        // Each ends by itself: one that is late takes no place of the others.
        let (late, known): (Vec<_>, Vec<_>) =
            sendings.into_iter().partition(|it| matches!(it.plan, Plan::Late(..)));
        let send = |it| self.send(it, deadline);
        let sent = stream::iter(known).map(send).buffer_unordered(at_most);
        let late = stream::iter(late).map(send).buffer_unordered(at_most);
        stream::select(sent, late).for_each(|message| self.reply(message)).await;
    }

    /// Asks servers that nobody has asked yet, until a moment.
    async fn meet(&self, parts: &[CallPart], until: Instant) -> NewServers {
        let catalog = &self.worker.catalog;
        let mut met = NewServers::default();
        for part in parts {
            if let Ok((upstream, tool)) = catalog.server(&part.tool)
                && catalog.is_unasked(&upstream, tool)
            {
                met.late.insert(upstream.id.clone(), upstream);
            }
        }
        let hour = Instant::now() + Duration::from_hours(1);
        let asked = met.late.clone().into_iter();
        let mut asking: FuturesUnordered<_> =
            asked.map(|(id, it)| async move { (id, it.ask(hour).await) }).collect();
        while let Ok(Some((id, result))) = timeout_at(until.into(), asking.next()).await {
            met.late.remove(&id);
            if let Err(trouble) = result {
                met.failed.insert(id, trouble);
            }
        }
        met
    }

    fn plan(&self, part: &CallPart, reads: bool, met: &NewServers) -> Result<Plan, Refusal> {
        let catalog = &self.worker.catalog;
        let (upstream, _) = catalog.server(&part.tool)?;
        if let Some(trouble) = met.failed.get(&upstream.id) {
            return Ok(Plan::Fail(trouble.clone()));
        }
        let Some(args) = &part.args else {
            let message = format!("the arguments have {} bytes", part.bytes.unwrap_or_default());
            return Ok(Plan::Fail(Trouble::new(Reason::BadInput, message)));
        };
        if let Some(upstream) = met.late.get(&upstream.id) {
            return Ok(Plan::Late(Arc::clone(upstream), args.clone()));
        }
        Ok(Plan::Send(Box::new(self.judge(part, reads)?), args.clone()))
    }

    fn judge(&self, part: &CallPart, reads: bool) -> Result<AdmittedCall, Refusal> {
        let args = part.args.as_deref().map(RawValue::get);
        let tool = part.tool.as_str();
        let approved = part.approved;
        self.worker.catalog.judge(&CallRequest { tool, args, approved, reads })
    }

    /// Judges a call of a server that has started late. Other calls may have been sent, so what is
    /// wrong with it is the reason why it has no value.
    async fn judge_late(
        &self,
        (part, reads): (&CallPart, bool),
        upstream: &Arc<Upstream>,
        deadline: Instant,
    ) -> Result<AdmittedCall, Trouble> {
        upstream.ask(deadline).await?;
        let judged = self.judge(part, reads).map_err(|refusal| {
            let told = format!("{}; nothing was sent", refusal.message);
            Trouble::new(Reason::Unavailable, told)
        })?;
        if judged.asks.is_some() {
            let told = "the call needs an approval, and its server started late: call it again";
            return Err(Trouble::new(Reason::Unavailable, told));
        }
        Ok(judged)
    }

    async fn send(
        &self,
        PlannedCall { index, part, plan, reads }: PlannedCall,
        deadline: Instant,
    ) -> FromBroker {
        let start = Instant::now();
        let result = async {
            let (judged, args) = match plan {
                Plan::Fail(trouble) => return Err(trouble),
                Plan::Late(upstream, args) => {
                    (self.judge_late((&part, reads), &upstream, deadline).await?, args)
                }
                Plan::Send(judged, args) => (*judged, args),
            };
            let AdmittedCall { upstream, tool, .. } = judged;
            let args = object(args.get()).unwrap_or_default();
            upstream.call(&tool, args, part.raw, deadline).await
        };
        let result = result.await;
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.outcome(index, result, ms)
    }

    /// What came of a call, without secrets.
    fn outcome(
        &self,
        index: usize,
        result: Result<(String, Remarks), Trouble>,
        ms: u64,
    ) -> FromBroker {
        let id = self.id;
        let secrets = &self.worker.shared.secrets;
        let raw = |text: String| RawValue::from_string(secrets.redact_json(&text).into_owned());
        let read = result.and_then(|(value, beside)| {
            let unread = |it: serde_json::Error| Trouble::new(Reason::BadOutput, it.to_string());
            let bytes = value.len();
            let value = raw(value).map_err(unread)?;
            let fits = |it: &String| bytes + it.len() < MOST_ARGUMENTS;
            let whole = beside.whole.filter(fits).and_then(|it| raw(it).ok());
            Ok((value, whole, beside.warning.map(|it| secrets.redact(&it))))
        });
        let mut outcome = Outcome { id, index, ms, ..Outcome::default() };
        match read {
            Ok((value, whole, warning)) => {
                outcome = Outcome { value: Some(value), whole, warning, ..outcome };
            }
            Err(Trouble { reason, message, value, after }) => {
                outcome.after = after.map(|it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX));
                outcome.reason = Some(reason);
                outcome.message = secrets.redact(&message);
                outcome.told = value.and_then(|it| raw(it).ok());
            }
        }
        FromBroker::Outcome(outcome)
    }

    async fn refuse(&self, index: usize, refusal: Refusal) {
        let Refusal { code, message, hint, .. } = refusal;
        let code: FaultCode = code;
        let secrets = &self.worker.shared.secrets;
        let hint = hint.map(|hint| secrets.redact(&hint));
        let message = secrets.redact(&message);
        self.reply(FromBroker::Refusal {
            id: self.id,
            index,
            code: code.name().to_owned(),
            message,
            hint,
        })
        .await;
    }
}
