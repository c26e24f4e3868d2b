import type { EngineContext } from "../../../engine/index.ts";

const program = "git -c core.quotepath=off -c core.fsmonitor=false";
const timeoutMs = 60_000;
const mostOutput = 64 * 1024 * 1024;

/**
 * What git prints for each of these questions, in their order; undefined where it fails. One shell asks all of them, since starting a
 * process holds up everything else. When one of them fails, or all of it is too much for one answer, each is asked by itself.
 */
export async function gitOutputs(context: EngineContext, questions: readonly string[]): Promise<readonly (string | undefined)[]> {
  const mark = context.host.uuid();
  const commands = questions.map((question) => `${program} ${question}`);
  // Windows ends the line of an `echo` with a carriage return, and has the space before `&&` in it.
  const together = (await printed(context, commands.join(` && echo ${mark} && `)))?.split(new RegExp(`${mark} ?\\r?\\n`));
  if (together?.length === questions.length) return together;
  if (questions.length === 1) return [undefined];
  const outputs: (string | undefined)[] = [];
  for (const command of commands) outputs.push(await printed(context, command));
  return outputs;
}

async function printed({ host }: EngineContext, command: string): Promise<string | undefined> {
  const env = { GIT_OPTIONAL_LOCKS: "0" };
  const outcome = await host.commands.run({ command, cwd: host.workspace, timeoutMs, keepBytes: mostOutput, env });
  // A file holds what is beyond the limit: a part of the answer is none.
  return outcome.ended === "exit" && outcome.exitCode === 0 && outcome.stdout.file === undefined ? outcome.stdout.text : undefined;
}
