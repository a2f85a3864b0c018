/** An event that the service sent to a receiver. */
export interface WebhookEvent {
  /** Name of the event. */
  type: string;
  /** When it occurred. */
  timestamp: string;
  /** The data of the event, with its `id`, which is the same in each repetition. */
  data: { id: string; [member: string]: unknown };
}

export interface WebhookRequest {
  /** The body as it was received: parsed and written again, it would have another signature. */
  body: string;
  headers: Headers | Record<string, string | string[] | undefined>;
}

/** The time may differ by this much: an older request may be one that somebody recorded. */
const TOLERANCE_SECONDS = 300;

/**
 * Returns the event of a request that was signed with one of the secrets (`whsec_...`) or public keys (`whpk_...`). Throws if none
 * has signed it, or if it is older than five minutes.
 */
export async function verifyWebhook(
  { body, headers }: WebhookRequest,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const header = (name: string) => valueOf(headers, `webhook-${name}`);
  const [id, timestamp] = [header('id'), header('timestamp')];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp || NaN)) <= TOLERANCE_SECONDS)) {
    throw new Error('The webhook timestamp is missing or outside the 300-second tolerance.');
  }
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const secret of [secrets].flat()) {
    const isPublic = secret.startsWith('whpk_');
    const key = await keyOf(secret, isPublic);
    if (!key) continue;
    for (const one of header('signature').split(' ').slice(0, 10)) {
      const [version, text = ''] = one.split(',');
      const signature = version === (isPublic ? 'v1a' : 'v1') ? bytesOf(text) : null;
      if (signature && (await crypto.subtle.verify(key.algorithm, key, signature, content))) {
        return JSON.parse(body) as WebhookEvent;
      }
    }
  }
  throw new Error('No valid webhook signature.');
}

/** Frameworks write the names of headers in lower case or as they were sent. */
function valueOf(headers: WebhookRequest['headers'], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return String(value ?? '');
}

/** Null for a malformed secret, so that it does not prevent the verification with another one. */
async function keyOf(secret: string, isPublic: boolean) {
  const bytes = bytesOf(secret.replace(/^wh(sec|pk)_/, ''));
  if (!bytes) return null;
  const algorithm = isPublic ? 'Ed25519' : { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']).catch(() => null);
}

/** Null for a text that is not Base64, which anybody can send. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
