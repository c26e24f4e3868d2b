// @ts-check
/**
 * What the store says about the tour, told by the command line: problems, or none.
 *
 * @param {import("./bench.mjs").Place} place
 * @param {RegExp} driver what the driving client calls itself
 * @returns {Promise<string[]>}
 */
export async function checkRun({ waymark, notes, hashes }, driver) {
  const listed = await waymark(["runs", "--ids"]);
  const ids = listed.stdout.split("\n").filter((line) => line !== "");
  const [id] = ids;
  if (id === undefined) return ["no run was started"];
  const problems = ids.length === 1 ? [] : [`${ids.length} runs instead of one`];
  const status = await json(waymark, ["status", id, "--json"]);
  if (status?.status !== "completed") problems.push(`the run is ${status?.status ?? "not to be read"}`);
  const { records, problem } = await journal(waymark, id);
  if (problem !== undefined) problems.push(problem);
  const done = stepsDone(records);
  const expected = expectedSteps(notes);
  if (done.join(" ") !== expected.join(" ")) problems.push(`steps done: ${done.join(", ")}; expected: ${expected.join(", ")}`);
  problems.push(...checkDrivers(records, driver));
  problems.push(...checkState(await json(waymark, ["state", id, "--json"]), notes, hashes));
  const doctor = await waymark(["doctor", id]);
  if (doctor.code !== 0) problems.push(`doctor: ${doctor.stdout.trim().split("\n")[0]}`);
  return problems;
}

/** The leaves of the example workflow in order, for an agent that does one task after the other. @param {string[]} notes */
function expectedSteps(notes) {
  const visits = notes.flatMap(() => ["visit.hash", "visit.seen"]);
  const reviews = notes.flatMap(() => ["review.tell", "review.mark"]);
  return ["find", "greet", "mood", ...visits, ...reviews, "tone.cheer", "write"];
}

/** @param {any[]} records */
function stepsDone(records) {
  const left = records.flatMap((record) => record.events).filter((event) => event.type === "left" && event.leaf === true);
  return left.map((event) => (event.how === "done" ? event.block : `${event.block} (${event.how})`));
}

/** Whatever an agent did is recorded as done by this client over stdio. @param {any[]} records @param {RegExp} driver */
function checkDrivers(records, driver) {
  const byAgent = records.filter((record) => record.by.kind === "agent");
  const strange = byAgent.filter((record) => record.by.surface !== "mcp-stdio" || !driver.test(record.by.name));
  if (byAgent.length === 0) return ["nothing in the journal was done by an agent"];
  return strange.length === 0 ? [] : [`the journal names ${strange[0].by.name} over ${strange[0].by.surface}`];
}

/** @param {any} answer @param {string[]} notes @param {Record<string, string>} hashes */
function checkState(answer, notes, hashes) {
  const state = answer?.state ?? answer;
  const problems = [];
  if (state?.mood !== "cheerful") problems.push(`the answer in the state is ${JSON.stringify(state?.mood)}`);
  if (state?.report !== notes.join("\n")) problems.push(`the report in the state is ${JSON.stringify(state?.report)}`);
  for (const note of notes) {
    const held = state?.hashes?.[note];
    if (typeof held !== "string" || !held.includes(hashes[note] ?? "?")) problems.push(`the hash of ${note} is ${JSON.stringify(held)}`);
  }
  return problems;
}

/** @param {import("./bench.mjs").Place["waymark"]} waymark @param {string} id @returns {Promise<{ records: any[], problem?: string }>} */
async function journal(waymark, id) {
  const { stdout, stderr, code } = await waymark(["journal", id, "--jsonl", "--limit", "1000"]);
  if (code !== 0) return { records: [], problem: `journal: ${stderr.trim().split("\n")[0]}` };
  return {
    records: stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line)),
  };
}

/** @param {import("./bench.mjs").Place["waymark"]} waymark @param {readonly string[]} args @returns {Promise<any>} */
async function json(waymark, args) {
  const { stdout } = await waymark(args);
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
