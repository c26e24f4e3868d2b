import { randomUUID } from "node:crypto";
import type { Conversations } from "../../ports/index.ts";
import {
  endSession,
  findCodebase,
  findConversation,
  findSession,
  findTemplate,
  keepCodebase,
  moveConversation,
  openConversation,
  replaceSession,
  selectCodebases,
  selectTemplates,
} from "./conversation-rows.ts";
import {
  countSettled,
  decideStart,
  deleteSettled,
  followRun,
  insertMessage,
  selectFollowed,
  selectOpenMessages,
  selectToSend,
  settleMessage,
  updateSent,
} from "./message-rows.ts";
import type { Statements } from "./postgres-connection.ts";
import type { PostgresDatabase } from "./postgres-database.ts";

/**
 * The port on the database of the store. Each method is one transaction; the SQL is in the `*-rows.ts` files. Ids are made before it, so that
 * one whose answer was lost finds what it wrote. Conversations are the database's, not a project's: a place of a platform has one.
 */
export function createPostgresConversations(database: PostgresDatabase): Conversations {
  const one = <T>(find: (db: Statements) => Promise<T | undefined>): Promise<T | undefined> => database.read(() => undefined, find);
  const many = <T>(select: (db: Statements) => Promise<readonly T[]>): Promise<readonly T[]> => database.read(() => [], select);
  /** `write` gets the id of what it makes. */
  const make = <T>(write: (db: Parameters<Parameters<PostgresDatabase["write"]>[0]>[0], id: string) => Promise<T>): Promise<T> => {
    const id = randomUUID();
    return database.write((db) => write(db, id));
  };
  return {
    openConversation: (place) => make((db, id) => openConversation(db, place, id)),
    readConversation: (id) => one((db) => findConversation(db, id)),
    moveConversation: (id, to) => database.write((db) => moveConversation(db, id, to)),
    keepCodebase: (codebase) => make((db, id) => keepCodebase(db, codebase, id)),
    readCodebase: (id) => one((db) => findCodebase(db, id)),
    listCodebases: () => many(selectCodebases),
    activeSession: (conversation) => one((db) => findSession(db, conversation)),
    keepSession: (session) => make((db, id) => replaceSession(db, session, id)),
    endSession: (conversation) => database.write((db) => endSession(db, conversation)),
    takeMessage: (message) => make((db, id) => insertMessage(db, message, id)),
    decideStart: (message, start) => database.write((db) => decideStart(db, message, start)),
    settleMessage: (message) => database.write((db) => settleMessage(db, message)),
    removeSettled: (olderMs) => database.write((db) => deleteSettled(db, olderMs)),
    countSettled: (olderMs) =>
      database.read(
        () => 0,
        (db) => countSettled(db, olderMs),
      ),
    openMessages: (platform) => many((db) => selectOpenMessages(db, platform)),
    followRun: (run) => database.write((db) => followRun(db, run)),
    sentRun: (run, sent) => database.write((db) => updateSent(db, run, sent)),
    runsFollowed: (conversation) => many((db) => selectFollowed(db, conversation)),
    runsToSend: (platform) => many((db) => selectToSend(db, platform)),
    readTemplate: (name) => one((db) => findTemplate(db, name)),
    listTemplates: () => many(selectTemplates),
    // Refused by a server that is read-only, though it changes no row.
    check: () => database.write(async (db) => void (await db.run("update waymark_store.codebase set name = name where false"))),
    close: () => database.close(),
  };
}
