/** A copy of what is built, to be spoiled: the repository itself stays as it is. */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built, compiled, type Mutant, ROOT } from "./mutant.ts";

export interface Tree {
  readonly root: string;
  /** Runs `work` while the mutant's file is what the edit makes of it. */
  spoiled<T>(mutant: Mutant, work: () => Promise<T>): Promise<T>;
  remove(): Promise<void>;
}

const CONFIG = "test/vitest.config.ts";

/** With whatever else the tests look at, as links. */
export function copyTree(): Tree {
  const root = mkdtempSync(join(tmpdir(), "holdfast-mutants-"));
  const isRun = (path: string): boolean => !/\.d\.ts(?:\.map)?$/.test(path);
  cpSync(join(ROOT, "dist"), join(root, "dist"), { recursive: true, filter: isRun });
  mkdirSync(join(root, "test"));
  copyFileSync(join(ROOT, CONFIG), join(root, CONFIG));
  const others = readdirSync(ROOT).filter((name) => name !== "dist" && name !== "test");
  for (const name of others) symlinkSync(join(ROOT, name), join(root, name));
  return {
    root,
    async spoiled(mutant, work) {
      const file = built(mutant.file);
      await writeFile(join(root, file), await compiled(mutant));
      try {
        return await work();
      } finally {
        copyFileSync(join(ROOT, file), join(root, file));
      }
    },
    remove: () => rm(root, { recursive: true }),
  };
}
