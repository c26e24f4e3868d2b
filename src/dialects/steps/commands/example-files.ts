/** Files of `init --example`, by their path in the workspace. */
export const exampleFiles: Readonly<Record<string, string>> = {
  ".waymark/workflows/hello.yaml": `# A small workflow. Try it:  waymark run hello --by-hand
# Check it:                  waymark validate hello
# Test it:                   waymark test
name: hello
description: Greets a person and asks how they are
version: 1.0.0

inputs:
  name:
    type: string
    description: Who is greeted
    default: world

default_state:
  raw:
    mood: ""

state_schema:
  computed:
    is_well:
      from: raw.mood
      transform: "['fine', 'well', 'good'].includes(input.trim().toLowerCase())"

steps:
  - id: greet
    type: user_message
    message: "Hello {{ inputs.name }}"

  - id: ask_mood
    type: user_input
    prompt: "How are you, {{ inputs.name }}?"
    state_update:
      path: raw.mood

  - id: react
    type: conditional
    condition: "{{ is_well }}"
    then:
      - id: glad
        type: user_message
        message: "Glad to hear that."
    else:
      - id: comfort
        type: user_message
        message: "I hope it gets better."
`,
  ".waymark/workflows/hello.waymark-test.yaml": `# Runs hello.yaml against scripted answers, without any model:  waymark test
workflow: hello
tests:
  - name: a person who is well
    inputs: { name: Ada }
    steps:
      - step: ask_mood
        expect: { prompt: "How are you, Ada?" }
        answer: fine
    messages: [Hello Ada, Glad to hear that.]
    state: { mood: fine, is_well: true }
    status: completed

  - name: a person who is not
    answers: { ask_mood: tired }
    messages: [Hello world, I hope it gets better.]
    status: completed
`,
};
