import { defineConfig } from "vitest/config";

// Tests run as they are built, because worker threads and child processes need files that Node 20 runs.
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["dist/test/**/*.test.js"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    passWithNoTests: false,
  },
});
