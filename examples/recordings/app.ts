/**
 * A service whose emails are about recordings, over people and recordings in memory:
 *
 *     HOLDFAST_APP=dist/examples/recordings/app.js HOLDFAST_STORAGE=memory npm start
 *
 * The first pass finds a first view, a first import and two clips; it sends the first two, into
 * `./data/mail`, and two-clips waits for its text. Nothing of it is older than
 * the process, so a reminder comes two days later.
 */
import { captureMailer } from "../../adapters/mail/capture.ts";
import {
  type MemoryData,
  memoryRepository,
  type Recording,
  recordingEmails,
} from "../../src/presets/recordings/index.ts";
import { defineApp } from "../../src/services/app.ts";

// Only what happens after the first pass counts, and that is up to an hour from now.
const soon = new Date(Date.now() + 3_600_000).toISOString();

function recording(id: string, title: string, owner: string): Recording {
  const state = { isReady: true, isArchived: false, isTrashed: false };
  return { id, title, url: `https://clips.example.com/${id}`, owner, ...state };
}

const data: MemoryData = {
  recordings: [
    recording("whales", "Whales off the coast", "olga@example.com"),
    recording("tides", "How tides work", "olga@example.com"),
    recording("harbour", "The harbour at night", "ben@example.com"),
  ],
  // Ann has no recording of her own, and is given two.
  shares: ["whales", "tides"].map((recordingId) => ({
    id: `share-${recordingId}`,
    createdAt: soon,
    recordingId,
    recipient: "ann@example.com",
    sharedBy: "olga@example.com",
  })),
  views: [{ id: "view-1", createdAt: soon, recordingId: "tides", viewer: "ben@example.com" }],
  imports: [{ recordingId: "harbour", createdAt: soon }],
  profiles: [
    { address: "olga@example.com", name: "Olga" },
    { address: "ben@example.com", name: "Ben" },
  ],
};

// biome-ignore lint/style/noDefaultExport: what HOLDFAST_APP names is loaded by its default export
export default defineApp({
  ...recordingEmails({
    repository: memoryRepository(data),
    product: { name: "Example Clips", footer: "Somebody you know uses Example Clips." },
  }),
  // Where HOLDFAST_MAILER says nothing else.
  mail: {
    mailer: captureMailer({ directory: "./data/mail" }),
    from: "Example Clips <clips@example.com>",
  },
});
