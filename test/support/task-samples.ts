/** A machine and a checklist with tasks, and the script of an agent that does them. */

const folder = ".waymark/workflows";

/** The second task is done when its file says so; one more try is left then. */
export const triage: Readonly<Record<string, string>> = {
  [`${folder}/triage.machine.yaml`]: `machine: triage
description: Finds the worst bug and has it fixed.
inputs: { request: string }
start: LOOK
roles: {}
states:
  LOOK:
    do:
      - task: find-worst
        prompt: "Which bug of {{ inputs.request }} is the worst? The session is {{ session }}."
        returns: { type: object, required: [bug, severity], properties: { bug: { type: string }, severity: { enum: [low, high] } } }
        permission: read
        into: worst
    on: [{ when: worst.severity === 'low', to: DONE }]
    next: FIX
  FIX:
    do:
      - task: fix
        prompt: "Fix {{ worst.bug }} and write fix.md."
        give: { bug: "{{ worst.bug }}" }
        artifacts: [fix.md]
        done_when: "grep -q fixed fix.md || { echo 'not fixed yet'; exit 1; }"
        retries: 1
        permission: edit
    next: DONE
  DONE:
    do: [{ finish: true }]
    next: end
done: { rules: [{ when: worst !== null, message: Nothing was found. }] }
`,
};

/** A task ahead of the inventory, one among the reviews, and one after them. */
export const reviewed: Readonly<Record<string, string>> = {
  [`${folder}/reviewed.workflow.yaml`]: `type: reviewed
name: Reviewed
description: Makes a list of rules, reviews every file by it, and writes down what was learnt.
file_patterns: ["src/**/*.js"]
topic_discovery: { enabled: false }
phases:
  - id: rules
    name: Rules
    task:
      prompt: Write rules.md.
      artifacts: [rules.md]
      permission: edit
  - { id: inventory, name: Files }
  - { id: review, name: Review, mode: guided }
  - id: learn
    name: Lessons
    task:
      prompt: "What is to be learnt from the {{ inventory.total }} files?"
      give: { rules: "{{ tasks.rules.result }}" }
      returns: { type: object, required: [lesson], properties: { lesson: { type: string } } }
      done_when: "test -f lesson.txt || { echo 'no lesson.txt'; exit 1; }"
      retries: 1
      permission: edit
  - { id: summary, name: Report }
per_file_checklist: [{ id: look, type: custom, description: Read it. }]
`,
  "src/a.js": "a();\n",
};

/** What a script agent does in both: each file is forgotten or wrong in the first turn that is about it. */
export const taskScript = `turns:
  - { match: 'Which bug', do: [{ say: '{"bug": "crash", "severity": "high"}' }] }
  - { match: 'fix.md is missing', do: [{ write: { file: fix.md, text: "half" } }, { say: Written. }] }
  - { match: 'not fixed yet', do: [{ write: { file: fix.md, text: "fixed" } }, { say: Repaired. }] }
  - { match: 'Fix crash', do: [{ say: "I fixed it." }] }
  - { match: 'rules.md is missing', do: [{ write: { file: rules.md, text: "Be kind." } }, { say: "Be kind." }] }
  - { match: 'Write rules', do: [{ say: "I wrote it." }] }
  - { match: 'no lesson.txt', do: [{ write: { file: lesson.txt, text: "x" } }, { say: '{"lesson": "read twice"}' }] }
  - { match: 'What is to be learnt', do: [{ say: '{"lesson": "read"}' }] }
  - match: '"run_id": ?"(?<run>[^"]+)".*?"action_id": ?"(?<action>[^"]+)"'
    do: [{ call: { tool: workflow_progress, with: { run_id: "$<run>", action_id: "$<action>", status: completed } } }]
`;
