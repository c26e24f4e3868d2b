/** A small bot: two behaviours, three actions in order, one that goes on by itself, one outside of the sequence. */
export function smallBot(more: Readonly<Record<string, string>> = {}, config: object = {}): Record<string, string> {
  const base = ".waymark/workflows/small_bot";
  const action = (name: string, of: object): [string, string] => [
    `${base}/base_actions/${name}/action_config.json`,
    JSON.stringify({ name, ...of }),
  ];
  return Object.fromEntries([
    [
      `${base}/bot_config.json`,
      JSON.stringify({ name: "small_bot", behaviors: ["shape", "build"], description: "A bot for tests.", ...config }),
    ],
    [`${base}/behaviors/1_shape/instructions.md`, "Shape it."],
    [`${base}/behaviors/2_build/instructions.md`, "Build it."],
    action("gather", { workflow: true, order: 1, next_action: "render" }),
    action("render", { workflow: true, order: 2, next_action: "check", auto_progress: true }),
    action("check", { workflow: true, order: 3, next_action: null }),
    action("correct", { workflow: false, order: null, next_action: null }),
    [`${base}/base_actions/gather/instructions.json`, JSON.stringify({ actionName: "gather", instructions: ["Ask what matters."] })],
    ...Object.entries(more).map(([path, text]): [string, string] => [`${base}/${path}`, text]),
  ]);
}
