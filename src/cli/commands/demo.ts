import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Given } from "../define-command.ts";
import { BotTour } from "../demo/bot-tour.ts";
import { MigrationTour } from "../demo/migration-tour.ts";
import { StepsTour } from "../demo/steps-tour.ts";
import { tourFiles } from "../demo/tour.ts";
import type { Session } from "../session.ts";

export async function demoCommand({ session, options }: Given): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "waymark-demo-"));
  const keep = options["keep"] === true;
  try {
    if (options["tour"] === "steps") return await stepsTour(session, folder, keep);
    if (options["tour"] === "bot") return await new BotTour(session, folder).show(keep);
    return await new MigrationTour(session, folder).show(keep);
  } finally {
    if (!keep) await rm(folder, { recursive: true, force: true });
  }
}

async function stepsTour(session: Session, folder: string, keep: boolean): Promise<number> {
  for (const [file, text] of Object.entries(tourFiles)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return new StepsTour(session, folder).show(keep);
}
