import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { SigningKeys } from '../../../platform/keys/signing-keys.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { PagePosition, SearchMode } from '../../../search-engine/index.js';

const PURPOSE = 'catalog-cursor';
const VERSION = 1;
const MAX_LENGTH = 32_768;
const MAX_INFLATED = 200_000;

/** Where a page ended, of which request. */
export interface CursorContent {
  readonly mode: SearchMode;
  readonly generation: number;
  readonly position: PagePosition;
}

type Sealed = {
  v: number;
  of: string;
  mode: SearchMode;
  generation: number;
  position: Omit<PagePosition, 'delivered'>;
  delivered: string;
};

/** Cursors say where a page ended. They are signed: what a client sends back is what it was given. */
@Injectable()
export class Cursors {
  constructor(private readonly keys: SigningKeys) {}

  /** Null where it would be longer than what is taken back: the walk ends there. */
  async seal(request: unknown, { mode, generation, position }: CursorContent): Promise<string | null> {
    const { delivered, ...rest } = position;
    const content: Sealed = {
      v: VERSION,
      of: hashOf(request),
      mode,
      generation,
      position: rest,
      delivered: packed(delivered),
    };
    const cursor = await this.keys.seal(PURPOSE, content);
    return cursor.length <= MAX_LENGTH ? cursor : null;
  }

  /** Throws 400 for one that was changed, cut, or given for another request. */
  async open(request: unknown, cursor: string): Promise<CursorContent> {
    const content = await this.keys.open(PURPOSE, cursor);
    if (!isSealed(content) || content.v !== VERSION || content.of !== hashOf(request)) {
      throw invalidField('pagination.cursor', 'pagination.cursor does not belong to this search', 'isCursor');
    }
    const { mode, generation, position, delivered } = content;
    return { mode, generation, position: { ...position, delivered: unpacked(delivered) } };
  }
}

/** Whoever signed it made it so. */
function isSealed(content: unknown): content is Sealed {
  return typeof content === 'object' && content !== null && 'of' in content && 'position' in content;
}

function hashOf(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url').slice(0, 22);
}

/** The differences of the sorted numbers, seven bits a byte; deflated where that is shorter. */
function packed(numbers: readonly number[]): string {
  const bytes: number[] = [];
  let last = 0;
  for (const number of numbers.toSorted((a, b) => a - b)) {
    let rest = number - last;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
    last = number;
  }
  const [plain, deflated] = [Buffer.from(bytes), deflateRawSync(Buffer.from(bytes))];
  return deflated.length < plain.length ? `d${deflated.toString('base64url')}` : `p${plain.toString('base64url')}`;
}

function unpacked(text: string): number[] {
  const bytes = Buffer.from(text.slice(1), 'base64url');
  const plain = text.startsWith('d') ? inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED }) : bytes;
  const numbers: number[] = [];
  let [last, value, factor] = [0, 0, 1];
  for (const byte of plain) {
    value += (byte % 128) * factor;
    factor *= 128;
    if (byte < 128) {
      last += value;
      numbers.push(last);
      [value, factor] = [0, 1];
    }
  }
  return numbers;
}
