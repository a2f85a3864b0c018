import { buffer } from 'node:stream/consumers';
import { Headers, type MimeNode, Splitter, type SplitterChunk } from '@zone-eu/mailsplit';
import { BOUNCE_TOKENS } from '../messages/message-tokens.js';

/** What a report says of one recipient (RFC 3464, 2.3). */
export interface RecipientStatus {
  /** `failed`, `delayed`, `delivered`, `relayed` or `expanded`. */
  action: string;
  /** A code of RFC 3463, such as `5.1.1`. */
  status: string;
}

/** A report of delivery that a mail server sent to an envelope sender. */
export interface BounceMail {
  /** The tokens in the addresses to which it was sent. */
  tokens: string[];
  recipients: RecipientStatus[];
}

/**
 * Hard: the address does not work. Soft: the server gave up after temporary errors. Rejected: the server rejects the sender, the
 * host or the content, which says nothing of the address.
 */
export type BounceKind = 'hard' | 'soft' | 'rejected';

const BOUNDS = { maxHeadSize: 32 * 1024, maxChildNodes: 20, ignoreEmbedded: true };
const MAX_RECIPIENTS = 20;
const MAX_TOKENS = 5;
/** The headers in which mail servers name the address that a mail was delivered to. */
const DELIVERED_TO = ['delivered-to', 'x-original-to', 'envelope-to', 'to'];
/** RFC 3463, 2. */
const STATUS = /^[245]\.\d{1,3}\.\d{1,3}/;
/** RFC 3463, 3.7 and 3.8: the content or its format, and security or policy. */
const NOT_ABOUT_ADDRESS = /^5\.[67]\./;

/** Reads a report in the form of RFC 3464; null if the mail is not a report, such as a vacation notice. */
export async function readBounceMail(bytes: Uint8Array): Promise<BounceMail | null> {
  const found = await split(bytes);
  if (!found) return null;
  const { headers, report } = found;
  // The first group of fields is about the report, and each other one about a recipient.
  const [, ...groups] = report
    .replaceAll('\r\n', '\n')
    .split('\n\n', MAX_RECIPIENTS + 1)
    .filter((group) => group.trim() !== '');
  return { tokens: tokensIn(headers), recipients: groups.map((group) => statusIn(new Headers(group))) };
}

/** Returns what happened to a mail; null if it was not returned. A recipient that forwards a mail may have several states. */
export function bounceKindOf(recipients: readonly RecipientStatus[]): BounceKind | null {
  const kinds = recipients.map(kindOf);
  if (kinds.length > 0 && kinds.every((kind) => kind === 'hard')) return 'hard';
  if (kinds.some((kind) => kind === 'hard' || kind === 'soft')) return 'soft';
  return kinds.includes('rejected') ? 'rejected' : null;
}

function kindOf({ action, status }: RecipientStatus): BounceKind | null {
  if (action !== 'failed') return null;
  if (NOT_ABOUT_ADDRESS.test(status)) return 'rejected';
  if (status.startsWith('5.')) return 'hard';
  return status.startsWith('4.') ? 'soft' : null;
}

/** Returns the headers of the mail and the text of its report; null without one, and if the bounds are exceeded. */
async function split(bytes: Uint8Array): Promise<{ headers: Headers; report: string } | null> {
  let root: MimeNode | null = null;
  let status: MimeNode | null = null;
  const parts: Buffer[] = [];
  const splitter = new Splitter(BOUNDS);
  splitter.end(bytes);
  try {
    const chunks: AsyncIterable<SplitterChunk> = splitter;
    for await (const chunk of chunks) {
      if (chunk.type === 'node') {
        root ??= chunk;
        if (chunk.contentType === 'message/delivery-status') status ??= chunk;
      } else if (chunk.type === 'body' && chunk.node === status) {
        parts.push(chunk.value);
      }
    }
  } catch {
    return null;
  }
  if (!root?.headers || !status) return null;
  const decoder = status.getDecoder();
  decoder.end(Buffer.concat(parts));
  return { headers: root.headers, report: (await buffer(decoder)).toString('utf8') };
}

function statusIn(fields: Headers): RecipientStatus {
  const [action = '', status = ''] = ['action', 'status'].map((name) => valuesOf(fields, name)[0]?.toLowerCase());
  // A comment may follow the code: `5.1.1 (no such user)`.
  return { action: action.split(' ', 1)[0] ?? '', status: STATUS.exec(status)?.[0] ?? '' };
}

function tokensIn(headers: Headers): string[] {
  const values = DELIVERED_TO.flatMap((name) => valuesOf(headers, name));
  const found = values.flatMap((value) => [...value.toLowerCase().matchAll(BOUNCE_TOKENS)]);
  return [...new Set(found.map(([, token = '']) => token))].slice(0, MAX_TOKENS);
}

/** The values of a field, which are the lines without its name. */
function valuesOf(headers: Headers, name: string): string[] {
  return headers.get(name).map((line) => line.slice(line.indexOf(':') + 1).trim());
}
