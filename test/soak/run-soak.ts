/**
 * The soak itself, started by `scripts/soak.mjs` as a process of its own, which watches it: a case that never ends costs the process
 * its life, and the last sign of life says which case it was.
 */
import { parseArgs } from "node:util";
import { soakCommands } from "./soak-commands.ts";
import { soakHostile } from "./soak-hostile.ts";
import { soakPostgres } from "./soak-postgres.ts";
import { soakStdio } from "./soak-stdio.ts";
import { casesPerWorld, soakTools } from "./soak-tools.ts";
import { soakYaml, type Share } from "./soak-yaml.ts";
import { answerWithin, givenUpAfter, Tally, type Failure } from "./tally.ts";

const { values } = parseArgs({
  options: {
    root: { type: "string" },
    seed: { type: "string" },
    cases: { type: "string" },
    from: { type: "string", default: "0" },
    part: { type: "string", multiple: true, default: [] },
    reduced: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const root = values.root ?? process.cwd();
const seed = Number(values.seed);
const total = Number(values.cases);

/** How the cases are shared out. The hostile list has its own length and comes on top. */
const shares: Readonly<Record<string, number>> = { yaml: 0.55, tools: 0.24, commands: 0.17, stdio: 0.03, postgres: 0.01 };
const parts: Readonly<Record<string, (share: Share, tally: Tally) => Promise<void>>> = {
  yaml: (share, tally) => soakYaml(root, share, tally),
  tools: soakTools,
  commands: soakCommands,
  stdio: (share, tally) => soakStdio(root, share, tally),
  postgres: soakPostgres,
  hostile: (_share, tally) => soakHostile(tally, values.reduced ? 10 : 1),
};

const wanted = values.part.length === 0 ? Object.keys(parts) : values.part;
const beat = (part: string, index: number): void => void process.send?.({ part, index });
process.on("unhandledRejection", (error) => crashed("a promise nobody awaited was rejected", error));
process.on("uncaughtException", (error) => crashed("an error nobody caught", error));

// The reduced form is one of many tests that run at the same time.
const within = values.reduced ? givenUpAfter : answerWithin;
const failures: Failure[] = [];
let asked = 0;
for (const name of wanted) {
  const tally = new Tally(name, beat, within);
  const begun = performance.now();
  const cases = values.part.length === 1 ? total : Math.round(total * (shares[name] ?? 0));
  await parts[name]?.({ seed, from: Number(values.from), cases }, tally);
  failures.push(...tally.failures);
  asked += tally.cases;
  tell(tally, (performance.now() - begun) / 1000);
}
for (const { part, index, what } of failures.slice(0, 20)) console.log(`\n${part} ${index}: ${what}\n  again: ${again(part, index)}`);
console.log(`\n${asked} cases, ${failures.length} failed, seed ${seed}`);
process.exit(failures.length === 0 ? 0 : 1);

function tell({ part, cases, failures: failed, slowest, answers }: Tally, seconds: number): void {
  console.log(
    `${part.padEnd(9)} ${String(cases).padStart(7)} cases   ${String(failed.length).padStart(4)} failed   slowest answer ${Math.round(slowest)} ms of ${within}   ${seconds.toFixed(0)} s`,
  );
  const sorted = [...answers].sort((a, b) => b[1] - a[1]);
  const shown = values.verbose || part === "hostile" ? sorted : sorted.slice(0, 8);
  for (const [answer, count] of shown) console.log(`            ${String(count).padStart(7)} ${answer}`);
  if (shown.length < sorted.length) console.log(`            and ${sorted.length - shown.length} other answers (--verbose shows them)`);
}

/** Cases of a world follow from each other, so they are repeated from its first on. */
function again(part: string, index: number): string {
  if (part === "hostile") return `npm run soak -- --part hostile`;
  if (part === "postgres") return `npm run soak -- --seed ${seed} --part postgres --from ${index} --cases 1`;
  const from = part === "yaml" ? index : index - (index % casesPerWorld);
  return `npm run soak -- --seed ${seed} --part ${part} --from ${from} --cases ${index - from + 1}`;
}

function crashed(what: string, error: unknown): void {
  console.log(`The process would have crashed by ${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exit(1);
}
