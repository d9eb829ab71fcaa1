/** The XML of S3's answers, as the AWS SDK walks through it. */
import { describe, expect, it } from "vitest";
import { provideDomParser } from "../../../adapters/runtime/worker/dom-parser.ts";

provideDomParser();

interface Node {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string;
  readonly childNodes: readonly Node[];
  readonly attributes?: readonly { readonly name: string; readonly value: string }[];
}

interface Parser {
  parseFromString(text: string): {
    readonly documentElement: Node | null;
    getElementsByTagName(name: string): readonly unknown[];
  };
}

const { DOMParser: DomParser } = globalThis as unknown as { DOMParser: new () => Parser };

const parsed = (text: string) => new DomParser().parseFromString(text);

/** As nested arrays of names and texts. */
function shape({ nodeName, nodeType, textContent, childNodes }: Node): unknown {
  return nodeType === 3 ? textContent : [nodeName, ...childNodes.map(shape)];
}

describe("the parser", () => {
  it("reads elements, text, entities, sections and attributes", () => {
    const { documentElement, getElementsByTagName } = parsed(
      `<?xml version="1.0" encoding="UTF-8"?>\n<!-- of S3 -->\n` +
        `<List xmlns="http://s3.example/" note='a &gt; "b"'><Key>a &amp; b&#x3C;&#62;</Key>` +
        "<Empty/><Key><![CDATA[<c> &amp; ]]>d</Key>\n</List>\n",
    );
    if (documentElement === null) throw new Error("nothing was read");
    expect(getElementsByTagName("parsererror")).toEqual([]);
    expect(shape(documentElement)).toEqual([
      "List",
      ["Key", "a & b<>"],
      ["Empty"],
      ["Key", "<c> &amp; d"],
      "\n",
    ]);
    expect(documentElement.textContent).toBe("a & b<><c> &amp; d\n");
    expect(documentElement.attributes).toEqual([
      { name: "xmlns", value: "http://s3.example/" },
      { name: "note", value: 'a > "b"' },
    ]);
  });

  it.each(["", "no xml", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a/>x", "<a", "<a><!-- </a>"])(
    "says that %j is none",
    (text) => {
      const { documentElement, getElementsByTagName } = parsed(text);
      expect([documentElement, getElementsByTagName("parsererror").length]).toEqual([null, 1]);
    },
  );

  it("is put in nobody else's place", () => {
    provideDomParser();
    expect(Reflect.get(globalThis, "DOMParser")).toBe(DomParser);
  });
});
