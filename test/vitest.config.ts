import { defineConfig } from "vitest/config";

// Tests run as they are built, because worker threads and child processes need files that Node 20 runs.
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["dist/test/**/*.test.js"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
    // Node 20 is what the oldest users have; the AWS SDK would say so once for every file.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
  },
});
