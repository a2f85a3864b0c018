import type { Random } from './random.js';

/**
 * Part of hostile values: an error that contains it has echoed the request. The path of a fault may contain a sent
 * name.
 */
export const CANARY = 'Qz7Canary';

/** The alphabets of texts. No white space and no control characters: those are for the hostile ones. */
const ALPHABETS: readonly (readonly string[])[] = [
  [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'],
  [...'aàâäæçéèêëîïôœùûüÿñßøåłžřığ'],
  ['日', '本', '語', '旅', '行', '한', '국', '中', '文'],
  ['ש', 'ל', 'ו', 'ם', 'م', 'ر', 'ح', 'ب', 'ا', '\u200f', '\u202e', '\u2067'],
  ['🏔', '✈', '🧳', '👨‍👩‍👧‍👦', '🇨🇭', '👍🏽', '❤\ufe0f', '\u{1f9d1}\u200d\u{1f680}'],
  ['e\u0301', 'a\u030a', 'o\u0308', '\u1e9e', 'ﬁ', 'Ⅷ', '\u0130', '\u017f'],
  [...'%_\\\'"`;:&|<>{}[]()$#@!?*+-=/~^,.'],
  ['\u00a0x', '\u200b', '\ufeff', '\ufffd', '\uffff', '\u{10ffff}', '\ue000', '\u2028', '\u2029'],
];

/**
 * A text of exactly this number of characters (code points), from one or all alphabets, with visible characters at both
 * ends.
 */
export function textOfLength(random: Random, characters: number): string {
  const alphabets = random.chance(0.2) ? ALPHABETS.flat() : random.pick(ALPHABETS);
  const found: string[] = [];
  while (found.length < Math.min(characters, 300)) found.push(...random.pick(alphabets));
  // Long texts are repeated: choosing 200,000 characters one by one takes longer than sending them.
  const text = Array.from({ length: characters }, (_, index) => found[index % found.length] ?? '');
  if (characters > 0) text[0] = 'A';
  if (characters > 1) text[characters - 1] = 'z';
  return text.join('');
}

/** Texts that some software misinterprets. */
const HOSTILE_TEXTS: readonly string[] = [
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\udc00\ud800',
  '\u0001\u0008\u000b\u001b[31m',
  '\u0085\u009f',
  'line\r\nSet-Cookie: a=b',
  '\ttab\n',
  ' ',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '%',
  '_',
  '100%_\\',
  '\\',
  'ends in a backslash\\',
  "'; drop table channels; --",
  "' or '1'='1",
  '$1',
  '$$',
  '::text',
  'a & ',
  '!!! | (',
  '(((((',
  '[a-',
  '(a+)+$',
  '\\x00',
  '\\u0000',
  '${7*7}{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '../../../../etc/passwd',
  'C:\\Windows\\win.ini',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://169.254.169.254/',
  'NaN',
  'Infinity',
  'infinity',
  '-infinity',
  'now',
  'today',
  'null',
  'undefined',
  'true',
  '__proto__',
  'constructor',
  '[object Object]',
  '0x10',
  '1e3',
  '١٢٣',
  'ﬀ',
  'İ',
  'e\u0301',
  '\u202eevil\u202c',
  'مرحبا بالعالم',
  'שלום עולם',
  '👨‍👩‍👧‍👦🏳️‍🌈',
  '日本語のテキスト',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f',
  '=cmd|calc!A0',
  '@SUM(1)',
];

/** A hostile text, one in three repeated beyond any bound. */
export function hostileText(random: Random): string {
  const text = random.pick(HOSTILE_TEXTS);
  if (random.chance(0.05)) return `${CANARY}${'x'.repeat(random.pick([300, 2_100, 70_000, 600_000]))}`;
  return random.chance(0.5) ? `${CANARY}${text}` : text;
}

/** A name for a free-form member; one in five is longer than any response should contain. */
export function hostileName(random: Random): string {
  const text = random.pick(HOSTILE_TEXTS);
  return random.chance(0.2) ? `${text}${'🧳x'.repeat(random.pick([100, 1_000, 30_000]))}` : text;
}
