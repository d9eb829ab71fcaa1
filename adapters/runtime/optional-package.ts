/** Packages that only some need, so that nobody has to install all of them. */
import { MisconfiguredError } from "../../src/ports/faults.ts";

/** For the `catch` of an `import`: throws MisconfiguredError that says what to install, or the cause. */
export function withoutPackage(need: string, install: string): (cause: unknown) => never {
  return (cause) => {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")) {
      throw cause;
    }
    throw new MisconfiguredError(`${need}: npm install ${install}`, { cause });
  };
}
