// A built package that is driven from outside: its command line, and its MCP server with a person at the client.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const scene = pathToFileURL(join(import.meta.dirname, "set-scene.mjs")).href;
const began = "2020-01-06T09:00:00.000Z";

/** The package is copied below the root: workflows that come with it are kept with their place in every run. */
export function openProduct(dist, root) {
  const from = resolve(dirname(dist), "..");
  const own = join(root, "package");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "home"), { recursive: true });
  for (const part of ["dist", "workflows", "knowledge", "package.json"])
    if (existsSync(join(from, part))) cpSync(join(from, part), join(own, part), { recursive: true });
  symlinkSync(join(from, "node_modules"), join(own, "node_modules"));
  return new Product(join(own, "dist/waymark.js"), root);
}

class Product {
  #main;
  #root;
  #env;
  #help;

  constructor(main, root) {
    this.#main = main;
    this.#root = root;
    this.#env = {
      PATH: process.env.PATH ?? "",
      HOME: join(root, "home"),
      WAYMARK_DATA_HOME: join(root, "data"),
      WAYMARK_CONFIG_HOME: join(root, "config"),
      WAYMARK_ALLOW_UNATTENDED: "1",
      NODE_OPTIONS: `--import=${scene}`,
      GOLDEN_CLOCK_OFFSET: String(Date.parse(began) - Date.now()),
    };
  }

  /** The time that the first process sees. */
  get began() {
    return began;
  }

  folder(workspace) {
    return join(this.#root, workspace);
  }

  write(workspace, files) {
    for (const [path, text] of Object.entries(files)) {
      const full = join(this.folder(workspace), path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
    }
  }

  /** A repository with one commit of what is there. */
  commit(workspace) {
    const when = { GIT_AUTHOR_DATE: began, GIT_COMMITTER_DATE: began };
    const who = ["-c", "user.name=ada", "-c", "user.email=ada@localhost", "-c", "init.defaultBranch=main"];
    for (const words of [
      ["init", "-q", "--template="],
      ["add", "-A"],
      ["commit", "-q", "-m", "begin"],
    ]) {
      const { status, stderr } = spawnSync("git", [...who, ...words], {
        cwd: this.folder(workspace),
        env: { PATH: this.#env.PATH, HOME: this.#env.HOME, ...when },
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
    }
  }

  /** What a command prints, as text; it must end with one of the codes. */
  text(workspace, words, codes = [0]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.#main, ...words], {
      cwd: this.folder(workspace),
      env: this.#env,
      input: "",
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    if (!codes.includes(status)) throw new Error(`waymark ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  }

  json(workspace, words, codes) {
    return JSON.parse(this.text(workspace, ["--json", ...words], codes));
  }

  /** Reports the open step as done; of an entry of a checklist the result is what it brings along. */
  done(workspace, run, result, { entry = false, more = [] } = {}) {
    const said = result === undefined ? [] : ["--result", result];
    const words = this.#reportsByVerb() ? ["done", run] : ["report", run, ...(result === undefined || entry ? ["--done"] : [])];
    return this.json(workspace, [...words, ...said, ...more]);
  }

  fail(workspace, run, error) {
    return this.json(workspace, [this.#reportsByVerb() ? "fail" : "report", run, "--error", error], [1]);
  }

  /** Versions before `done` and `fail` have one command for every report. */
  #reportsByVerb() {
    this.#help ??= this.text(".", ["--help"]);
    return /^ {2}done /m.test(this.#help);
  }

  /** One conversation with the MCP server; `answer` is what its user says to a question, undefined for nothing. */
  async talk(workspace, work, { tools = "state", answer = () => undefined } = {}) {
    const client = new Client({ name: "golden", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const said = answer(params.message);
      return said === undefined ? { action: "cancel" } : { action: "accept", content: { answer: said } };
    });
    const args = [this.#main, "mcp", "--tools", tools];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: this.folder(workspace), env: this.#env }));
    const call = async (name, words = {}) => {
      const reply = await client.callTool({ name, arguments: words });
      if (reply.isError === true) throw new Error(`${name}(${JSON.stringify(words)}): ${reply.content?.[0]?.text}`);
      return reply.structuredContent;
    };
    try {
      return await work(call);
    } finally {
      await client.close();
    }
  }
}
