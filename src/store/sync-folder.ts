import { open } from "node:fs/promises";

/** Makes names in the folder survive a power cut. Windows keeps them by itself and cannot open folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
