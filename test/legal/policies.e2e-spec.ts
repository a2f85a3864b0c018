import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { insisting } from '../bookings/bookings.js';
import { NOT_FOUND, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type Answered, entriesOf, newPolicy, POLICIES, type Policy, policy, readPolicy } from './policies.js';

const UNKNOWN = 'pol_01k0dem000e000000000099999';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Jobs are disabled, so that the outbox keeps its events.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

const pathsOf = ({ details }: ErrorBody) => new Set(details?.issues?.map(({ path }) => path));

describe('a policy', () => {
  it('a policy is created without a text and with a slug derived from its name', async () => {
    const mark = randomUUID();
    const answer: Answered<Policy> = await staff.post(POLICIES, { kind: 'refund', name: `Rambursări & ${mark}` });

    const { data } = answer.body;
    expect(answer.status).toBe(201);
    expect(answer.headers['location']).toBe(`${POLICIES}/${data.id}`);
    expect(data).toEqual({
      id: expect.stringMatching(/^pol_/),
      kind: 'refund',
      name: `Rambursări & ${mark}`,
      slug: `rambursari-${mark}`,
      language: 'en',
      currentVersionId: null,
      version: 1,
      createdAt: data.createdAt,
      updatedAt: data.createdAt,
    });
    expect(await readPolicy(app, data.id)).toEqual(data);
    expect((await entriesOf(app, data.id)).map(({ action }) => action)).toEqual(['legal.policy.create']);
  });

  it('a policy whose name has no slug gets one from its id', async () => {
    const { id, slug } = await newPolicy(app, { name: '取消条款' });
    expect(slug).toBe(id.replace('_', '-'));
  });

  it('a duplicate slug is 409: at creation, at an update and for all but one of ten concurrent requests', async () => {
    const { id, slug } = await newPolicy(app);
    const other = await newPolicy(app);
    const conflict = { code: 'policy_slug_taken', error: 'Another policy already has this slug' };

    const second = await staff.post(POLICIES, policy({ slug }));
    expect([second.status, second.body]).toEqual([409, errorBody(second, conflict)]);
    const change = await staff.patch(`${POLICIES}/${other.id}`, { slug });
    expect([change.status, change.body]).toEqual([409, errorBody(change, conflict)]);
    expect(await readPolicy(app, other.id)).toEqual(other);
    expect((await staff.patch(`${POLICIES}/${id}`, { slug })).status).toBe(200);

    const name = `Race ${randomUUID()}`;
    const race = await Promise.all(
      Array.from({ length: 10 }, () => insisting(() => staff.post(POLICIES, policy({ name })))),
    );
    expect(race.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it.each([
    ['name', 'Another name'],
    ['slug', `slug-${randomUUID()}`],
    ['language', 'de'],
  ])('an update of {%s} changes only that field, updatedAt and version of a policy', async (field, value) => {
    const before = await newPolicy(app);
    const answer: Answered<Policy> = await staff.patch(`${POLICIES}/${before.id}`, { [field]: value });
    const { updatedAt } = answer.body.data;
    expect([answer.status, answer.body.data]).toEqual([200, { ...before, [field]: value, version: 2, updatedAt }]);
    expect(answer.headers['etag']).toBe('"2"');
    expect(await readPolicy(app, before.id)).toEqual(answer.body.data);
  });

  it('an invalid policy is rejected with 400, and nothing is created or changed', async () => {
    const before = await newPolicy(app);
    const changed = await staff.patch<ErrorBody>(`${POLICIES}/${before.id}`, { kind: 'refund' });
    expect([changed.status, [...pathsOf(changed.body)]]).toEqual([400, ['kind']]);
    expect(await readPolicy(app, before.id)).toEqual(before);

    const name = `Unknown ${randomUUID()}`;
    const created = await staff.post<ErrorBody>(POLICIES, { kind: 'terms', name });
    expect([created.status, [...pathsOf(created.body)]]).toEqual([400, ['kind']]);
    expect(await app.sql('select from policies where name = $1', [name])).toEqual([]);
  });

  it('an update of an outdated version of a policy is 412, of an unknown or malformed id 404', async () => {
    const { id } = await newPolicy(app);
    const headers = { 'If-Match': '"7"' };
    const stale = await staff.patch<ErrorBody>(`${POLICIES}/${id}`, { name: 'Late' }, { headers });
    const error = 'The resource has changed since it was read';
    const details = { currentVersion: 1 };
    expect([stale.status, stale.body]).toEqual([
      412,
      errorBody(stale, { code: 'precondition_failed', error, details }),
    ]);
    for (const unknown of [UNKNOWN, 'pol_x', 'Resolve', '%00']) {
      const answer = await staff.patch(`${POLICIES}/${unknown}`, { name: 'Nobody' });
      expect([answer.status, answer.body]).toEqual([404, errorBody(answer, NOT_FOUND)]);
      expect((await staff.get(`${POLICIES}/${unknown === 'Resolve' ? 'nothing' : unknown}`)).status).toBe(404);
    }
  });

  it('policies are filtered by kind and by part of name or slug', async () => {
    const mark = randomUUID();
    const first = await newPolicy(app, { kind: 'other', name: `B ${mark}` });
    const second = await newPolicy(app, { kind: 'privacy', name: `A ${mark}`, slug: `by-slug-${randomUUID()}` });
    const list = async (query: string) => {
      const { body } = await staff.get<{ data: Policy[]; total: number }>(`${POLICIES}?${query}`);
      return { ids: body.data.map(({ id }) => id), total: body.total };
    };
    expect(await list(`search=${mark}`)).toEqual({ ids: [second.id, first.id], total: 2 });
    expect(await list(`search=${mark}&sort=-name&limit=1`)).toEqual({ ids: [first.id], total: 2 });
    expect(await list(`search=${mark}&kind=privacy`)).toEqual({ ids: [second.id], total: 1 });
    expect(await list(`search=${second.slug.toUpperCase()}`)).toEqual({ ids: [second.id], total: 1 });
    expect((await staff.get<ErrorBody>(`${POLICIES}?kind=terms`)).status).toBe(400);
  });
});
