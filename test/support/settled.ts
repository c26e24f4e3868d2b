import { expect } from "vitest";

/** What a call was refused with, as far as tests look into it. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details: { readonly open_steps?: readonly string[]; readonly action_id?: string };
}

/** What a call came to. Rejects with what is not a refusal. */
export async function settled<T>(work: Promise<T>): Promise<{ readonly ok?: T; readonly refusal?: Refusal }> {
  return work.then(
    (ok) => ({ ok }),
    (error: Refusal) => {
      if (typeof error.code !== "string") throw error;
      return { refusal: error };
    },
  );
}

export function expectSame(got: unknown, wanted: unknown): void {
  expect(got).toEqual(wanted);
}

export function expectLike(got: unknown, wanted: object): void {
  expect(got).toMatchObject(wanted);
}

export function expectOne(wanted: readonly unknown[], got: unknown): void {
  expect(wanted).toContain(got);
}
