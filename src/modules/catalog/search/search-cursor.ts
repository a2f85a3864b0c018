import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SigningKeys } from '../../../platform/keys/signing-keys.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { PagePosition, SearchMode } from '../../../search-engine/index.js';

const PURPOSE = 'catalog-cursor';
const VERSION = 1;
const MAX_LENGTH = 32_768;
const MAX_INFLATED = 200_000;

/** The content of a cursor: the last position of a page. */
interface CursorContent {
  readonly mode: SearchMode;
  readonly generation: number;
  readonly position: PagePosition;
}

/** The signed form of a cursor; `of` contains a hash of the request. */
type SignedContent = {
  v: number;
  of: string;
  mode: SearchMode;
  generation: number;
  position: Omit<PagePosition, 'delivered'>;
  delivered: string;
};

/**
 * A signed cursor, so that a client cannot change its content. Null if it would be longer than the API accepts: then
 * there is no further page.
 */
export async function signCursor(
  keys: SigningKeys,
  request: unknown,
  { mode, generation, position }: CursorContent,
): Promise<string | null> {
  const { delivered, ...rest } = position;
  const content: SignedContent = {
    v: VERSION,
    of: hashOf(request),
    mode,
    generation,
    position: rest,
    delivered: pack(delivered),
  };
  const cursor = await keys.sign(PURPOSE, content);
  return cursor.length <= MAX_LENGTH ? cursor : null;
}

/** Rejects a cursor that was changed or truncated, or that belongs to another request. */
export async function readCursor(keys: SigningKeys, request: unknown, cursor: string): Promise<CursorContent> {
  const content = await keys.verify(PURPOSE, cursor);
  if (!isSignedContent(content) || content.v !== VERSION || content.of !== hashOf(request)) {
    throw invalidField('pagination.cursor', 'pagination.cursor does not belong to this search', 'wrong_cursor');
  }
  const { mode, generation, position, delivered } = content;
  return { mode, generation, position: { ...position, delivered: unpack(delivered) } };
}

/** The signature guarantees the rest of the structure. */
function isSignedContent(content: unknown): content is SignedContent {
  return typeof content === 'object' && content !== null && 'of' in content && 'position' in content;
}

function hashOf(request: unknown): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url').slice(0, 22);
}

/** The differences of the sorted numbers as varints (seven bits per byte), deflated if that is shorter. */
function pack(numbers: readonly number[]): string {
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

function unpack(text: string): number[] {
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
