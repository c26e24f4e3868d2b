/**
 * A graph with every kind of node that a kill can meet. Each command holds a lock as long as anything of it runs, so that two of one node at the
 * same time are seen, and says in `marks` that it began.
 */
const mark = (node: string): string => `exec 9> ../lock-${node}; flock -n 9 || echo ${node} >> ../doubled; echo ${node} >> ../marks`;

const web = `name: web
description: Nodes of every kind.
nodes:
  - id: left
    bash: ${mark("left")}; echo L
  - id: right
    bash: ${mark("right")}; echo R
  - id: think
    depends_on: [left, right]
    prompt: "Node think <$REJECTION_REASON>: $left.output and $right.output."
  - id: off
    depends_on: [left]
    when: "$left.output == 'nothing'"
    bash: ${mark("off")}
  - id: shaky
    depends_on: [right]
    retry: { max_attempts: 2, delay_ms: 1000, on_error: all }
    bash: ${mark("shaky")}; test -f ../shaken || { touch ../shaken; exit 3; }; echo steady
  - id: rounds
    depends_on: [think]
    loop_group:
      max_iterations: 4
      until_bash: test $check.output = 'checked two'
      nodes:
        - id: try
          prompt: "Node try <$LOOP_PREV.check.output>: $think.output."
        - id: check
          depends_on: [try]
          bash: ${mark("check")}; printf 'checked %s' $try.output
  - id: gate
    depends_on: [rounds]
    approval: { message: "Is $think.output good?", on_reject: { reopens: [think], max_attempts: 3 } }
  - id: door
    depends_on: [left]
    approval: { message: Open?, capture_response: true, on_reject: { prompt: "Node door <$REJECTION_REASON>.", max_attempts: 3 } }
  - id: items
    bash: ${mark("items")}; printf '["x","y","z"]'
  - id: each
    depends_on: [items]
    workflow: part
    fan_out: { items: $items.output, max_parallel: 2 }
  - id: ever
    depends_on: [gate]
    always_run: true
    bash: ${mark("ever")}; echo ever
  - id: breaks
    depends_on: [gate]
    bash: ${mark("breaks")}; test -f ../fixed
  - id: last
    depends_on: [ever, breaks, each, shaky, off, door]
    trigger_rule: all_done
    bash: ${mark("last")}; printf '%s|' $each.output $door.output $rounds.output
`;

const part = `name: part
description: What is done for each item.
nodes:
  - id: a
    bash: ${mark('part-"$ARGUMENTS"')}; printf 'a of %s' "$ARGUMENTS"
  - id: b
    depends_on: [a]
    prompt: "Node b: $a.output."
`;

export const graphFiles: Readonly<Record<string, string>> = {
  ".archon/workflows/web.yaml": web,
  ".archon/workflows/part.yaml": part,
};

/** What the fake agent says. */
export const graphScript = [
  { match: "Node think <>", do: [{ say: "a draft" }] },
  { match: "Node think <(?<why>[^>]+)>", do: [{ say: "a draft, $<why>" }] },
  { match: "Node try <>", do: [{ say: "one" }] },
  { match: "Node try <[^>]+>", do: [{ say: "two" }] },
  { match: "Node b: a of (?<item>\\w)", do: [{ say: "b of $<item>" }] },
  { match: "Node (?<name>[a-z]+)", do: [{ say: "$<name> did" }] },
];

/** What a person says to a question: the first asking of each is rejected. */
export function answerTo({ decision, question, revision }: AskedQuestion): readonly string[] {
  const asked = ["--revision", String(revision)];
  if (decision === "gate")
    return question === "Is a draft good?"
      ? ["reject", "--reason", "make it shorter", ...asked]
      : ["approve", "--reason", "short enough", ...asked];
  return revision === 1 ? ["reject", "--reason", "too low", ...asked] : ["approve", "--reason", "come in", ...asked];
}

export interface AskedQuestion {
  readonly decision: string;
  readonly question: string;
  readonly revision: number;
}
