import { openTestEngine } from "../support/test-engine.ts";
import { attempt, bad, type Lair } from "./hostile/lair.ts";
import { tryLinks } from "./hostile/try-links.ts";
import { tryPrototypes } from "./hostile/try-prototypes.ts";
import { trySandbox } from "./hostile/try-sandbox.ts";
import { tryShell } from "./hostile/try-shell.ts";
import type { Tally } from "./tally.ts";

/** The list of things that must be refused, each tried in every place where it could get in; of `every` attacks one is made. */
export async function soakHostile(tally: Tally, every = 1): Promise<void> {
  const engine = await openTestEngine({}, { callWaitMs: 1_500 });
  const lair: Lair = { engine, tally, every, index: 0 };
  const names = Object.getOwnPropertyNames(Object.prototype).join();
  await trySandbox(lair);
  await tryLinks(lair);
  await tryShell(lair);
  await tryPrototypes(lair);
  await attempt(lair, "Object.prototype", async () =>
    Object.getOwnPropertyNames(Object.prototype).join() === names ? "as it was" : bad("Object.prototype was changed."),
  );
  await engine.close();
}
