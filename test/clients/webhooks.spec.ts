import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../clients/typescript/src/webhooks.js';

const ID = 'evt_01k0dem000e000000000000001';
const BODY = JSON.stringify({ type: 'booking.confirmed', timestamp: '2026-11-30T12:00:00.000Z', data: { id: ID } });
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** A request that these secrets signed at this time, by the package of the specification. */
function signedBy(secrets: readonly string[], at = new Date()) {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(ID, at, BODY));
  const headers: Record<string, string> = {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
  return { body: BODY, headers };
}

describe('a webhook', () => {
  it('is accepted with one of several secrets and one of several signatures', async () => {
    const [former, secret] = [newSecret(), newSecret()];
    const request = signedBy([former, secret]);
    expect(await verifyWebhook(request, secret)).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook(request, [newSecret(), former])).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook({ body: BODY, headers: new Headers(request.headers) }, former)).toMatchObject({
      data: { id: ID },
    });
  });

  it('is accepted with headers whose names are not in lower case, and although another secret is malformed', async () => {
    const secret = newSecret();
    const { body, headers } = signedBy([secret]);
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const malformed = ['whsec_ä', 'whsec_', 'whpk_AAAA', ''];
    expect(await verifyWebhook({ body, headers: named }, [...malformed, secret])).toEqual(JSON.parse(BODY));
    await expect(verifyWebhook({ body, headers }, malformed)).rejects.toThrow('No valid webhook signature.');
  });

  it('is accepted with the public key of a signature of Ed25519', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(12);
    const { headers } = signedBy([newSecret()]);
    const content = Buffer.from(`${ID}.${headers['webhook-timestamp']}.${BODY}`);
    headers['webhook-signature'] += ` v1a,${sign(null, content, privateKey).toString('base64')}`;
    expect(await verifyWebhook({ body: BODY, headers }, `whpk_${raw.toString('base64')}`)).toMatchObject({
      data: { id: ID },
    });
  });

  it.each([
    ['another secret', () => signedBy([newSecret()])],
    ['another body', (secret: string) => ({ ...signedBy([secret]), body: BODY.replace('confirmed', 'cancelled') })],
    ['an old time', (secret: string) => signedBy([secret], new Date(Date.now() - 301_000))],
    ['a time in the future', (secret: string) => signedBy([secret], new Date(Date.now() + 302_000))],
    ['no headers', () => ({ body: BODY, headers: {} })],
    ['a signature that is not Base64', (secret: string) => changed(signedBy([secret]), 'webhook-signature', 'v1,ä')],
    [
      'another version',
      (secret: string) => {
        const request = signedBy([secret]);
        return changed(request, 'webhook-signature', request.headers['webhook-signature']?.replace('v1,', 'v2,') ?? '');
      },
    ],
    ['another ID', (secret: string) => changed(signedBy([secret]), 'webhook-id', 'evt_1')],
  ])('is rejected with %s', async (_, requestOf) => {
    const secret = newSecret();
    await expect(verifyWebhook(requestOf(secret), secret)).rejects.toThrow(/webhook/);
  });
});

function changed(request: ReturnType<typeof signedBy>, name: string, value: string) {
  return { ...request, headers: { ...request.headers, [name]: value } };
}
