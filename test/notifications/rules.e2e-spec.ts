import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { COMPOSE, newRule, readRule, type ErrorBody, type Rule, rule, RULES } from './reminders.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Its jobs are disabled, so that nothing is planned between two reads.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

describe('composing a reminder rule', () => {
  it('composing a reminder rule returns 201 with the bare rule, its stages by position and its channels exactly as sent', async () => {
    const channels: Record<string, unknown>[] = [
      { z: 1, a: { deep: [null, 1.5, 'x'] }, channel: 'email', toString: 'kept', '': 0 },
      { type: 'sms', recipientKind: 'cc' },
    ];
    const sent = rule({
      id: 'is ignored',
      enabled: false,
      priority: 7,
      sendTime: '23:59',
      suppressionGroup: 'dunning',
      stages: [
        {
          id: 'is ignored',
          ruleId: 'is ignored',
          position: 5,
          offsetDays: 3,
          name: 'Late',
          sendIfLateByHours: 0,
          channels,
        },
        { position: 2, channels: [{ channel: 'email' }] },
      ],
    });

    const answer = await staff.post<Rule>(COMPOSE, sent);

    const { body } = answer;
    expect(answer.status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^rrul_[0-7][0-9a-z]{25}$/),
      name: sent.name,
      trigger: 'balance_due',
      enabled: false,
      priority: 7,
      sendTime: '23:59',
      suppressionGroup: 'dunning',
      stages: [
        {
          id: expect.stringMatching(/^rstg_/),
          ruleId: body.id,
          position: 2,
          offsetDays: 0,
          name: null,
          sendIfLateByHours: 24,
          channels: [{ channel: 'email' }],
        },
        {
          id: expect.stringMatching(/^rstg_/),
          ruleId: body.id,
          position: 5,
          offsetDays: 3,
          name: 'Late',
          sendIfLateByHours: 0,
          channels,
        },
      ],
      warnings: [
        { code: 'channel_not_supported', path: 'stages.1.channels.1', message: 'The channel sms is not supported yet' },
      ],
      planning: null,
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body['createdAt'],
    });
    expect(JSON.stringify(body.stages[1]?.channels)).toBe(JSON.stringify(channels));
    expect([answer.headers['location'], answer.headers['etag']]).toEqual([`${RULES}/${body.id}`, '"1"']);
    expect((await staff.get(`${RULES}/${body.id}`)).body).toEqual({ data: body });
  });

  it('a reminder rule is by default enabled, at 09:00, with priority 0 and the positions of the list', async () => {
    const stage = { channels: [{ channel: 'email' }] };
    const composed = await newRule(app, { stages: [stage, stage] });

    expect(composed).toMatchObject({ enabled: true, sendTime: '09:00', priority: 0, suppressionGroup: null });
    expect(composed.stages.map(({ position, offsetDays }) => [position, offsetDays])).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  it('a reminder rule with settings that are not sent is stored and has warnings', async () => {
    const composed = await newRule(app, {
      stages: [
        {
          channels: [{ channel: 'email', templateSlug: 'balance-due' }, { channel: 'sms' }, { colour: 'blue' }],
        },
        { channels: [{ type: 'email', templateId: 'tmpl_unknown' }] },
        {
          channels: [
            { channel: 'email', templateSlug: 17 },
            { type: 'email', recipientKind: 'bcc' },
          ],
        },
        { channels: [{ channel: 'email', recipientKind: 'Primary' }] },
        { channels: [{ channel: 'email', recipientKind: null }] },
      ],
    });

    expect(composed.warnings).toEqual([
      { code: 'channel_not_supported', path: 'stages.0.channels.1', message: 'The channel sms is not supported yet' },
      {
        code: 'channel_not_supported',
        path: 'stages.0.channels.2',
        message: 'The channel unknown is not supported yet',
      },
      { code: 'template_not_found', path: 'stages.1.channels.0', message: 'The template does not exist' },
      { code: 'template_not_found', path: 'stages.2.channels.0', message: 'The template does not exist' },
      {
        code: 'channel_repeated',
        path: 'stages.2.channels.1',
        message: 'Duplicate channel in this stage: only the first entry is sent',
      },
      {
        code: 'recipient_kind_unknown',
        path: 'stages.3.channels.0',
        message: 'recipientKind is not primary, cc or bcc; primary is used',
      },
    ]);
  });

  it.each([
    'hold_expiry',
    'supplier_response_due',
    'supplier_reconciliation_due',
    'legal_acceptance_due',
    'legal_signature_due',
    'booking_cancelled_non_payment',
    'document_missing',
  ])('a reminder rule of the trigger %s is accepted and plans no runs', async (trigger) => {
    const { warnings } = await newRule(app, { trigger });
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([['trigger_dormant', 'trigger']]);
  });

  const stage = { channels: [{ channel: 'email' }] };
  it.each([
    [
      'a duplicate position',
      { stages: [stage, { ...stage, position: 7 }, { ...stage, position: 7 }] },
      'stages.2.position',
    ],
    ['a position that is a later default', { stages: [{ ...stage, position: 1 }, stage] }, 'stages.1.position'],
    ['an invalid last channel', { stages: [stage, { channels: [{}, {}, 'email'] }] }, 'stages.1.channels.2'],
  ])('a reminder rule with %s is rejected with 400 and its path, and nothing is stored', async (_, terms, path) => {
    const count = async () =>
      app.sql(
        `select (select count(*) from reminder_rules) as rules, (select count(*) from reminder_stages) as stages,
           (select count(*) from reminder_stage_channels) as channels`,
      );
    const before = await count();

    const answer = await staff.post<ErrorBody>(COMPOSE, rule(terms));

    const { issues } = answer.body.details;
    expect([answer.status, [...new Set(issues.map((issue) => issue.path))]]).toEqual([400, [path]]);
    expect(answer.body).toEqual({
      error: 'The request is invalid',
      code: 'invalid_request',
      requestId: answer.headers['x-request-id'],
      details: { issues, fields: { [path]: issues.map(({ message }) => message) } },
    });
    expect(await count()).toEqual(before);
  });

  it('requests with one Idempotency-Key compose one reminder rule, also in parallel', async () => {
    const body = rule();
    const headers = { 'Idempotency-Key': `compose-${body.name.replaceAll(' ', '-')}` };
    const answers = await Promise.all([1, 2, 3, 4].map(() => staff.request<Rule>('POST', COMPOSE, { body, headers })));

    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body: { id } }) => id));
    expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(ids.size).toBe(1);
    expect(await app.sql('select id from reminder_rules where name = $1', [body.name])).toHaveLength(1);
  });
});

describe('listing reminder rules', () => {
  it('reminder rules are listed newest first and filtered by trigger, enabled and part of the name', async () => {
    const mark = `mark ${Date.now()}%`;
    const first = await newRule(app, { name: `A ${mark}` });
    const second = await newRule(app, { name: `b ${mark}`, enabled: false, trigger: 'invoice_due' });
    const ids = async (query: string) => {
      const { body } = await staff.get<{ data: Rule[]; total: number }>(
        `${RULES}?search=${encodeURIComponent(mark.toUpperCase())}&${query}`,
      );
      expect(body.total).toBe(body.data.length);
      return body.data.map(({ id }) => id);
    };

    expect(await ids('')).toEqual([second.id, first.id]);
    expect(await ids('sort=name')).toEqual([first.id, second.id]);
    expect(await ids('enabled=false')).toEqual([second.id]);
    expect(await ids('trigger=balance_due')).toEqual([first.id]);
    expect((await staff.get(`${RULES}?trigger=birthday`)).status).toBe(400);
  });
});

describe('changing a reminder rule', () => {
  it('an update renames and disables a reminder rule, raises its version and is recorded', async () => {
    const { id } = await newRule(app);
    const answer = await staff.request<{ data: Rule }>('PATCH', `${RULES}/${id}`, {
      body: { name: 'Renamed', enabled: false },
      headers: { 'If-Match': '"1"' },
    });

    expect([answer.status, answer.headers['etag']]).toEqual([200, '"2"']);
    expect(answer.body.data).toMatchObject({ id, name: 'Renamed', enabled: false, version: 2 });
    expect(await readRule(app, id)).toEqual(answer.body.data);
  });

  it('an update of a reminder rule with a stale If-Match is 412, of an unknown or malformed id 404, and {} is 400', async () => {
    const { id } = await newRule(app);
    const change = (path: string, body: object, etag = '"1"') =>
      staff.request('PATCH', path, { body, headers: { 'If-Match': etag } });

    expect((await change(`${RULES}/${id}`, { name: 'x' }, '"9"')).status).toBe(412);
    expect((await change(`${RULES}/rrul_01k0dem000e000000000009999`, { name: 'x' })).status).toBe(404);
    expect((await change(`${RULES}/odd`, { name: 'x' })).status).toBe(404);
    expect((await change(`${RULES}/${id}`, {})).status).toBe(400);
    expect((await change(`${RULES}/${id}`, { trigger: 'invoice_due' })).status).toBe(400);
    expect((await staff.get(`${RULES}/rrul_01k0dem000e000000000009999`)).status).toBe(404);
  });
});
