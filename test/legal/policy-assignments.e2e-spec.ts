import { beforeAll, describe, expect, it } from '@jest/globals';
import { insisting } from '../bookings/bookings.js';
import { change, invalid, newChannel, NOT_FOUND, errorBody } from '../distribution/channels.js';
import { Provisioning } from '../../src/platform/provisioning/provisioning.js';
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
  newPolicy,
  published,
  readAssignment,
  databaseErrorOf,
} from './policies.js';

const UNKNOWN = 'pasn_01k0dem000e000000000099999';
const OVERLAP = {
  code: 'policy_assignment_overlap',
  error: 'The validity period overlaps that of another assignment with the same kind, target and priority',
};

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

const create = (body: object) => insisting(() => staff.post<Answered<Assignment>['body']>(ASSIGNMENTS, body));
const patch = (id: string, body: object, headers = {}) =>
  staff.patch<Answered<Assignment>['body']>(`${ASSIGNMENTS}/${id}`, body, { headers });

describe('an assignment', () => {
  it('an assignment has the kind of its policy, and by default no end, no start and priority 0', async () => {
    const { id: policyId, kind } = await newPolicy(app, { kind: 'guarantee' });
    const product = aProduct();

    const answer = await create({ policyId, ...product });

    const { data } = answer.body;
    expect(answer.status).toBe(201);
    expect(answer.headers['location']).toBe(`${ASSIGNMENTS}/${data.id}`);
    expect(data).toEqual({
      id: expect.stringMatching(/^pasn_/),
      policyId,
      kind,
      ...product,
      validFrom: null,
      validTo: null,
      priority: 0,
      locked: false,
      removedAt: null,
      removedBy: null,
      version: 1,
      createdAt: data.createdAt,
      updatedAt: data.createdAt,
    });
    expect(await readAssignment(app, data.id)).toEqual(data);
    expect(await eventsOf(app, 'assignmentId', data.id)).toEqual(['policy_assignment.created']);
  });

  it.each([
    ['global', 'x', 'targetId must be null if the scope is global'],
    ['product', null, 'targetId is required if the scope is product'],
    ['channel', undefined, 'targetId is required if the scope is channel'],
  ])('an assignment of scope %s for %s is 400', async (scope, targetId, message) => {
    const { id: policyId } = await newPolicy(app);
    const answer = await create({ policyId, scope, targetId });
    expect([answer.status, answer.body]).toEqual([
      400,
      invalid(answer, [{ path: 'targetId', message, code: 'target_of_scope' }]),
    ]);
  });

  it('an end before the start of an assignment is 400 at creation and at an update', async () => {
    const { id: policyId } = await newPolicy(app);
    const { id } = await assign(app, policyId, { ...aProduct(), validFrom: '2027-03-01' });
    const made = await create({ policyId, ...aProduct(), validFrom: '2027-03-01', validTo: '2027-02-28' });
    const changed = await patch(id, { validTo: '2027-02-28' });
    const issue = { path: 'validTo', message: 'validTo must not be before validFrom', code: 'end_before_start' };
    for (const answer of [made, changed]) {
      expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
    }
    expect(await readAssignment(app, id)).toMatchObject({ validTo: null, version: 1 });
  });

  it('an unknown policy or channel of an assignment is 404 with the field, an archived channel 409', async () => {
    const { id: policyId } = await newPolicy(app);
    const { id: archived } = await newChannel(app);
    await change(staff, archived, { status: 'archived' });
    const cases: [object, number, object][] = [
      [
        { policyId: 'pol_01k0dem000e000000000099999', scope: 'global' },
        404,
        { ...NOT_FOUND, details: { field: 'policyId' } },
      ],
      [{ policyId: 'nothing', scope: 'global' }, 404, { ...NOT_FOUND, details: { field: 'policyId' } }],
      [
        { policyId, scope: 'channel', targetId: 'chan_01k0dem000e000000000099999' },
        404,
        { ...NOT_FOUND, details: { field: 'targetId' } },
      ],
      [
        { policyId, scope: 'channel', targetId: archived },
        409,
        { code: 'channel_archived', error: 'The channel is archived', details: { field: 'targetId' } },
      ],
    ];
    for (const [body, status, expected] of cases) {
      const answer = await create(body);
      expect([answer.status, answer.body]).toEqual([
        status,
        errorBody(answer, expected as Parameters<typeof errorBody>[1]),
      ]);
    }
  });

  it('an overlap of assignments with the same kind, scope, target and priority is 409', async () => {
    const { policy: mine } = await published(app);
    const { policy: other } = await published(app);
    const product = aProduct();
    await assign(app, mine.id, { ...product, validFrom: '2027-01-01', validTo: '2027-06-30' });

    const same = await create({ policyId: other.id, ...product, validFrom: '2027-06-30' });
    expect([same.status, same.body]).toEqual([409, errorBody(same, OVERLAP)]);

    const later = await assign(app, other.id, { ...product, validFrom: '2027-07-01' });
    const higher = await assign(app, other.id, { ...product, priority: 1 });
    const { id: another } = await newPolicy(app, { kind: 'payment' });
    await assign(app, another, product);
    await assign(app, other.id, { ...aProduct() });

    for (const [id, body] of [
      [later.id, { validFrom: null }],
      [higher.id, { priority: 0 }],
    ] as const) {
      const answer = await patch(id, body);
      expect([answer.status, answer.body]).toEqual([409, errorBody(answer, OVERLAP)]);
    }
    expect(await readAssignment(app, later.id)).toEqual(later);
  });

  it('two global assignments overlap', async () => {
    const { id: policyId } = await newPolicy(app, { kind: 'other' });
    await assign(app, policyId, { scope: 'global', priority: 77 });
    const again = await create({ policyId, scope: 'global', priority: 77 });
    expect([again.status, again.body]).toEqual([409, errorBody(again, OVERLAP)]);
  });

  it('ten concurrent requests create one assignment of a policy', async () => {
    const { id: policyId } = await newPolicy(app);
    const body = { policyId, ...aProduct() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it('only validity and priority of an assignment can be changed', async () => {
    const { id: policyId } = await newPolicy(app);
    const before = await assign(app, policyId, aProduct());
    const changes = { validFrom: '2027-01-01', validTo: '2027-12-31', priority: -3 };
    const answer = await patch(before.id, changes);
    const { updatedAt } = answer.body.data;
    expect([answer.status, answer.body.data]).toEqual([200, { ...before, ...changes, version: 2, updatedAt }]);
    const cleared = await patch(before.id, { validFrom: null, validTo: null });
    expect(cleared.body.data).toMatchObject({ validFrom: null, validTo: null, priority: -3 });
    expect((await patch(before.id, { scope: 'global' })).status).toBe(400);
    expect((await patch(before.id, { priority: 1 }, { 'If-Match': '"2"' })).status).toBe(412);
    expect((await patch(UNKNOWN, { priority: 1 })).status).toBe(404);
  });

  it('assignments are filtered by policy, scope and target', async () => {
    const { id: policyId } = await newPolicy(app);
    const [first, second] = [await assign(app, policyId, aProduct()), await assign(app, policyId, aProduct())];
    const list = async (query: string) => {
      const { body } = await staff.get<{ data: Assignment[]; total: number }>(`${ASSIGNMENTS}?${query}`);
      return [body.total, body.data.map(({ id }) => id)];
    };
    expect(await list(`policyId=${policyId}`)).toEqual([2, [second.id, first.id]]);
    expect(await list(`scope=product&targetId=${first.targetId}`)).toEqual([1, [first.id]]);
    expect(await list(`policyId=${policyId}&scope=channel`)).toEqual([0, []]);
  });
});

describe('the table of assignments', () => {
  it.each([
    ['policy_assignments_target', `scope = 'global'`],
    ['policy_assignments_target', 'target_id = null'],
    ['policy_assignments_policy', `kind = 'payment'`],
    ['policy_assignments_channel', `scope = 'channel'`],
    ['policy_assignments_validity', `valid_from = '2027-01-02', valid_to = '2027-01-01'`],
    ['policy_assignments_removal', 'removed_at = now()'],
    ['policy_assignments_locked_stays', `locked = true, removed_at = now(), removed_by = 'x'`],
  ])('the assignments table rejects with the constraint %s: %s', async (constraint, set) => {
    const { assignment } = await assigned(app, 'cancellation', aProduct());
    expect(await databaseErrorOf(app, `update policy_assignments set ${set} where id = $1`, [assignment.id])).toBe(
      constraint,
    );
  });
});

describe('an assignment that is provisioned', () => {
  const provision = (row: object) => app.nest.get(Provisioning).apply({ policyAssignments: [row] });
  const actionsOf = async (id: string) => (await entriesOf(app, id)).map(({ action }) => action);

  it('a provisioned assignment is locked, and another run changes only the members of its row', async () => {
    const { id: policyId, slug } = await newPolicy(app);
    const row = { policy: slug, ...aProduct(), validFrom: '2027-01-01' };
    await provision(row);
    await provision(row);
    const { body } = await staff.get<{ data: Assignment[] }>(`${ASSIGNMENTS}?policyId=${policyId}`);
    const [made] = body.data;
    expect(body.data).toMatchObject([{ locked: true, validFrom: '2027-01-01', validTo: null, priority: 0 }]);
    expect(await actionsOf(made?.id ?? '')).toEqual(['legal.policy_assignment.create']);

    await provision({ ...row, validFrom: undefined, validTo: '2027-12-31' });
    const after = await readAssignment(app, made?.id ?? '');
    expect(after).toEqual({ ...made, validTo: '2027-12-31', version: 2, updatedAt: after.updatedAt });
  });

  it('provisioning locks an assignment that staff created', async () => {
    const { policy, assignment: before } = await assigned(app, 'cancellation', aProduct());
    const { scope, targetId } = before;
    await provision({ policy: policy.slug, scope, targetId });
    const after = await readAssignment(app, before.id);
    expect(after).toEqual({ ...before, locked: true, version: 2, updatedAt: after.updatedAt });
  });

  it('provisioning requires an existing policy', async () => {
    const error = 'policyAssignments: there is no policy no-such-policy';
    await expect(provision({ policy: 'no-such-policy', scope: 'global' })).rejects.toThrow(error);
  });
});
