/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  CHANNELS,
  type ChannelAnswer,
  invalid,
  type Issue,
  NAME_TAKEN,
  newChannel,
  refusal,
  unique,
} from './channels.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('creating a channel', () => {
  it('answers 201 with the channel, its place and its ETag; what is left out has its default', async () => {
    const name = unique('Created');

    const answer: ChannelAnswer = await staff.post(CHANNELS, { name: `  ${name} ` });

    const { data } = answer.body;
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^chan_[0-7][0-9a-z]{25}$/),
        name,
        description: null,
        kind: 'reseller',
        status: 'active',
        website: null,
        contactName: null,
        contactEmail: null,
        metadata: null,
        systemKey: null,
        version: 1,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: data.createdAt,
      },
    });
    expect([answer.headers['location'], answer.headers['etag']]).toEqual([`${CHANNELS}/${data.id}`, '"1"']);
    expect((await staff.get(`${CHANNELS}/${data.id}`)).body).toEqual(answer.body);
  });

  it('keeps every field, together with the contact', async () => {
    const fields = {
      name: unique('Whole'),
      description: 'Zeile 1\nZeile 2 – 😀',
      kind: 'white_label-2',
      status: 'pending',
      website: 'https://example.com/a?b=c#d',
      contactName: 'Petra Keller',
      contactEmail: 'petra.keller+sales@example.com',
      metadata: { region: ['DACH', 1.5, null, true], deep: { c: { d: { e: {} } } }, toString: 'kept', '': 0 },
    };

    const channel = await newChannel(app, fields);

    expect(channel).toMatchObject(fields);
    expect(channel.metadata).toEqual(fields.metadata);
  });

  it('takes "" for no website, contact name and contact e-mail', async () => {
    const channel = await newChannel(app, { website: '', contactName: '  ', contactEmail: '' });
    expect(channel).toMatchObject({ website: null, contactName: null, contactEmail: null });
  });

  it('ignores an id in the body', async () => {
    const channel = await newChannel(app, { id: 'chan_01k0dem000e000000000000002' });
    expect(channel.id).not.toBe('chan_01k0dem000e000000000000002');
  });

  it('refuses archived as first status with 422', async () => {
    const name = unique('Born dead');
    const answer = await staff.post(CHANNELS, { name, status: 'archived' });

    expect(answer.status).toBe(422);
    const details = { field: 'status', allowed: ['active', 'inactive', 'pending'] };
    const archived = { code: 'invalid_initial_status', error: 'A new channel cannot be archived', details };
    expect(answer.body).toEqual(refusal(answer, archived));
    expect(await app.sql('select from channels where name = $1', [name])).toEqual([]);
  });

  it.each(['systemKey', 'version', 'createdAt', 'actorId'])('does not take %s from the caller: 400', async (member) => {
    const answer = await staff.post(CHANNELS, { name: unique('Forged'), [member]: 'direct' });

    const issue = { path: member, message: `${member} is not recognized`, code: 'whitelistValidation' };
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
  });
});

describe('the name of a channel', () => {
  it('is taken by another one without regard to case, and to white space at its ends', async () => {
    const { name } = await newChannel(app);

    const answer = await staff.post(CHANNELS, { name: `\t${name.toUpperCase()} ` });

    expect([answer.status, answer.body]).toEqual([409, refusal(answer, NAME_TAKEN)]);
  });

  it('goes to one of two parallel creates: one 201, one 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = unique('Contested');

      const answers = await Promise.all([staff.post(CHANNELS, { name }), staff.post(CHANNELS, { name })]);

      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      const refused = answers.find(({ status }) => status === 409) ?? answers[0];
      expect(refused.body).toEqual(refusal(refused, NAME_TAKEN));
      expect(await app.sql('select from channels where name = $1', [name])).toHaveLength(1);
    }
  });

  it('is free again once its channel is archived', async () => {
    const { id, name } = await newChannel(app);
    await staff.patch(`${CHANNELS}/${id}`, { status: 'archived' });

    expect((await staff.post(CHANNELS, { name })).status).toBe(201);
  });
});

describe('what a create refuses with 400, in full', () => {
  const issue = (path: string, message: string, code: string): Issue => ({ path, message: `${path} ${message}`, code });
  const metadata = issue('metadata', 'must be an object of at most 16384 bytes and 5 levels', 'isFreeObject');
  const website = issue('website', 'must be a web address; with a scheme, http or https', 'isWebAddress');
  const email = issue('contactEmail', 'must be an e-mail address', 'isEmail');
  const unstorable = (path: string, message: string, code: string): Issue => ({ path, message, code });
  const noNul = (path: string) => unstorable(path, 'NUL is not allowed in text', 'noNul');
  const wellFormed = (path: string) => unstorable(path, 'Text must be well-formed Unicode', 'wellFormed');
  const forbidden = (path: string) => unstorable(path, 'This name is not allowed', 'forbiddenKey');
  const control = (path: string) => issue(path, 'must not contain control characters', 'matches');

  it.each<[string, string, Issue[]]>([
    [
      'a name of white space',
      '{"name":"  "}',
      [issue('name', 'must be longer than or equal to 1 characters', 'minLength')],
    ],
    [
      'a name of 256 characters',
      JSON.stringify({ name: 'x'.repeat(256) }),
      [issue('name', 'must be shorter than or equal to 255 characters', 'maxLength')],
    ],
    ['a line break in the name', '{"name":"a\\nb"}', [control('name')]],
    ['NUL in the name', '{"name":"a\\u0000b"}', [noNul('name')]],
    ['a lone surrogate in the name', '{"name":"a\\ud800b"}', [wellFormed('name')]],
    [
      'a description of 2,001 characters',
      JSON.stringify({ name: 'x', description: 'x'.repeat(2_001) }),
      [issue('description', 'must be shorter than or equal to 2000 characters', 'maxLength')],
    ],
    [
      'a kind in capitals',
      '{"name":"x","kind":"Reseller"}',
      [issue('kind', 'must match /^[a-z][a-z0-9_-]*$/ regular expression', 'matches')],
    ],
    [
      'a kind of 51 characters',
      JSON.stringify({ name: 'x', kind: 'k'.repeat(51) }),
      [issue('kind', 'must be shorter than or equal to 50 characters', 'maxLength')],
    ],
    [
      'a status that is none',
      '{"name":"x","status":"closed"}',
      [issue('status', 'must be one of active, inactive, pending, archived', 'isIn')],
    ],
    ['a website that runs', '{"name":"x","website":"javascript:alert(1)"}', [website]],
    ['a website of another scheme', '{"name":"x","website":"ftp://example.com"}', [website]],
    [
      'a website of 2,049 characters',
      JSON.stringify({ name: 'x', website: `https://example.com/${'x'.repeat(2_029)}` }),
      [issue('website', 'must be shorter than or equal to 2048 characters', 'maxLength')],
    ],
    ['an e-mail address that is none', '{"name":"x","contactEmail":"petra"}', [email]],
    ['metadata that is a list', '{"name":"x","metadata":[]}', [metadata]],
    ['metadata of 6 levels', '{"name":"x","metadata":{"a":{"b":{"c":{"d":{"e":{}}}}}}}', [metadata]],
    ['metadata of more than 16 KiB', JSON.stringify({ name: 'x', metadata: { a: 'é'.repeat(8_200) } }), [metadata]],
    ['NUL in metadata', '{"name":"x","metadata":{"a":["\\u0000"]}}', [noNul('metadata.a.0')]],
    ['a lone surrogate in metadata', '{"name":"x","metadata":{"a":"\\udc00"}}', [wellFormed('metadata.a')]],
    ['a lone surrogate in a key', '{"name":"x","metadata":{"\\udc00":1}}', [wellFormed('metadata')]],
    ['the key __proto__', '{"name":"x","metadata":{"__proto__":{}}}', [forbidden('metadata.__proto__')]],
    ['the key constructor', '{"name":"x","metadata":{"a":{"constructor":1}}}', [forbidden('metadata.a.constructor')]],
    ['the key prototype', '{"name":"x","metadata":{"prototype":1}}', [forbidden('metadata.prototype')]],
    ['a list as body', '[]', [{ path: '', message: 'The body must be a JSON object', code: 'isObject' }]],
  ])('%s', async (_, raw, issues) => {
    const answer = await staff.post(CHANNELS, undefined, { raw, headers: { 'content-type': 'application/json' } });

    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(invalid(answer, issues));
  });

  it('takes what is just within the limits', async () => {
    const { metadata: kept } = await newChannel(app, { metadata: { a: 'x'.repeat(16_384 - 8) } });
    expect(Buffer.byteLength(JSON.stringify(kept))).toBe(16_384);
    const channel = await newChannel(app, { name: unique('x').padEnd(255, 'x'), kind: 'k'.repeat(50) });
    expect(channel.name).toHaveLength(255);
    await newChannel(app, { description: '😀'.repeat(2_000), metadata: { a: { b: { c: { d: {} } } } } });
    await newChannel(app, { website: `https://example.com/${'x'.repeat(2_028)}` });
  });
});
