import { beforeAll, describe, expect, it } from '@jest/globals';
import { entryOf, reversed } from '../action-ledger/reversals.js';
import { addItem, invalid, makeBooking, type One, type Page, problem, staffWith } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { hire, USERS } from '../identity/staff.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { DepartureMinimumsService } from '../../src/modules/operations/departures/departure-minimums.service.js';
import { TasksService } from '../../src/modules/desk/tasks/tasks.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newTask, type Task, TASKS } from './tasks.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function listed(query: string, client = owner): Promise<string[]> {
  const { status, body } = await client.get<Page<Task>>(`${TASKS}?${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }) => id);
}

describe('tasks', () => {
  it('a task names its record and its assignee, and is done, opened again and dismissed', async () => {
    const booking = await makeBooking(owner);
    const { user } = await hire(app, ['sales']);
    const task = await newTask(owner, {
      ...{ dueOn: '2127-05-10', assigneeId: user.id, subjectType: 'booking', subjectId: booking.id },
    });
    expect(task).toMatchObject({
      ...{ title: 'Call back', dueOn: '2127-05-10', assigneeId: user.id, assigneeName: 'Test Member', version: 1 },
      ...{ subjectTitle: booking.number, status: 'open', source: 'staff', closedAt: null },
    });
    const change = async (status: string) =>
      (await owner.patch<One<Task>>(`${TASKS}/${task.id}`, { status })).body.data;
    expect(await change('done')).toMatchObject({ status: 'done', closedAt: expect.any(String) });
    expect(await change('open')).toMatchObject({ status: 'open', closedAt: null });
    expect(await change('dismissed')).toMatchObject({ status: 'dismissed', closedAt: expect.any(String) });
  });

  it('an update is reversed with all its members', async () => {
    const task = await newTask(owner, { dueOn: '2127-05-10' });
    await owner.patch(`${TASKS}/${task.id}`, { title: 'Write', dueOn: null, status: 'done' });
    await reversed(app, task.id, 'desk.task.update');
    const { body } = await owner.get<One<Task>>(`${TASKS}/${task.id}`);
    expect(body.data).toMatchObject({ title: 'Call back', dueOn: '2127-05-10', status: 'open', closedAt: null });
  });

  it('a record needs its kind and its ID, and must exist', async () => {
    const body = { title: 'Call back', subjectType: 'booking' };
    const half = await owner.post(TASKS, body);
    expect([half.status, half.body]).toEqual([400, invalid('subjectId', 'required')]);
    const unknown = await owner.post(TASKS, { ...body, subjectId: 'book_01k0dem000e000000000009999' });
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found', { field: 'subjectId' })]);
  });

  it('an assignee is an active user', async () => {
    const { user } = await hire(app, ['sales']);
    const task = await newTask(owner);
    expect((await owner.patch(`${USERS}/${user.id}`, { active: false })).status).toBe(200);
    const inactive = [422, problem('assignee_inactive', { field: 'assigneeId' })];
    const posted = await owner.post(TASKS, { title: 'Call back', assigneeId: user.id });
    expect([posted.status, posted.body]).toEqual(inactive);
    const patched = await owner.patch(`${TASKS}/${task.id}`, { assigneeId: user.id });
    expect([patched.status, patched.body]).toEqual(inactive);
    const unknown = await owner.post(TASKS, { title: 'Call back', assigneeId: 'user_01k0dem000e000000000009999' });
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found', { field: 'assigneeId' })]);
  });

  it('a list is filtered by assignee, record, status, source and day, and sorted', async () => {
    const { user } = await hire(app, ['sales']);
    const { id: subjectId } = await makeBooking(owner);
    const assigneeId = user.id;
    const late = await newTask(owner, { assigneeId, dueOn: '2127-06-02' });
    const soon = await newTask(owner, { assigneeId, dueOn: '2127-06-01', subjectType: 'booking', subjectId });
    const open = await newTask(owner, { assigneeId });
    await owner.patch(`${TASKS}/${late.id}`, { status: 'done' });
    const own = `assigneeId=${assigneeId}`;
    expect(await listed(own)).toEqual([open.id, soon.id, late.id]);
    expect(await listed(`${own}&sort=dueOn`)).toEqual([soon.id, late.id, open.id]);
    expect(await listed(`${own}&sort=-dueOn`)).toEqual([late.id, soon.id, open.id]);
    expect(await listed(`${own}&status=open`)).toEqual([open.id, soon.id]);
    expect(await listed(`${own}&status=open,done`)).toHaveLength(3);
    expect(await listed(`${own}&dueTo=2127-06-01`)).toEqual([soon.id]);
    expect(await listed(`${own}&dueFrom=2127-06-02`)).toEqual([late.id]);
    expect(await listed(`subjectId=${subjectId}`)).toEqual([soon.id]);
    expect(await listed(`${own}&subjectType=booking`)).toEqual([soon.id]);
    expect(await listed(`${own}&source=minimum_not_reached`)).toEqual([]);
  });

  it('a task about a record needs the scopes of the record, and one without needs none but its own', async () => {
    const { id: subjectId } = await newCustomer(app);
    const subject = { subjectType: 'customer', subjectId };
    const [hidden, shown] = [await newTask(owner, subject), await newTask(owner)];
    const reader = await staffWith(app, 'desk:read', 'desk:write');
    const missing = (requiredScope: string) => [403, problem('forbidden', { requiredScope })];
    expect(await listed('', reader)).toContain(shown.id);
    expect(await listed('', reader)).not.toContain(hidden.id);
    const list = await reader.get(`${TASKS}?subjectType=customer`);
    expect([list.status, list.body]).toEqual(missing('customers:read'));
    const read = await reader.get(`${TASKS}/${hidden.id}`);
    expect([read.status, read.body]).toEqual(missing('customers:read'));
    const answers = [
      await reader.post(TASKS, { title: 'x', ...subject }),
      await reader.patch(`${TASKS}/${hidden.id}`, { status: 'done' }),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => missing('customers:write')));
    expect((await reader.patch(`${TASKS}/${shown.id}`, { status: 'done' })).status).toBe(200);
  });

  it('tasks about a customer move with a merge and back with its reversal', async () => {
    const [survivor, duplicate] = [await newCustomer(app), await newCustomer(app)];
    const task = await newTask(owner, { subjectType: 'customer', subjectId: duplicate.id });
    const merged = await owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] });
    expect(merged.status).toBe(200);
    expect(await listed(`subjectId=${survivor.id}`)).toEqual([task.id]);
    await reversed(app, survivor.id, 'customers.customer.merge');
    expect(await listed(`subjectId=${duplicate.id}`)).toEqual([task.id]);
  });
});

describe('tasks that the service raises', () => {
  async function undecided(): Promise<string> {
    const decideBy = new Date(app.now().getTime() - 1_000).toISOString();
    const { id } = await newDeparture(app, { minParticipants: 2, decideBy });
    await asSystem(() => app.nest.get(DepartureMinimumsService).reportMissed());
    return id;
  }

  async function tasksOf(departureId: string): Promise<Task[]> {
    return (await owner.get<Page<Task>>(`${TASKS}?subjectId=${departureId}&sort=createdAt`)).body.data;
  }

  it('a departure that has not reached its minimum raises one task, which is done when the minimum is reached', async () => {
    const id = await undecided();
    await asSystem(() => app.nest.get(DepartureMinimumsService).reportMissed());
    const tasks = await tasksOf(id);
    expect(tasks).toMatchObject([
      {
        subjectType: 'departure',
        source: 'minimum_not_reached',
        status: 'open',
        dueOn: app.day(),
        createdBy: 'system',
      },
    ]);
    expect(await entryOf(app, tasks[0]?.id ?? '', 'desk.task.raise')).toBeDefined();

    const booking = await makeBooking(owner);
    await addItem(owner, booking.id, { departureId: id, quantity: 2 });
    expect((await owner.post(`/v1/admin/bookings/${booking.id}/confirmation`)).status).toBe(200);
    expect(await tasksOf(id)).toMatchObject([{ status: 'done', closedAt: expect.any(String) }]);
  });

  it.each(['guarantee', 'cancellation'])('the task is done after the %s of the departure', async (decision) => {
    const id = await undecided();
    expect((await owner.post(`${DEPARTURES}/${id}/${decision}`)).status).toBe(200);
    expect(await tasksOf(id)).toMatchObject([{ status: 'done' }]);
  });

  it('a dismissed task is not raised again before its cause has ended, and a new decision raises another one', async () => {
    const id = await undecided();
    const [task] = await tasksOf(id);
    await owner.patch(`${TASKS}/${task?.id ?? ''}`, { status: 'dismissed' });
    expect((await owner.post(`${DEPARTURES}/${id}/sales-closing`)).status).toBe(200);
    expect(await tasksOf(id)).toMatchObject([{ status: 'dismissed' }]);

    const decideBy = new Date(app.now().getTime() - 500).toISOString();
    expect((await owner.patch(`${DEPARTURES}/${id}`, { decideBy })).status).toBe(200);
    await asSystem(() => app.nest.get(DepartureMinimumsService).reportMissed());
    expect(await tasksOf(id)).toMatchObject([{ status: 'dismissed' }, { status: 'open' }]);
  });

  it('a cause that several transactions report at the same time raises one task', async () => {
    const { id } = await newDeparture(app);
    const cause = {
      ...({ source: 'minimum_not_reached', dedupeKey: id, title: 'Decide', dueOn: null } as const),
      subject: { subjectType: 'departure', subjectId: id } as const,
    };
    const raise = () =>
      asSystem(() => app.nest.get(Database).transaction(() => app.nest.get(TasksService).raise(cause)));
    await Promise.all([raise(), raise(), raise(), raise()]);
    expect(await tasksOf(id)).toHaveLength(1);
  });
});
