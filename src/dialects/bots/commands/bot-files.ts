/** A small bot for the demo: two behaviours, three actions each, one action beside them. */
export function demoBot(): Readonly<Record<string, string>> {
  const base = ".waymark/workflows/coast_bot";
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  const action = (folder: string, config: object, instructions: string): Record<string, string> => ({
    [`${base}/base_actions/${folder}/action_config.json`]: json(config),
    [`${base}/base_actions/${folder}/instructions.md`]: `${instructions}\n`,
  });
  return {
    [`${base}/bot_config.json`]: json({
      name: "coast_bot",
      description: "Turns notes from the coast into a small guide.",
      behaviors: ["survey", "guide"],
    }),
    [`${base}/behaviors/1_survey/instructions.md`]: "Find out what the coast is like.\n",
    [`${base}/behaviors/2_guide/instructions.md`]: "Write it down for people who have never been there.\n",
    ...action(
      "1_listen",
      { name: "listen", workflow: true, order: 1, next_action: "write", description: "Ask what matters." },
      "Ask the person what matters for {{behavior}}, and write down the answers.",
    ),
    ...action(
      "2_write",
      { name: "write", workflow: true, order: 2, next_action: "check", auto_progress: true, description: "Write it down." },
      "Write `{{behavior}}.md` into {{project_area}} and submit it.",
    ),
    ...action(
      "3_check",
      { name: "check", workflow: true, order: 3, next_action: null, description: "Check it." },
      "Read `{{behavior}}.md` again and tell the person what is missing.",
    ),
    ...action(
      "correct_bot",
      { name: "correct_bot", workflow: false, order: null, next_action: null, description: "Improve this bot." },
      "Find the instruction that misled you, and propose a better one.",
    ),
  };
}
