import type { Platform } from "./platform.ts";
import { splitMessage } from "./split-message.ts";

/** Where a conversation is. */
export interface Place {
  readonly platform: Platform;
  /** The conversation's id, ours and the platform's. */
  readonly conversation: string;
  readonly platformId: string;
}

/** Sends a text as one message, or as several where the platform takes no longer ones. */
export async function sendText({ platform, platformId }: Pick<Place, "platform" | "platformId">, text: string): Promise<void> {
  for (const part of splitMessage(text, platform.longestMessage)) await platform.send(platformId, part);
}
