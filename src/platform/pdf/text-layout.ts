import type { Bidi } from 'bidi-js';

/** The fonts of a PDF, by their scripts. */
export type FontName = 'European' | 'Arabic' | 'Hebrew' | 'Japanese';

/** A text of one font. Arabic and Hebrew words are in logical order: the shaping of their font puts them into visual order. */
export interface TextRun {
  text: string;
  font: FontName;
}

const RIGHT_TO_LEFT = /[\p{Script_Extensions=Arabic}\p{Script_Extensions=Hebrew}]/u;
/** These characters could change the order of the text around a name. */
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const [ISOLATE, END_OF_ISOLATE] = ['\u2068', '\u2069'];
const SCRIPTS: readonly (readonly [FontName, RegExp])[] = [
  ['Arabic', /[\p{Script=Arabic}\u0660-\u0669\u060c\u061b\u061f\u0640]/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Japanese', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\u30fb\u30fc\uff00-\uffef]/u],
];
const MARK = /\p{M}/u;

export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

/** A text, and the label in the language of the document that precedes it, with its colon. */
export interface LabelledLine {
  label: string | null;
  value: string;
}

/**
 * Returns the lines of a text, each with its runs from left to right. A text without Arabic and Hebrew is one line, which the
 * PDF library breaks. Other texts are broken here at spaces, at most `ems` wide, because the order of a line is known only
 * after breaking (Unicode Standard Annex 9, 3.4). `bidi` may be null if no text of the document needs it.
 */
export function linesOf({ label, value }: LabelledLine, bidi: Bidi | null, ems: number): TextRun[][] {
  const plain = value.replace(CONTROLS, '');
  if (bidi === null || !isRightToLeft(plain)) return [runsOf(label === null ? plain : `${label} ${plain}`)];
  // Isolates the value, so that it does not take the direction of the label.
  const whole = label === null ? plain : `${label} ${ISOLATE}${plain}${END_OF_ISOLATE}`;
  const fonts = fontsOf(whole);
  const levels = bidi.getEmbeddingLevels(whole);
  return brokenAt(whole, fonts, ems).map(({ start, end }) => {
    const order = Array.from({ length: end - start + 1 }, (_, index) => start + index);
    for (const [first, last] of bidi.getReorderSegments(whole, levels, start, end)) {
      order.splice(first - start, last - first + 1, ...order.slice(first - start, last - start + 1).reverse());
    }
    const mirrored = bidi.getMirroredCharactersMap(whole, levels.levels, start, end);
    const visible = order.filter((index) => ![ISOLATE, END_OF_ISOLATE].includes(whole.charAt(index)));
    return visualRuns(visible, (index) => ({
      index,
      character: mirrored.get(index) ?? whole.charAt(index),
      font: fonts[index] ?? 'European',
      isReversed: (levels.levels[index] ?? 0) % 2 === 1,
    }));
  });
}

function runsOf(text: string): TextRun[] {
  const runs: TextRun[] = [];
  const fonts = fontsOf(text);
  for (let index = 0; index < text.length; index += 1) {
    const [font, last] = [fonts[index] ?? 'European', runs.at(-1)];
    if (last?.font === font) last.text += text.charAt(index);
    else runs.push({ text: text.charAt(index), font });
  }
  return runs;
}

interface Placed {
  index: number;
  character: string;
  font: FontName;
  /** Returns whether its level is odd, which means that it is read from right to left. */
  isReversed: boolean;
}

function visualRuns(order: readonly number[], placedAt: (index: number) => Placed): TextRun[] {
  const groups: Placed[][] = [];
  for (const placed of order.map(placedAt)) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    // Arabic digits are read from left to right. Each is a separate run, because the font would reverse several of them.
    const isSingle = !placed.isReversed && isShaped(placed.font);
    const joins = last?.font === placed.font && last.isReversed === placed.isReversed && !isSingle;
    if (joins) group?.push(placed);
    else groups.push([placed]);
  }
  return groups.map((group) => {
    const [{ font, isReversed } = { font: 'European' as const, isReversed: false }] = group;
    const inOrder = isReversed && isShaped(font) ? group.toSorted((a, b) => a.index - b.index) : group;
    const text = inOrder.map(({ character }) => character).join('');
    return { text: text.replace(/([\udc00-\udfff])([\ud800-\udbff])/g, '$2$1'), font };
  });
}

function isShaped(font: FontName): boolean {
  return font === 'Arabic' || font === 'Hebrew';
}

/** Returns the font of each code unit. A combining mark has the font of its base. */
function fontsOf(text: string): FontName[] {
  const fonts: FontName[] = [];
  for (const character of text) {
    const known = SCRIPTS.find(([, script]) => script.test(character))?.[0] ?? 'European';
    const font = MARK.test(character) ? (fonts.at(-1) ?? known) : known;
    for (let unit = 0; unit < character.length; unit += 1) fonts.push(font);
  }
  return fonts;
}

/** Estimates widths generously, because a line that is too long would leave its column. */
function brokenAt(text: string, fonts: readonly FontName[], ems: number): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  let [start, width, space] = [0, 0, -1];
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === ' ') space = index;
    width += character === ' ' ? 0.32 : fonts[index] === 'Japanese' ? 1 : 0.62;
    if (width > ems && space > start) {
      lines.push({ start, end: space - 1 });
      [start, index, width, space] = [space + 1, space, 0, -1];
    }
  }
  return [...lines, { start, end: text.length - 1 }].filter(({ start: first, end }) => end >= first);
}
