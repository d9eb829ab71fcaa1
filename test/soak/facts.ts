/** What the processes of a soak tell the world about, the moment they know it, and how they tell it. */

export type Fact =
  /** `created`: the service said that this call made the job. */
  | { readonly kind: "enqueued"; readonly key: string; readonly created: boolean }
  /** `attempt`: which one of the job's, as the lease says. */
  | {
      readonly kind: "leased";
      readonly key: string;
      readonly token: string;
      readonly attempt: number;
    }
  /** Told before the mail's settlement is asked for. `token`: null for a mail of a pass. */
  | { readonly kind: "mailed"; readonly key: string; readonly token: string | null }
  /** The service said that it is stored. */
  | { readonly kind: "settled"; readonly key: string; readonly token: string; readonly to: string }
  | { readonly kind: "prepared"; readonly id: string }
  /** The side effect of an operation: told before anything is told to the service. */
  | { readonly kind: "effect"; readonly id: string; readonly by: string }
  /** `by`: whose result a caller was answered with. */
  | { readonly kind: "accepted"; readonly id: string; readonly by: string }
  | { readonly kind: "admitted"; readonly jobId: string }
  | { readonly kind: "completed"; readonly jobId: string }
  /** What a reader was told of a job, from its first event to its last, over many connections. */
  | {
      readonly kind: "read";
      readonly jobId: string;
      readonly text: string;
      readonly events: number;
      readonly end: string;
    }
  /** What a process did not expect. */
  | { readonly kind: "trouble"; readonly who: string; readonly what: string }
  /** What a process met and goes on after, such as a service that was just killed. */
  | { readonly kind: "met"; readonly what: string };

/** Resolves when the world knows it. Throws when there is no world any more. */
export type Tell = (fact: Fact) => Promise<void>;

/** How often a side effect was told to have happened, as the provider's own records would say. */
export type EffectsOf = (id: string) => Promise<readonly string[]>;

export function toldTo(world: string): { readonly tell: Tell; readonly effectsOf: EffectsOf } {
  return {
    async tell(fact) {
      const response = await fetch(`${world}/facts`, {
        method: "POST",
        body: JSON.stringify(fact),
      });
      if (!response.ok) throw new Error(`the world answered ${response.status}`);
    },
    async effectsOf(id) {
      return (await (await fetch(`${world}/effects/${id}`)).json()) as readonly string[];
    },
  };
}

/** Jobs whose key says so can never be sent, so that there is something for a person. */
export const BAD = "bad-";

/** One piece of the answer to a job, known to whoever knows the job. */
export function pieceOf(jobId: string, n: number): string {
  return `${n} ${jobId.slice(0, 8)} räksmörgås 🐋 `;
}

/** How many pieces the answer to a job has. */
export function piecesOf(jobId: string): number {
  return 10 + (Number.parseInt(jobId.replaceAll("-", "").slice(-4), 16) % 40);
}

export function answerOf(jobId: string): string {
  return Array.from({ length: piecesOf(jobId) }, (_, n) => pieceOf(jobId, n)).join("");
}
