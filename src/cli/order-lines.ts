interface Line {
  /** When it happened, in milliseconds. */
  readonly at: number;
  readonly text: string;
}

/** A line of a record of the journal. */
export interface RecordLine extends Line {
  readonly position: number;
}

/** A line that a driver says itself. */
export interface SaidLine extends Line {
  /** The last record of the journal by then. */
  readonly head: number;
}

/**
 * What happened, in its order: what agents said before the record of the same moment, since a report follows its words, and what the driver
 * said exactly between the records around it. Each list is in its own order.
 */
export function orderLines(records: readonly RecordLine[], messages: readonly Line[], said: readonly SaidLine[]): readonly string[] {
  const lines: (Line | RecordLine | SaidLine)[] = [...messages, ...records].sort((one, other) => one.at - other.at);
  for (const line of said) {
    const isLater = (other: (typeof lines)[number]): boolean =>
      "position" in other ? other.position > line.head : !("head" in other) && other.at > line.at;
    const at = lines.findIndex(isLater);
    lines.splice(at < 0 ? lines.length : at, 0, line);
  }
  return lines.map(({ text }) => text);
}
