import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

interface Answer {
  readonly id?: number;
  readonly result?: { readonly tools?: readonly unknown[] };
  readonly error?: { readonly message: string };
}

/** Starts the server, shakes hands, asks for its tools, answers how many there are. Resolves at the answer; the server is then let go. */
export function askForTools(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`The server ended with ${code} before it answered.`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, result, error } = JSON.parse(line) as Answer;
      if (error !== undefined) return reject(new Error(error.message));
      if (id === 1) {
        say({ method: "notifications/initialized" });
        say({ id: 2, method: "tools/list" });
      }
      if (id !== 2) return;
      resolve(result?.tools?.length ?? 0);
      child.stdin.end();
      child.kill("SIGKILL");
    });
    say({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } },
    });
  });
}
