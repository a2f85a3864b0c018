import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../launcher/folders.js';

const sources = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.spec)\.ts$/.test(file))
  .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(PROJECT, 'src', file), 'utf8') }));

/** The files in which the pattern occurs. */
const filesWith = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
/** Returns the distinct matches of the pattern's group in all files. */
const found = (pattern: RegExp) =>
  new Set(sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, group = '']) => group)));

describe('the sources', () => {
  it('the service starts no other program, except to restrict its own files on Windows', () => {
    expect(filesWith(/child_process/)).toEqual(['bootstrap/credentials-file.ts']);
  });

  it('no source evaluates text as code', () => {
    expect(filesWith(/\beval\(|new Function\(|from 'node:vm'/)).toEqual([]);
  });

  it('only the sender of mails, the embedder, the file store and the guard of outgoing requests connect to other servers, besides the database', () => {
    const connecting =
      /(?<![.\w])fetch\(|\bhttps?\.(request|get)\(|\bnet\.|createConnection|createTransport\(|client-s3'\)|\{[^}]*\brequest\b[^}]*\} from 'node:https?'/;
    expect(filesWith(connecting).sort()).toEqual([
      'modules/catalog/embeddings/http-embedder.ts',
      'modules/notifications/deliveries/smtp-sender.ts',
      'platform/egress/egress.ts',
      'platform/files/s3-files.ts',
    ]);
  });

  it('a call of another server follows no redirect', () => {
    const calls = sources.flatMap(({ text }) => [...text.matchAll(/(?<![.\w])fetch\([^;]*?\n {4}\}\)/g)]);
    expect(calls).toHaveLength(filesWith(/(?<![.\w])fetch\(/).length);
    expect(calls.filter(([call]) => !call.includes(`redirect: 'error'`))).toEqual([]);
  });

  it('the only cipher is AES-256-GCM, values are signed by HMAC-SHA256, and hashes are SHA-256', () => {
    expect(filesWith(/create(De)?[cC]ipher(iv)?\(/)).toEqual(['platform/keys/aes-gcm.ts']);
    expect(found(/ALGORITHM = '([^']+)'/g)).toEqual(new Set(['aes-256-gcm']));
    // One-time codes are HMAC-SHA1 (RFC 6238), and a search index numbers its keys by SHA-1.
    const sha1 = ['modules/catalog/postgres-search/field-keys.ts', 'modules/identity/second-factors/totp.ts'];
    expect(filesWith(/create(Hash|Hmac)\('sha1'/).sort()).toEqual(sha1);
    expect(found(/createH(?:ash|mac)\((?!'sha1')([^,)]+)/g)).toEqual(new Set([`'sha256'`]));
  });

  it('random values come from node:crypto', () => {
    expect(filesWith(/Math\.random/)).toEqual([]);
  });
});
