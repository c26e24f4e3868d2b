import { existsSync, statSync } from "node:fs";
import { defined, isWaymarkError } from "../../base/index.ts";
import { computerText, requirePermissionToWork, type RunHandle } from "../../engine/index.ts";
import { checkAgents, workOnRuns, type DriveEnd, type WorkEvent } from "../../runner/index.ts";
import { becameText } from "../../views/index.ts";
import type { Given } from "../define-command.ts";
import type { Session } from "../session.ts";
import type { OpenRunner } from "../world.ts";
import { driveWish, withRunner, type Wish } from "./drive-agent.ts";

/** `waymark work`: a worker for the runs of the project, for as long as it is let. */
export async function workCommand({ session, options }: Given): Promise<void> {
  session.world.drainOnTerminate();
  return withRunner(
    session,
    async (runner) => {
      const { finish, cancel, workers = 1, ...wish } = driveWish(runner, session, options);
      const { out } = session;
      // What prevents all work is said now, not when there is some.
      if (wish.agent !== undefined) await runner.parts.agents.resolve(wish.agent);
      const { store, host } = runner.context;
      // A store that is not this user's refuses every write, also one that changes nothing.
      if ((await store.identity()) !== undefined) await store.releaseLeases(host.processId, "strand/");
      session.showWorkspace();
      out.beginList();
      out.entry({ type: "ready", workers, process: runner.context.host.processId });
      out.line(`Waiting for work. ${workers === 1 ? "One part" : `${workers} parts`} at a time; Ctrl-C stops after what is open.`);
      finish.addEventListener("abort", () => out.aside("Waymark stops after the open turns and commands. A second signal cancels them."), {
        once: true,
      });
      const allowed = (): Promise<string> => whatIsAllowed(runner);
      const watch = (event: WorkEvent): void => show(session, event);
      const refuses = (handle: RunHandle): Promise<string | undefined> => refusal(runner, { ...wish, finish, cancel }, handle);
      await workOnRuns(
        { ...runner.parts, hints: runner.hints },
        { ...wish, finish, cancel, workers, pollMs: runner.pollMs, refuses, allowed, watch },
      );
      out.entry({ type: "stopped" });
      out.line("Stopped. What was open is given back.");
    },
    true,
  );
}

/** Another text after every change of what this user has allowed, and of the keys of others. */
async function whatIsAllowed({ context: { host } }: OpenRunner): Promise<string> {
  const held = await host.permissions.list();
  const last =
    held
      .map(({ at }) => at)
      .toSorted()
      .at(-1) ?? "";
  return `${held.length} ${last} ${statSync(host.sealKeys, { throwIfNoEntry: false })?.mtimeMs ?? 0}`;
}

/** `here`: the name of this computer. */
function elsewhereText({ options: { folder, computer } }: RunHandle["state"], here: string): string {
  if (computer === here) return `Its worktree \`${folder}\` was removed.`;
  return `It continues on ${computerText(computer)}, which has its worktree \`${folder}\`.`;
}

/** Throws what else is to be said. */
async function refusal({ context, parts }: OpenRunner, wish: Wish, handle: RunHandle): Promise<string | undefined> {
  const { folder } = handle.state.options;
  if (folder !== undefined && !existsSync(folder)) return elsewhereText(handle.state, context.host.computer);
  try {
    await requirePermissionToWork(context, handle);
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "ENGINE_NOT_ALLOWED") throw error;
    return `You have not allowed it here: waymark allow ${handle.program.name}`;
  }
  await checkAgents(parts, wish, handle.program, folder !== undefined);
  return undefined;
}

function show({ out }: Session, event: WorkEvent): void {
  switch (event.type) {
    case "takes":
      out.entry({ type: "takes", run_id: event.run, workflow: event.workflow });
      return;
    case "refuses": {
      const { run, workflow, why, code, fix } = event;
      out.entry({ type: "refuses", run_id: run, workflow, why, ...defined({ code, fix }) });
      const more = `${code === undefined ? "" : ` (${code})`}${fix === undefined ? "" : ` ${fix}`}`;
      return out.advice(`${run} (${workflow}) is left to others: ${why}${more}`);
    }
    case "leaves":
      out.entry({ type: "leaves", run_id: event.run, ...event.end });
      return showLeft(out, event.end);
    case "drives":
      return showDriven(out, event);
  }
}

/** What an agent says is in the transcript of the run. */
function showDriven(out: Session["out"], { run, event }: Extract<WorkEvent, { readonly type: "drives" }>): void {
  if (event.type === "step") {
    const { step, agent, position } = event;
    out.entry({ type: "step", run_id: run, step, agent, strand: position.strand });
    return out.line(`${run}  ${step}: ${agent}${event.resumed ? ", in the conversation that was interrupted" : ""}`);
  }
  if (event.type === "reported") {
    const { step, how, why } = event;
    out.entry({ type: "reported", run_id: run, step, how, ...(why === undefined ? {} : { why }) });
    return out.line(
      `${run}  ${how === "done" ? out.paint("green", "✓") : how === "failed" ? out.paint("red", "✗") : "…"} ${step}${why === undefined ? "" : `: ${why}`}`,
    );
  }
  if (event.type === "notice" || event.type === "told") {
    out.entry({ type: "notice", run_id: run, text: event.text });
    out.advice(`${run}  ${event.text}`);
  }
}

function showLeft(out: Session["out"], end: DriveEnd): void {
  if (end.kind === "completed") out.line(`Run ${end.run} is complete.`);
  else if (end.kind === "failed" || end.kind === "cancelled") out.advice(`Run ${end.run} ${becameText(end.kind)}: ${end.why}`);
  else if (end.kind === "waits") out.advice(`Run ${end.run} waits for a person: waymark decide ${end.run}`);
}
