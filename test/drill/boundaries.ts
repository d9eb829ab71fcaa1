/** Where a worker of the drill may be killed: behind which call, to what kind of file. */
export type BoundaryCall = "open" | "write" | "sync" | "link" | "rename" | "unlink";

export interface Boundary {
  readonly call: BoundaryCall;
  /** The path it is about; of a link or rename the new one. */
  readonly path: RegExp;
}

const LOCK = /\/locks\/[^/]+\.lock$/;
const TEMP = /\/tmp\/[^/]+\.(?:new|upd)$/;
const MARKER = /\/due\/\w+\/\d+\/[^/]+$/;
const RECORD = /\/(?:jobs|receipts|scopes|roots|fences|log\/[^/]+)\/[^/]+\.json$/;
const DIRECTORY = /\/(?:jobs|receipts|scopes|roots|fences|log|log\/[^/]+)$/;

export const BOUNDARIES = {
  "lock created": { call: "open", path: LOCK },
  "lock named": { call: "write", path: LOCK },
  "temp created": { call: "open", path: TEMP },
  "temp written": { call: "write", path: TEMP },
  "temp synced": { call: "sync", path: TEMP },
  "due marker created": { call: "open", path: MARKER },
  "due index grown": { call: "write", path: /\/due\/index-[^/]+\.log$/ },
  "record linked": { call: "link", path: RECORD },
  "record renamed": { call: "rename", path: RECORD },
  "directory synced": { call: "sync", path: DIRECTORY },
  "temp removed": { call: "unlink", path: TEMP },
  "due marker removed": { call: "unlink", path: MARKER },
  "lock removed": { call: "unlink", path: LOCK },
  "record removed": { call: "unlink", path: RECORD },
} as const satisfies Readonly<Record<string, Boundary>>;

export type BoundaryName = keyof typeof BOUNDARIES;

/** Steps that there are in one sharing only. */
export const ABSENT: Readonly<Record<"processes" | "exclusive", readonly BoundaryName[]>> = {
  processes: ["due index grown"],
  exclusive: [
    ...(["lock created", "lock named", "lock removed"] as const),
    ...(["due marker created", "due marker removed"] as const),
  ],
};

/** The variables that tell a worker its boundary, and how many times it may pass it before. */
export const BOUNDARY_VARIABLE = "DRILL_BOUNDARY";
export const PASSES_VARIABLE = "DRILL_PASSES";
