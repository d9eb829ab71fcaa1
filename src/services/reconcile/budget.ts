/** How long one pass may take, in milliseconds; the end itself has five seconds more. */
export const PASS_MS_MIN = 100;
export const PASS_MS_MAX = 3_600_000;
export const PASS_MS_DEFAULT = 25_000;
