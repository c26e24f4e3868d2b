import type { FakeScript } from "../support/driven-package.ts";

type Does = FakeScript[number]["do"];

const ids = '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"';
const call = (tool: string, given: object = {}) => ({ call: { tool, with: { run_id: "$<run>", ...given } } });
const report = (given: object, action = "$<action>") => call("workflow_progress", { action_id: action, ...given });
const done = report({ status: "completed", result: "read" });
const generated = { status: "skipped", skip_reason: "It is generated." };

/** The ways to drift of `npm run drift`, by their names there, as an agent that has one step can be led into them. */
export const workerKinds: Readonly<Record<string, Does>> = {
  skips: [
    report({ status: "skipped" }),
    report({ status: "skipped", skip_reason: " " }),
    report({ status: "failed" }),
    report(generated),
    report(generated),
  ],
  repeats: [done, done, report({ status: "failed", error: "No." }), report({ file: "$<file>", status: "completed" })],
  "out of order": [
    report({ status: "completed" }, "a1"),
    report({ file: "f0000.txt", item: "f0000.txt#1-judge", status: "completed" }),
    report({ action: "convert_instance", status: "completed" }),
    done,
    call("workflow_next"),
    report({ status: "completed" }, "a1"),
  ],
  "invents files": [
    report({ file: "src/invented.txt", status: "completed" }),
    report({ status: "completed", findings: [{ severity: "critical", description: "All is lost.", file: "../outside.txt" }] }),
    done,
  ],
  "invents items": [
    report({ item: "no-such-item", status: "completed" }),
    report({ status: "completed" }, "a999999"),
    { call: { tool: "workflow_progress", with: { run_id: "many-invented", status: "completed" } } },
    done,
  ],
  // Asked once more, it reports.
  "claims completion": [call("workflow_complete"), call("workflow_abort"), { say: "All files are done." }],
  // Its process dies in the middle of a turn; the next one does the step.
  "goes silent": [{ run: "if [ ! -e ../died-$<file> ]; then touch ../died-$<file>; kill -9 $PPID; fi", ask: false }, done],
  "no memory": [call("workflow_next"), call("workflow_status"), call("workflow_next"), done],
};

/** Kinds by the last digit of the file; those with 0 and 9 are honest. */
export function kindOf(file: string): string {
  const digit = Number(/(\d)\.txt$/.exec(file)?.[1] ?? 0);
  return Object.keys(workerKinds)[digit - 1] ?? "honest";
}

/** Kinds that say something that must be refused. */
export const refusedKinds: readonly string[] = ["skips", "out of order", "invents files", "invents items", "claims completion"];

export const driftingScript: FakeScript = [
  { match: `You ended your turn[^]*${ids}`, do: [done] },
  ...Object.values(workerKinds).map((does, at) => ({ match: `\\b(?<file>f\\d+${at + 1}\\.txt)[^]*${ids}`, do: does })),
  { match: ids, do: [done] },
];
