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
  errorBody,
  unique,
} from './channels.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('POST /v1/admin/distribution/channels', () => {
  it('a new channel is answered with 201, its Location and its ETag; omitted members have their defaults', async () => {
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

  it('a new channel stores every field and the contact', async () => {
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

  it('a new channel stores "" as null for website, contact name and contact e-mail', async () => {
    const channel = await newChannel(app, { website: '', contactName: '  ', contactEmail: '' });
    expect(channel).toMatchObject({ website: null, contactName: null, contactEmail: null });
  });

  it('an id in the body of a new channel is ignored', async () => {
    const channel = await newChannel(app, { id: 'chan_01k0dem000e000000000000002' });
    expect(channel.id).not.toBe('chan_01k0dem000e000000000000002');
  });

  it('a new channel with the status archived is rejected with 422', async () => {
    const name = unique('Born dead');
    const answer = await staff.post(CHANNELS, { name, status: 'archived' });

    expect(answer.status).toBe(422);
    const details = { field: 'status', allowed: ['active', 'inactive', 'pending'] };
    const archived = { code: 'invalid_initial_status', error: 'A new channel cannot be archived', details };
    expect(answer.body).toEqual(errorBody(answer, archived));
    expect(await app.sql('select from channels where name = $1', [name])).toEqual([]);
  });

  it('an invalid body of a new channel is rejected with 400 and each issue, and nothing is created', async () => {
    const name = unique('Invalid');
    const answer = await staff.post(CHANNELS, { name, status: 'closed', website: 'ftp://example.com' });

    const issues: Issue[] = [
      { path: 'status', message: 'status must be one of active, inactive, pending, archived', code: 'unknown_value' },
      { path: 'website', message: 'website must be a web address; with a scheme, http or https', code: 'wrong_format' },
    ];
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, issues)]);
    expect(await app.sql('select from channels where name = $1', [name])).toEqual([]);
  });

  it('a new channel can have values at the limits', async () => {
    const { metadata } = await newChannel(app, { metadata: { a: 'x'.repeat(16_384 - 8) } });
    expect(Buffer.byteLength(JSON.stringify(metadata))).toBe(16_384);
    const longest = { name: unique('x').padEnd(255, 'x'), kind: 'k'.repeat(50), description: '😀'.repeat(2_000) };
    const website = `https://example.com/${'x'.repeat(2_028)}`;
    expect(await newChannel(app, { ...longest, website, metadata: { a: { b: { c: { d: {} } } } } })).toMatchObject(
      longest,
    );
  });
});

describe('the name of a channel', () => {
  it('the name of a channel is unique, ignoring case and white space at its ends', async () => {
    const { name } = await newChannel(app);

    const answer = await staff.post(CHANNELS, { name: `\t${name.toUpperCase()} ` });

    expect([answer.status, answer.body]).toEqual([409, errorBody(answer, NAME_TAKEN)]);
  });

  it('the name of a channel is given to one of two concurrent requests: one 201, one 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = unique('Contested');

      const answers = await Promise.all([staff.post(CHANNELS, { name }), staff.post(CHANNELS, { name })]);

      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      const rejected = answers.find(({ status }) => status === 409) ?? answers[0];
      expect(rejected.body).toEqual(errorBody(rejected, NAME_TAKEN));
      expect(await app.sql('select from channels where name = $1', [name])).toHaveLength(1);
    }
  });

  it('the name of a channel can be used again once its channel is archived', async () => {
    const { id, name } = await newChannel(app);
    await staff.patch(`${CHANNELS}/${id}`, { status: 'archived' });

    expect((await staff.post(CHANNELS, { name })).status).toBe(201);
  });
});
