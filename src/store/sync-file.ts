import { open } from "node:fs/promises";

/** Makes the content of a file survive a power cut. */
export async function syncFile(path: string, flags = "r+"): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes names in the folder survive a power cut. Windows keeps them by itself and cannot open folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== "win32") await syncFile(folder, "r");
}
