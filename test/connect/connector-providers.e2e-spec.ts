/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { entriesOf, provision, errorBody, uniqueName, withKey } from './partners.js';

interface Provider {
  key: string;
  name: string;
  capabilities: string[];
  description: string | null;
  applicationFormSchema: Record<string, unknown> | null;
}

const PROVIDERS = '/connect/v1/connector-providers';
const JSON_TYPE = { 'Content-Type': 'application/json' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const newProvider = async (values: object = {}) => {
  const key = uniqueName('p').replace('_', '-');
  await provision(app, {
    connectorProviders: [{ key, name: 'Provider of a test', capabilities: ['bookings'], ...values }],
  });
  return key;
};
const patch = (key: string, applicationFormSchema: unknown, headers: Record<string, string> = {}) =>
  app.as('platform').patch<Provider>(`${PROVIDERS}/${key}`, { applicationFormSchema }, { headers });
/** The response as text, because parsing changes the order of some keys. */
const patchText = async (key: string, schema: string, headers: Record<string, string> = {}) =>
  app.as('platform').patch(`${PROVIDERS}/${key}`, undefined, {
    raw: `{"applicationFormSchema":${schema}}`,
    headers: { ...JSON_TYPE, ...headers },
  });
const listed = async (key: string) => {
  const { body } = await app.as('platform').get<{ data: Provider[] }>(PROVIDERS);
  return body.data.find((provider) => provider.key === key);
};
const nested = (levels: number) => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);

describe('PATCH /connect/v1/connector-providers/{providerKey}', () => {
  it('a PATCH of a connector provider replaces the complete form and returns the provider without an envelope, with its ETag', async () => {
    const key = await newProvider({ description: 'For tests', applicationFormSchema: { old: true, kept: true } });
    const { status, body, headers } = await patch(key, { fields: [{ name: 'licence', required: true }] });

    expect(status).toBe(200);
    expect(body).toEqual({
      key,
      name: 'Provider of a test',
      capabilities: ['bookings'],
      description: 'For tests',
      applicationFormSchema: { fields: [{ name: 'licence', required: true }] },
    });
    expect(headers['etag']).toBe('"2"');
    expect(await listed(key)).toEqual(body);
  });

  it('a PATCH of a connector provider has a ledger entry with the previous form', async () => {
    const key = await newProvider({ applicationFormSchema: { z: 1, a: 2 } });
    const { body: after } = await patch(key, { next: true });

    const [creation, update] = await entriesOf(app, key);
    expect(creation).toMatchObject({ action: 'connect.connector_provider.create', actor_type: 'system' });
    expect(update).toMatchObject({
      action: 'connect.connector_provider.update',
      subject_type: 'connector_provider',
      actor_type: 'api_key',
      before: { ...after, applicationFormSchema: { z: 1, a: 2 } },
      after,
    });
  });

  it('a PATCH of a connector provider removes the form with null', async () => {
    const key = await newProvider({ applicationFormSchema: { old: true } });
    const { status, body } = await patch(key, null);
    expect(status).toBe(200);
    expect(body.applicationFormSchema).toBeNull();
    expect(await listed(key)).toMatchObject({ applicationFormSchema: null });
  });

  it.each([
    ['its keys in the order sent', '{"zebra":1,"apple":{"y":1,"b":2},"mango":[{"q":1,"c":2}]}'],
    ['NUL', '{"hint":"a\\u0000b","k\\u0000ey":1}'],
    ['lone surrogates', '{"hint":"\\ud800","\\udc00":1}'],
    ['keys with a meaning in JavaScript', '{"__proto__":{"x":1},"constructor":{"prototype":1},"toString":"t"}'],
    ['a top-level key data', '{"data":{"a":1}}'],
    ['emoji and other alphabets', '{"label":"\u{1F6EB} Ελλάδα"}'],
    ['every kind of value', '{"a":null,"b":true,"c":-0.5,"d":[],"e":{},"f":"","g":9007199254740991}'],
    ['nothing', '{}'],
  ])('the form of a connector provider is stored unchanged: %s', async (_, schema) => {
    const key = await newProvider();
    const calls: Record<string, string>[] = [{}, { 'Idempotency-Key': uniqueName('form') }];
    for (const headers of calls) {
      const { status, text } = await patchText(key, schema, headers);
      expect(status).toBe(200);
      expect(text).toContain(`"applicationFormSchema":${schema}}`);
    }
    const { text } = await app.as('platform').get(PROVIDERS);
    expect(text).toContain(
      `"key":"${key}","name":"Provider of a test","capabilities":["bookings"],"description":null,"applicationFormSchema":${schema}}`,
    );
  });

  it('the form of a connector provider is unchanged in a replayed response', async () => {
    const key = await newProvider();
    const headers = { 'Idempotency-Key': uniqueName('form') };
    const schema = '{"z":"\\u0000\\ud800","__proto__":1,"a":2}';
    const first = await patchText(key, schema, headers);
    const replay = await patchText(key, schema, headers);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(replay.text).toBe(first.text);
    expect(replay.headers['etag']).toBe('"2"');
  });

  it('a form of 32 levels is accepted and one of 33 rejected', async () => {
    const key = await newProvider();
    const { status, text } = await patchText(key, nested(32));
    expect(status).toBe(200);
    expect(text).toContain(nested(32));

    const deeper = await patchText(key, nested(33));
    const fault = {
      path: '',
      message: 'The body is nested deeper than 33 levels',
      code: 'too_deep',
      params: { max: 33 },
    };
    expect(deeper.status).toBe(400);
    expect(deeper.body).toEqual(errorBody('invalid_request', { issues: [fault], fields: { '': [fault.message] } }));
  });

  it('a form of 64 KiB is accepted and one that is a byte larger rejected', async () => {
    const key = await newProvider();
    const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    expect((await patch(key, ofBytes(65_536))).status).toBe(200);

    const { status, body } = await patch(key, ofBytes(65_537));
    const message = 'applicationFormSchema is larger than 65536 bytes';
    const issues = [{ path: 'applicationFormSchema', message, code: 'too_many_bytes', params: { max: 65_536 } }];
    expect(status).toBe(400);
    expect(body).toEqual(errorBody('invalid_request', { issues, fields: { applicationFormSchema: [message] } }));
    expect(await listed(key)).toMatchObject({ applicationFormSchema: ofBytes(65_536) });
  });

  it.each([
    ['another member', '{"applicationFormSchema":{},"name":"x"}'],
    ['a number that a double would change', '{"applicationFormSchema":{"a":9007199254740993}}'],
    ['a number beyond all doubles', '{"applicationFormSchema":{"a":1e400}}'],
    ['broken JSON', '{"applicationFormSchema":'],
  ])('a PATCH of a connector provider rejects %s with 400 and changes nothing', async (_, raw) => {
    const key = await newProvider({ applicationFormSchema: { old: true } });
    const { status, body } = await app.as('platform').patch(`${PROVIDERS}/${key}`, undefined, {
      raw,
      headers: JSON_TYPE,
    });
    expect(status).toBe(400);
    const details = { issues: expect.any(Array), fields: expect.any(Object) };
    expect(body).toEqual(errorBody('invalid_request', details));
    expect(await listed(key)).toMatchObject({ applicationFormSchema: { old: true } });
  });

  it('a PATCH of a connector provider is rejected with 412 if If-Match has another version', async () => {
    const key = await newProvider();
    expect((await patch(key, { n: 1 }, { 'If-Match': '"1"' })).status).toBe(200);
    expect((await patch(key, { n: 2 }, { 'If-Match': '"9", "2"' })).status).toBe(200);
    expect((await patch(key, { n: 3 }, { 'If-Match': '*' })).status).toBe(200);

    const { status, body } = await patch(key, { n: 4 }, { 'If-Match': '"3"' });
    expect(status).toBe(412);
    expect(body).toEqual(errorBody('precondition_failed', { currentVersion: 4 }));
    expect(await listed(key)).toMatchObject({ applicationFormSchema: { n: 3 } });
  });

  it('one of many concurrent PATCH requests for the same version of a connector provider succeeds', async () => {
    const key = await newProvider();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => patch(key, { n }, { 'If-Match': '"1"' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(412)]);
  });

  it('a PATCH of a connector provider requires a *:write scope', async () => {
    const key = await newProvider();
    const path = `${PROVIDERS}/${key}`;
    const reader = await withKey(app, ['connect:bookings:read', 'connect:*:delete', 'connect:a:writer']);
    const { status, body } = await reader.patch(path, { applicationFormSchema: {} });
    expect(status).toBe(403);
    expect(body).toEqual(errorBody('forbidden', { requiredScope: '*:write' }));

    const writer = await withKey(app, ['connect:anything:write']);
    expect((await writer.patch(path, { applicationFormSchema: {} })).status).toBe(200);
  });

  it.each(['not-there', 'Demo-Activities', 'a_b', 'a%00', 'x'.repeat(64)])(
    'a PATCH of a connector provider returns 404 for an unknown or malformed key: %s',
    async (key) => {
      const { status, body } = await patch(key, {});
      expect(status).toBe(404);
      expect(body).toEqual(errorBody('not_found', { resource: 'connector_provider' }));
    },
  );
});

describe('GET /connect/v1/connector-providers', () => {
  it('the list of connector providers has all on one page ordered by key, because existing clients do not request pages', async () => {
    const keys = Array.from({ length: 60 }, () => uniqueName('p').replace('_', '-'));
    await provision(app, { connectorProviders: keys.map((key) => ({ key, name: 'One of many', capabilities: [] })) });
    const { status, body } = await app
      .as('platform')
      .get<{ data: Provider[]; total: number; limit: number; offset: number }>(PROVIDERS);

    expect(status).toBe(200);
    const all = body.data.map(({ key }) => key);
    expect(body).toEqual({ data: expect.any(Array), total: all.length, limit: 200, offset: 0 });
    expect(all).toEqual([...all].sort());
    expect(all).toEqual(expect.arrayContaining([...keys, 'demo-activities']));

    const { body: part } = await app.as('platform').get(`${PROVIDERS}?limit=2&offset=1`);
    expect(part).toEqual({ data: body.data.slice(1, 3), total: all.length, limit: 2, offset: 1 });
  });

  it('an invalid query for connector providers is rejected with 400', async () => {
    const { status, body } = await app.as('platform').get(`${PROVIDERS}?sort=key`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_request' });
  });

  it('the list of connector providers requires a connect scope with the action read, in any area', async () => {
    expect((await (await withKey(app, ['connect:flights:*'])).get(PROVIDERS)).status).toBe(200);
    const { status, body } = await app.as('limited').get(PROVIDERS);
    expect(status).toBe(403);
    expect(body).toEqual(errorBody('forbidden', { requiredScope: '*:read' }));
  });
});
