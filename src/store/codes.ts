import type { Catalogue } from "../base/index.ts";

export const storeCodes: Catalogue = {
  STORE_BAD_HASH: {
    what: "A blob was asked for by something that is not a hash.",
    why: "Blobs are named by 64 lower-case hexadecimal digits, and only such names become paths.",
    fix: "Use the hash that the store gave when the bytes were kept.",
  },
  STORE_BAD_TEXT: {
    what: "A text holds the character U+0000 where JSON text was expected.",
    why: "The database would cut the text at that character, so it is refused.",
    fix: "Pass JSON text, in which the character is written as an escape.",
  },
  STORE_CANNOT_OPEN: {
    what: "The store's folder, database file or database cannot be opened.",
    why: "Something else is in its place, the file system cannot share files between processes, or the server refuses the user or the database.",
    fix: "Put the store into a folder of its own on a local disk, or correct the address of the database.",
  },
  STORE_CLOSED: {
    what: "The store was used after it was closed.",
    why: "The process is ending, or it kept a store that another part of it has closed.",
    fix: "Open the store again.",
  },
  STORE_CORRUPT: {
    what: "What is in the store is not what was written.",
    why: "A file was damaged or changed by something else, or it is not a store.",
    fix: "Stop all processes that use the store, keep a copy of its folder, then run `waymark doctor` or restore a backup.",
  },
  STORE_DUPLICATE_KEY: {
    what: "A record with the same key is already in the run's journal.",
    why: "The same cause was committed before; a repeat must be answered from the journal.",
    fix: "Read the recorded answer by its key.",
  },
  STORE_ENGINE_TOO_OLD: {
    what: "The SQLite library or the PostgreSQL server in use is too old.",
    why: "SQLite before 3.51.3 can lose committed data when several processes write to one file; PostgreSQL before 13 lacks what the store uses.",
    fix: "Install the dependencies again, so that the version Waymark names is used, or use a newer server.",
  },
  STORE_FAILED: {
    what: "The store could not read or write for a reason that has no code of its own.",
    why: "The operating system or the database reported an error.",
    fix: "Remove the reported cause, then repeat the command; nothing of the refused change was recorded.",
  },
  STORE_FULL: {
    what: "The store could not be written to, because there is no room. Nothing was recorded.",
    why: "The disk is full, or a quota or a limit on file sizes is reached.",
    fix: "Make room on the disk that holds the path, then repeat the command.",
  },
  STORE_LOCKED: {
    what: "The store stayed locked by other processes for too long. Nothing was recorded.",
    why: "Another process holds it in a long transaction, was stopped in the middle of one, or is upgrading it.",
    fix: "Wait for the process that holds it, or end it if it hangs, then repeat the command.",
  },
  STORE_MOVED: {
    what: "The store was deleted, moved or replaced while it was open. Nothing was recorded.",
    why: "What would be written now would be lost with the old file.",
    fix: "Put the folder back or start this process again.",
  },
  STORE_NOT_FOUND: {
    what: "There is no store in the folder.",
    why: "It was to be opened for reading only. This version shows an empty store instead and never gives the code.",
    fix: "Check the folder, or start a run there first.",
  },
  STORE_NOT_ADOPTED: {
    what: "This user has neither made nor adopted the store.",
    why: "It came with a project or a copy, its file was replaced, or an earlier version of Waymark made it. Its runs could run commands.",
    fix: "Look into it with `waymark status`. A person who trusts it runs `waymark adopt` in a terminal, then `waymark allow <workflow>` for what it may run.",
  },
  STORE_NOT_OWNER: {
    what: "The tables of the database must be made or upgraded, and its user may not do that. Nothing was changed.",
    why: "The address is that of a user with few rights, and tables belong to another one.",
    fix: "Ask the person who runs the database to run `waymark adopt` once with the address of the user that owns the tables: that makes or upgrades them.",
  },
  STORE_NAME_TOO_LONG: {
    what: "An id, a key or a name is too long for the database. Nothing was recorded.",
    why: "PostgreSQL finds rows by an index, which takes names of about 2,600 bytes; a store in a folder has no such limit.",
    fix: "Give what is named a shorter id, such as the item of a list whose `id` is a whole text.",
  },
  STORE_NO_BLOB: {
    what: "The store does not have the bytes that were asked for.",
    why: "They were never kept, or were collected after nothing referred to them for an hour.",
    fix: "Run `waymark doctor`, which names the runs that miss something.",
  },
  STORE_NO_FILE: {
    what: "A file that the store was to take over is not there, or is not a regular file.",
    why: "It was removed or never finished, or its path leads to a folder or a link.",
    fix: "Write the file again and pass its own path.",
  },
  STORE_NO_ITEM: {
    what: "A change names a work item that the store does not have. Nothing was recorded.",
    why: "The item rows and the journal do not agree.",
    fix: "Run `waymark doctor` to rebuild the items from the journal.",
  },
  STORE_NO_RUN: {
    what: "The store has no run with this id.",
    why: "The id is mistyped, the run was removed, or it is in another store.",
    fix: "List the runs and use one of their ids.",
  },
  STORE_READ_ONLY: {
    what: "The store cannot be written to. Nothing was recorded.",
    why: "Its folder or files are read-only for this user, or the user of the database has no right to write there.",
    fix: "Give this user write permission for the folder and the files in it, or the user of the database the rights of docs/postgresql-roles.sql; or choose another place for the store.",
  },
  STORE_REFUSED: {
    what: "The database does not take what was to be written. Nothing was recorded.",
    why: "A value does not fit its column, or a rule of the database forbids it; the same change would be refused again.",
    fix: "Change the value or the rule that the message names; where Waymark itself made the value, please report it with the message.",
  },
  STORE_RUN_EXISTS: {
    what: "A run with this id already exists.",
    why: "Ids of runs are never used twice in one store.",
    fix: "Take another id, or continue the existing run.",
  },
  STORE_TOO_NEW: {
    what: "The store was written by a newer version of Waymark.",
    why: "Its schema is newer than the newest this version knows, and writing to it could destroy data.",
    fix: "Use the newer version, or restore the backup that it made of the older schema.",
  },
  STORE_UNREACHABLE: {
    what: "The database could not be reached for too long.",
    why: "The server is down, restarting or failing over, or the network between it and this computer is.",
    fix: "Repeat the command when the server is back. What was reported as done is in it; `store.wait_ms` says how long Waymark waits for one that has answered before.",
  },
};
