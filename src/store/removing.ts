/** Removing what one writer made for itself, and may leave behind. */
import type { Key } from "../core/key.ts";
import type { Backend } from "../ports/backend.ts";

/** One that is left behind is found and removed by whoever sweeps its kind. */
export async function removeQuietly(backend: Backend, name: string): Promise<void> {
  try {
    await backend.remove(name as Key);
  } catch {
    // As above.
  }
}
