import { textOf, type Json, type JsonObject } from "../../../base/index.ts";

/** The folder of the demo: a workflow and the notes it is about. */
export const tourFiles: Readonly<Record<string, string>> = {
  ".waymark/workflows/tour.yaml": `name: tour
description: Counts the words of some notes, asks a person, and lets two sub-agents check the result
version: 1.0.0

default_state:
  raw:
    counts: {}
    checks: {}
    title: ""

state_schema:
  computed:
    total:
      from: raw.counts
      transform: "Object.values(input).reduce((sum, count) => sum + count, 0)"
    longest:
      from: raw.counts
      transform: "Object.entries(input).sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'none'"

steps:
  - id: welcome
    type: user_message
    message: "Three notes are waiting to be counted."

  - id: each_note
    type: foreach
    items: ["notes/harbour.md", "notes/lighthouse.md", "notes/map.md"]
    variable_name: note
    steps:
      - id: count_words
        type: agent_shell_command
        command: "wc -w < {{ note }}"
        reason: the agent has a shell, this workflow asked for no permission
        output_format: json
        state_update:
          path: "raw.counts.{{ note }}"

  - id: enough
    type: conditional
    condition: "{{ total > 40 }}"
    then:
      - id: say_total
        type: user_message
        message: "{{ total }} words in all, most of them in {{ longest }}."
    else:
      - id: too_short
        type: exit
        status: failed
        message: "There is not enough to read."

  - id: choose_title
    type: user_input
    prompt: "What should the collection be called?"
    state_update:
      path: raw.title

  - id: check_both
    type: parallel_foreach
    items: [{ id: spelling }, { id: tone }]
    sub_agent_task: check

  - id: done
    type: user_message
    message: "'{{ title }}' is ready: {{ total }} words, spelling {{ checks.spelling }}, tone {{ checks.tone }}."

sub_agent_tasks:
  check:
    description: Looks at the collection from one side
    steps:
      - id: look
        type: agent_shell_command
        command: "cat notes/*.md"
        reason: "read them and judge their {{ item.id }}"
        state_update:
          path: "raw.checks.{{ item.id }}"
`,
  "notes/harbour.md":
    "Every voyage begins in a harbour. Ropes are coiled, the ledger is written, and nobody leaves before both are true.\n",
  "notes/lighthouse.md": "A lighthouse does not steer the ship. It stays in one place, so that others know where they are.\n",
  "notes/map.md": "A map is a promise that travellers came back to tell. Mark the way as you go, and you can always take it up again.\n",
};

/** What the demo does in the place of an agent: it reads the notes and answers. */
export function answerAsAgent(step: { readonly id: string; readonly definition: JsonObject }): Json {
  const command = textOf(step.definition["command"]);
  const [, note = ""] = /(notes\/\w+\.md)/.exec(command) ?? [];
  if (step.id.endsWith("count_words")) return (tourFiles[note] ?? "").trim().split(/\s+/).length;
  return "good";
}

export const defaultTitle = "Notes from the coast";
