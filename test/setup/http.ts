import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Call {
  /** Sent as JSON, with its content type; a buffer is sent unchanged, as the bytes of a file. */
  body?: unknown;
  /** Sent unchanged, for bodies that are not JSON; the caller sets the content type. */
  raw?: string | Buffer;
  headers?: Record<string, string | string[]>;
  /** Sent as `Authorization: Bearer`. */
  token?: string;
}

export interface Answer<Body = unknown> {
  status: number;
  /** Names in lower case; a repeated header's values are joined by a comma. */
  headers: Record<string, string>;
  /** The parsed JSON; undefined if the response is not JSON. */
  body: Body;
  text: string;
}

/** Sends the path byte for byte and follows no redirect: fetch would normalise `//`, `..` and bodies of GET. */
export async function send<Body>(
  agent: Agent,
  url: URL,
  call: Call & { method: string; path: string },
): Promise<Answer<Body>> {
  const { method, path, token, body } = call;
  const isFile = Buffer.isBuffer(body);
  const payload = call.raw ?? (isFile ? body : body === undefined ? undefined : JSON.stringify(body));
  const headers = {
    ...(body === undefined ? {} : { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
    ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...call.headers,
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ agent, host: url.hostname, port: url.port, method, path, headers }, resolve);
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
  return answerOf(response);
}

async function answerOf<Body>(response: IncomingMessage): Promise<Answer<Body>> {
  const received = isEndless(response) ? '' : await text(response);
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(response.headersDistinct)) headers[name] = (values ?? []).join(', ');
  // The type is the caller's claim; the contract checks the same body against the document.
  const body = isJson(headers['content-type']) ? (JSON.parse(received || 'null') as Body) : (undefined as Body);
  return { status: response.statusCode ?? 0, headers, body, text: received };
}

/** A live stream: only its headers matter here. */
function isEndless(response: IncomingMessage): boolean {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
  if (isStream) response.destroy();
  return isStream;
}

function isJson(type: string | undefined): boolean {
  return /^application\/([a-z.]+\+)?json\b/i.test(type ?? '');
}
