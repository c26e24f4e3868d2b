import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Conversation, Conversations } from "../../ports/index.ts";

export interface OpenedConversations {
  readonly conversations: Conversations;
  /** Opens the same data a second time; the first stays open. */
  readonly reopen: () => Promise<Conversations>;
  readonly clean: () => Promise<void>;
}

/** What every store of conversations must do. All tests share one and use conversations of their own. */
export function conversationsContract(name: string, open: () => Promise<OpenedConversations>): void {
  describe(`${name} keeps the contract of conversations`, () => {
    let opened: OpenedConversations;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened.clean();
    });
    const current = (): OpenedConversations => opened;
    placeContract(current);
    messageContract(current);
    settledContract(current);
    followContract(current);
  });
}

let places = 0;

function newPlace(conversations: Conversations, more: { readonly codebase?: string } = {}): Promise<Conversation> {
  places += 1;
  return conversations.openConversation({ platform: "p", platformId: `place ${places}`, ...more });
}

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/) as string;

function placeContract(opened: () => OpenedConversations): void {
  test("a place has one conversation, whoever opens it; the same place of another platform has another", async () => {
    const { conversations, reopen } = opened();
    const first = await conversations.openConversation({ platform: "one", platformId: "c\u0000ä😀" });
    expect(first).toEqual({ id, platform: "one", platformId: "c\u0000ä😀" });
    const again = await reopen();
    expect(await again.openConversation({ platform: "one", platformId: "c\u0000ä😀" })).toEqual(first);
    expect(await again.readConversation(first.id)).toEqual(first);
    expect((await again.openConversation({ platform: "two", platformId: "c\u0000ä😀" })).id).not.toBe(first.id);
    expect(await again.readConversation("none")).toBeUndefined();
    await again.close();
  });

  test("a codebase is known by its folder; a conversation begins in the one it is given, and is moved", async () => {
    const { conversations } = opened();
    const app = await conversations.keepCodebase({ name: "app", folder: "/projects/app" });
    expect(app).toEqual({ id, name: "app", folder: "/projects/app" });
    const url = "https://example.org/app.git";
    expect(await conversations.keepCodebase({ name: "other", folder: "/projects/app", repository: url })).toEqual({
      ...app,
      repository: url,
    });
    expect(await conversations.keepCodebase({ name: "app", folder: "/projects/app" })).toEqual({ ...app, repository: url });
    const api = await conversations.keepCodebase({ name: "api", folder: "/projects/api" });
    expect((await conversations.listCodebases()).map(({ name }) => name)).toEqual(["api", "app"]);
    expect(await conversations.readCodebase(api.id)).toEqual(api);
    const place = await newPlace(conversations, { codebase: app.id });
    expect(place).toMatchObject({ codebase: app.id });
    await conversations.moveConversation(place.id, { codebase: api.id, folder: "/projects/api/src" });
    expect(await conversations.readConversation(place.id)).toMatchObject({ codebase: api.id, folder: "/projects/api/src" });
    await conversations.moveConversation(place.id, { codebase: app.id });
    const moved = await conversations.readConversation(place.id);
    expect(moved).toMatchObject({ codebase: app.id });
    expect(moved).not.toHaveProperty("folder");
    // Where it was given counts for a new one only.
    const same = await conversations.openConversation({ platform: "p", platformId: place.platformId, codebase: api.id });
    expect(same.codebase).toBe(app.id);
  });

  test("one session is active, until another takes its place or it is ended", async () => {
    const { conversations } = opened();
    const { id: conversation } = await newPlace(conversations);
    expect(await conversations.activeSession(conversation)).toBeUndefined();
    await conversations.keepSession({ conversation, agent: "a", session: "s1" });
    await conversations.keepSession({ conversation, agent: "a", session: "s1" });
    await conversations.keepSession({ conversation, agent: "a", session: "s2" });
    expect(await conversations.activeSession(conversation)).toEqual({ conversation, agent: "a", session: "s2" });
    await conversations.endSession(conversation);
    await conversations.endSession(conversation);
    expect(await conversations.activeSession(conversation)).toBeUndefined();
    await conversations.check();
  });
}

function messageContract(opened: () => OpenedConversations): void {
  test("a message is taken once, also by another process; the same key in another conversation is another message", async () => {
    const { conversations, reopen } = opened();
    const [{ id: one }, { id: two }] = [await newPlace(conversations), await newPlace(conversations)];
    const given = { conversation: one, key: "k", person: "p:ann", text: "Hello\u0000" };
    expect(await conversations.takeMessage(given)).toEqual({ ...given, id });
    const other = await reopen();
    expect(await other.takeMessage({ ...given, text: "Something else" })).toBeUndefined();
    expect(await other.takeMessage({ ...given, conversation: two })).toEqual({ ...given, conversation: two, id });
    await other.close();
  });

  test("what a message starts is decided once", async () => {
    const { conversations } = opened();
    const { id: conversation } = await newPlace(conversations);
    const message = await conversations.takeMessage({ conversation, key: "k", person: "p", text: "t" });
    const start = { run: "wf-1", workflow: "w", intent: "i\u0001", codebase: "c" };
    expect(await conversations.decideStart(message!.id, start)).toEqual(start);
    expect(await conversations.decideStart(message!.id, { ...start, run: "wf-2" })).toEqual(start);
  });

  test("messages are open until they are settled, in their order, for their own platform", async () => {
    const { conversations } = opened();
    const place = await conversations.openConversation({ platform: "open", platformId: "here" });
    const taken = [];
    for (const key of ["b", "a", "c"]) taken.push(await conversations.takeMessage({ conversation: place.id, key, person: "p", text: key }));
    const start = { run: "wf-3", workflow: "w", intent: "i", codebase: "c" };
    await conversations.decideStart(taken[1]!.id, start);
    await conversations.settleMessage(taken[0]!.id);
    const open = await conversations.openMessages("open");
    expect(open).toEqual([
      { ...taken[1], platformId: "here", start },
      { ...taken[2], platformId: "here" },
    ]);
    for (const message of taken) await conversations.settleMessage(message!.id);
    expect(await conversations.openMessages("open")).toEqual([]);
  });
}

function settledContract(opened: () => OpenedConversations): void {
  test("messages that were settled some time ago are counted and removed, and no others", async () => {
    const { conversations, reopen } = opened();
    const { id: conversation } = await conversations.openConversation({ platform: "settled", platformId: "here" });
    const take = (key: string) => conversations.takeMessage({ conversation, key, person: "p", text: "t" });
    await conversations.removeSettled(0);
    const [settled, open] = [await take("settled"), await take("open")];
    await conversations.settleMessage(settled!.id);
    expect(await conversations.removeSettled(60_000)).toBe(0);
    expect(await conversations.countSettled(0)).toBe(1);
    expect(await take("settled")).toBeUndefined();
    const other = await reopen();
    expect(await other.removeSettled(0)).toBe(1);
    await other.close();
    expect(await conversations.countSettled(0)).toBe(0);
    expect(await take("settled")).toMatchObject({ key: "settled" });
    expect(await take("open")).toBeUndefined();
    expect((await conversations.openMessages("settled")).map(({ id: each }) => each)).toContain(open!.id);
  });
}

function followContract(opened: () => OpenedConversations): void {
  test("a run is followed by one conversation, from its beginning to where it was sent", async () => {
    const { conversations } = opened();
    const { id: codebase } = await conversations.keepCodebase({ name: "f", folder: "/projects/f" });
    const place = await conversations.openConversation({ platform: "follow", platformId: "here" });
    const other = await newPlace(conversations);
    const fresh = { run: "wf-a", conversation: place.id, codebase, record: 0, entry: 0, note: "", over: false };
    expect(await conversations.followRun({ run: "wf-a", conversation: place.id, codebase })).toEqual(fresh);
    await conversations.sentRun("wf-a", { record: 4, entry: 7 });
    await conversations.sentRun("wf-a", { record: 3, note: "It is parked." });
    const sent = { ...fresh, record: 4, entry: 7, note: "It is parked." };
    expect(await conversations.followRun({ run: "wf-a", conversation: other.id, codebase })).toEqual(sent);
    await conversations.followRun({ run: "wf-b", conversation: place.id, codebase });
    expect((await conversations.runsFollowed(place.id)).map(({ run }) => run)).toEqual(["wf-b", "wf-a"]);
    expect(await conversations.runsFollowed(other.id)).toEqual([]);
    expect(await conversations.runsToSend("follow")).toEqual([
      { ...sent, platformId: "here" },
      { ...fresh, run: "wf-b", platformId: "here" },
    ]);
    await conversations.sentRun("wf-a", { over: true });
    expect((await conversations.runsToSend("follow")).map(({ run }) => run)).toEqual(["wf-b"]);
    expect(await conversations.runsToSend("p")).toEqual([]);
    await conversations.sentRun("wf-a", { over: false });
    expect(await conversations.runsToSend("follow")).toHaveLength(2);
  });
}
