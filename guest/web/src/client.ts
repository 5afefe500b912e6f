// The page's side of the worker. A run that does not hear a stop is ended with its worker, and a
// new worker takes its place; nothing that a term does can hold up the page.

import type {
  Draft,
  Ended,
  Fault,
  Form,
  Limits,
  Program,
  Proposal,
  Reply,
  Request,
  Summary,
  Usage,
  Walk,
} from "./protocol.ts";

/** The server's defaults of fuel and depth. A page has less memory, and shows less. */
export const LIMITS: Limits = {
  fuel: 2_000_000_000,
  depth: 1_000_000,
  memory: 64 << 20,
  output: 8 << 20,
};

/** How long a stop may go unheard. */
const PATIENCE_MILLISECONDS = 500;

type Asking = Extract<Request, { id: number }>;
type Question<T> = T extends unknown ? Omit<T, "id"> : never;

interface Waiting {
  asked: Asking;
  done: (reply: Reply) => void;
  progress?: ((usage: Usage) => unknown) | undefined;
}

export class Client {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  private running: number | undefined;
  private walking: number | undefined;
  private hasSpoken = false;
  /** The analyst, from the first question on. */
  private analyst: Promise<WebAssembly.Module[]> | undefined;
  private analystModules: WebAssembly.Module[] | undefined;

  constructor(
    private readonly script: URL,
    private readonly modules: WebAssembly.Module[],
    private readonly fetchAnalyst: () => Promise<WebAssembly.Module[]>,
  ) {
    this.respawn(() => true);
  }

  async check(code: string): Promise<{ summary: Summary } | { faults: Fault[] }> {
    const reply = await this.ask({ do: "check", code });
    if ("checked" in reply) return reply.checked;
    return { faults: [internal(reply)] };
  }

  async forms(): Promise<Form[]> {
    const reply = await this.ask({ do: "forms" });
    return "forms" in reply ? reply.forms : [];
  }

  /** What may be written in a program. Nothing while there is no analyst. */
  async complete(draft: Draft): Promise<Proposal[]> {
    this.analyst ??= this.fetchAnalyst();
    try {
      const modules = await this.analyst;
      if (this.analystModules === undefined) {
        this.analystModules = modules;
        this.send({ do: "analyst", modules });
      }
    } catch {
      this.analyst = undefined;
      return [];
    }
    const reply = await this.ask({ do: "complete", draft });
    return "proposals" in reply ? reply.proposals : [];
  }

  /** Terms in JSON, in the notation; what is no term stays as it is. */
  async print(terms: string[]): Promise<string[]> {
    const reply = await this.ask({ do: "print", terms });
    return "printed" in reply ? reply.printed : terms;
  }

  /** Runs a program; a run that is under way is stopped first. */
  async run(program: Program, progress?: (usage: Usage) => unknown): Promise<Ended> {
    this.stop();
    const asked = this.ask({ do: "run", program }, progress);
    const id = (this.running = this.next - 1);
    const reply = await asked;
    if (this.running === id) this.running = undefined;
    return "ended" in reply ? reply.ended : failed(internal(reply));
  }

  /** Begins to step through a program, or goes on. */
  async walk(lines: number, program?: Program): Promise<Walk> {
    const asked = this.ask({ do: "walk", lines, ...(program === undefined ? {} : { program }) });
    const id = (this.walking = this.next - 1);
    const reply = await asked;
    if (this.walking === id) this.walking = undefined;
    if ("walk" in reply) return reply.walk;
    const ended = failed(internal(reply));
    return { lines: [], usage: ended.usage, ended };
  }

  /** Whether a run or a step is under way. */
  get isBusy(): boolean {
    return this.running !== undefined || this.walking !== undefined;
  }

  /** Stops what is under way: between two slices, or else with its worker. */
  stop(): void {
    for (const id of [this.running, this.walking]) {
      if (id === undefined) continue;
      this.send({ do: "stop", id });
      setTimeout(() => {
        if (this.waiting.has(id)) this.respawn((asked) => asked.id === id || asked.do === "walk");
      }, PATIENCE_MILLISECONDS);
    }
  }

  private ask(question: Question<Asking>, progress?: (usage: Usage) => unknown): Promise<Reply> {
    const id = this.next++;
    return new Promise((done) => {
      const asked = { ...question, id } as Asking;
      this.waiting.set(id, { asked, done, progress });
      this.send(asked);
    });
  }

  private send(request: Request): void {
    this.worker?.postMessage(request);
  }

  /** Starts another worker; some of what the old one was asked is lost with it, all else is asked again. */
  private respawn(isLost: (asked: Asking) => boolean): void {
    this.worker?.terminate();
    this.worker = new Worker(this.script, { type: "module" });
    this.worker.addEventListener("message", (event: MessageEvent<Reply>) => this.hear(event.data));
    this.worker.addEventListener("error", (event) => {
      event.preventDefault();
      // One that never said anything would fail again.
      if (this.hasSpoken) this.respawn(({ do: what }) => what === "run" || what === "walk");
      else this.abandon(() => true, `the worker does not start: ${event.message}`);
    });
    this.hasSpoken = false;
    this.send({ do: "load", modules: this.modules });
    if (this.analystModules !== undefined) this.send({ do: "analyst", modules: this.analystModules });
    this.abandon(isLost, "the run was stopped with its worker");
    for (const { asked } of this.waiting.values()) this.send(asked);
  }

  private abandon(which: (asked: Asking) => boolean, message: string): void {
    for (const [id, { asked, done }] of [...this.waiting]) {
      if (!which(asked)) continue;
      this.waiting.delete(id);
      done({ id, ended: failed({ code: "cancelled", message, at: "" }) });
    }
  }

  private hear(reply: Reply): void {
    this.hasSpoken = true;
    const waiting = this.waiting.get(reply.id);
    if ("progress" in reply) {
      waiting?.progress?.(reply.progress);
      return;
    }
    this.waiting.delete(reply.id);
    waiting?.done(reply);
  }
}

function internal(reply: Reply): Fault {
  if ("ended" in reply && "fault" in reply.ended.outcome) return reply.ended.outcome.fault;
  const message = "broken" in reply ? reply.broken : "an answer to another question";
  return { code: "internal", message, at: "" };
}

function failed(fault: Fault): Ended {
  return { outcome: { fault }, usage: { fuel: 0, memory: 0, depth: 0 }, milliseconds: 0 };
}
