import { isWaymarkError, nearest, type WaymarkError } from "../../base/index.ts";
import type { RunHandle, EngineContext } from "../../engine/index.ts";
import type { FollowedRun } from "../../ports/index.ts";
import { refusal } from "../codes.ts";
import type { Desk } from "../desk.ts";

export interface NamedRun {
  readonly followed: FollowedRun;
  readonly context: EngineContext;
  readonly handle: RunHandle;
}

/** The run of this conversation that is named, by its id or its uuid. Runs of other conversations are not known here. */
export async function namedRun(desk: Desk, name: string): Promise<NamedRun> {
  const { conversations } = desk.parts;
  const all = await conversations.runsFollowed(desk.place.conversation);
  const followed = all.find(({ run }) => run === name) ?? (await withUuid(desk, all, name));
  if (followed !== undefined) {
    const { context } = await desk.engineOf(followed.codebase);
    return { followed, context, handle: await context.runs.open(followed.run) };
  }
  const [near] = nearest(
    name,
    all.map(({ run }) => run),
    1,
  );
  const hint = near === undefined ? "Write `/workflow status` for the runs of this conversation." : `Did you mean \`${near}\`?`;
  throw refusal("CHAT_NO_RUN", `This conversation does not follow a run \`${name}\`. Nothing was done.`, hint);
}

async function withUuid(desk: Desk, all: readonly FollowedRun[], uuid: string): Promise<FollowedRun | undefined> {
  for (const followed of all) {
    const engine = await orError(desk.engineOf(followed.codebase));
    if (!isWaymarkError(engine) && (await engine.context.runs.idOf(uuid)) === followed.run) return followed;
  }
  return undefined;
}

/** Why it cannot be, as a value: one run that cannot be opened, such as that of a folder that is gone, does not hide the others. */
export async function orError<T>(opening: Promise<T>): Promise<T | WaymarkError> {
  return opening.catch((error: unknown) => {
    if (isWaymarkError(error)) return error;
    throw error;
  });
}

/** The run that is named, else the only one of the conversation that fits. */
export async function meantRun(desk: Desk, name: string | undefined, fits: (run: NamedRun) => boolean, what: string): Promise<NamedRun> {
  if (name !== undefined) return namedRun(desk, name);
  const found: NamedRun[] = [];
  for (const { run } of (await desk.parts.conversations.runsFollowed(desk.place.conversation)).slice(0, mostLookedAt)) {
    const known = await orError(namedRun(desk, run));
    if (!isWaymarkError(known) && fits(known)) found.push(known);
  }
  const [only, other] = found;
  if (only === undefined) throw refusal("CHAT_NO_RUN", `No run of this conversation ${what}.`);
  if (other === undefined) return only;
  const lines = found.map(({ handle }) => `- \`${handle.id}\` (${handle.program.name})`).join("\n");
  throw refusal("CHAT_SEVERAL", `Several runs are meant. Nothing was done.\n\n${lines}`, "Write the command with the run behind it.");
}

const mostLookedAt = 50;
