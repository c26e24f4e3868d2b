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
import type { Database } from "./sqlite-store.ts";

/** The port on the file of a store. Each method is one transaction; the SQL is in the `*-rows.ts` files. */
export function createSqliteConversations(now: () => number, database: Database): Conversations {
  return {
    openConversation: (place) => database.write((db) => openConversation(db, place, now())),
    readConversation: (id) => database.read((db) => findConversation(db, id)),
    moveConversation: (id, to) => database.write((db) => moveConversation(db, id, { ...to, now: now() })),
    keepCodebase: (codebase) => database.write((db) => keepCodebase(db, codebase, now())),
    readCodebase: (id) => database.read((db) => findCodebase(db, id)),
    listCodebases: () => database.read(selectCodebases),
    activeSession: (conversation) => database.read((db) => findSession(db, conversation)),
    keepSession: (session) => database.write((db) => replaceSession(db, session, now())),
    endSession: (conversation) => database.write((db) => endSession(db, conversation, now())),
    takeMessage: (message) => database.write((db) => insertMessage(db, message, now())),
    decideStart: (message, start) => database.write((db) => decideStart(db, message, start)),
    settleMessage: (message) => database.write((db) => settleMessage(db, message, now())),
    removeSettled: (olderMs) => database.write((db) => deleteSettled(db, now() - olderMs)),
    countSettled: (olderMs) => database.read((db) => countSettled(db, now() - olderMs)),
    openMessages: (platform) => database.read((db) => selectOpenMessages(db, platform)),
    followRun: (run) => database.write((db) => followRun(db, run)),
    sentRun: (run, sent) => database.write((db) => updateSent(db, run, sent)),
    runsFollowed: (conversation) => database.read((db) => selectFollowed(db, conversation)),
    runsToSend: (platform) => database.read((db) => selectToSend(db, platform)),
    readTemplate: (name) => database.read((db) => findTemplate(db, name)),
    listTemplates: () => database.read(selectTemplates),
    check: () => database.write(() => undefined),
    close: () => database.close(),
  };
}
