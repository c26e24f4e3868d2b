/**
 * Files of this computer that must survive a crash: replacing one as a whole, and making content and names durable. Knows no store, no
 * workspace and no message: what the system throws goes to the caller. Begin with `place-file.ts`.
 */
export { isRunning } from "./is-running.ts";
export { placeFile, syncFile, syncFolder, whileInUse } from "./place-file.ts";
export { makeStoreFolder } from "./store-folder.ts";
