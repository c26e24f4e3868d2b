import type { DriveEvent } from "../runner/index.ts";
import type { Session } from "./session.ts";

/** Shows what a driver does: finished lines, and what happens now. */
export class DriveScreen {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  show(event: DriveEvent): void {
    const { out } = this.#session;
    switch (event.type) {
      case "step":
        return out.line(`${event.resumed ? "Continues" : "Step"} ${event.step}  (${event.agent})`);
      case "reported":
        return out.line(`  ${event.how}${event.why === undefined ? "" : `: ${event.why}`}`);
      case "told":
      case "notice":
        return out.line(event.text);
      case "agent":
        if (event.event.type === "message") out.line(`  ${event.event.text}`);
    }
  }

  /** Leaves the screen to a question. */
  pause(): void {}

  close(): void {}
}
