/**
 * As much of a browser's DOMParser as the AWS SDK takes for granted where it is not in Node, and Workers do
 * not have: elements and text of the answers of S3. No entities but XML's own, no document types.
 */

/** Once for all; nothing is done where there is one. */
export function provideDomParser(): void {
  if ("DOMParser" in globalThis) return;
  Object.assign(globalThis, { DOMParser: DomParser, Node: { ELEMENT_NODE, TEXT_NODE } });
}

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;

interface TextNode {
  readonly nodeType: typeof TEXT_NODE;
  readonly nodeName: "#text";
  readonly textContent: string;
}

interface ElementNode {
  readonly nodeType: typeof ELEMENT_NODE;
  readonly nodeName: string;
  readonly attributes: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes: (ElementNode | TextNode)[];
  readonly textContent: string;
}

function DomParser(): object {
  return {
    parseFromString(text: string) {
      const root = parsed(text);
      return {
        documentElement: root,
        getElementsByTagName: (name: string) =>
          root === null && name === "parsererror" ? [{}] : [],
      };
    },
  };
}

/** In order: what is skipped, the text of a section, a tag with its attributes, text. */
const TOKENS =
  /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([^\s<>/!?"']+)((?:[^<>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/y;

const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Null for what is not well-formed. */
function parsed(text: string): ElementNode | null {
  const top = element("", "");
  let open: readonly ElementNode[] = [top];
  const tokens = new RegExp(TOKENS);
  while (tokens.lastIndex < text.length) {
    const token = tokens.exec(text);
    const within = token === null ? null : taken(token, open);
    if (within === null) return null;
    open = within;
  }
  const [root, ...others] = top.childNodes.filter((node) => !isBlank(node));
  const isWhole = open.length === 1 && others.length === 0;
  return isWhole && root?.nodeType === ELEMENT_NODE ? root : null;
}

/** The elements that are open after the token, the innermost last; null for one that does not fit there. */
function taken(
  [, section, slash, name, attributes = "", isEmpty, words = ""]: RegExpExecArray,
  open: readonly ElementNode[],
): readonly ElementNode[] | null {
  const parent = open.at(-1);
  if (parent === undefined) return null;
  if (name === undefined) {
    addText(parent, section ?? decoded(words));
    return open;
  }
  if (slash === "/") return parent.nodeName === name ? open.slice(0, -1) : null;
  const child = element(name, attributes);
  parent.childNodes.push(child);
  return isEmpty === "/" ? open : [...open, child];
}

function isBlank(node: ElementNode | TextNode): boolean {
  return node.nodeType === TEXT_NODE && node.textContent.trim() === "";
}

function element(nodeName: string, attributes: string): ElementNode {
  const childNodes: (ElementNode | TextNode)[] = [];
  return {
    nodeType: ELEMENT_NODE,
    nodeName,
    attributes: [...attributes.matchAll(ATTRIBUTE)].map(([, name = "", double, single]) => ({
      name,
      value: decoded(double ?? single ?? ""),
    })),
    childNodes,
    get textContent() {
      return childNodes.map((node) => node.textContent).join("");
    },
  };
}

/** Neighbours are one node, as a section and what is around it. */
function addText(parent: ElementNode, text: string): void {
  if (text === "") return;
  const last = parent.childNodes.at(-1);
  const isText = last?.nodeType === TEXT_NODE;
  const textContent = isText ? last.textContent + text : text;
  if (isText) parent.childNodes.pop();
  parent.childNodes.push({ nodeType: TEXT_NODE, nodeName: "#text", textContent });
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (all, hex, decimal, name) => {
      if (name !== undefined) return ENTITIES[name] ?? all;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
