/** @jest-environment-options {"application":"shared"} */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { decrypt, decrypted, encrypt, encrypted, UNDECRYPTABLE } from './vaults.js';

const NOT_PLAINTEXT = 'plaintext: plaintext must be well-formed Unicode of at most 65536 bytes in UTF-8';
const ESCAPED = { headers: { 'Content-Type': 'application/json' } };

/** The classes are not exported. */
const [KEY, NONCE] = [Buffer.alloc(32), Buffer.alloc(12)];
const Cipheriv = { prototype: prototypeOf(createCipheriv('aes-256-gcm', KEY, NONCE)) };
const Decipheriv = { prototype: prototypeOf(createDecipheriv('aes-256-gcm', KEY, NONCE)) };

function prototypeOf<T extends object>(value: T): T {
  return Object.getPrototypeOf(value) as T;
}

let app: TestApp;
let client: TestClient;

beforeAll(async () => {
  app = await startApp();
  client = app.as('platform');
});

describe('encrypting a value', () => {
  it('encrypting a value answers 200 with only { data: { ciphertext } } and Cache-Control: no-store', async () => {
    const { status, body, headers } = await encrypt(client, 'primary', 'P1234567');

    expect(status).toBe(200);
    expect(body).toEqual({ data: { ciphertext: expect.any(String) } });
    expect(headers['cache-control']).toBe('private, no-store');
  });

  it.each([
    ['text', 'P<D<<MUSTERMANN<<ERIKA'],
    ['the empty string', ''],
    ['emoji', '🧳👩‍👩‍👧‍👦 Zürich 東京'],
    ['NUL', 'a\0b\0'],
    ['all control characters and a byte order mark', '\uFEFF\u0001\b\t\n\v\f\r\u001F\u007F\u0085\u2028\uFFFF'],
    ['what looks like JSON', '{"__proto__": {"data": null}}'],
    ['white space at the ends', '  \n x \t '],
    ['65,536 bytes of one byte each', 'x'.repeat(65_536)],
    ['65,536 bytes of four each', '😀'.repeat(16_384)],
    ['65,536 NULs, six times as long in JSON', '\0'.repeat(65_536)],
  ])('encrypting and decrypting %s returns it unchanged', async (_, plaintext) => {
    const ciphertext = await encrypted(client, 'primary', plaintext);
    const sealed = Buffer.from(ciphertext, 'base64');
    const { status, body } = await decrypt(client, 'primary', ciphertext);

    expect(sealed.length).toBe(Buffer.byteLength(plaintext) + 28);
    expect(sealed.toString('base64')).toBe(ciphertext);
    expect(status).toBe(200);
    expect(body.data.plaintext === plaintext).toBe(true);
    expect(Object.keys(body)).toEqual(['data']);
  });

  it('encrypting a value never returns the same ciphertext or nonce twice', async () => {
    const ciphertexts = await Promise.all(Array.from({ length: 500 }, () => encrypted(client, 'primary', 'same')));

    expect(new Set(ciphertexts).size).toBe(500);
    expect(new Set(ciphertexts.map((ciphertext) => ciphertext.slice(0, 16))).size).toBe(500);
  });
});

describe('buffers with a value', () => {
  /** Runs the work; returns the contents of the cipher buffers before and after it. */
  async function watched(work: () => Promise<unknown>): Promise<{ seen: string[]; left: Buffer[] }> {
    const buffers: { seen: string; buffer: Buffer }[] = [];
    const watch = (buffer: unknown) => {
      if (Buffer.isBuffer(buffer)) buffers.push({ seen: buffer.toString(), buffer });
    };
    const [cipher, decipher] = [Cipheriv.prototype, Decipheriv.prototype];
    const [encryptUpdate, decryptUpdate] = [cipher.update, decipher.update];
    cipher.update = function (this: typeof cipher, ...given: Parameters<typeof encryptUpdate>) {
      watch(given[0]);
      return encryptUpdate.apply(this, given);
    } as typeof cipher.update;
    decipher.update = function (this: typeof decipher, ...given: Parameters<typeof decryptUpdate>) {
      const plaintext = decryptUpdate.apply(this, given);
      watch(plaintext);
      return plaintext;
    } as typeof decipher.update;
    try {
      await work();
    } finally {
      cipher.update = encryptUpdate;
      decipher.update = decryptUpdate;
    }
    return { seen: buffers.map(({ seen }) => seen), left: buffers.map(({ buffer }) => buffer) };
  }

  it.each(['encrypt', 'decrypt', 'rewrap'])('buffers with a value contain only zeros after %s', async (operation) => {
    const value = `secret of ${operation}, longer than a buffer that Node.js takes from its pool: ${'x'.repeat(5_000)}`;
    const body =
      operation === 'encrypt' ? { plaintext: value } : { ciphertext: await encrypted(client, 'primary', value) };
    const { seen, left } = await watched(async () => {
      expect((await client.post(`/vault/v1/primary/${operation}`, body)).status).toBe(200);
    });

    expect(seen).toContain(value);
    expect(left.filter((buffer) => buffer.some((byte) => byte !== 0))).toEqual([]);
  });
});

describe('a rejected plaintext', () => {
  it('a plaintext of 65,537 bytes in fewer characters is rejected with 400', async () => {
    const answer = await client.post('/vault/v1/primary/encrypt', { plaintext: `${'😀'.repeat(16_384)}x` });

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: NOT_PLAINTEXT });
  });

  it('a plaintext with an escaped lone surrogate is rejected with 400', async () => {
    const raw = '{"plaintext": "a\\udc00\\ud800b"}';
    const { status, body } = await client.post('/vault/v1/primary/encrypt', undefined, { ...ESCAPED, raw });

    expect(status).toBe(400);
    expect(body).toEqual({ error: NOT_PLAINTEXT });
  });

  it.each([
    ['another member stands beside it', '{"plaintext": "x", "key": "y"}', 'key: key is not recognized'],
    ['the body is a list', '["x"]', 'The body must be a JSON object'],
    ['the body is not JSON', '{"plaintext": "x"', 'The body is not valid JSON'],
  ])('a plaintext is rejected if %s', async (_, raw, error) => {
    const answer = await client.post('/vault/v1/primary/encrypt', undefined, { ...ESCAPED, raw });

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error });
  });

  it('a plaintext is rejected with 413 if the body exceeds 512 KiB', async () => {
    const [under, over] = await Promise.all(
      [524_288, 524_289].map((bytes) =>
        client.post('/vault/v1/primary/encrypt', undefined, {
          ...ESCAPED,
          raw: '{"plaintext": "x"}'.padEnd(bytes),
        }),
      ),
    );

    expect(under?.status).toBe(200);
    expect(over?.status).toBe(413);
    expect(over?.body).toEqual({ error: 'The body is too large' });
  });
});

describe('an invalid ciphertext', () => {
  /** Truncated, changed, or encoded differently; each from a valid one of a text with 21 bytes, which ends in `==`. */
  const damages: [string, (good: string) => string][] = [
    ['is empty', () => ''],
    ['is not base64', () => 'not base64!'],
    ['contains NUL', (good) => `\0${good}`],
    ['contains a lone surrogate', (good) => `${good}\ud800`],
    ['has white space around it', (good) => ` ${good}`],
    ['has a line break in it', (good) => `${good.slice(0, 8)}\n${good.slice(8)}`],
    ['is base64url', (good) => Buffer.from(good, 'base64').toString('base64url')],
    ['has lost its padding', (good) => good.replace(/=+$/, '')],
    ['is another spelling of the same bytes', (good) => good.replace(/.==$/, (end) => `${nextLetter[end[0] ?? '']}==`)],
    ['is cut to 27 bytes', (good) => Buffer.from(good, 'base64').subarray(0, 27).toString('base64')],
    ['is cut to nonce and tag', (good) => Buffer.from(good, 'base64').subarray(0, 28).toString('base64')],
    ['has a tag of 12 bytes', (good) => Buffer.from(good, 'base64').subarray(0, -4).toString('base64')],
    ['has one byte more', (good) => Buffer.concat([Buffer.from(good, 'base64'), Buffer.alloc(1)]).toString('base64')],
    ['has another nonce', (good) => flipped(good, 0)],
    ['has another byte inside', (good) => flipped(good, 12)],
    ['has another tag', (good) => flipped(good, 48)],
    ['is longer than any that was handed out', () => 'A'.repeat(500_000)],
  ];

  /** The last letter of a text that ends in `==` has two significant bits; the runtime ignores the other four. */
  const nextLetter: Record<string, string> = { A: 'B', Q: 'R', g: 'h', w: 'x' };

  function flipped(good: string, at: number): string {
    const bytes = Buffer.from(good, 'base64');
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes.toString('base64');
  }

  it.each(damages)('a ciphertext that is invalid because it %s is always the same 400', async (_, damage) => {
    const good = await encrypted(client, 'primary', 'text of 21 bytes here');
    const { status, body } = await decrypt(client, 'primary', damage(good));

    expect(status).toBe(400);
    expect(body).toEqual(UNDECRYPTABLE);
    expect(await decrypted(client, 'primary', good)).toBe('text of 21 bytes here');
  });

  it('a ciphertext of another vault is rejected with the same 400, in both directions', async () => {
    const [here, there] = await Promise.all([encrypted(client, 'here', 'x'), encrypted(client, 'there', 'x')]);
    const answers = await Promise.all([decrypt(client, 'there', here), decrypt(client, 'here', there)]);

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, UNDECRYPTABLE],
      [400, UNDECRYPTABLE],
    ]);
    expect(await decrypted(client, 'here', here)).toBe('x');
  });

  it('a ciphertext that is not a string is rejected with 400', async () => {
    const { status, body } = await client.post('/vault/v1/primary/decrypt', { ciphertext: 1 });

    expect(status).toBe(400);
    expect(body).toEqual({ error: 'ciphertext: ciphertext must be a string' });
  });
});
