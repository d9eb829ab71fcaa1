/** A short letter as plain text and as HTML: no images, no scripts, nothing that is loaded or counted. */
import { unreachable } from "../../../core/assert.ts";
import { escapeHtml, type Foreign } from "./foreign.ts";

/** Words in their order; strings are ours. */
export type Words = readonly (string | Foreign)[];

export type Block =
  | { readonly kind: "paragraph"; readonly words: Words }
  | { readonly kind: "link"; readonly label: string; readonly url: string }
  | { readonly kind: "list"; readonly items: readonly ListItem[] };

/** `url` is where the words lead; null: nowhere. Such URLs have passed `webUrl`. */
export interface ListItem {
  readonly words: Words;
  readonly url: string | null;
}

export interface Letter {
  readonly subject: string;
  readonly blocks: readonly Block[];
  /** Lines at the end, below a rule. */
  readonly footer: readonly string[];
}

export function letterText({ blocks, footer }: Letter): string {
  const end = footer.length === 0 ? [] : [["--", ...footer].join("\n")];
  return `${[...blocks.map(blockText), ...end].join("\n\n")}\n`;
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return plain(block.words);
    case "link":
      // Alone on its line, where mail programs find its end.
      return `${block.label}:\n${block.url}`;
    case "list":
      return block.items.map(itemText).join("\n\n");
    default:
      return unreachable(block);
  }
}

function itemText({ words, url }: ListItem): string {
  return url === null ? `* ${plain(words)}` : `* ${plain(words)}\n  ${url}`;
}

function plain(words: Words): string {
  return words.map((word) => (typeof word === "string" ? word : word.foreign)).join("");
}

/** Colours are the reader's own, so dark stays dark. */
export function letterHtml({ subject, blocks, footer }: Letter): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(subject)}</title>`,
    "</head>",
    '<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">',
    '<main style="max-width:36em;margin:0 auto">',
    ...blocks.map(blockHtml),
    "</main>",
    '<footer style="max-width:36em;margin:32px auto 0;font-size:14px">',
    "<hr>",
    ...footer.map((line) => `<p><bdi>${escapeHtml(line)}</bdi></p>`),
    "</footer>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return `<p>${rich(block.words)}</p>`;
    case "link":
      return `<p>${anchor(block.url, escapeHtml(block.label))}</p>`;
    case "list":
      return ["<ul>", ...block.items.map(itemHtml), "</ul>"].join("\n");
    default:
      return unreachable(block);
  }
}

function itemHtml({ words, url }: ListItem): string {
  return `<li>${url === null ? rich(words) : anchor(url, rich(words))}</li>`;
}

function anchor(url: string, html: string): string {
  return `<a href="${escapeHtml(url)}">${html}</a>`;
}

function rich(words: Words): string {
  return words
    .map((word) =>
      typeof word === "string" ? escapeHtml(word) : `<bdi>${escapeHtml(word.foreign)}</bdi>`,
    )
    .join("");
}
