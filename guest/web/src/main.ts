// The page: what is written on the left is checked, run and stepped through on the right.

import { Beside } from "./beside.ts";
import { Bindings } from "./bindings.ts";
import { boot, offline } from "./boot.ts";
import { type Client, LIMITS } from "./client.ts";
import { type Definition, definition, refusal, restored } from "./definition.ts";
import { byId, copy, figure, h, later } from "./dom.ts";
import { Editor } from "./editor.ts";
import { EXAMPLES } from "./examples.ts";
import { Field } from "./field.ts";
import { byteAt, format } from "./json.ts";
import { isJson, notation } from "./notation.ts";
import * as problems from "./problems.ts";
import type { Ended, Fault, Form, Limits, Program, Proposal, Summary, Usage, Value } from "./protocol.ts";
import { members } from "./reach.ts";
import { checkWithin } from "./reading.ts";
import * as proof from "./proof.ts";
import { reference } from "./reference.ts";
import * as result from "./result.ts";
import { Session } from "./session.ts";
import * as share from "./share.ts";
import type { Visit } from "./steps.ts";
import * as store from "./store.ts";
import { Tabs } from "./tabs.ts";
import { theme } from "./theme.ts";
import { toolbox } from "./toolbox.ts";
import { Tree } from "./tree.ts";
import { Walk } from "./walk.ts";

/** Steps of a continuation that are driven in one go. */
const MOST_STEPS = 10_000;
/** A term's text beyond this is neither checked while it is typed nor drawn. */
const LIVE_CHARACTERS = 1_000_000;

const name = byId<HTMLInputElement>("name");
/** A name for the value of the next run. */
const bind = byId<HTMLInputElement>("bind");
const resultPanel = byId("result");

/** The forms of the language, once the evaluator has told them. */
let forms: Form[] = [];
let names = new Set<string>();
let language = notation(() => false);
/** Whether the term is written in JSON rather than in the notation. */
const isInJson = (text = term.text) => isJson(text, (name) => (names.size === 0 ? /^[a-z_]+$/.test(name) : names.has(name)));

const argument: Field = new Field("argument", "Argument, in JSON", "JSON", edited);
const context: Field = new Field("context", "Context, a JSON object", '{"name": value}', edited);
const term: Editor = new Editor(byId("term"), {
  label: "Program, in the notation or in JSON",
  placeholder: "A program, such as data.map(x => x * 2).sum()",
  onChange: edited,
  offers: {
    isJson: () => isInJson(),
    forms: () => forms,
    tools: () => Object.keys(store.tools()),
    given: () => ["data", "input", ...members(context.text).keys(), ...bound()],
    members: () => members(argument.text, members(context.text)),
    proposals,
  },
});
const beside = new Beside((text) => {
  // JSON has no `name =`.
  bind.value = defined()?.name ?? bind.value;
  term.text = text;
  term.focus();
}, () => language);

const tabs = new Tabs(document.querySelector(".tabs") as HTMLElement, (tab) => {
  if (tab === "tree") drawTree();
});
const tree = new Tree(byId<HTMLUListElement>("tree-root"), (span) => (isWrittenInJson ? term : beside).point(span));

/** Resolves to the evaluator; whatever needs it waits. */
const ready: Promise<Client> = boot();
let walk: Walk | undefined;

const session: Session = new Session(showSession);
const bindings = new Bindings(session, sourceOf, toast);
/** What the last run found wrong, until the text changes. */
let fault: Fault | undefined;
/** The number of the last run. */
let latest = 0;
let checked: problems.Problem[] = [];
/** What the last check told: the text's notation, what could be read, and whether the text is JSON at all. */
let isWrittenInJson = false;
let read: Summary | undefined;
let isTree = false;

function tag(): "none" | "input" | "data" {
  const chosen = document.querySelector<HTMLInputElement>('input[name="argument"]:checked');
  return (chosen?.value ?? "none") as "none" | "input" | "data";
}

function toolName(): string {
  return store.NAME.test(name.value) ? name.value : "";
}

/** What the program binds its value to, if it says so. A tool cannot. */
function defined(): Definition | undefined {
  return toolName() === "" && !isInJson() ? definition(term.text) : undefined;
}

/** The names of the session that the program has as variables. */
function bound(): string[] {
  return toolName() === "" ? session.names() : [];
}

function draft(): store.Draft {
  return { name: toolName(), code: term.text, argument: { tag: tag(), text: argument.text }, context: context.text };
}

function limits(): Limits {
  const read = (id: string, fallback: number) => {
    const input = byId<HTMLInputElement>(id);
    return input.checkValidity() && Number.isInteger(input.valueAsNumber) ? input.valueAsNumber : fallback;
  };
  return {
    fuel: read("fuel", LIMITS.fuel),
    depth: read("depth", LIMITS.depth),
    memory: read("memory", LIMITS.memory >> 20) * (1 << 20),
    output: LIMITS.output,
  };
}

function program(): Program {
  const { name, code, argument, context } = draft();
  const tools = name === "" ? store.tools() : { ...store.tools(), [name]: code };
  const found = defined();
  // A function that gets a name is not applied to nothing.
  const isUnapplied = argument.tag === "none" && (found !== undefined || bind.value !== "");
  return {
    code: name === "" ? { tag: "term", text: found?.code ?? code } : { tag: "tool", text: name },
    argument: isUnapplied ? { tag: "unapplied", text: "" } : argument,
    ...(context.trim() === "" ? {} : { context }),
    tools,
    step: 0,
    limits: limits(),
  };
}

function open(next: store.Draft): void {
  name.value = next.name;
  term.text = next.code;
  argument.text = next.argument.text;
  context.text = next.context;
  const radio = document.querySelector<HTMLInputElement>(`input[name="argument"][value="${next.argument.tag}"]`);
  if (radio !== null) radio.checked = true;
  showArgument();
  term.view.scrollDOM.scrollTop = 0;
}

function showArgument(): void {
  byId("argument").hidden = tag() === "none";
}

/** The draft as it was opened, shared or kept last; nothing before anything is opened. */
let known: string | undefined;

/** Keeps the draft if it was changed: one that came by a link and was only looked at is not the reader's. */
function keepDraft(): void {
  const now = draft();
  const text = JSON.stringify(now);
  if (known === undefined || text === known) return;
  known = text;
  store.setDraft(now);
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
}

const save = later(400, keepDraft);
const check = later(120, () => void checkNow());

function edited(): void {
  // What a run found wrong is said of the text as it was.
  if (fault !== undefined) term.mark([]);
  fault = undefined;
  argument.mark(undefined);
  context.mark(undefined);
  walk?.close();
  tree.reveal(undefined);
  save();
  check();
}

async function checkNow(): Promise<void> {
  const text = term.text;
  const line = byId("check");
  const isJsonText = isInJson(text);
  term.speak(isJsonText ? undefined : language);
  if (text.length > LIVE_CHARACTERS) {
    line.textContent = "The program is too long to be checked while it is typed; Run checks it.";
    return;
  }
  const found = defined();
  const client = await ready;
  const code = found?.code ?? text;
  const answer = await (isJsonText ? client.check(code) : checkWithin(client, code, bound()));
  if (text !== term.text) return;
  isWrittenInJson = isJsonText;
  read = "summary" in answer ? answer.summary : undefined;
  isTree = isJsonText ? !("faults" in answer && answer.faults.some(({ code }) => code === "unparsable")) : read !== undefined;
  if ("summary" in answer) {
    checked = answer.summary.notes.map((note) => ({ ...problems.markOfNote(text, note), ...placeOf(restored(note, found)) }));
    line.textContent = (found === undefined ? "" : `binds ${found.name} · `) + problems.describe(answer.summary, given());
    line.className = "good";
  } else {
    checked = answer.faults.map((fault) => ({ ...problems.markOfFault(text, fault), ...placeOf(restored(fault, found)) }));
    const count = answer.faults.length;
    line.textContent = text.trim() === "" ? "Write a program." : `${count} ${count === 1 ? "fault" : "faults"}`;
    line.className = "bad";
    if (text.trim() === "") checked = [];
  }
  beside.show(read, isWrittenInJson);
  // Of a program that binds a name the evaluator has read only the part behind the name.
  const write = found === undefined ? (program: string) => void (term.text = program) : undefined;
  problems.show(byId("problems"), checked, (span) => term.go(span), write);
  showMarks();
  if (tabs.current === "tree") drawTree();
}

function placeOf({ at, excerpt, place, fix }: Pick<Fault, "at" | "excerpt" | "place" | "fix">) {
  return {
    at,
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(place === undefined ? {} : { place }),
    ...(fix === undefined ? {} : { fix }),
  };
}

/** Variables that the program has from outside. */
function given(): string[] {
  return [...(tag() === "none" ? [] : [tag()]), ...members(context.text).keys(), ...bound()];
}

/** What may be written at a place of a program, by the types of all that it has from outside. */
async function proposals(text: string, at: number): Promise<Proposal[]> {
  const from = bound().flatMap((name) => {
    const term = session.get(name)?.term;
    return term === undefined ? [] : [{ name, evidence: { tag: "term", val: term } as const }];
  });
  const around = Object.entries(recordOf(context.text));
  const given = around.map(([name, value]) => ({ name, evidence: { tag: "data", val: JSON.stringify(value) } as const }));
  const tools = Object.entries(store.tools()).map(([name, code]) => ({ name, code }));
  const input = tag() === "none" ? {} : { input: { tag: "data", val: argument.text } as const };
  const cursor = new TextEncoder().encode(text.slice(0, at)).length;
  return (await ready).complete({ code: text, cursor, variables: [...given, ...from], ...input, tools });
}

/** The members of a JSON object; none of another text. */
function recordOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A fault of the argument or of the context, with its place in there. */
function foreign(fault: Fault): [Field, Fault] | undefined {
  for (const [field, name] of [[argument, tag()], [context, "context"]] as const) {
    const within = problems.within(fault, name);
    if (within !== undefined) return [field, within];
  }
  return undefined;
}

/** The binding that a fault is in. */
function bindingOf({ tool, at }: Fault): string | undefined {
  return tool === undefined ? /^\/bindings\/(\w+)/.exec(at)?.[1] : undefined;
}

function showMarks(): void {
  if (fault === undefined || bindingOf(fault) !== undefined) return term.mark(checked);
  const found = foreign(fault);
  if (found !== undefined) {
    const [field, within] = found;
    field.mark(within, fault.at);
    return term.mark(checked);
  }
  const isHere = fault.tool === undefined || fault.tool === toolName();
  if (isHere && !isWrittenInJson && fault.place === undefined) {
    // A tool runs from its JSON.
    term.mark(checked);
    return pointBeside(fault.at);
  }
  const isNew = isHere && checked.every((mark) => mark.severity !== "error");
  term.mark(isNew ? [...checked, problems.markOfFault(term.text, fault)] : checked);
}

/** The program as JSON, as it stands on the page; undefined if it cannot be read. */
function json(): string | undefined {
  return isWrittenInJson ? term.text : read && beside.text;
}

function drawTree(): void {
  const text = isTree ? json() : undefined;
  const isDrawn = text !== undefined && text.trim() !== "" && text.length <= LIVE_CHARACTERS;
  byId("tree-root").hidden = !isDrawn;
  byId("tree-note").textContent = isDrawn ? "Enter or a click shows a node in the JSON." : "The tree is drawn when the program can be read.";
  if (isDrawn) tree.draw(text);
}

/** Points at a part of the program: in its JSON, and in its text. */
function point(visit: Visit | undefined): void {
  const isOwn = visit !== undefined && !visit.at.startsWith("/bindings/");
  const isHere = isOwn && (visit.tool === undefined || visit.tool === toolName());
  tree.reveal(isHere ? visit.at : undefined);
  if (isWrittenInJson) return term.point(isHere ? problems.spanOf(term.text, visit) : null);
  const byte = isHere ? visit.byte : undefined;
  term.point(byte === undefined ? null : problems.tokenAt(term.text, byteAt(term.text, byte)));
  pointBeside(isHere ? visit.at : undefined);
}

function pointBeside(at: string | undefined): void {
  const text = json();
  beside.point(at === undefined || text === undefined ? null : problems.spanOf(text, { at }));
}

/** Runs the program as a turn of the session, which binds the value to a name if there is one. */
async function runTurn(): Promise<void> {
  const name = defined()?.name ?? (bind.value === "" ? undefined : bind.value);
  const reason = name === undefined ? undefined : refusal(name);
  if (reason === undefined) return void (await runNow(program(), name));
  bind.focus();
  toast(reason);
}

/** Runs and shows what comes of it; undefined if a later run has taken its place. */
async function runNow(given: Program, name: string | undefined): Promise<Ended | undefined> {
  const own = ++latest;
  const client = await ready;
  fault = undefined;
  setRunning(true);
  tabs.open("result");
  const shown = setTimeout(() => result.running(resultPanel, undefined), 80);
  const progress = (usage: Usage) => own === latest && result.running(resultPanel, usage);
  await session.ready;
  const turn = session.give(given);
  const found = defined();
  const ran = await client.run(turn, progress);
  clearTimeout(shown);
  if (own !== latest) return undefined;
  const ended = await session.take(ran, name, turn);
  if (own !== latest) return undefined;
  setRunning(client.isBusy);
  if (ended.bound !== undefined && ended.bound === bind.value) bind.value = "";
  const { outcome } = ended;
  showEnded("fault" in outcome ? { ...ended, outcome: { ...outcome, fault: restored(outcome.fault, found) } } : ended, name);
  return ended;
}

/** Shows how a run ended, whose value is to be bound to a name if there is one. */
function showEnded(ended: Ended, name?: string): void {
  result.ended(resultPanel, ended, { show: (fault) => void showFault(fault), go: (value, steps) => void drive(value, steps, name) });
  byId("announce").textContent = result.sentence(ended);
  if (matchMedia("(max-width: 900px)").matches) document.querySelector(".read")?.scrollIntoView({ block: "start" });
  // A value that cannot be kept is no fault of the text.
  fault = "fault" in ended.outcome && ended.outcome.unkept === undefined ? ended.outcome.fault : undefined;
  showMarks();
  performance.mark("pif:ended");
}

function setRunning(isRunning: boolean): void {
  byId<HTMLButtonElement>("stop").disabled = !isRunning;
  document.body.classList.toggle("is-running", isRunning);
}

/** Goes on with a continuation. */
async function drive(value: Value, steps: number, name: string | undefined): Promise<void> {
  let { next } = value;
  for (let n = 0; next !== undefined && n < Math.min(steps, MOST_STEPS); n++) {
    const { tool, input, step } = next;
    const { tools, limits } = program();
    const code = { tag: "tool", text: tool } as const;
    const ended = await runNow({ code, argument: { tag: "input", text: input }, tools, step, limits }, name);
    next = ended !== undefined && "value" in ended.outcome ? ended.outcome.value.next : undefined;
  }
}

async function showFault(fault: Fault): Promise<void> {
  if (/^\/value\b/.test(fault.at)) return document.querySelector<HTMLElement>("#result .value")?.focus();
  const binding = bindingOf(fault);
  if (binding !== undefined) return bindings.reveal(binding);
  const found = foreign(fault);
  if (found !== undefined) return found[0].go(found[1]);
  if (fault.tool !== undefined && fault.tool !== toolName()) {
    const code = store.tools()[fault.tool];
    if (code === undefined) return toast(`The tool ${fault.tool} is not kept here.`);
    open({ ...draft(), name: fault.tool, code });
    await checkNow();
  }
  if (fault.place === undefined && !isInJson()) pointBeside(fault.at);
  else term.go(problems.spanOf(term.text, fault));
}

async function stepThrough(by: number): Promise<void> {
  const client = await ready;
  tabs.open("steps");
  walk ??= new Walk(client, byId("steps"), {
    visit: point,
    end: (ended) => showEnded(ended),
  });
  await session.ready;
  const moved = walk.isOpen && by !== 0 ? walk.move(by) : walk.begin(session.give(program()));
  setRunning(client.isBusy);
  await moved;
  setRunning(client.isBusy);
}

function saveTool(): void {
  if (!store.NAME.test(name.value)) {
    name.focus();
    return toast("A tool needs a name: letters, digits, _ and -, at most 64.");
  }
  const isKept = store.keep(name.value, term.text);
  toast(isKept ? `The tool ${name.value} is saved in this browser.` : "The browser does not keep it: its storage is full or closed.");
  showTools();
}

/** A term in the notation; one that cannot be read, or is long, as it is. */
async function sourceOf(text: string): Promise<string> {
  if (text.length > LIVE_CHARACTERS) return text;
  const [printed] = await (await ready).print([text]);
  return printed || text;
}

/** The names that were there when the program was checked. */
let reach = "";

function showSession(): void {
  bindings.draw();
  const names = session.names().join();
  if (names !== reach) check();
  reach = names;
}

function showTools(): void {
  toolbox(byId("tool-list"), {
    open: (name, code) => open({ ...draft(), name, code }),
    changed: toast,
  });
}

async function shareNow(): Promise<void> {
  keepDraft();
  const fragment = await share.fragment(draft());
  history.replaceState(null, "", `#${fragment}`);
  const isCopied = await copy(location.href);
  const length = figure(location.href.length);
  toast(isCopied ? `The link is copied: ${length} characters.` : `The link is in the address bar: ${length} characters.`);
}

const hideToast = later(5000, () => {
  byId("toast").hidden = true;
});

function toast(message: string): void {
  const element = byId("toast");
  element.textContent = message;
  element.hidden = false;
  hideToast();
}

/** Opens what the address holds; whether it holds anything. */
async function openLink(): Promise<boolean> {
  const found = await share.open(location.hash);
  if (found === undefined) return false;
  if (typeof found === "string") {
    toast(found);
    return false;
  }
  // One endless line is hard to edit, and to draw.
  const code = isInJson(found.code) && found.code.split("\n").some((line) => line.length > 5000) ? format(found.code) : found.code;
  open({ ...found, code });
  known = JSON.stringify(draft());
  toast("This program came by a link. Run it if you like; it cannot reach anything.");
  return true;
}

function keys(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  if (event.key === "Enter") void (event.shiftKey ? stepThrough(1) : runTurn());
  else if (event.key === ".") void ready.then((client) => client.stop());
  else if (event.key === "s" && !event.shiftKey) saveTool();
  else return;
  event.preventDefault();
}

function listen(): void {
  const click = (id: string, action: () => void) => byId(id).addEventListener("click", action);
  click("run", () => void runTurn());
  click("stop", () => void ready.then((client) => client.stop()));
  click("step", () => void stepThrough(0));
  click("walk-begin", () => void stepThrough(0));
  click("walk-back", () => void stepThrough(-1));
  click("walk-next", () => void stepThrough(1));
  click("walk-ten", () => void stepThrough(10));
  click("walk-hundred", () => void stepThrough(100));
  click("save", saveTool);
  click("format", () => {
    void formatTerm();
    if (tag() !== "none") argument.text = format(argument.text);
    context.text = format(context.text);
  });
  click("share", () => void shareNow());
  proof.listen(ready);
  const help = byId<HTMLDialogElement>("help");
  click("keys", () => help.showModal());
  click("help-close", () => help.close());
  for (const radio of document.querySelectorAll('input[name="argument"]')) {
    radio.addEventListener("change", () => {
      showArgument();
      edited();
    });
  }
  name.addEventListener("input", edited);
  for (const id of ["fuel", "depth", "memory"]) byId(id).addEventListener("input", showLimits);
  addEventListener("keydown", keys, { capture: true });
  addEventListener("hashchange", () => void openLink());
  addEventListener("storage", showTools);
  addEventListener("pagehide", keepDraft);
}

async function formatTerm(): Promise<void> {
  await checkNow();
  if (isTree && isWrittenInJson) term.text = format(term.text);
  else if (/\/\/|\/\*/.test(term.text)) toast("The program may have comments, which would be lost: it stays as it is.");
  else if (read !== undefined) term.text = [defined()?.head, read.notation].filter(Boolean).join(" ");
}

function showLimits(): void {
  const { fuel, depth, memory } = limits();
  byId("limits-now").textContent = `${figure(fuel)} fuel · ${figure(depth)} deep · ${memory >> 20} MiB`;
}

function fill(): void {
  byId<HTMLInputElement>("fuel").valueAsNumber = LIMITS.fuel;
  byId<HTMLInputElement>("depth").valueAsNumber = LIMITS.depth;
  byId<HTMLInputElement>("memory").valueAsNumber = LIMITS.memory >> 20;
  showLimits();
  const examples = byId<HTMLSelectElement>("examples");
  examples.append(...EXAMPLES.map(({ title }, n) => h("option", { value: n }, title)));
  examples.addEventListener("change", () => {
    const example = EXAMPLES[Number(examples.value)];
    if (examples.value !== "" && example !== undefined) open(example);
    examples.value = "";
  });
}

async function begin(): Promise<void> {
  theme(byId<HTMLButtonElement>("theme"));
  fill();
  listen();
  showTools();
  const first = store.draft() ?? EXAMPLES[0];
  if (!(await openLink()) && first !== undefined) open(first);
  known = JSON.stringify(draft());
  try {
    const client = await ready;
    forms = await client.forms();
    names = new Set(forms.map((form) => form.name));
    language = notation((name) => names.has(name));
    check();
    tree.setForms([...names]);
    const examples = await client.print(forms.map((form) => form.example));
    reference(byId("reference"), forms, examples, (code) => {
      open({ name: "", code, argument: { tag: "none", text: "" }, context: "" });
      void runTurn();
    });
    document.body.classList.add("is-ready");
    void offline();
  } catch (error) {
    byId("check").textContent = `The evaluator does not start: ${String(error)}`;
  }
}

void begin();
