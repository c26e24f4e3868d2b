import type { Finding } from "../../../ports/index.ts";
import { absent, Damage } from "../json/damage.ts";
import { wrong } from "../json/fields.ts";
import { jsonParts } from "../json/json-parts.ts";
import type { Part, Wanted } from "../json/wanted.ts";
import type { Reading, Unplaced } from "../reading.ts";
import { SarifRun } from "./sarif-run.ts";

const component: Wanted = {
  keys: {
    name: { take: "name" },
    guid: { take: "guid" },
    rules: { items: { take: "rule" } },
    globalMessageStrings: { take: "globalMessages" },
  },
};

/** One result at a time. Contents of files, flows of code and graphs of the run are passed over. */
const wanted: Wanted = {
  needed: "an object (`{`)",
  keys: {
    version: { take: "version" },
    runs: {
      needed: "a list of runs",
      begins: "runs",
      items: {
        needed: "an object for a run",
        ends: "run",
        keys: {
          tool: { keys: { driver: component, extensions: { items: component } } },
          results: { needed: "a list of results", begins: "results", items: { take: "result" } },
          artifacts: { items: { keys: { location: { take: "file" } } } },
          invocations: { items: { take: "invocation" } },
          originalUriBaseIds: { take: "bases" },
          columnKind: { take: "columnKind" },
        },
      },
    },
  },
};

/** Reads SARIF 2.1.0. The results of a run come when it has ended. */
export async function* readSarif(text: AsyncIterable<string>, reading: Reading): AsyncGenerator<Finding | Unplaced, void, undefined> {
  let run = new SarifRun();
  let hasResults = false;
  const seen = new Set<string>();
  let last: Part | undefined;
  for await (const part of jsonParts(text, wanted)) {
    last = part;
    seen.add(part.name);
    if (part.name === "version") checkVersion(part);
    else if (part.name === "results") hasResults = true;
    else if (part.name === "run") {
      // Without `results` a run describes rules, or has its results in another file. Nobody looked for any, as far as this text says.
      if (!hasResults) throw missing(part, "`results` in the run");
      yield* run.findings(reading);
      [run, hasResults] = [new SarifRun(), false];
    } else add(run, part);
  }
  const at = last ?? { name: "", indexes: [], value: undefined, at: { offset: 0, line: 1, column: 1, path: "" } };
  for (const key of ["version", "runs"])
    if (!seen.has(key)) throw missing({ ...at, at: { ...at.at, path: "" } }, `\`${key}\` in the document`);
}

function add(run: SarifRun, part: Part): void {
  switch (part.name) {
    case "result":
      return run.addResult(part);
    case "rule":
      return run.addRule(part);
    case "name":
    case "guid":
      return run.addComponentFact(part, part.name);
    case "globalMessages":
      return run.addGlobalMessages(part);
    case "file":
      return run.addFile(part);
    case "invocation":
      return run.addInvocation(part);
    case "bases":
      return run.addBases(part);
    case "columnKind":
      return run.addColumnKind(part);
  }
}

function checkVersion(part: Part): void {
  if (part.value !== "2.1.0") throw wrong({ value: {}, at: part.at, path: "" }, "", "the version `2.1.0`", part.value);
}

function missing({ at }: Part, what: string): Damage {
  return new Damage(what, at, absent);
}
