import { invalidField } from '../errors/app-error.js';
import type { IssueCode } from '../errors/issue-codes.js';

/*
 * The largest string that a DTO takes is the ciphertext of a vault, 524,288 characters; contract bodies have 200,000.
 * `document.e2e-spec.ts` compares the API document with the exported limits. Strings are counted in characters, an
 * escape sequence as one (a surrogate pair as two).
 */
export const MAX_STRING_CHARACTERS = 524_288;
const MAX_KEY_CHARACTERS = 1_024;
export const MAX_ARRAY_ELEMENTS = 10_000;
const MAX_OBJECT_KEYS = 1_000;
const MAX_NUMBER_CHARACTERS = 400;
const MAX_STRUCTURES = 20_000;
const MAX_DEPTH = 32;

/** Limits that differ between routes. */
export interface JsonLimits {
  /** Levels of nesting. */
  depth: number;
  /** Members of one object. */
  objectKeys: number;
  /** Elements of one array. */
  arrayElements: number;
  /** Values of the whole body. */
  values: number;
}

export const JSON_LIMITS: JsonLimits = {
  depth: MAX_DEPTH,
  objectKeys: MAX_OBJECT_KEYS,
  arrayElements: MAX_ARRAY_ELEMENTS,
  // 1,000 prices of a list have 16,000. 50,000 values would block the event loop of a slow machine for 50 ms.
  values: 25_000,
};
/** Limits values that are stored as they are sent. One object of 50,000 members would block the event loop for 100 ms. */
export const FREE_FORM_LIMITS: JsonLimits = {
  depth: MAX_DEPTH,
  objectKeys: 5_000,
  arrayElements: 50_000,
  values: 50_000,
};

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const code = (character: string) => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA, COLON] = [code('"'), code('\\'), code(','), code(':')];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [code('['), code(']'), code('{'), code('}')];
const [UNICODE_ESCAPE, ZERO, NINE, MINUS] = [code('u'), code('0'), code('9'), code('-')];
const IN_NUMBER = new Set([...'0123456789+-.eE'].map(code));
const LITERAL_STARTS = new Set([...'tfn'].map(code));

interface OpenStructure {
  /** Keys read so far; null for an array. */
  readonly keys: Set<string> | null;
  elements: number;
  expectsKey: boolean;
}

/**
 * Limits JSON before it is parsed, in one pass over its bytes that stops at the first limit exceeded. Numbers that a double
 * would change and duplicate members (RFC 8259, 4) are rejected here because the parser would lose them. Whether the text is
 * well-formed JSON is left to the parser.
 */
export function scanJson(bytes: Buffer, limits: JsonLimits = JSON_LIMITS): void {
  new JsonScanner(bytes, limits).scan();
}

class JsonScanner {
  private readonly open: OpenStructure[] = [];
  private position = 0;
  private values = 0;
  private structures = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly limits: JsonLimits,
  ) {}

  scan(): void {
    while (this.position < this.bytes.length) this.scanToken(this.byteAt(this.position));
  }

  private scanToken(byte: number): void {
    if (byte === QUOTE) this.scanString();
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.openStructure(byte === OPEN_OBJECT);
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) this.scanNumber();
    else {
      if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) this.open.pop();
      else if (byte === COMMA || byte === COLON) this.expectKey(byte === COMMA);
      else if (LITERAL_STARTS.has(byte)) this.countValue();
      this.position += 1;
    }
  }

  private scanString(): void {
    const structure = this.open.at(-1);
    if (structure?.keys && structure.expectsKey) {
      this.scanKey(structure.keys);
      structure.expectsKey = false;
    } else {
      this.countValue();
      this.skipString(MAX_STRING_CHARACTERS, `A string has more than ${MAX_STRING_CHARACTERS} characters`, 'too_long');
    }
  }

  private scanKey(keys: Set<string>): void {
    const start = this.position;
    this.skipString(MAX_KEY_CHARACTERS, `A key has more than ${MAX_KEY_CHARACTERS} characters`, 'name_too_long');
    const key = keyOf(this.bytes.toString('utf8', start, this.position));
    if (keys.has(key)) reject('Duplicate member', 'duplicate_member', { path: PLAIN_KEY.test(key) ? key : '' });
    keys.add(key);
    const { objectKeys } = this.limits;
    if (keys.size > objectKeys)
      reject(`An object has more than ${objectKeys} members`, 'too_many_members', { max: objectKeys });
  }

  /** Moves to the position after the closing quote. */
  private skipString(max: number, message: string, issueCode: IssueCode): void {
    let characters = 0;
    let byte = 0;
    for (this.position += 1; this.position < this.bytes.length && byte !== QUOTE; this.position += 1) {
      byte = this.byteAt(this.position);
      // Continuation bytes of UTF-8 belong to the previous character.
      if ((byte & 0xc0) !== 0x80 && byte !== QUOTE) characters += 1;
      if (characters > max) reject(message, issueCode, { max });
      if (byte === BACKSLASH) {
        this.position += this.byteAt(this.position + 1) === UNICODE_ESCAPE ? 5 : 1;
      }
    }
  }

  private openStructure(isObject: boolean): void {
    this.countValue();
    this.structures += 1;
    if (this.structures > MAX_STRUCTURES) {
      reject(`The body has more than ${MAX_STRUCTURES} arrays and objects`, 'too_many_structures', {
        max: MAX_STRUCTURES,
      });
    }
    this.open.push({ keys: isObject ? new Set() : null, elements: 0, expectsKey: isObject });
    if (this.open.length > this.limits.depth) {
      reject(`The body is nested deeper than ${this.limits.depth} levels`, 'too_deep', { max: this.limits.depth });
    }
    this.position += 1;
  }

  private scanNumber(): void {
    this.countValue();
    const start = this.position;
    while (IN_NUMBER.has(this.byteAt(this.position))) {
      this.position += 1;
      if (this.position - start > MAX_NUMBER_CHARACTERS) {
        reject(`A number has more than ${MAX_NUMBER_CHARACTERS} characters`, 'number_too_long', {
          max: MAX_NUMBER_CHARACTERS,
        });
      }
    }
    if (!isExact(this.bytes.toString('latin1', start, this.position))) {
      reject('A number cannot be represented exactly', 'inexact_number');
    }
  }

  private countValue(): void {
    this.values += 1;
    const { values } = this.limits;
    if (this.values > values) reject(`The body has more than ${values} values`, 'too_many_values', { max: values });
    const structure = this.open.at(-1);
    if (!structure || structure.keys) return;
    structure.elements += 1;
    if (structure.elements > this.limits.arrayElements) {
      reject(`An array has more than ${this.limits.arrayElements} elements`, 'too_many', {
        max: this.limits.arrayElements,
      });
    }
  }

  private expectKey(expectsKey: boolean): void {
    const structure = this.open.at(-1);
    if (structure) structure.expectsKey = expectsKey;
  }

  private byteAt(position: number): number {
    return this.bytes[position] ?? 0;
  }
}

function reject(
  message: string,
  issueCode: IssueCode,
  { path = '', max }: { path?: string; max?: number } = {},
): never {
  throw invalidField(path, message, issueCode, max === undefined ? undefined : { max });
}

/** The text between the quotes; invalid escape sequences stay as they are, the parser rejects them. */
function keyOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/**
 * Whether a double represents the literal: an integer must be within 2^53-1. With a decimal point or an exponent, a value
 * that becomes an integer must have been that integer, so that no amount is rounded; fractions are as near as doubles are.
 */
function isExact(literal: string): boolean {
  const number = Number(literal);
  if (Number.isNaN(number)) return true;
  if (!/[.eE]/.test(literal)) return Number.isSafeInteger(number);
  return Number.isFinite(number) && (!Number.isInteger(number) || decimalOf(literal) === decimalOf(String(number)));
}

/** Equal for equal decimal numbers: the significant digits and an exponent. */
function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = `${whole}${fraction}`;
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
