const MAX_DEPTH = 32;
const MAX_VALUES = 50_000;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

interface Fault {
  /** The name of the member that it is about; empty where it is about no single one. */
  readonly path: string;
  readonly message: string;
  readonly code: string;
}

/**
 * One pass over JSON's bytes before it is parsed: nesting beyond 32 levels, or the number given, overflows a stack
 * later, a number that a double would change must be refused while its digits are still there, and of a member that is
 * there twice the parser would lose the first (RFC 8259, 4). Well-formedness is the parser's business.
 */
export function scanJson(bytes: Buffer, maxDepth = MAX_DEPTH): Fault | null {
  const names: (Set<string> | undefined)[] = [];
  let depth = 0;
  let values = 0;
  let string: [from: number, to: number] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const from = at;
      at = endOfString(bytes, at + 1);
      string = [from, at + 1];
    } else if (OPENING.has(byte)) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return fault(`The body is nested deeper than ${maxDepth} levels`, 'maxDepth');
      names[depth] = undefined;
    } else if (CLOSING.has(byte)) {
      depth -= 1;
    } else if (byte === COMMA || byte === COLON) {
      values += 1;
      if (values > MAX_VALUES) return fault(`The body holds more than ${MAX_VALUES} values`, 'maxValues');
      if (byte === COLON) {
        const name = nameIn(bytes, string);
        const known = (names[depth] ??= new Set());
        if (known.has(name)) return { ...fault('This member is there twice', 'duplicateMember'), path: shown(name) };
        known.add(name);
      }
    } else if (startsNumber(byte)) {
      const end = endOfNumber(bytes, at);
      if (!isExact(bytes.toString('latin1', at, end))) {
        return fault('A number is beyond what can be kept exactly', 'unsafeNumber');
      }
      at = end - 1;
    }
  }
  return null;
}

function fault(message: string, code: string): Fault {
  return { path: '', message, code };
}

/** The member's name between its quotes; one that is no JSON text stays as it is written. */
function nameIn(bytes: Buffer, [from, to]: [from: number, to: number]): string {
  const quoted = bytes.toString('utf8', from, to);
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/** What may stand in an answer: somebody may have put anything into the place of a name. */
function shown(name: string): string {
  return PLAIN_NAME.test(name) ? name : '';
}

function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}

function startsNumber(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}

function endOfNumber(bytes: Buffer, from: number): number {
  let at = from + 1;
  // Digits, sign, point and exponent: 0-9 + - . e E
  while (at < bytes.length && (startsNumber(bytes[at] ?? 0) || [0x2b, 0x2e, 0x45, 0x65].includes(bytes[at] ?? 0)))
    at += 1;
  return at;
}

/**
 * Whether a double keeps it: written as an integer, within 2^53-1. With point or exponent what becomes an integer must
 * have been that integer, so that no amount is rounded; a fraction is as near as doubles are.
 */
function isExact(literal: string): boolean {
  const number = Number(literal);
  if (Number.isNaN(number)) return true;
  if (!/[.eE]/.test(literal)) return Number.isSafeInteger(number);
  return Number.isFinite(number) && (!Number.isInteger(number) || decimalOf(literal) === decimalOf(String(number)));
}

/** The same text for the same decimal number, however it is written: its digits without zeros around them, and an exponent. */
function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.');
  const leading = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = leading.replace(/0+$/, '');
  const scale = Number(exponent) - fraction.length + leading.length - digits.length;
  return digits === '' ? '0' : `${digits}e${scale}`;
}
