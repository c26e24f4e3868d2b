/** How long a lost locked commit keeps other deciders away; its decider has this long to decide again. */
export const runLockMs = 2_000;
