import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { DecryptRequest, EncryptRequest } from './encryption.dto.js';

// The surface reports the first issue only.
describe('a request to encrypt', () => {
  it.each([
    ['no plaintext', {}],
    ['null', { plaintext: null }],
    ['a number', { plaintext: 1 }],
    ['an object', { plaintext: { text: 'x' } }],
    ['a list', { plaintext: ['x'] }],
    ['65,537 bytes', { plaintext: 'x'.repeat(65_537) }],
    ['65,537 bytes in fewer characters', { plaintext: `${'😀'.repeat(16_384)}x` }],
    ['a lone high surrogate', { plaintext: '\ud83d' }],
    ['a lone low surrogate', { plaintext: '\ude00' }],
    ['surrogates in the wrong order', { plaintext: 'a\udc00\ud800b' }],
  ])('a request to encrypt is rejected with %s', async (_, body) => {
    const [first] = await issuesOf(EncryptRequest, body);
    expect(first).toMatchObject({
      path: 'plaintext',
      message: expect.stringMatching(/^plaintext (must be |is required)/),
    });
  });

  it('a request to encrypt is rejected with another member, and with a list as body', async () => {
    const unknown = issue('key', 'unknown_member', 'key is not recognized');
    expect(await issuesOf(EncryptRequest, { plaintext: 'x', key: 'y' })).toEqual([unknown]);
    const list = issue('', 'wrong_type', 'The body must be a JSON object');
    expect(await issuesOf(EncryptRequest, ['x'])).toEqual([list]);
  });
});

describe('a request to decrypt', () => {
  it.each([
    [{}, 'is required'],
    [{ ciphertext: null }, 'must be a string'],
    [{ ciphertext: 1 }, 'must be a string'],
  ])('a request to decrypt is rejected with %j', async (body, fault) => {
    const [first] = await issuesOf(DecryptRequest, body);
    expect(first).toMatchObject({ path: 'ciphertext', message: `ciphertext ${fault}` });
  });
});
