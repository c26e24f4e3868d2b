import { defined, jsonOrText } from "../../base/index.ts";
import { dependencies, readOpenState, readState, updateState, type StateUpdate } from "../../engine/index.ts";
import { badValue, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { keyValue, parseCount } from "../parse-values.ts";
import { type Session, atDesk } from "../session.ts";

interface StateOptions {
  readonly set?: readonly string[];
  readonly append?: readonly string[];
  readonly increment?: readonly string[];
  readonly merge?: readonly string[];
  readonly expectVersion?: string;
  readonly task?: string;
  readonly of?: string;
  readonly deps?: string;
}

export async function stateCommand({ session, shares, args: [run = "", ...paths], options: given }: Given): Promise<void> {
  const options: StateOptions = given;
  const updates = updatesOf(options);
  if ([updates.length > 0, paths.length > 0, options.deps !== undefined].filter(Boolean).length > 1)
    throw usage("Reading, writing and `--deps` cannot be combined.", "Use one command for each.");
  refuseUnfit(options, updates.length > 0);
  if (options.deps !== undefined) return showDependencies(session, run, options.deps);
  return updates.length > 0 ? write({ session, shares }, run, updates, options) : read(session, run, paths, options);
}

function refuseUnfit({ expectVersion, task, of, deps }: StateOptions, writes: boolean): void {
  if (!writes && expectVersion !== undefined)
    throw usage("`--expect-version` only makes sense with a write.", "Add for example `--set raw.name=Ada`.");
  if (deps !== undefined && task !== undefined) throw usage("`--deps` and `--task` cannot be combined.", "Leave `--task` out.");
  if (of === undefined) return;
  if (of !== "run") throw badValue(`\`--of ${of}\` is not possible.`, "`--of run` reads the run's own state.");
  if (writes || deps !== undefined || task !== undefined)
    throw usage("`--of run` only makes sense for reading the run's state.", "Leave it out.");
}

async function read(session: Session, run: string, named: readonly string[], { task, of: whose }: StateOptions): Promise<void> {
  const paths = named.length > 0 ? named : undefined;
  const asked = { run, ...defined({ task, paths }) };
  const { state, version, of } = await session.withEngine((context) =>
    whose === "run" ? readState(context, run, paths) : readOpenState(context, asked),
  );
  const { out } = session;
  out.document({ run_id: run, version, of, state });
  if (of !== undefined) out.aside(`This is the state of \`${of}\`; with \`--of run\` it is the run's own.`);
  const [only] = named;
  if (named.length === 1 && only !== undefined && typeof state[only] === "string") out.line(state[only]);
  else out.line(JSON.stringify(named.length === 1 && only !== undefined ? (state[only] ?? null) : state, null, 2));
}

type At = Pick<Given, "session" | "shares">;

async function write(given: At, run: string, updates: readonly StateUpdate[], options: StateOptions): Promise<void> {
  const expected = options.expectVersion === undefined ? {} : { expectedVersion: parseCount(options.expectVersion, "--expect-version") };
  const request = { run, updates, ...expected, ...defined({ task: options.task }) };
  const { version, changed, of } = await atDesk(given, ({ context, caller }) => updateState(context, caller, request));
  const { out } = given.session;
  out.document({ run_id: run, version, of, changed });
  out.line(`Written; the state${of === undefined ? "" : ` of \`${of}\``} has version ${version} now.`);
  for (const [name, value] of Object.entries(changed)) out.line(`  ${name} became ${JSON.stringify(value)}`);
}

async function showDependencies(session: Session, run: string, field: string): Promise<void> {
  const found = await session.withEngine((context) => dependencies(context, run, field));
  session.out.document({ run_id: run, field, ...found });
  const rows = Object.entries({ reads: found.direct_deps, "in all": found.all_deps, "is read by": found.dependents });
  session.out.table(
    [field, ""],
    rows.map(([what, fields]) => [what, fields.join(", ") || "nothing"]),
  );
}

function updatesOf(options: StateOptions): StateUpdate[] {
  const valued = (texts: readonly string[] | undefined, operation: NonNullable<StateUpdate["operation"]>): StateUpdate[] =>
    (texts ?? []).map((text) => {
      const [path, value] = keyValue(text, `--${operation}`);
      return { path, operation, value: jsonOrText(value) };
    });
  const { set, append, merge, increment = [] } = options;
  return [...valued(set, "set"), ...valued(append, "append"), ...valued(merge, "merge"), ...increment.map(incrementOf)];
}

function incrementOf(text: string): StateUpdate {
  if (!text.includes("=")) return { path: text, operation: "increment", value: 1 };
  const [path, value] = keyValue(text, "--increment");
  const by = Number(value);
  if (value.trim() === "" || !Number.isFinite(by))
    throw badValue(`\`--increment ${text}\` does not name a number.`, "Write for example `--increment raw.count=2`.");
  return { path, operation: "increment", value: by };
}
