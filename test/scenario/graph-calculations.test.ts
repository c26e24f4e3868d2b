/** No text of a user or an agent is calculated by bash: what is accepted when a graph is read cannot run it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { calculatedUses } from "../../src/dialects/prompts/definition/graph/calculated-uses.ts";
import { fillCommand } from "../../src/state/placeholders.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-calculates-"));
afterAll(() => rmSync(folder, { recursive: true }));

const evil = "a[$(>pwned)]";

/** Whether bash runs what is in the values; undefined where the engine puts none in. */
function runs(command: string, value = evil): boolean | undefined {
  const filled = fillCommand(command, { "a.output": value });
  if ("problem" in filled) return undefined;
  spawnSync("bash", ["-c", filled.command], {
    cwd: folder,
    stdio: "ignore",
    timeout: 5000,
    env: { PATH: process.env["PATH"] ?? "", ARGUMENTS: value },
  });
  const left = readdirSync(folder);
  for (const file of left) rmSync(join(folder, file), { recursive: true });
  return left.length > 0;
}

const accepted = (command: string): boolean => calculatedUses(command).length === 0;

const slipsThrough = (command: string): boolean => accepted(command) && runs(command) === true;

/** Places in which bash calculates. `@` is a value, `#` a variable by its name. */
const calculating = [
  "(( # > 3 ))",
  "(( @ ))",
  ": $(( # + 1 ))",
  ': "$(( # ))"',
  ": $[ # ]",
  "for ((i = #; i < 1; i++)); do :; done",
  "if [[ @ -eq 1 ]]; then :; fi",
  "[[ 1 -lt # ]]",
  "[[ x == x && # -ge 1 ]]",
  "let #",
  "let n=#",
  'let "n = @"',
  "declare -i n=@",
  "typeset -i n; n=@",
  "declare -i n=1; n+=@",
  "f() { local -i n=@; }; f",
  "declare -n n=@; : $n",
  "m[#]=1",
  "m[@]=1",
  'm["@"]=1',
  "m[1+#]=1",
  "m=([#]=1)",
  "declare -a m=([#]=1)",
  ": ${m[#]}",
  ": ${m[1+#]}",
  "s=abc; : ${s:#}",
  's=abc; : "${s:1:#}"',
  "test -v @",
  "[ -v @ ]",
  "[[ ! -v @ ]]",
  "printf -v @ x",
  "read @ <<< x",
  "declare @=1",
  "RANDOM=@",
  "cat <<E\n$(( # ))\nE",
  "while (( # )); do break; done",
  "x=1; case x in x) (( # )) ;; esac",
];

/** Ways in which a value gets there: what is in front, `@` and `#`. */
const sources: readonly (readonly [before: string, value: string, name: string])[] = [
  ["", "$a.output", "$a.output"],
  ["", '"$a.output"', "$a.output"],
  ["", "$ARGUMENTS", "ARGUMENTS"],
  ["", '"${ARGUMENTS}"', "$ARGUMENTS"],
  ["", '"$ARGUMENTS"', "${ARGUMENTS}"],
  ["x=$a.output; ", '"$x"', "x"],
  ["x='$a.output'\n", '"$x"', "x"],
  ["x=$ARGUMENTS\ny=${x:-1}; ", '"$y"', "y"],
  ["read -r x <<< $a.output; ", '"$x"', "x"],
  ["for x in $a.output; do :; done; ", '"$x"', "x"],
  ["export x=$ARGUMENTS; ", '"$x"', "$x"],
];

/** Where a command can be. */
const around = [
  "@",
  "( @ )",
  'y="$( @ )"',
  "if true; then @; fi",
  "true && { @; }",
  "f() {\n@\n}\nf",
  "y=`@`",
  "# it's\n@",
  "cat <<E >/dev/null\n'\nE\n@",
];

const put = (place: string, [before, value, name]: (typeof sources)[number]): string =>
  before + place.replaceAll("@", () => value).replaceAll(/#(?!\w)/g, () => name);

describe("what is accepted does not run it", () => {
  test.each(calculating)("%j", (place) => {
    expect(sources.map((source) => put(place, source)).filter(slipsThrough)).toEqual([]);
  });

  test("wherever the command is", () => {
    const place = fc.constantFrom(...calculating.filter((each) => !each.includes("<<")));
    fc.assert(
      fc.property(fc.constantFrom(...around), place, fc.constantFrom(...sources), (outer, inner, source) => {
        const command = outer.replace("@", () => put(inner, source));
        expect([command, slipsThrough(command)]).toEqual([command, false]);
      }),
      { numRuns: Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 150) },
    );
  });

  test("bash does run it in these places", () => {
    const found = calculating.filter((place) => sources.some((source) => runs(put(place, source)) === true));
    expect(found).toEqual(calculating);
  });
});

test("variables with what a user or an agent says are refused in every such place, and so are references that need not be numbers there", () => {
  for (const place of calculating)
    for (const source of sources.slice(2)) expect([put(place, source), accepted(put(place, source))]).toEqual([put(place, source), false]);
  for (const place of ["declare -i n=@", "m[1+#]=1", 'm["#"]=1', "printf -v @ x", "read @ <<< x", "declare @=1", "(( # ))", "m=([#]=1)"])
    expect([place, accepted(put(place, sources[0]!))]).toEqual([place, false]);
});

test.each([
  '[ $a.output -gt 3 ] && [ "$ARGUMENTS" = x ]',
  'test "$ARGUMENTS" -eq 1',
  "[[ $ARGUMENTS == x* || -n $ARGUMENTS ]]",
  'echo $(( $a.output + 1 )) "$ARGUMENTS"',
  "[[ $a.output -eq 1 ]]",
  'number=$(printf %d "$ARGUMENTS"); (( number > 3 ))',
  'n=0; n=$((n + 1)); echo "$ARGUMENTS $n"',
  'count=$(wc -l <<< "$ARGUMENTS"); if (( count > 3 )); then echo $a.output; fi',
  "declare -A seen; seen[$ARGUMENTS]=1; echo ${seen[$ARGUMENTS]}",
  'words=($ARGUMENTS); echo "${words[0]} ${#words[@]} ${words[@]:1}"',
  'echo "${ARGUMENTS:-none} ${ARGUMENTS#x} ${#ARGUMENTS} ${ARGUMENTS:0:3} ${ARGUMENTS/a/b}"',
  "case $ARGUMENTS in a) echo '((' ;; esac # (( ARGUMENTS ))",
  "cat <<'E'\n$(( ARGUMENTS ))\nE",
  "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; printf '%s' \"$ARGUMENTS\"",
  'x=$ARGUMENTS; y=3; (( y > 2 )) && echo "$x"',
  'read -r first rest <<< "$ARGUMENTS"; echo "$first"',
])("%j is accepted", (command) => {
  expect(calculatedUses(command)).toEqual([]);
  expect(runs(command) ?? false).toBe(false);
});

test("any text can be read, to its end", () => {
  const pieces =
    "' \" \\ $( $(( ${ $[ ` ) } )) ] [[ ]] <<E <<-E <<< # ; & | ( (( $' = x=( x[ case in esac for let declare -i $ARGUMENTS ARGUMENTS $a.output".split(
      " ",
    );
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, "\n", "E", " ")), (words) => {
      const text = words.join(" ");
      expect(calculatedUses(text).every(({ offset, length }) => offset >= 0 && offset + length <= text.length)).toBe(true);
    }),
  );
});

test("inputs as variables are refused there too, also behind another variable", () => {
  expect(accepted("(( INPUTS_WHO > 3 ))")).toBe(false);
  expect(accepted('n="$INPUTS_HOW_MANY"; [[ $n -gt 3 ]]')).toBe(false);
  expect(accepted('[ "$INPUTS_WHO" -gt 3 ]; echo "$INPUTS_WHO"')).toBe(true);
});
