import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { start } from "../../../src/engine/index.ts";
import { attempt, bad, open, outcome, refusal, type Lair } from "./lair.ts";

const secret = `name: "out:side"
description: Secret.
version: "1.0.0"
steps: [{ id: a, type: user_message, message: secret }]
`;

/** Links and paths that lead out of the workspace: as a workflow, as an import, as the folder of a command. */
export async function tryLinks(lair: Lair): Promise<void> {
  const { folder, context, caller } = lair.engine;
  const outside = join(dirname(folder), "outside");
  mkdirSync(join(outside, "inner"), { recursive: true });
  writeFileSync(join(outside, "secret.yaml"), secret);
  mkdirSync(join(folder, ".waymark/workflows"), { recursive: true });
  symlinkSync(join(outside, "secret.yaml"), join(folder, ".waymark/workflows/linked.yaml"));
  symlinkSync(outside, join(folder, ".waymark/workflows/folder"));
  symlinkSync(outside, join(folder, "way-out"));
  for (const workflow of ["out:side", "linked", "folder:secret"]) {
    await attempt(lair, `symlink: workflow ${workflow}`, () =>
      outcome(
        () => start(context, caller, { workflow }),
        () => bad("A workflow outside the workspace was started."),
      ),
    );
  }
  const references = [
    "linked.yaml",
    "folder/secret.yaml",
    "../../way-out/secret.yaml",
    "../../../outside/secret.yaml",
    join(outside, "secret.yaml"),
    "/etc/passwd",
    "../../../../../../../etc/passwd",
    "file:///etc/passwd",
  ];
  for (const reference of references) {
    await attempt(lair, `symlink: import ${reference}`, () =>
      outcome(
        () => open(lair, { imports: [reference], steps: [{ id: "a", type: "user_message", message: "x" }] }),
        () => bad("A file outside the workspace was imported."),
      ),
    );
  }
  for (const place of ["way-out", "way-out/inner", "..", "../outside", outside, "/", "./way-out/../way-out"]) {
    const steps = [{ id: "a", type: "shell_command", command: "touch owned-here", working_directory: place }];
    await attempt(lair, `symlink: folder ${place}`, async () => {
      const told = await outcome(() => open(lair, { steps }), refusal);
      const ran = [outside, join(outside, "inner"), dirname(folder), "/"].some((where) => existsSync(join(where, "owned-here")));
      return ran ? bad("A command ran outside the workspace.") : told;
    });
  }
}
