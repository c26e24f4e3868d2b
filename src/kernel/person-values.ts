import { cutText, formatPath, isObject, pathToKey, readPath, splitPath, type JsonObject } from "../base/index.ts";
import type { Program } from "../program/index.ts";
import type { Update } from "./event.ts";
import type { RunError } from "./frame.ts";
import type { Actor, Rejected } from "./input.ts";
import type { Answered, PersonsValue, RunState, Scope } from "./run-state.ts";

// What a person's own answer wrote belongs to the person: no agent changes it, and no agent brings a name that is found before it.

/** Surfaces at which a person is known to be present; only there does what is said or written count as theirs. */
const personSurfaces: ReadonlySet<string> = new Set(["cli-terminal", "cli-test", "elicitation", "http", "console", "chat"]);

export function isPersonPresent({ kind, surface }: Actor): boolean {
  return kind === "person" && personSurfaces.has(surface);
}

type Place = Pick<Update, "tier" | "keys">;

/** What an update changes: a merge the keys that it brings, anything else the whole of its path. */
function placesOf({ tier, keys, op, value }: Update): readonly Place[] {
  const brought = op === "merge" && isObject(value) ? Object.keys(value) : [];
  return brought.length === 0 ? [{ tier, keys }] : brought.map((key) => ({ tier, keys: [...keys, key] }));
}

/** The scope after a person's answer was written to it. */
export function withAnswer(scope: Scope, updates: readonly Update[], answered: Answered): Scope {
  const written = updates.flatMap(placesOf).map((place): PersonsValue => ({ ...place, ...answered }));
  const others = (scope.ofPerson ?? []).filter((held) => !written.some((place) => pathOf(place) === pathOf(held)));
  return { ...scope, ofPerson: [...others, ...written] };
}

/**
 * Why an agent may not make these updates: one of them changes what a person's answer wrote, or would hide it. undefined when none does.
 * What a person is being asked for counts as theirs already.
 */
export function refuseForPerson(program: Program, state: RunState, scopeId: string, updates: readonly Update[]): Rejected | undefined {
  const own = [...(state.scopes[scopeId]?.ofPerson ?? []), ...askedIn(state, scopeId)];
  const guarded = guardedNames(program, state, scopeId, own);
  for (const place of updates.flatMap(placesOf)) {
    const [name = ""] = place.keys;
    const held =
      own.find((value) => overlaps(place, value)) ??
      own.find((value) => place.tier === "raw" && value.tier === "state" && isSameKey(name, value.keys[0] ?? "")) ??
      guarded.find((each) => isSameKey(name, each.name))?.value;
    if (held !== undefined) return refusal(state.id, place, held);
  }
  return undefined;
}

function refusal(run: string, place: Place, held: PersonsValue): Rejected {
  const [path, answer] = [pathOf(place), pathOf(held)];
  const what = path === answer ? `\`${path}\` holds` : `Writing \`${path}\` would change or hide \`${answer}\`, which holds`;
  return {
    code: "STATE_OF_PERSON",
    message: `${what} a person's answer to \`${held.decision}\`: ${held.question}`,
    fix: `Only a person can change it, on a terminal: waymark state ${run} --set ${answer}=<value>`,
    details: { path, answer, decision: held.decision },
  };
}

/** Why readers would not find a person's answer where these updates write it: something that they find first has its name already. */
export function refuseHidden(program: Program, scope: Scope, updates: readonly Update[]): RunError | undefined {
  const hasComputed = (program.parts[scope.part]?.computed.length ?? 0) > 0;
  for (const { tier, keys } of updates.flatMap(placesOf)) {
    const [name = ""] = keys;
    const names = [tier, ...(hasComputed ? ["computed"] : [])];
    const over = [
      ...(tier === "state" ? [["raw", name]] : []),
      ...names.flatMap((each) => [
        ["raw", each],
        ["state", each],
      ]),
      ...keysLikeIt(scope, [tier, ...keys]),
    ].find((path) => readPath({ raw: scope.raw, state: scope.state }, path) !== undefined);
    if (over === undefined) continue;
    const message = `\`${formatPath(over)}\` hides \`${pathOf({ tier, keys })}\`, where the person's answer belongs. It was not written.`;
    return { code: "STATE_HIDES_ANSWER", message };
  }
  return undefined;
}

/** Paths of keys beside those of a path that are read instead of them. */
function keysLikeIt({ raw, state }: Scope, path: readonly string[]): readonly (readonly string[])[] {
  return path.flatMap((key, at) => {
    const around = readPath({ raw, state }, path.slice(0, at));
    const keys = at > 0 && isObject(around) ? Object.keys(around) : [];
    return keys.filter((each) => each !== key && pathToKey(each) === key).map((each) => [...path.slice(0, at), each]);
  });
}

/** Whether something at the path, around it or inside it is a person's answer. */
export function isOfPerson({ ofPerson = [] }: Scope, path: string): boolean {
  const [tier, ...keys] = splitPath(path) ?? [];
  return (tier === "raw" || tier === "state") && ofPerson.some((value) => overlaps({ tier, keys }, value));
}

/** Fields of an agent's result that expressions read by their bare names: without those that would hide a person's answer. */
export function withoutHiding(program: Program, state: RunState, scopeId: string, fields: JsonObject): JsonObject {
  const own = state.scopes[scopeId]?.ofPerson ?? [];
  const names = [...guardedNames(program, state, scopeId, own).map(({ name }) => name), ...own.map(({ keys: [name = ""] }) => name)];
  if (names.length === 0) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !names.some((name) => isSameKey(field, name))));
}

interface GuardedName {
  readonly name: string;
  readonly value: PersonsValue;
}

/**
 * Names that would be found before a person's answer if the scope had them. A scope is read under its own names, then its finished calls
 * by name and by what they hold, the newest first; a call that is finished is read before the scope around it by what follows it.
 */
function guardedNames(program: Program, state: RunState, scopeId: string, own: readonly PersonsValue[]): readonly GuardedName[] {
  const scope = state.scopes[scopeId];
  if (scope === undefined) return [];
  const inCalls = (of: Scope | undefined): readonly GuardedName[] =>
    Object.entries(of?.calls ?? {}).flatMap(([name, id]) => {
      const [first] = id === scopeId ? [] : answersIn(state, id);
      return first === undefined ? [] : [{ name, value: first }, ...namesIn(program, state, id)];
    });
  const around = scope.parent ?? "";
  const others = [...inCalls(scope), ...inCalls(state.scopes[around]), ...namesIn(program, state, around)];
  const all = [...own, ...others.map(({ value }) => value)];
  return [...others, ...all.map((value) => ({ name: value.tier, value })), ...derivedNames(program, scope, all)];
}

/** Answers of persons in a scope, then those in its calls: what it computes or copies may come from any of them. */
function answersIn({ scopes }: Pick<RunState, "scopes">, id: string): readonly PersonsValue[] {
  const { ofPerson = [], calls = {} } = scopes[id] ?? {};
  return [...ofPerson, ...Object.values(calls).flatMap((inner) => answersIn({ scopes }, inner))];
}

/** Names under which a scope has answers of persons, and what may be computed from them. */
function namesIn(program: Program, state: RunState, id: string): readonly GuardedName[] {
  const scope = state.scopes[id];
  if (scope === undefined) return [];
  const own = (scope.ofPerson ?? []).map((value) => ({ name: value.keys[0] ?? "", value }));
  return [...own, ...derivedNames(program, scope, answersIn(state, id))];
}

function derivedNames(program: Program, { part }: Scope, [first]: readonly PersonsValue[]): readonly GuardedName[] {
  const computed = program.parts[part]?.computed ?? [];
  if (first === undefined || computed.length === 0) return [];
  return ["computed", ...computed.map(({ name }) => name)].map((name) => ({ name, value: first }));
}

/** Where the answers to questions that are open for a person will be written. */
function askedIn({ decisions, strands }: RunState, scopeId: string): readonly PersonsValue[] {
  const open = Object.values(decisions).filter(
    ({ status, answerBy, strand }) => status === "pending" && answerBy === "person" && strands[strand]?.scope === scopeId,
  );
  return open.flatMap(({ id, question, paths }) =>
    paths.flatMap((path): readonly PersonsValue[] => {
      const [tier, ...keys] = splitPath(path) ?? [];
      return tier === "raw" || tier === "state" ? [{ tier, keys, ...answeredBy({ id, question }) }] : [];
    }),
  );
}

/** What is kept of the question with the value that its answer wrote. */
export function answeredBy({ id, question }: { readonly id: string; readonly question: string }): Answered {
  return { decision: id, question: cutText(question, 200) };
}

function pathOf({ tier, keys }: Place): string {
  return formatPath([tier, ...keys]);
}

/** Whether one is the other, or inside it. */
function overlaps({ tier, keys }: Place, held: Place): boolean {
  const common = Math.min(keys.length, held.keys.length);
  return tier === held.tier && keys.slice(0, common).every((key, at) => isSameKey(key, held.keys[at] ?? ""));
}

/** Whether a write under the key reaches what is held under the other one, or is read instead of it. */
function isSameKey(key: string, held: string): boolean {
  if (key === held || pathToKey(key) === held) return true;
  return /^\d+$/.test(key) && /^\d+$/.test(held) && Number(key) === Number(held);
}
