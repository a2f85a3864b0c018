import { beforeAll, describe, expect, it } from '@jest/globals';
import { invalid, NOT_FOUND, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  type Answered,
  newDraft,
  newPolicy,
  pathOf,
  POLICIES,
  published,
  readPolicy,
  readVersion,
  type Version,
  version,
} from './policies.js';

const UNKNOWN = 'pol_01k0dem000e000000000099999';
const UNKNOWN_VERSION = 'polv_01k0dem000e000000000099999';
const RULE = { type: 'percentage', daysBeforeDeparture: 30, refundBasisPoints: 5_000, refundType: 'cash' };
const WHOLE_RULE = {
  position: 0,
  ...RULE,
  flatAmountCents: null,
  currency: null,
  validFrom: null,
  validTo: null,
};

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Jobs are disabled, so that the outbox keeps its events.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

describe('a version', () => {
  it('a new policy version is a draft with the next number and does not change the published one', async () => {
    const { id } = await newPolicy(app);
    const rules = [
      { ...RULE, position: 7 },
      { type: 'custom', position: 2 },
    ];
    const answer: Answered<Version> = await staff.post(`${POLICIES}/${id}/versions`, version({ rules }));

    const { data } = answer.body;
    expect(answer.status).toBe(201);
    expect(answer.headers['location']).toBe(pathOf(data));
    const custom = { daysBeforeDeparture: null, refundBasisPoints: null, refundType: null };
    expect(data).toEqual({
      id: expect.stringMatching(/^polv_/),
      policyId: id,
      number: 1,
      title: 'Terms',
      body: '<p>In writing.</p>',
      rules: [
        { ...WHOLE_RULE, ...custom, type: 'custom', position: 2 },
        { ...WHOLE_RULE, position: 7 },
      ],
      status: 'draft',
      sha256: null,
      publishedAt: null,
      retiredAt: null,
      version: 1,
      createdAt: data.createdAt,
      updatedAt: data.createdAt,
    });
    expect(await readVersion(app, data)).toEqual(data);
    expect((await readPolicy(app, id)).currentVersionId).toBeNull();

    const ten = await Promise.all(Array.from({ length: 10 }, () => newDraft(app, id)));
    expect(ten.map(({ number }) => number).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('a policy version is found only under its own policy', async () => {
    const draft = await newDraft(app, (await newPolicy(app)).id);
    const other = await newPolicy(app);
    for (const place of [
      { policyId: other.id, id: draft.id },
      { policyId: UNKNOWN, id: draft.id },
      { policyId: draft.policyId, id: UNKNOWN_VERSION },
      { policyId: draft.policyId, id: 'polv_x' },
    ]) {
      const path = pathOf(place);
      const answers = await Promise.all([
        staff.get(path),
        staff.patch(path, { title: 'Stolen' }),
        staff.post(`${path}/publication`),
        staff.post(`${path}/retirement`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      for (const answer of answers) expect(answer.body).toEqual(errorBody(answer, NOT_FOUND));
    }
    expect((await staff.get(`${POLICIES}/${UNKNOWN}/versions`)).status).toBe(404);
    expect((await staff.post(`${POLICIES}/${UNKNOWN}/versions`, version())).status).toBe(404);
    expect(await readVersion(app, draft)).toEqual(draft);
  });

  it('an update of a policy version keeps the rules unless it has rules, which replace all', async () => {
    const { id } = await newPolicy(app);
    const before = await newDraft(app, id, { rules: [RULE, { type: 'window', daysBeforeDeparture: 7 }] });

    const titled: Answered<Version> = await staff.patch(pathOf(before), { title: 'Renamed' });
    expect(titled.body.data).toEqual({
      ...before,
      title: 'Renamed',
      version: 2,
      updatedAt: titled.body.data.updatedAt,
    });
    const flat = { type: 'flat_amount', flatAmountCents: Number.MAX_SAFE_INTEGER, currency: 'EUR' };
    const replaced: Answered<Version> = await staff.patch(pathOf(before), { rules: [flat] });
    const none = { daysBeforeDeparture: null, refundBasisPoints: null, refundType: null };
    expect(replaced.body.data.rules).toEqual([{ ...WHOLE_RULE, ...none, ...flat }]);
    expect(await readVersion(app, before)).toEqual(replaced.body.data);
    const emptied: Answered<Version> = await staff.patch(pathOf(before), { rules: [] });
    expect([emptied.status, emptied.body.data.rules]).toEqual([200, []]);
    expect(emptied.headers['etag']).toBe('"4"');
  });

  const contradictions: { what: string; rules: object[]; path: string; code: string }[] = [
    {
      what: 'a window without days',
      rules: [{ type: 'window' }],
      path: 'rules.0.daysBeforeDeparture',
      code: 'needed_by_type',
    },
    {
      what: 'a percentage of nothing',
      rules: [{ type: 'percentage' }],
      path: 'rules.0.refundBasisPoints',
      code: 'needed_by_type',
    },
    {
      what: 'a range without a day',
      rules: [RULE, { type: 'date_range' }],
      path: 'rules.1.validFrom',
      code: 'needed_by_type',
    },
    {
      what: 'an amount without currency',
      rules: [{ type: 'flat_amount', flatAmountCents: 1 }],
      path: 'rules.0.currency',
      code: 'amount_and_currency',
    },
    {
      what: 'a currency without amount',
      rules: [{ type: 'custom', currency: 'EUR' }],
      path: 'rules.0.flatAmountCents',
      code: 'amount_and_currency',
    },
    {
      what: 'a range that ends before it begins',
      rules: [{ type: 'date_range', validFrom: '2027-02-01', validTo: '2027-01-31' }],
      path: 'rules.0.validTo',
      code: 'end_before_start',
    },
    {
      what: 'a position twice',
      rules: [{ ...RULE, position: 1 }, RULE],
      path: 'rules.1.position',
      code: 'position_taken',
    },
    { what: 'an unknown type', rules: [{ type: 'bonus' }], path: 'rules.0.type', code: 'unknown_value' },
  ];
  it.each(contradictions)(
    'a policy version with $what is 400 with the place, and nothing is written',
    async ({ rules, path, code }) => {
      const draft = await newDraft(app, (await newPolicy(app)).id, { rules: [RULE] });
      const made = await staff.post<ErrorBody>(`${POLICIES}/${draft.policyId}/versions`, version({ rules }));
      const changed = await staff.patch<ErrorBody>(pathOf(draft), { title: 'Changed', rules });
      for (const answer of [made, changed]) {
        const message = answer.body.details?.issues?.[0]?.message ?? '';
        expect([answer.status, answer.body]).toEqual([400, invalid(answer, [{ path, message, code }])]);
      }
      expect(await readVersion(app, draft)).toEqual(draft);
      expect((await staff.get<{ total: number }>(`${POLICIES}/${draft.policyId}/versions`)).body.total).toBe(1);
    },
  );

  it('policy versions are listed newest first, without text and rules', async () => {
    const { policy: of, version: first } = await published(app);
    const second = await newDraft(app, of.id, { rules: [RULE] });
    const { body: _, rules: __, ...summary } = second;
    const { body } = await staff.get<{ data: Version[]; total: number }>(`${POLICIES}/${of.id}/versions`);
    expect([body.total, body.data[0], body.data[1]?.id]).toEqual([2, summary, first.id]);
    const drafts = await staff.get<{ data: Version[] }>(`${POLICIES}/${of.id}/versions?status=draft`);
    expect(drafts.body.data).toEqual([summary]);
  });
});
