/** Label of a file that was given up with a reason: it stays so, also when it changes. */
export const givenUp = "given_up";
