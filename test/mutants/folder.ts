/** Faults of the folder: compare-and-swap by rename, and its owners (protocols 7). */
import type { Mutant } from "./mutant.ts";

const FOLDER = "adapters/storage/filesystem";
const KEY_WRITES = `${FOLDER}/key-writes.ts`;
const KEY_LOCK = `${FOLDER}/key-lock.ts`;
const FOLDER_LOCK = `${FOLDER}/folder-lock.ts`;
const FOLDER_WRITES = `${FOLDER}/folder-writes.ts`;

export const FOLDER_MUTANTS: readonly Mutant[] = [
  {
    name: "temps-not-cleared",
    file: KEY_WRITES,
    text: `  try {
    yield* clearTemps(attempt);
    yield "record.read";`,
    replacement: `  try {
    yield "record.read";`,
    law: "protocols 7.3: whoever has the lock clears every temp of the key",
    caughtBy: [
      { tests: "adapters/filesystem/key-protocol", named: "two of them: one at most is stored" },
    ],
  },
  {
    name: "lock-not-looked-at-before-the-rename",
    file: KEY_WRITES,
    text: 'if (!(yield* holdsLock(attempt))) return "fenced";',
    replacement: "",
    law: "protocols 7.3: the lock is looked at between temp and rename",
    caughtBy: [
      { tests: "adapters/filesystem/key-protocol", named: "two of them: one at most is stored" },
    ],
  },
  {
    name: "lock-looked-at-before-the-temp",
    file: KEY_WRITES,
    text: "    yield* writeTemp(disk, temp, change.bytes);\n    // Found before",
    replacement: `    if (!(yield* holdsLock(attempt))) return { kind: "fenced" };
    yield* writeTemp(disk, temp, change.bytes);
    if ((yield* renameTemp(disk, temp, place.file)) === "done") {
      return yield* makeDurable(disk, place, versionOf(change.bytes));
    }
    // Found before`,
    law: "protocols 7.3: first the temp, then the look",
    caughtBy: [{ tests: "adapters/filesystem/key-protocol" }],
  },
  {
    name: "temps-of-one-holder-cleared",
    file: KEY_LOCK,
    text: `  return "taken";
}

/** Step 4, the fence: whoever prepared a write of this key before can no longer carry it out. */
export function* clearTemps({ disk, place }: Attempt): Steps<void> {
  yield "temps.list";
  for (const name of disk.list(place.root.temps)) {
    if (!name.startsWith(\`\${place.id}.\`)) continue;`,
    replacement: `  takenFrom.set(attempt, holderIn(seen.bytes));
  return "taken";
}

const takenFrom = new WeakMap();

export function* clearTemps(attempt: Attempt): Steps<void> {
  const { disk, place } = attempt;
  yield "temps.list";
  for (const name of disk.list(place.root.temps)) {
    if (!name.startsWith(\`\${place.id}.\${takenFrom.get(attempt) ?? ""}\`)) continue;`,
    law: "protocols 7.3: every temp of the key is cleared, not the last holder's alone",
    caughtBy: [{ tests: "adapters/filesystem/key-protocol", named: "three of them" }],
  },
  {
    name: "creation-marked-before-its-temp",
    file: KEY_WRITES,
    text: `    yield* writeTemp(disk, temp, change.bytes);
    // Not before the temp: a sweep that sees a marker without temp and record judges it dead (7.3).
    yield* createMarker(disk, change.marker);`,
    replacement: `    yield* createMarker(disk, change.marker);
    yield* writeTemp(disk, temp, change.bytes);`,
    law: "protocols 7.3: a creation writes its temp before its marker",
    caughtBy: [{ tests: "adapters/filesystem/marker-protocol" }],
  },
  {
    name: "folder-overwrites-without-comparing",
    file: KEY_WRITES,
    text: "    if (before === null || versionOf(before) !== expected) {",
    replacement: "    if (before === null) {",
    law: "protocols 1: every write is conditional",
    caughtBy: [{ tests: "adapters/filesystem/key-protocol" }],
  },
  {
    name: "writer-overlooks-the-folders-owner",
    file: KEY_WRITES,
    text: "    const obstacle = yield* folderObstacle(attempt, marker);\n    if (obstacle !== null) return obstacle;\n",
    replacement: "",
    law: "protocols 7.3: a writer looks for `folder.lock` after its temp",
    caughtBy: [{ tests: "adapters/filesystem/folder-protocol" }],
  },
  {
    name: "creator-overlooks-the-folders-owner",
    file: KEY_WRITES,
    text: "const obstacle = yield* folderObstacle(attempt, change.marker);",
    replacement: "const obstacle = null;",
    law: "protocols 7.3: a creator looks for `folder.lock` after its temp",
    caughtBy: [{ tests: "adapters/filesystem/folder-protocol" }],
  },
  {
    name: "owner-does-not-look-before-the-rename",
    file: FOLDER_WRITES,
    text: 'if (!(yield* holdsFolder(disk, place.root.folderLock, folderU))) return "lost";',
    replacement: "",
    law: "protocols 7.6: an owner looks at the folder's lock between temp and rename",
    caughtBy: [{ tests: "adapters/filesystem/folder-protocol" }],
  },
  {
    name: "owner-looks-before-the-temp",
    file: FOLDER_WRITES,
    text: `    yield* writeTemp(disk, temp, bytes);
    const outcome = yield* publish(disk, folderU, { write, temp });`,
    replacement: `    const isOwner = yield* holdsFolder(disk, place.root.folderLock, folderU);
    yield* writeTemp(disk, temp, bytes);
    const outcome = !isOwner ? "lost" : expected === "absent" ? yield* linkTemp(disk, temp, place.file) : yield* renameTemp(disk, temp, place.file);`,
    law: "protocols 7.6: first the temp, then the look",
    caughtBy: [{ tests: "adapters/filesystem/folder-protocol" }],
  },
  {
    name: "new-owner-clears-nothing",
    file: FOLDER_LOCK,
    text: "      if (!isTempName(name)) continue;\n",
    replacement: "      if (isTempName(name)) continue;\n",
    law: "protocols 7.6, step 2: a new owner clears every temp",
    caughtBy: [{ tests: "adapters/filesystem/folder-protocol" }],
  },
  {
    name: "owner-serves-while-it-clears",
    file: `${FOLDER}/opening.ts`,
    text: "    clearTemps(folder, foldersOf(folder.layout));\n    return held;",
    replacement:
      "    setTimeout(() => clearTemps(folder, foldersOf(folder.layout)), 20);\n    return held;",
    law: "protocols 7.6: nobody is served before every temp is cleared",
    caughtBy: [{ tests: "adapters/filesystem/sharing" }],
  },
  {
    name: "heartbeat-by-the-locks-path",
    file: `${FOLDER}/ownership.ts`,
    text: "quietly(() => runSteps(beatFolderLock(disk, fd, context.clock.now())));",
    replacement: `quietly(() => {
        const beating = disk.create(claim.path + ".beat");
        disk.write(beating, Buffer.from(claim.lockText));
        disk.close(beating);
        disk.rename(claim.path + ".beat", claim.path);
      });`,
    law: "protocols 7.6, step 5: the heartbeat goes to the own open file",
    caughtBy: [{ tests: "adapters/filesystem/sharing" }],
  },
  {
    name: "due-time-not-indexed-before-the-write",
    file: `${FOLDER}/owned-writes.ts`,
    text: "    flushIndex(root, key);\n",
    replacement: "",
    law: "protocols 7.6, step 9: an earlier due time is in the index file before the rename",
    caughtBy: [{ tests: "adapters/filesystem/sharing", named: "before it writes the record" }],
  },
  {
    name: "record-not-durable",
    file: `${FOLDER}/temp-file.ts`,
    text: "    disk.sync(fd);\n",
    replacement: "",
    law: "G1: what is told as stored survives a power cut",
    caughtBy: [{ tests: "adapters/filesystem/steps" }],
  },
  {
    name: "failed-directory-sync-told-as-stored",
    file: `${FOLDER}/temp-file.ts`,
    text: '  return { kind: "unknown", error: failed.error };',
    replacement: '  return { kind: "stored", version: failed.version };',
    law: "protocols 0: stored is said only after an fsync that succeeded",
    caughtBy: [{ tests: "adapters/filesystem/steps" }],
  },
];
