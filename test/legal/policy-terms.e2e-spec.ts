import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { insisting } from '../bookings/bookings.js';
import { newChannel, NOT_FOUND, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  aProduct,
  type Answered,
  assign,
  assigned,
  type Assignment,
  ASSIGNMENTS,
  entriesOf,
  eventsOf,
  newDraft,
  newPolicy,
  POLICIES,
  publish,
  readAssignment,
  resolve,
  retire,
} from './policies.js';

const UNKNOWN = 'pasn_01k0dem000e000000000099999';
const LOCKED = 'pasn_01k0dem000e000000000000004';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

const create = (body: object) => staff.post<Answered<Assignment>['body']>(ASSIGNMENTS, body);
const remove = (id: string, headers = {}) => insisting(() => staff.delete(`${ASSIGNMENTS}/${id}`, { headers }));
const patch = (id: string, body: object, headers = {}) =>
  staff.patch<Answered<Assignment>['body']>(`${ASSIGNMENTS}/${id}`, body, { headers });

describe('removing an assignment', () => {
  it('removing an assignment returns {success: true}, and it is no longer listed, read or removed again', async () => {
    const { assignment: before } = await assigned(app, 'cancellation', aProduct());

    const answer = await remove(before.id);

    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    for (const again of [await remove(before.id), await staff.get(`${ASSIGNMENTS}/${before.id}`)]) {
      expect([again.status, again.body]).toEqual([404, errorBody(again, NOT_FOUND)]);
    }
    expect((await patch(before.id, { priority: 1 })).status).toBe(404);
    const list = (query: string) => staff.get<{ data: Assignment[] }>(`${ASSIGNMENTS}?${query}`);
    expect((await list(`policyId=${before.policyId}`)).body.data).toEqual([]);

    const [entry] = (await entriesOf(app, before.id)).filter(
      ({ action }) => action === 'legal.policy_assignment.remove',
    );
    const [removed] = (await list(`policyId=${before.policyId}&removed=true`)).body.data;
    const { removedAt, updatedAt } = removed ?? {};
    expect(removed).toEqual({ ...before, removedAt, removedBy: entry?.actorId, version: 2, updatedAt });
    expect(removedAt).toBe(updatedAt);
    expect(await eventsOf(app, 'assignmentId', before.id)).toEqual([
      'policy_assignment.created',
      'policy_assignment.removed',
    ]);
  });

  it('ten concurrent removals remove the assignment once', async () => {
    const { assignment } = await assigned(app, 'cancellation', aProduct());
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(assignment.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
  });

  it('after a removal the same assignment can be created again', async () => {
    const { policy, assignment } = await assigned(app, 'cancellation', aProduct());
    const { scope, targetId } = assignment;
    expect((await create({ policyId: policy.id, scope, targetId })).status).toBe(409);
    await remove(assignment.id);
    expect((await create({ policyId: policy.id, scope, targetId })).status).toBe(201);
  });

  it('removing or changing a provisioned assignment is 409', async () => {
    const before = await readAssignment(app, LOCKED);
    const locked = { code: 'policy_assignment_locked', error: 'A provisioned assignment cannot be changed or removed' };
    for (const answer of [await remove(LOCKED), await patch(LOCKED, { validTo: '2020-01-01' })]) {
      expect([answer.status, answer.body]).toEqual([409, errorBody(answer, locked)]);
    }
    expect(await readAssignment(app, LOCKED)).toEqual({ ...before, locked: true });
  });

  it('removing an unknown or malformed assignment is 404, an outdated version 412, without legal:delete 403', async () => {
    const { assignment } = await assigned(app, 'cancellation', aProduct());
    for (const unknown of [UNKNOWN, 'pasn_x', 'pol_01k0dem000e000000000000001', '%00']) {
      const answer = await remove(unknown);
      expect([answer.status, answer.body]).toEqual([404, errorBody(answer, NOT_FOUND)]);
    }
    expect((await remove(assignment.id, { 'If-Match': '"9"' })).status).toBe(412);
    const { body } = await staff.post<{ data: { token: string } }>('/v1/admin/identity/api-tokens', {
      name: 'Writer',
      scopes: ['legal:read', 'legal:write'],
    });
    const forbidden = await app.with(body.data.token).delete<ErrorBody>(`${ASSIGNMENTS}/${assignment.id}`);
    expect([forbidden.status, forbidden.body.details]).toEqual([403, { requiredScope: 'legal:delete' }]);
    expect(await readAssignment(app, assignment.id)).toEqual(assignment);
  });
});

describe('resolving a policy', () => {
  /** Makes one assignment of each scope, all of one kind, with different targets. */
  async function everyScope(kind: string) {
    const mark = randomUUID();
    const { id: channelId } = await newChannel(app);
    const targets: [string, string][] = [
      ['organization', `org-${mark}`],
      ['market', `market-${mark}`],
      ['channel', channelId],
      ['supplier', `supplier-${mark}`],
      ['product', `product-${mark}`],
    ];
    const made = [];
    for (const [scope, targetId] of targets) made.push(await assigned(app, kind, { scope, targetId }));
    return { made, asked: Object.fromEntries(targets.map(([scope, targetId]) => [`${scope}Id`, targetId])) };
  }

  it('the most specific scope applies, and every other candidate is explained', async () => {
    const everywhere = await assigned(app, 'privacy', { scope: 'global' });
    const { made, asked: criteria } = await everyScope('privacy');
    const ranked = [...made].reverse();

    const { data, explain } = await resolve(app, { kind: 'privacy', ...criteria });

    const [product] = ranked;
    expect(data).toEqual({ ...product, explain });
    const outline = ({ assignment }: (typeof ranked)[number], outcome: string) => {
      const { id: assignmentId, policyId, scope, targetId, priority, validFrom, validTo } = assignment;
      return { assignmentId, policyId, scope, targetId, priority, validFrom, validTo, outcome };
    };
    expect(explain).toEqual(
      [...ranked, everywhere].map((candidate, index) => outline(candidate, index === 0 ? 'applies' : 'less_specific')),
    );

    const order = ['productId', 'supplierId', 'channelId', 'marketId', 'organizationId'];
    for (const [index, left] of order.entries()) {
      const rest = Object.fromEntries(Object.entries(criteria).filter(([name]) => order.indexOf(name) >= index));
      const found = (await resolve(app, { kind: 'privacy', ...rest })).data?.assignment;
      expect([left, found?.id]).toEqual([left, ranked[index]?.assignment.id]);
    }
    expect((await resolve(app, { kind: 'privacy' })).data?.assignment.id).toBe(everywhere.assignment.id);
  });

  it('a policy of a product applies only to the id of that product', async () => {
    const { assignment } = await assigned(app, 'refund', aProduct());
    const target = assignment.targetId ?? '';
    const nothing = { data: null, explain: [] };
    expect(await resolve(app, { kind: 'refund' })).toEqual(nothing);
    expect(await resolve(app, { kind: 'refund', supplierId: target, marketId: target })).toEqual(nothing);
    expect(await resolve(app, { kind: 'payment', productId: target })).not.toMatchObject({ data: { assignment } });
    expect((await resolve(app, { kind: 'refund', productId: target })).data?.assignment).toEqual(assignment);
    expect((await staff.get(`${POLICIES}/resolve?kind=refund&productId=`)).status).toBe(400);
  });

  it('the higher priority of one scope applies, and the lower one is explained', async () => {
    const { assignment: low } = await assigned(app, 'refund', aProduct());
    const { scope, targetId } = low;
    const high = await assigned(app, 'refund', { scope, targetId, priority: 5 });
    const { data, explain } = await resolve(app, { kind: 'refund', productId: targetId ?? '' });
    expect(data?.version).toEqual(high.version);
    expect(explain.map(({ assignmentId, outcome }) => [assignmentId, outcome])).toEqual([
      [high.assignment.id, 'applies'],
      [low.id, 'lower_priority'],
    ]);
  });

  it('a policy without a published version is skipped and explained', async () => {
    const product = aProduct();
    const criteria = { kind: 'refund', productId: product.targetId };
    const { version, assignment } = await assigned(app, 'refund', product);
    const drafted = await newPolicy(app, { kind: 'refund' });
    const draft = await newDraft(app, drafted.id);
    const higher = await assign(app, drafted.id, { ...product, priority: 9 });
    const outcomes = async () => (await resolve(app, criteria)).explain.map((one) => [one.assignmentId, one.outcome]);

    expect(await outcomes()).toEqual([
      [assignment.id, 'applies'],
      [higher.id, 'no_published_version'],
    ]);
    await publish(app, draft);
    expect(await outcomes()).toEqual([
      [higher.id, 'applies'],
      [assignment.id, 'lower_priority'],
    ]);
    await retire(app, draft);
    await retire(app, version);
    expect((await resolve(app, criteria)).data).toBeNull();
    expect((await outcomes()).map(([, outcome]) => outcome)).toEqual(['no_published_version', 'no_published_version']);
  });

  it('an assignment applies from its first to its last day unless it was removed', async () => {
    const { assignment } = await assigned(app, 'refund', {
      ...aProduct(),
      validFrom: '2027-03-01',
      validTo: '2027-03-31',
    });
    const productId = assignment.targetId ?? '';
    const on = async (at?: string) => {
      const criteria = { kind: 'refund', productId, ...(at === undefined ? {} : { at }) };
      return (await resolve(app, criteria)).data?.assignment.id ?? null;
    };
    const { id } = assignment;
    expect([await on('2027-02-28'), await on('2027-03-01'), await on('2027-03-31'), await on('2027-04-01')]).toEqual([
      null,
      id,
      id,
      null,
    ]);
    await patch(id, { validFrom: null, validTo: null });
    expect(await on()).toBe(id);
    await remove(id);
    expect(await on()).toBeNull();
  });
});
