import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandRun } from "../define-command.ts";
import type { TourSpec } from "../dialect-commands.ts";

export function demoCommand(tours: readonly TourSpec[]): CommandRun {
  return async ({ session, options }) => {
    const folder = await mkdtemp(join(tmpdir(), "waymark-demo-"));
    const keep = options["keep"] === true;
    try {
      const tour = tours.find(({ name }) => name === options["tour"]);
      if (tour === undefined) throw new Error(`There is no tour ${String(options["tour"])}.`);
      return await (
        await tour.load()
      )(session, folder, keep);
    } finally {
      if (!keep) await rm(folder, { recursive: true, force: true });
    }
  };
}
