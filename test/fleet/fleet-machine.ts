import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface FleetParts {
  /** The built command, the fake agent, and what gives a process another computer's name and clock. */
  readonly product: string;
  readonly agent: string;
  readonly preload: string;
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly pollMs: number;
}

/** What a worker says as a line of JSON. */
interface Line {
  readonly type: string;
  readonly process?: string;
  readonly run_id?: string;
  readonly step?: string;
  readonly how?: string;
}

const workflow = `name: parts
description: Four layers of two parts.
nodes:
${[0, 1, 2, 3]
  .flatMap((layer) =>
    ["a", "b"].map((side) => {
      const above = layer === 0 ? "" : `, depends_on: [${["a", "b"].map((each) => `${each}${layer - 1}`).join(", ")}]`;
      return `  - { id: ${side}${layer}${above}, prompt: "Do ${side}${layer} of $ARGUMENTS." }`;
    }),
  )
  .join("\n")}
`;

/** What was started here ends with this process, however that ends. */
const started = new Set<ChildProcessWithoutNullStreams>();
process.once("exit", () => {
  for (const child of started) child.kill("SIGKILL");
});

/** What `parts` has of them. */
export const partsOfRun = 8;

/** A computer of its own as far as a process can see: name, clock, home, checkout. Its worker may be killed and started again. */
export class FleetMachine {
  readonly name: string;
  /** Names of its processes in the journal, the present one last. */
  readonly processes: string[] = [];
  /** Turns of which its processes said that another one has their step: `<process> <run>/<step>`. */
  readonly refused = new Set<string>();
  /** Steps that its processes began, in the same form. */
  readonly workedOn = new Set<string>();
  /** It stands still, or has not yet seen what happened meanwhile. */
  isStopped = false;
  readonly #env: Record<string, string>;
  readonly #folder: string;
  readonly #parts: FleetParts;
  #child: ChildProcessWithoutNullStreams | undefined;
  #said = "";

  constructor(parts: FleetParts, { folder, name, url, clockMs }: { folder: string; name: string; url: string; clockMs: number }) {
    this.name = name;
    this.#parts = parts;
    this.#folder = join(folder, name);
    const env: Record<string, string> = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(this.#folder, "home"),
      WAYMARK_DATA_HOME: join(this.#folder, "data"),
      WAYMARK_CONFIG_HOME: join(this.#folder, "config"),
      WAYMARK_ALLOW_UNATTENDED: "1",
      WAYMARK_STORE_URL: url,
      WAYMARK_STORE_PROJECT: "fleet",
      WAYMARK_LEASE_TTL_MS: String(parts.leaseMs),
      WAYMARK_LEASE_BEAT_MS: String(parts.beatMs),
      WAYMARK_DRIVE_POLL_MS: String(parts.pollMs),
      NODE_OPTIONS: `--import=${parts.preload}`,
      OTHER_MACHINE: name,
      OTHER_CLOCK_MS: String(clockMs),
    };
    this.#env = env;
    for (const place of ["work/.archon/workflows", "home", "config"]) mkdirSync(join(this.#folder, place), { recursive: true });
    writeFileSync(join(this.#folder, "work/.archon/workflows/parts.yaml"), workflow);
  }

  /** Each turn of its agent takes so long, and is written to the ledger when it begins and when it ends. */
  configure(turnMs: number, ledger: string): void {
    const run = `echo "$<run> $<node> begin ${this.name}" >> ${ledger}; sleep ${turnMs / 1000}; echo "$<run> $<node> end ${this.name}" >> ${ledger}`;
    const script = join(this.#folder, "script.json");
    writeFileSync(
      script,
      JSON.stringify([{ match: "Do (?<node>\\S+) of (?<run>[^.\\s]+)\\.", do: [{ run, ask: false }, { say: "Done." }] }]),
    );
    const command = [process.execPath, this.#parts.agent, `--script=${script}`];
    const config = { agents: { fake: { protocol: "acp", command, permission: "edit" } } };
    writeFileSync(join(this.#folder, "config/config.yaml"), JSON.stringify(config));
  }

  /** A command that ends by itself. */
  async waymark(...args: readonly string[]): Promise<string> {
    const child = this.#spawn(args);
    let [said, complained] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complained += text));
    child.stdin.end();
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`waymark ${args.join(" ")} on ${this.name} ended with ${code}:\n${said}${complained}`);
    return said;
  }

  /** Starts its worker; resolves when it waits for work. */
  async start(workers: number): Promise<void> {
    const child = this.#spawn(["work", "--agent", "fake", "--workers", String(workers), "--jsonl"]);
    this.#child = child;
    this.isStopped = false;
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#said = `${this.#said}${text}`.slice(-4000)));
    let rest = "";
    await new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const lines = `${rest}${text}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (this.#take(JSON.parse(line) as Line)) resolve();
      });
      child.once("close", (code) => reject(new Error(`The worker of ${this.name} ended with ${code} before it was ready:\n${this.#said}`)));
    });
  }

  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(name);
    if (name === "SIGSTOP") this.isStopped = true;
  }

  /** Ends it as an orchestrator does, and answers its exit code. */
  async drain(): Promise<number | string> {
    const child = this.#child;
    if (child === undefined) return 0;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode ?? 0;
    const closed = once(child, "close") as Promise<[number | null, string | null]>;
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    const [code, signal] = await closed;
    return code ?? signal ?? 0;
  }

  /** What it said last on stderr. */
  get complaint(): string {
    return this.#said;
  }

  #take({ type, process: id = "", run_id: run, step, how }: Line): boolean {
    if (type === "ready") this.processes.push(id);
    if (type === "step") this.workedOn.add(`${this.processes.at(-1)} ${run}/${step}`);
    if (type === "reported" && how === "lost") this.refused.add(`${this.processes.at(-1)} ${run}/${step}`);
    return type === "ready";
  }

  #spawn(args: readonly string[]): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [this.#parts.product, ...args], {
      cwd: join(this.#folder, "work"),
      env: this.#env,
      stdio: "pipe",
    });
    started.add(child);
    child.once("close", () => started.delete(child));
    return child;
  }
}
