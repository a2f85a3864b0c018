import { type MimeNode, Splitter, type SplitterChunk } from '@zone-eu/mailsplit';

export const FIELD = 'List-Unsubscribe';
export const ONE_CLICK = 'One-Click';

const BOUNDS = { maxHeadSize: 1_024, maxChildNodes: 10, ignoreEmbedded: true };
const NAME = /;\s?name="?List-Unsubscribe"?(;|$)/i;

/** Whether a body of this type is the form of RFC 8058: URL-encoded, multipart, or as JSON. */
export async function isOneClickForm(body: unknown, type: string): Promise<boolean> {
  if (!Buffer.isBuffer(body)) return false;
  const media = type.split(';', 1)[0]?.trim().toLowerCase();
  if (media === 'multipart/form-data') return (await fieldOfMultipart(body, type)) === ONE_CLICK;
  const text = body.toString();
  return media === 'application/json'
    ? fieldOfJson(text) === ONE_CLICK
    : new URLSearchParams(text).get(FIELD) === ONE_CLICK;
}

function fieldOfJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, FIELD) : undefined;
  } catch {
    return undefined;
  }
}

/** A multipart form has the syntax of a mail (RFC 7578). Null if it has no such field, or too many. */
async function fieldOfMultipart(body: Buffer, type: string): Promise<string | null> {
  let field: MimeNode | null = null;
  const values: Buffer[] = [];
  const splitter = new Splitter(BOUNDS);
  splitter.end(Buffer.concat([Buffer.from(`Content-Type: ${type}\r\n\r\n`), body]));
  const chunks: AsyncIterable<SplitterChunk> = splitter;
  try {
    for await (const chunk of chunks) {
      if (chunk.type === 'node') {
        if (chunk.headers && NAME.test(chunk.headers.getFirst('content-disposition'))) field ??= chunk;
      } else if (chunk.type === 'body' && chunk.node === field) {
        values.push(chunk.value);
      }
    }
  } catch {
    return null;
  }
  return Buffer.concat(values).toString().trim();
}
