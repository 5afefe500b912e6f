//! What the analyst tells of programs and tools: their types, and where they surely fail.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pif_domain::text::line;
use pif_domain::{Fault, FaultCode, Offer, fault};
use pif_sandbox::{
    Cost, Fused, KnownTool, Names, Normal, Place, Question, Sandbox, Schemas, Subject, Summary,
    SureFault, Typing, Watch,
};
use pif_store::registry::{Definition, short};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::effects::Effects;
use super::kept_types::KeptTypes;
use super::library::library;
use super::opening::Workshop;
use super::world::Tools;

/// The most tools whose types one analysis brings.
const MOST_TOOLS: usize = 100;

/// The most types that are kept in mind.
const MOST: usize = 20_000;

/// The most registered tools that are compared with a new one.
const MOST_EQUAL: usize = 500;

/// Bytes of the longest source whose normal form is compared.
pub(super) const MOST_COMPARED: usize = 20_000;

/// The longest that a normal form takes which nobody waits for.
const LEARNING: Duration = Duration::from_secs(1);

/// The most places that are told to fail.
const MOST_FAILS: usize = 50;

/// The most characters of a type, a hint or a pointer.
const MOST_LINE: usize = 2_500;

/// The types of tools by the hash of all that they depend on, and what sources name by their hashes.
static KNOWN: Mutex<Option<Book>> = Mutex::new(None);

#[derive(Debug, Default)]
struct Book {
    types: HashMap<String, Arc<Typing>>,
    names: HashMap<String, Arc<Names>>,
    /// The hashes of normal forms; None where the steps were used up.
    normals: HashMap<String, Option<String>>,
}

/// Keeps the normal form of a term in mind.
pub(super) fn learn(hash: &str, normal: Option<String>) {
    book(|book| {
        if book.normals.len() >= MOST {
            book.normals.clear();
        }
        book.normals.insert(hash.to_owned(), normal);
    });
}

/// The type of a program, and what it holds for.
#[derive(Debug, Clone)]
pub struct ProgramType {
    /// The type.
    pub typing: Arc<Typing>,
    /// What a run takes.
    pub cost: Option<Cost>,
    /// The normal form, if it was asked for.
    pub normal: Option<Normal>,
    /// The tools whose types it brings, with their revisions.
    pub tools: Vec<(String, String)>,
}

/// A tool that an analysis brings.
#[derive(Debug, Clone)]
pub(super) struct Brought {
    /// The hash of its source and of all that it depends on.
    deep: String,
    typing: Arc<Typing>,
    revision: String,
}

/// A program with sources of tools in place of their names.
#[derive(Debug)]
pub(super) struct Filled {
    pub(super) program: Subject,
    /// The revisions of those tools.
    pub(super) revisions: BTreeMap<String, String>,
}

/// Tools by how they are named; None of those of which nothing is known.
pub(super) type AllBrought = BTreeMap<String, Option<Brought>>;

/// A tool that is being looked at.
struct Node {
    hash: String,
    source: String,
    names: Arc<Names>,
}

/// What an analysis sees: the tools, and what other servers offer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) sandbox: &'a Sandbox,
    /// Types that the store keeps, if they are of use.
    pub(super) kept: Option<&'a KeptTypes>,
    pub(super) tools: &'a Tools,
    pub(super) effects: &'a dyn Effects,
}

impl ProgramType {
    /// Adds the type, the cost and the places that surely fail to a record.
    pub fn put(&self, record: &mut Map<String, Value>) {
        let shape = line(&self.typing.shape, MOST_LINE);
        record.insert("type".to_owned(), shape.into());
        if let Some(cost) = &self.cost {
            record.insert("cost".to_owned(), cost_record(cost));
        }
        let fails = fails(&self.typing);
        if !fails.is_empty() {
            record.insert("fails".to_owned(), fails.into());
        }
        if !self.tools.is_empty() {
            let revision = |(name, revision): &(String, String)| {
                (name.clone(), Value::from(revision.as_str()))
            };
            let tools: Map<String, Value> = self.tools.iter().map(revision).collect();
            record.insert("type_holds_for".to_owned(), tools.into());
        }
    }
}

/// A cost as a record.
pub(super) fn cost_record(Cost { fuel, class, sizes }: &Cost) -> Value {
    let Some(fuel) = fuel else { return json!({"kind": "unknown"}) };
    let sizes: Map<String, Value> =
        sizes.iter().map(|(name, size)| (name.clone(), line(size, MOST_LINE).into())).collect();
    json!({"kind": "bound", "fuel": line(fuel, MOST_LINE), "where": sizes, "class": class})
}

/// Places that surely fail, as records.
fn fails(typing: &Typing) -> Vec<Value> {
    let line = |text: &String| line(text, MOST_LINE);
    let record = |it: &SureFault| {
        let mut record = Map::new();
        record.insert("code".to_owned(), it.code.as_str().into());
        record.insert("at".to_owned(), line(&it.at).into());
        record.insert("always".to_owned(), it.always.into());
        for (name, text) in [("excerpt", &it.excerpt), ("hint", &it.hint)] {
            record.extend(text.as_ref().map(|text| (name.to_owned(), line(text).into())));
        }
        if let Some(Place { line, column, caret }) = &it.place {
            record.insert("line".to_owned(), (*line).into());
            record.insert("column".to_owned(), (*column).into());
            record.insert("caret".to_owned(), caret.as_str().into());
        }
        Value::Object(record)
    };
    typing.fails.iter().take(MOST_FAILS).map(record).collect()
}

impl Workshop {
    /// What an analysis sees that sees these tools.
    pub(super) fn sight<'a>(&'a self, tools: &'a Tools) -> Sight<'a> {
        Sight {
            sandbox: &self.sandbox,
            kept: Some(&self.kept_types),
            tools,
            effects: self.effects.as_ref(),
        }
    }

    /// What an analysis sees that asks the analyst next: it is ready, so a clock may start.
    pub(super) fn ready_sight<'a>(&'a self, tools: &'a Tools) -> Sight<'a> {
        self.sandbox.ready_analyst();
        self.sight(tools)
    }

    /// Computes the normal forms of the library and of the latest tools, until `is_over` says so. `evolve`
    /// compares new tools with those whose normal forms are known.
    pub fn learn_normal_forms(&self, is_over: impl Fn() -> bool) {
        let Ok(tools) = self.tools() else { return };
        let sight = self.ready_sight(&tools);
        let latest = tools.registered.latest(MOST_EQUAL).unwrap_or_default();
        for tool in library().tools().chain(latest.iter()) {
            if is_over() {
                return;
            }
            let is_known = book(|book| book.normals.contains_key(&tool.hash));
            if !is_known && tool.source.len() <= MOST_COMPARED {
                sight.normal_of(tool, &Watch::new(LEARNING));
            }
        }
    }

    /// The type of a program whose check gave this summary. None if the analyst cannot tell. It may be
    /// meant for a tool.
    #[must_use]
    pub fn type_of(&self, summary: &Summary, code: &str, watch: &Watch) -> Option<ProgramType> {
        let tools = self.tools().ok()?;
        self.ready_sight(&tools).type_of(summary, code, false, &watch.again())
    }

    /// The type of a tool. None if the analyst cannot tell, or while the sandbox is not open.
    #[must_use]
    pub fn type_of_tool(&self, tool: &Definition, watch: &Watch) -> Option<Arc<Typing>> {
        if !self.sandbox.is_open() {
            return None;
        }
        let tools = self.tools().ok()?;
        let reference = format!("{}@{}", tool.name, tool.hash);
        let mut brought = BTreeMap::new();
        self.ready_sight(&tools).bring(&reference, &mut brought, &watch.again());
        brought.remove(&reference).flatten().map(|it| it.typing)
    }

    /// A warning that no value of a tool meets its output schema.
    pub(super) fn clash(&self, typing: &Typing, schema: &str, watch: &Watch) -> Option<String> {
        let found = self.sandbox.clash(&typing.output, schema, &watch.again());
        let found = found.map_err(log_fault).ok()??;
        let place = if found.at.is_empty() { "the value".to_owned() } else { found.at };
        Some(format!(
            "warning: {place} is of the type {}, and `output_schema` wants {}",
            found.shape, found.wanted
        ))
    }

    /// Why callers of a tool may fail now: what its parameters accepted before and do not accept any
    /// more. None where nothing of that kind is seen.
    pub(super) fn narrowed(
        &self,
        before: &Typing,
        after: &Typing,
        watch: &Watch,
    ) -> Option<String> {
        if before.is_function && !after.is_function {
            return Some("it was a function before, and is none now".to_owned());
        }
        for (was, is) in before.parameters.iter().zip(&after.parameters) {
            let includes = self.sandbox.includes(&is.accepted, &was.accepted, &watch.again());
            if includes.is_ok_and(|includes| !includes) {
                return Some(format!(
                    "`{}` accepted {} before, and accepts {} now",
                    is.name, was.accepted, is.accepted
                ));
            }
        }
        None
    }
}

impl Sight<'_> {
    /// The type of a program whose check gave this summary, its cost, and its normal form if that is
    /// asked for.
    pub(super) fn type_of(
        &self,
        summary: &Summary,
        code: &str,
        is_normal: bool,
        watch: &Watch,
    ) -> Option<ProgramType> {
        let (subject, revisions) = self.subject_of(summary, code, watch);
        // One reading and one walk answer both questions. Where that is too much for one instance, it is
        // no reason to leave out the type.
        let ask = |asked: &[Question]| self.sandbox.ask(&subject, asked, watch);
        let told = ask(&[Question::Typing, Question::Cost]).or_else(|fault| {
            log_fault(fault);
            ask(&[Question::Typing])
        });
        let told = told.map_err(log_fault).ok()?;
        let typing = told.typing.filter(|it| !it.gave_up)?;
        let cost = told.cost;
        let ask = |asked| ask(&[asked]).map_err(log_fault).ok();
        let normal = is_normal.then(|| ask(Question::Normal)).flatten().and_then(|it| it.normal);
        Some(ProgramType { typing: Arc::new(typing), cost, normal, tools: revisions })
    }

    /// A program whose check gave this summary, with the types of the tools that it names, and with their
    /// revisions.
    pub(super) fn subject_of(
        &self,
        summary: &Summary,
        code: &str,
        watch: &Watch,
    ) -> (Subject, Vec<(String, String)>) {
        let offers = self.effects.offers();
        let mut brought = BTreeMap::new();
        for name in summary.tools.iter().map(|it| it.name.as_str()).take(MOST_TOOLS) {
            self.bring(name, &mut brought, watch);
        }
        let mut known = Vec::new();
        let mut revisions = Vec::new();
        for name in summary.names() {
            if let Some(Some(tool)) = brought.get(&name) {
                revisions.push((name.clone(), short(&tool.revision).to_owned()));
                known.push(shaped(name, tool));
            }
        }
        let calls: Vec<String> = summary.needs.iter().map(|it| it.name.clone()).collect();
        known.extend(offered(&calls, &offers));
        (subject(code.to_owned(), known), revisions)
    }

    /// The normal form of a program with the sources of all tools that it comes to by name in place of
    /// their names.
    pub(super) fn fuse(&self, summary: &Summary, watch: &Watch) -> Result<Fused, Fault> {
        let mut sources: BTreeMap<String, Option<String>> = BTreeMap::new();
        let mut open = summary.names();
        while let Some(name) = open.pop() {
            if sources.contains_key(&name) {
                continue;
            }
            let node = self.node(&name, sources.len(), watch);
            open.extend(node.iter().flat_map(|it| it.names.tools.iter().cloned()));
            sources.insert(name, node.map(|it| it.source));
        }
        let known = |(name, code)| KnownTool { name, shape: None, schemas: None, code };
        let tools = sources.into_iter().map(known).collect();
        let subject = subject(summary.canonical.clone(), tools);
        let answers = self.sandbox.ask(&subject, &[Question::Fused], watch)?;
        answers
            .fused
            .ok_or_else(|| fault(FaultCode::Internal, "the analyst fused nothing".to_owned(), None))
    }

    /// A program with the sources of the tools that it comes to by name in place of their names, and the
    /// revisions of those. None if that leaves all names where they are.
    pub(super) fn filled(&self, program: &Subject, watch: &Watch) -> Result<Option<Filled>, Fault> {
        let names = self.sandbox.ask(program, &[Question::Names], &watch.again())?.names;
        let mut open = names.map(|it| it.tools).unwrap_or_default();
        let mut nodes: BTreeMap<String, Option<Node>> = BTreeMap::new();
        while let Some(name) = open.pop() {
            if nodes.contains_key(&name) {
                continue;
            }
            let node = self.node(&name, nodes.len(), watch);
            open.extend(node.iter().flat_map(|it| it.names.tools.iter().cloned()));
            nodes.insert(name, node);
        }
        if nodes.is_empty() {
            return Ok(None);
        }
        let known = |(name, node): (&String, &Option<Node>)| KnownTool {
            name: name.clone(),
            shape: None,
            schemas: None,
            code: node.as_ref().map(|it| it.source.clone()),
        };
        let tools = nodes.iter().map(known).collect();
        let asked = Subject { tools, ..program.clone() };
        let filled = self.sandbox.ask(&asked, &[Question::Filled], &watch.again())?.filled;
        let Some(filled) = filled.filter(|it| !it.tools.is_empty()) else { return Ok(None) };
        let revision = |name: String| {
            let hash = nodes.get(&name)?.as_ref()?.hash.clone();
            Some((name, hash))
        };
        let revisions = filled.tools.into_iter().filter_map(revision).collect();
        Ok(Some(Filled { program: Subject { code: filled.term, ..program.clone() }, revisions }))
    }

    /// Finds the type of a tool and of all that it depends on, callees first. A tool in a circle knows
    /// nothing of those that come later in it. None stands for a tool of which nothing is known.
    pub(super) fn bring(&self, reference: &str, brought: &mut AllBrought, watch: &Watch) {
        let offers = self.effects.offers();
        let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
        let mut open = vec![reference.to_owned()];
        while let Some(name) = open.last().cloned() {
            if brought.contains_key(&name) {
                open.pop();
            } else if let Some(node) = nodes.remove(&name) {
                open.pop();
                let told = self.render(&node, &offers, brought, watch);
                brought.insert(name, told);
            } else if let Some(node) = self.node(&name, brought.len() + open.len(), watch) {
                let is_new = |it: &&String| !brought.contains_key(*it) && !open.contains(it);
                let callees: Vec<String> =
                    node.names.tools.iter().filter(is_new).cloned().collect();
                nodes.insert(name, node);
                open.extend(callees);
            } else {
                open.pop();
                brought.insert(name, None);
            }
        }
        if let Some(kept) = self.kept {
            kept.write();
        }
    }

    /// The source of a tool with what it names. None where there is none, or too many are looked at.
    fn node(&self, name: &str, count: usize, watch: &Watch) -> Option<Node> {
        if count > MOST_TOOLS {
            return None;
        }
        let (source, hash) = self.tools.look_up(name).ok()??;
        let names = self.names_in(&hash, &source, watch)?;
        Some(Node { hash, source, names })
    }

    /// The type of a tool whose callees are known.
    fn render(
        &self,
        node: &Node,
        offers: &Arc<[Offer]>,
        brought: &AllBrought,
        watch: &Watch,
    ) -> Option<Brought> {
        let Node { hash, source, names } = node;
        let mut digest = Sha256::new();
        digest.update(hash);
        let mut known = Vec::new();
        for name in &names.tools {
            let callee = brought.get(name).and_then(Option::as_ref);
            digest.update(format!("\n{name} {}", callee.map_or("?", |it| it.deep.as_str())));
            known.extend(callee.map(|it| shaped(name.clone(), it)));
        }
        for tool in offered(&names.calls, offers) {
            let output = tool.schemas.as_ref().and_then(|it| it.output.as_deref());
            digest.update(format!("\n{} {}", tool.name, output.unwrap_or("?")));
            known.push(tool);
        }
        let deep = format!("{:x}", digest.finalize());
        let revision = hash.clone();
        if let Some(typing) = book(|book| book.types.get(&deep).cloned()) {
            return Some(Brought { deep, typing, revision });
        }
        let typing = if let Some(kept) = self.kept.and_then(|it| it.typing(hash, &deep)) {
            Arc::new(kept)
        } else {
            let typing = Arc::new(self.ask_type(source.clone(), known, watch)?);
            if let Some(kept) = self.kept {
                kept.learn(hash, names, (&deep, &typing));
            }
            typing
        };
        book(|book| {
            if book.types.len() >= MOST {
                book.types.clear();
            }
            book.types.insert(deep.clone(), Arc::clone(&typing));
        });
        Some(Brought { deep, typing, revision })
    }

    /// Another tool with this normal form, among those whose normal forms are known: see
    /// [`Workshop::learn_normal_forms`].
    pub(super) fn equal_tool(&self, own: &str, normal: &str) -> Option<String> {
        let latest = self.tools.registered.latest(MOST_EQUAL).unwrap_or_default();
        let mut all = latest.iter().chain(library().tools());
        let is_equal = |tool: &&Definition| {
            let known = book(|book| book.normals.get(&tool.hash).cloned().flatten());
            tool.name != own && known.as_deref() == Some(normal)
        };
        all.find(is_equal).map(|tool| tool.name.clone())
    }

    /// The hash of the normal form of a tool.
    fn normal_of(&self, tool: &Definition, watch: &Watch) -> Option<String> {
        let subject = subject(tool.source.clone(), Vec::new());
        let answers = self.sandbox.ask(&subject, &[Question::Normal], watch).map_err(log_fault);
        let hash = answers.ok()?.normal?.hash;
        learn(&tool.hash, hash.clone());
        hash
    }

    /// The tools that a source names.
    fn names_in(&self, hash: &str, source: &str, watch: &Watch) -> Option<Arc<Names>> {
        if let Some(names) = book(|book| book.names.get(hash).cloned()) {
            return Some(names);
        }
        let names = if let Some(kept) = self.kept.and_then(|it| it.names(hash)) {
            Arc::new(kept)
        } else {
            let subject = subject(source.to_owned(), Vec::new());
            let answers = self.sandbox.ask(&subject, &[Question::Names], watch);
            Arc::new(answers.map_err(log_fault).ok()?.names?)
        };
        book(|book| {
            if book.names.len() >= MOST {
                book.names.clear();
            }
            book.names.insert(hash.to_owned(), Arc::clone(&names));
        });
        Some(names)
    }

    fn ask_type(&self, code: String, tools: Vec<KnownTool>, watch: &Watch) -> Option<Typing> {
        let subject = subject(code, tools);
        let answers = self.sandbox.ask(&subject, &[Question::Typing], watch);
        answers.map_err(log_fault).ok()?.typing.filter(|it| !it.gave_up)
    }
}

/// Works with what is kept in mind.
fn book<T>(work: impl FnOnce(&mut Book) -> T) -> T {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    work(known.get_or_insert_default())
}

fn subject(code: String, tools: Vec<KnownTool>) -> Subject {
    Subject { code, variables: Vec::new(), tools, is_tool: true }
}

pub(super) fn shaped(name: String, tool: &Brought) -> KnownTool {
    KnownTool { name, shape: Some(tool.typing.of_tool.clone()), schemas: None, code: None }
}

/// The tools of other servers that are named, each once, with their schemas.
fn offered(names: &[String], offers: &Arc<[Offer]>) -> Vec<KnownTool> {
    let names: BTreeSet<&String> = names.iter().collect();
    let told = |offer: &Offer| {
        let (input, output) = (Some(offer.input_schema.clone()), offer.output_schema.clone());
        let schemas = Some(Schemas { input, output });
        KnownTool { name: offer.name.clone(), shape: None, schemas, code: None }
    };
    offers.iter().filter(|offer| names.contains(&offer.name)).map(told).collect()
}

/// What cannot be told is any type. It is no fault of the program.
pub(super) fn log_fault(fault: Fault) {
    tracing::debug!(code = fault.code.name(), message = fault.message, "no type");
}
