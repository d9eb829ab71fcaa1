/** The emails of the four original kinds, in English. */
import type { CheckedContent } from "../content.ts";
import type {
  FirstImportFacts,
  FirstViewFacts,
  ProductFacts,
  SharedRecordingFacts,
  TwoClipsFacts,
  UnviewedReminderFacts,
} from "./facts.ts";
import { type Foreign, oneLine, paragraphsOf, webUrl } from "./foreign.ts";
import { type Block, letterHtml, letterText, type Words } from "./letter.ts";

/** Characters of others' words: enough to know which one is meant, and short enough to read on. */
const TITLE_CHARS_MAX = 100;
const NAME_CHARS_MAX = 60;
const FOOTER_CHARS_MAX = 300;

/** Titles of a subject that has two of them. */
const SHORT_TITLE_CHARS_MAX = 40;

/** A text that an AI wrote is asked to be one sentence; a line of it is cut here. */
const SUMMARY_LINE_CHARS_MAX = 2_000;

const SUMMARY_LINES_MAX = 10;

/** To the owner of a recording that somebody else watched. */
export function renderFirstView(facts: FirstViewFacts): CheckedContent {
  const title = titleOf(facts.recording.title);
  const viewer = nameOf(facts.viewerName);
  const words: Words =
    viewer === null
      ? [title, " was watched for the first time by somebody other than you."]
      : [viewer, " is the first to watch ", title, "."];
  const subject =
    viewer === null
      ? `${title.foreign} has its first view`
      : `${viewer.foreign} watched ${title.foreign}`;
  return rendered(facts, subject, [
    { kind: "paragraph", words },
    ...linkTo("Open the recording", facts.recording.url),
  ]);
}

/** To somebody who did not watch yet what was shared with them. */
export function renderUnviewedReminder(facts: UnviewedReminderFacts): CheckedContent {
  const title = titleOf(facts.recording.title);
  const sharer = nameOf(facts.recording.sharerName);
  const words: Words =
    sharer === null
      ? [title, " was shared with you, and you have not watched it yet."]
      : [sharer, " shared ", title, " with you, and you have not watched it yet."];
  const subject =
    sharer === null
      ? `Waiting for you: ${title.foreign}`
      : `${sharer.foreign} shared ${title.foreign} with you`;
  return rendered(facts, subject, [
    { kind: "paragraph", words },
    ...linkTo("Watch the recording", facts.recording.url),
  ]);
}

/** To the owner of the first recording that came from elsewhere. */
export function renderFirstImport(facts: FirstImportFacts): CheckedContent {
  const title = titleOf(facts.recording.title);
  return rendered(facts, `Imported and ready: ${title.foreign}`, [
    {
      kind: "paragraph",
      words: ["Your first import, ", title, ", is ready to watch and to share."],
    },
    ...linkTo("Open the recording", facts.recording.url),
  ]);
}

/** To somebody with whom two recordings were shared. `generatedSummary` is what an AI wrote about them. */
export function renderTwoClips(
  facts: TwoClipsFacts,
  generatedSummary: string | null,
): CheckedContent {
  const [one, other] = facts.recordings;
  const titles = [one, other].map(({ title }) => titleOf(title, SHORT_TITLE_CHARS_MAX).foreign);
  const summary = paragraphsOf(generatedSummary ?? "", SUMMARY_LINE_CHARS_MAX);
  return rendered(facts, `Two recordings for you: ${titles.join(" and ")}`, [
    { kind: "paragraph", words: ["Two recordings were shared with you."] },
    ...summary
      .slice(0, SUMMARY_LINES_MAX)
      .map((line): Block => ({ kind: "paragraph", words: [{ foreign: line }] })),
    { kind: "list", items: [one, other].map(itemOf) },
  ]);
}

function itemOf({ title, url, sharerName }: SharedRecordingFacts) {
  const sharer = nameOf(sharerName);
  const words: Words = [titleOf(title), ...(sharer === null ? [] : [" from ", sharer])];
  return { words, url: webUrl(url) };
}

function rendered(facts: ProductFacts, subject: string, blocks: readonly Block[]): CheckedContent {
  const recipient = nameOf(facts.recipientName);
  const greeting: Words = recipient === null ? ["Hello,"] : ["Hello ", recipient, ","];
  const footer = [
    oneLine(facts.productName, NAME_CHARS_MAX),
    oneLine(facts.footer, FOOTER_CHARS_MAX),
  ].filter((line) => line !== null);
  const letter = {
    subject,
    blocks: [{ kind: "paragraph", words: greeting } as const, ...blocks],
    footer,
  };
  return {
    subject,
    text: letterText(letter),
    html: letterHtml(letter),
    replyTo: null,
    // Keeps the answers of absence assistants away (RFC 3834).
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

function titleOf(title: string, charsMax: number = TITLE_CHARS_MAX): Foreign {
  return { foreign: `“${oneLine(title, charsMax) ?? "Untitled"}”` };
}

function nameOf(name: string | null): Foreign | null {
  const line = oneLine(name, NAME_CHARS_MAX);
  return line === null ? null : { foreign: line };
}

function linkTo(label: string, url: string | null): readonly Block[] {
  const href = webUrl(url);
  return href === null ? [] : [{ kind: "link", label, url: href }];
}
