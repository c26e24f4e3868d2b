import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { next, readState, type Position } from "../../../src/engine/index.ts";
import { attempt, bad, open, outcome, type Lair } from "./lair.ts";

const payloads: readonly string[] = [
  "; touch OWNED",
  "$(touch OWNED)",
  "`touch OWNED`",
  "' ; touch OWNED ; '",
  '" ; touch OWNED ; "',
  "\n touch OWNED \n",
  "| touch OWNED",
  "&& touch OWNED",
  "|| touch OWNED",
  "& touch OWNED &",
  "> OWNED",
  "< /etc/passwd > OWNED",
  "\\\n; touch OWNED",
  "'$(touch OWNED)'",
  '"$(touch OWNED)"',
  "${IFS}touch${IFS}OWNED",
  "$(touch OWNED)'\"`",
  "a'; touch OWNED; echo 'b",
  'a"; touch OWNED; echo "b',
  "-e $(touch OWNED)",
  "EOF\ntouch OWNED\n",
  "a\r\ntouch OWNED",
  "x[$(touch OWNED)]",
  "\\",
  "*",
  "~",
  "$HOME",
  "{a,b}",
  "!!",
  "#",
];

/**
 * `@` stands for the template. Positions that a shell reads differently; some can never be safe and are refused as a whole. A command
 * that hands its words to a second shell (`eval`, `sh -c`) makes them code by its author's will, which no quoting can undo.
 */
const positions: readonly string[] = [
  "printf %s @",
  "printf %s '@'",
  'printf %s "@"',
  "printf %s a@b",
  "printf %s --name=@",
  'printf %s "a @ b"',
  "printf %s 'a @ b'",
  'X=@; printf %s "$X"',
  'printf %s "$(printf %s @)"',
  "printf %s `printf %s @`",
  "cat <<EOF\n@\nEOF",
  "cat <<'EOF'\n@\nEOF",
  "printf %s $'@'",
  "printf %s ${X:-@}",
  "printf %s @ | cat",
  "printf %s x > @",
  "(printf %s @)",
  "case @ in *) printf x;; esac",
  "printf %s \\@",
  "@",
  "# @",
  "printf %s x # @",
  'printf %s "`printf %s @`"',
  "printf %s $((1+@))",
  "[ @ = x ] || printf no",
];

/** Here the value is plain data, so it must arrive letter by letter. */
const plain: ReadonlySet<string> = new Set(["printf %s @", "printf %s '@'", 'printf %s "@"', "printf %s @ | cat", "(printf %s @)"]);

/** After each command nothing may exist that only the payload makes. */
export async function tryShell(lair: Lair): Promise<void> {
  const owned = join(lair.engine.folder, "OWNED");
  for (const position of positions) {
    const command = position.replace("@", () => "{{ x }}");
    for (const payload of payloads) {
      await attempt(lair, `shell metacharacters: ${position} with ${JSON.stringify(payload)}`, async () => {
        const told = await outcome(
          () => run(lair, command, payload),
          (place) => place.run,
        );
        if (existsSync(owned)) {
          rmSync(owned);
          bad("The payload was executed.");
        }
        if (told.startsWith("refused")) return told;
        if (!plain.has(position)) return "ran, and the value stayed data";
        const { state } = await readState(lair.engine.context, told, ["raw.out"]);
        const out = state["raw.out"];
        // The shell drops line ends at the end of a command's output, and so does the text format.
        return typeof out === "string" && out.trimEnd() === payload.trimEnd()
          ? "arrived letter by letter"
          : bad(`It arrived as ${JSON.stringify(out)}.`);
      });
    }
  }
}

/** Until the command has ended. */
async function run(lair: Lair, command: string, payload: string): Promise<Position> {
  let place = await open(lair, {
    default_state: { raw: { x: payload, out: "" } },
    steps: [
      { id: "run", type: "shell_command", command, timeout: 20_000, on_error: "continue", state_update: { path: "raw.out" } },
      { id: "end", type: "user_message", message: "over" },
    ],
  });
  while (place.standing.kind === "working") place = await next(lair.engine.context, lair.engine.caller, { run: place.run });
  return place;
}
