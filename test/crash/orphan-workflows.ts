/**
 * Workflows whose commands say when they overlap: each holds a lock for as long as anything of it runs, and writes a line into `doubled`
 * when somebody else has it. The lock is a file descriptor, so it ends with the last process of the command, however that dies.
 */
const held = `exec 9> lock; flock -n 9 || echo $0 >> doubled; echo begin >> marks`;

interface OrphanWorkflow {
  readonly name: string;
  readonly yaml: string;
  /** Its command begins once and comes to its end, whatever happens to the process that began it. */
  readonly once?: true;
}

function workflow(name: string, long: string, policy: string): string {
  return `
name: ${name}
steps:
  - { id: long, type: shell_command, command: "${held}; ${long}; echo end >> marks", on_lost: ${policy} }
  - { id: after, type: shell_command, command: "exec 9> lock; flock -n 9 || echo after >> doubled" }
`;
}

const forever = "while :; do sleep 0.1; done";

/** Workflows that come to an end, however often their process is killed. */
export const orphanWorkflows: readonly OrphanWorkflow[] = [
  { name: "orphan:again", yaml: workflow("orphan:again", "sleep 1.5", "retry") },
  { name: "orphan:children", yaml: workflow("orphan:children", "sleep 60 & (sleep 50 &); sleep 1.5", "retry") },
  { name: "orphan:stubborn", yaml: workflow("orphan:stubborn", "trap '' TERM; sleep 1.5", "retry") },
  { name: "orphan:leaderless", yaml: workflow("orphan:leaderless", "sleep 60 & sleep 0.4", "retry") },
  { name: "orphan:awaited", yaml: workflow("orphan:awaited", "sleep 1.5", "continue"), once: true },
];

/** Workflows whose command does not end by itself. */
export const endlessWorkflows: readonly OrphanWorkflow[] = [
  { name: "orphan:forever", yaml: workflow("orphan:forever", forever, "retry") },
  { name: "orphan:awaited-forever", yaml: workflow("orphan:awaited-forever", forever, "continue") },
];
