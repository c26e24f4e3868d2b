import { dependencies, readState, updateState, type StateUpdate } from "../../engine/index.ts";
import { cliCaller } from "../cli-caller.ts";
import { badValue, exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { jsonOrText, keyValue, parseCount } from "../parse-values.ts";
import type { Session } from "../session.ts";

interface StateOptions {
  readonly set?: readonly string[];
  readonly append?: readonly string[];
  readonly increment?: readonly string[];
  readonly merge?: readonly string[];
  readonly expectVersion?: string;
  readonly task?: string;
  readonly deps?: string;
}

export async function stateCommand(given: Given): Promise<number> {
  const {
    session,
    args: [run = "", ...paths],
  } = given;
  const options: StateOptions = given.options;
  const updates = updatesOf(options);
  if ([updates.length > 0, paths.length > 0, options.deps !== undefined].filter(Boolean).length > 1) {
    throw usage("Reading, writing and `--deps` cannot be combined.", "Use one command for each.");
  }
  if (updates.length === 0 && (options.expectVersion !== undefined || options.task !== undefined)) {
    throw usage("`--expect-version` and `--task` only make sense with a write.", "Add for example `--set raw.name=Ada`.");
  }
  if (options.deps !== undefined) return showDependencies(session, run, options.deps);
  return updates.length > 0 ? write(session, run, updates, options) : read(session, run, paths);
}

async function read(session: Session, run: string, paths: readonly string[]): Promise<number> {
  const { state, version } = await session.withEngine((context) => readState(context, run, paths.length > 0 ? paths : undefined));
  const { out } = session;
  out.document({ run_id: run, version, state });
  const [only] = paths;
  if (paths.length === 1 && only !== undefined && typeof state[only] === "string") out.line(state[only]);
  else out.line(JSON.stringify(paths.length === 1 && only !== undefined ? (state[only] ?? null) : state, null, 2));
  return exitCodes.done;
}

async function write(session: Session, run: string, updates: readonly StateUpdate[], options: StateOptions): Promise<number> {
  const expected = options.expectVersion === undefined ? {} : { expectedVersion: parseCount(options.expectVersion, "--expect-version") };
  const task = options.task === undefined ? {} : { task: options.task };
  const { version, changed } = await session.withEngine((context) =>
    updateState(context, cliCaller(session.world, context), { run, updates, ...expected, ...task }),
  );
  const { out } = session;
  out.document({ run_id: run, version, changed });
  out.line(`Written; the state has version ${version} now.`);
  for (const [name, value] of Object.entries(changed)) out.line(`  ${name} became ${JSON.stringify(value)}`);
  return exitCodes.done;
}

async function showDependencies(session: Session, run: string, field: string): Promise<number> {
  const found = await session.withEngine((context) => dependencies(context, run, field));
  session.out.document({ run_id: run, field, ...found });
  const rows = [
    ["reads", found.direct_deps.join(", ") || "nothing"],
    ["in all", found.all_deps.join(", ") || "nothing"],
    ["is read by", found.dependents.join(", ") || "nothing"],
  ];
  session.out.table([field, ""], rows);
  return exitCodes.done;
}

function updatesOf(options: StateOptions): StateUpdate[] {
  const valued = (texts: readonly string[] | undefined, operation: NonNullable<StateUpdate["operation"]>): StateUpdate[] =>
    (texts ?? []).map((text) => {
      const [path, value] = keyValue(text, `--${operation}`);
      return { path, operation, value: jsonOrText(value) };
    });
  return [
    ...valued(options.set, "set"),
    ...valued(options.append, "append"),
    ...valued(options.merge, "merge"),
    ...(options.increment ?? []).map(incrementOf),
  ];
}

function incrementOf(text: string): StateUpdate {
  if (!text.includes("=")) return { path: text, operation: "increment", value: 1 };
  const [path, value] = keyValue(text, "--increment");
  const by = Number(value);
  if (value.trim() === "" || !Number.isFinite(by))
    throw badValue(`\`--increment ${text}\` does not name a number.`, "Write for example `--increment raw.count=2`.");
  return { path, operation: "increment", value: by };
}
