/** Text of a provider, cut and joined so that no surrogate pair is ever parted. */

export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
}

/** The first `charsMax` characters (UTF-16 units) at most; one less where a pair would be parted. */
export function cutText(text: string, charsMax: number): CutText {
  if (text.length <= charsMax) return { text, isCut: false };
  const end = charsMax > 0 && isPairAt(text, charsMax - 1) ? charsMax - 1 : charsMax;
  return { text: text.slice(0, end), isCut: true };
}

export interface JoinedText {
  /** Without half a pair: one that can have no other half is U+FFFD. */
  readonly text: string;
  /** The unit that `text` would end in, whose other half the next delta may bring. */
  readonly half: number | null;
}

/** `delta` after text that ended in `half`, if it did. */
export function joinHalf(half: number | null, delta: string): JoinedText {
  const whole = half === null ? delta : String.fromCharCode(half) + delta;
  const last = whole.charCodeAt(whole.length - 1);
  if (!isHigh(last)) return { text: whole.toWellFormed(), half: null };
  return { text: whole.slice(0, -1).toWellFormed(), half: last };
}

export function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isPairAt(text: string, index: number): boolean {
  return isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1));
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
