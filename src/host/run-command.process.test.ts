import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandRequest } from "../ports/index.ts";
import { GroupRecords } from "./group-records.ts";
import { ShellCommands } from "./run-command.ts";

const cache = join(import.meta.dirname, "../../node_modules/.cache/waymark-host-test", String(process.pid));
let base: string;
let commands: ShellCommands;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-command-")));
  commands = create(4);
});
afterEach(async () => {
  await commands.killAll();
  rmSync(base, { recursive: true, force: true });
});
afterAll(() => rmSync(cache, { recursive: true, force: true }));

function create(parallel: number, env: Record<string, string | undefined> = process.env): ShellCommands {
  const storeFolder = join(base, "store");
  return new ShellCommands({ parallel, storeFolder, groups: new GroupRecords(storeFolder, () => undefined), env, log: () => undefined });
}

function request(command: string, more: Partial<CommandRequest> = {}): CommandRequest {
  return { command, cwd: base, timeoutMs: 60_000, keepBytes: 4 * 1024 * 1024, ...more };
}

/** Whether a process runs; one that is dead but not collected does not. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Process ids that a test's commands wrote into files, as soon as there are enough. */
async function pids(count: number): Promise<number[]> {
  for (;;) {
    const found = readdirSync(base).filter((name) => name.startsWith("pid"));
    const numbers = found.map((name) => Number(readFileSync(join(base, name), "utf8"))).filter((pid) => pid > 0);
    if (numbers.length >= count) return numbers;
    await delay(20);
  }
}

/** A shell that writes down its own process id and then lives long; `stubborn` ignores the polite signal. */
function longLife(name: string, stubborn: boolean): string {
  return `sh -c '${stubborn ? 'trap "" TERM; ' : ""}echo $$ > pid-${name}; while :; do sleep 0.1; done'`;
}

describe("what a command gives back", () => {
  test("output, exit code and time", async () => {
    const outcome = await commands.run(request("printf 'a\\nb'; printf oops >&2; exit 3"));
    expect(outcome).toMatchObject({ exitCode: 3, signal: null, ended: "exit", stdout: { text: "a\nb", bytes: 3 }, stderr: "oops" });
    expect(outcome.stdout.file).toBeUndefined();
  });

  test("stdin is empty, the folder is the one asked for, pipes and quotes work", async () => {
    const outcome = await commands.run(request(`cat; pwd; echo "it's" | tr a-z A-Z`));
    expect(outcome.stdout.text).toBe(`${base}\nIT'S\n`);
  });

  test("a command that a signal ended has no exit code", async () => {
    expect(await commands.run(request("kill -SEGV $$"))).toMatchObject({ exitCode: null, signal: "SIGSEGV", ended: "exit" });
  });

  test("characters cut between two chunks stay whole, and so do those where stderr is cut", async () => {
    const outcome = await commands.run(
      request(`node -e 'const b = Buffer.from("é€😀"); for (const x of b) { require("fs").writeSync(1, Buffer.from([x])); }'`),
    );
    expect(outcome.stdout.text).toBe("é€😀");
    const whole = await commands.run(request(`node -e 'process.stderr.write("x" + "€".repeat(40000))'`));
    expect(whole.stderr).toBe(`x${"€".repeat(40_000)}`);
    const cut = await commands.run(request(`node -e 'process.stderr.write("first" + "€".repeat(100000) + "last")'`));
    const [first = "", left = "", last = ""] = cut.stderr.split("\n");
    expect(first).toMatch(/^first€+$/);
    expect(left).toMatch(/^\.\.\. \(\d+ bytes left out\)$/);
    expect(last).toMatch(/^€+last$/);
    for (const end of [first, last]) {
      expect(Buffer.byteLength(end)).toBeGreaterThan(64 * 1024 - 4);
      expect(Buffer.byteLength(end)).toBeLessThanOrEqual(64 * 1024);
    }
  });

  test("progress tells the bytes so far, rising", async () => {
    const seen: number[] = [];
    await commands.run(request("head -c 300000 /dev/zero", { onProgress: (bytes) => seen.push(bytes) }));
    expect(seen.at(-1)).toBe(300_000);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test("a folder that does not exist, or a command no system takes, is told, not thrown", async () => {
    expect(await commands.run(request("true", { cwd: join(base, "nowhere") }))).toMatchObject({
      ended: "not_started",
      problem: expect.stringContaining("nowhere"),
    });
    expect(await commands.run(request("echo \0"))).toMatchObject({
      ended: "not_started",
      problem: expect.stringContaining("could not be started"),
    });
    expect(await commands.run(request("no-such-program-here"))).toMatchObject({ ended: "exit", exitCode: 127 });
  });

  test("the environment is passed on, without Waymark's tokens", async () => {
    const tokens = { WAYMARK_PERSON_TOKEN: "t1", WAYMARK_TOKEN: "t2", BUILD_KEY: "b", PATH: process.env["PATH"] };
    const outcome = await create(1, tokens).run(request("env", { env: { EXTRA: "e", WAYMARK_TOKEN: "t3" } }));
    expect(outcome.stdout.text).toContain("BUILD_KEY=b\n");
    expect(outcome.stdout.text).toContain("EXTRA=e\n");
    expect(outcome.stdout.text).not.toMatch(/t1|t2|t3|TOKEN/);
  });

  test("a command longer than one argument may be runs through a file that does not stay", async () => {
    const word = "x".repeat(90);
    const outcome = await commands.run(request(`set -- ${Array.from({ length: 5000 }, () => word).join(" ")}; echo $#; exit 4`));
    expect(outcome).toMatchObject({ exitCode: 4, stdout: { text: "5000\n" } });
    expect(readdirSync(join(base, "store", "tmp"))).toEqual([]);
  });
});

describe("large output", () => {
  test("up to the limit it is text, beyond it a file with every byte", async () => {
    const exact = await commands.run(request("printf 'abcdef'", { keepBytes: 6 }));
    expect(exact.stdout).toEqual({ text: "abcdef", bytes: 6 });
    const more = await commands.run(request(`node -e 'process.stdout.write("€".repeat(5000))'`, { keepBytes: 6 }));
    expect(more.stdout.bytes).toBe(15_000);
    expect(more.stdout.text).toBe("€".repeat(1365));
    expect(readFileSync(more.stdout.file!, "utf8")).toBe("€".repeat(5000));
    expect(more.stdout.file!.startsWith(`${base}/store/tmp/`)).toBe(true);
    expect(statSync(more.stdout.file!).mode & 0o777).toBe(0o600);
  });

  test("files that a killed process left are removed after a day, fresh ones stay", async () => {
    const tmp = join(base, "store", "tmp");
    mkdirSync(tmp, { recursive: true });
    for (const name of ["output-old", "output-new", "other-old"]) writeFileSync(join(tmp, name), "");
    const longAgo = Date.now() / 1000 - 90_000;
    for (const name of ["output-old", "other-old"]) utimesSync(join(tmp, name), longAgo, longAgo);
    await commands.run(request("echo hello", { keepBytes: 0 }));
    expect(
      readdirSync(tmp)
        .filter((name) => !/-[0-9a-f]{8}-/.test(name))
        .sort(),
    ).toEqual(["other-old", "output-new"]);
  });

  test("when it cannot be kept, the command is ended and the error says why", async () => {
    writeFileSync(join(base, "store"), "a file stands where the folder should be");
    await expect(
      commands.run(request(`${longLife("a", false)} & until [ -s pid-a ]; do sleep 0.02; done; yes`, { keepBytes: 10 })),
    ).rejects.toMatchObject({
      code: "HOST_OUTPUT_NOT_KEPT",
    });
    expect((await pids(1)).some(runs)).toBe(false);
  });
});

describe("ending", () => {
  test("children and grandchildren die too, even those that ignore the polite signal", async () => {
    const cancel = new AbortController();
    const command = `${longLife("child", false)} & (${longLife("grandchild", true)} &) ; ${longLife("stubborn", true)}`;
    const work = commands.run(request(command, { signal: cancel.signal }));
    const found = await pids(3);
    expect(found.every(runs)).toBe(true);
    cancel.abort();
    expect(await work).toMatchObject({ ended: "cancelled", exitCode: null });
    expect(found.filter(runs)).toEqual([]);
  });

  test("a late command is ended, whatever it has in the background", async () => {
    expect(await commands.run(request("sleep 300 & sleep 300", { timeoutMs: 300 }))).toMatchObject({
      ended: "timeout",
      exitCode: null,
      signal: "SIGTERM",
    });
  });

  test("a command that tidies up on the polite signal may do so, and is still late", async () => {
    const outcome = await commands.run(request(`trap 'echo bye; exit 7' TERM; while :; do sleep 0.05; done`, { timeoutMs: 500 }));
    expect(outcome).toMatchObject({ ended: "timeout", exitCode: 7, stdout: { text: "bye\n" } });
  });

  test("cancelling ends it, before it starts, while it waits and while it runs", async () => {
    const single = create(1);
    const early = AbortSignal.abort();
    expect(await single.run(request("echo x > started", { signal: early }))).toMatchObject({ ended: "cancelled", exitCode: null });
    const running = new AbortController();
    const waiting = new AbortController();
    const first = single.run(request(longLife("first", true), { signal: running.signal }));
    const second = single.run(request("echo x > started", { signal: waiting.signal }));
    const [pid] = await pids(1);
    waiting.abort();
    expect(await second).toMatchObject({ ended: "cancelled" });
    running.abort();
    expect(await first).toMatchObject({ ended: "cancelled" });
    expect(runs(pid!)).toBe(false);
    expect(existsSync(join(base, "started"))).toBe(false);
    expect(await single.run(request("echo free"))).toMatchObject({ ended: "exit", exitCode: 0 });
  });

  test("what a finished command left in its group is ended, and nobody waits for it", async () => {
    const outcome = await commands.run(
      request(`${longLife("left", true)} & ${longLife("quiet", false)} >/dev/null 2>&1 & sleep 0.3; echo done`),
    );
    expect(outcome).toMatchObject({ ended: "exit", exitCode: 0, stdout: { text: "done\n" } });
    expect((await pids(2)).filter(runs)).toEqual([]);
  });

  test("what waited for a command does not keep this process once it is over", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    for (let done = 0; done < 3; done += 1) await commands.run(request("true"));
    expect(timers()).toBeLessThan(before + 3);
  });

  test("a process that left the group cannot keep a finished command open", async () => {
    const outcome = await commands.run(request(`setsid ${longLife("away", false)} & sleep 0.3; echo done`));
    expect(outcome).toMatchObject({ ended: "exit", exitCode: 0, stdout: { text: "done\n" } });
    const [away] = await pids(1);
    expect(runs(away!)).toBe(true);
    process.kill(-away!, "SIGKILL");
  });

  test("killAll ends all of them, and nothing starts afterwards", async () => {
    const work = [0, 1, 2, 3, 4, 5].map((index) => commands.run(request(longLife(String(index), index % 2 === 0))));
    const started = await pids(4);
    await commands.killAll();
    expect((await Promise.all(work)).map(({ ended }) => ended)).toEqual(Array.from({ length: 6 }, () => "cancelled"));
    expect(started.filter(runs)).toEqual([]);
    expect((await pids(4)).length).toBe(4);
    expect(await commands.run(request("echo late"))).toMatchObject({ ended: "cancelled" });
  });

  test("no more commands run at once than allowed", async () => {
    const two = create(2);
    const outcomes = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((index) => two.run(request(`mkdir run${index}; ls -d run* | wc -l; sleep 0.1; rmdir run${index}`))),
    );
    for (const { stdout } of outcomes) expect(stdout.text.trim()).toMatch(/^[12]$/);
    expect(readdirSync(base)).toEqual(["store"]);
    expect(readdirSync(join(base, "store", "groups"))).toEqual([]);
  });

  test("those that wait run in the order they came", async () => {
    const single = create(1);
    await Promise.all([1, 2, 3, 4, 5].map((index) => single.run(request(`echo ${index} >> order`))));
    expect(readFileSync(join(base, "order"), "utf8")).toBe("1\n2\n3\n4\n5\n");
  });
});

describe("in a process of its own", () => {
  async function bundled(body: string): Promise<string> {
    mkdirSync(cache, { recursive: true });
    const outfile = join(cache, `case-${readdirSync(cache).length}.mjs`);
    const contents = `import { GroupRecords } from "./group-records.ts";
      import { ShellCommands } from "./run-command.ts";
      const [store] = process.argv.slice(2);
      const groups = new GroupRecords(store, () => undefined);
      const commands = new ShellCommands({ parallel: 4, storeFolder: store, groups, env: process.env, log: () => undefined });
      const request = (command, more) => ({ command, cwd: process.cwd(), timeoutMs: 60000, keepBytes: 4194304, ...more });
      ${body}`;
    await build({
      stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile,
      logLevel: "error",
    });
    return outfile;
  }

  function start(file: string, limit = ""): { pid: number; ended: Promise<{ code: number | null; signal: string | null; out: string }> } {
    const child = spawn("/bin/sh", ["-c", `${limit} exec "$@"`, "sh", process.execPath, file, join(base, "store")], {
      cwd: base,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let out = "";
    child.stdout.on("data", (chunk) => (out += String(chunk)));
    return { pid: child.pid!, ended: new Promise((done) => child.once("close", (code, signal) => done({ code, signal, out }))) };
  }

  test("200 MB of output cost no memory", async () => {
    const file = await bundled(`
      const before = process.resourceUsage().maxRSS;
      const { stdout, ended } = await commands.run(request("head -c 200000000 /dev/zero | tr '\\\\0' 'a'"));
      console.log(JSON.stringify({ bytes: stdout.bytes, text: stdout.text.length, file: stdout.file, ended, grownKb: process.resourceUsage().maxRSS - before }));`);
    const { out } = await start(file).ended;
    const facts = JSON.parse(out) as { bytes: number; text: number; file: string; ended: string; grownKb: number };
    expect(facts).toMatchObject({ bytes: 200_000_000, text: 4096, ended: "exit" });
    expect(statSync(facts.file).size).toBe(200_000_000);
    expect(facts.grownKb).toBeLessThan(80_000);
  });

  test("a full disk ends the command with a clear error, and the broken file does not stay", async () => {
    const file = await bundled(`
      const error = await commands.run(request("yes")).catch((cause) => cause);
      console.log(JSON.stringify({ code: error.code, message: error.message }));`);
    // A limit on the size of files is the closest thing to a full disk that needs no special rights.
    const { out } = await start(file, "ulimit -f 10000;").ended;
    expect(JSON.parse(out)).toMatchObject({ code: "HOST_OUTPUT_NOT_KEPT", message: expect.stringContaining("could not be kept") });
    expect(readdirSync(join(base, "store", "tmp"))).toEqual([]);
  });

  test("nothing survives when the process exits by itself", async () => {
    const file = await bundled(`
      void commands.run(request(${JSON.stringify(`${longLife("a", true)} & ${longLife("b", true)}`)}));
      const { readdirSync } = await import("node:fs");
      setInterval(() => { if (readdirSync(".").filter((name) => name.startsWith("pid")).length === 2) process.exit(5); }, 20);`);
    expect(await start(file).ended).toMatchObject({ code: 5 });
    await expectGone(2);
  });

  test("nothing survives an uncaught error", async () => {
    const file = await bundled(`
      void commands.run(request(${JSON.stringify(longLife("a", true))}));
      const { existsSync } = await import("node:fs");
      setInterval(() => { if (existsSync("pid-a")) throw new Error("boom"); }, 20);`);
    expect(await start(file).ended).toMatchObject({ code: 1 });
    await expectGone(1);
  });

  test("nothing survives SIGTERM when it leads to killAll", async () => {
    const file = await bundled(`
      process.once("SIGTERM", () => void commands.killAll().then(() => process.exit(0)));
      console.log((await commands.run(request(${JSON.stringify(`${longLife("a", true)} & ${longLife("b", false)}`)}))).ended);
      setInterval(() => undefined, 1000);`);
    const running = start(file);
    const found = await pids(2);
    process.kill(running.pid, "SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0, out: "cancelled\n" });
    expect(found.filter(runs)).toEqual([]);
  });

  /** The kernel needs a moment to carry out a kill whose sender is gone. */
  async function expectGone(count: number): Promise<void> {
    const found = await pids(count);
    for (let tries = 0; tries < 100 && found.some(runs); tries++) await delay(20);
    expect(found.filter(runs)).toEqual([]);
  }
});
