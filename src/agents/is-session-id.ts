/**
 * Whether the id of a conversation may be given to an agent. It comes from the store, where another computer may have put it, and agents put
 * it into command lines and paths: one that could be an option, a path or several words is of no conversation that is theirs.
 */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_][\w.:@+=~-]{0,199}$/.test(id);
}

/** Why a conversation with such an id is lost. */
export const notASession = "its id is not one that agents give";
