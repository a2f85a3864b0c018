import { beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { hire, SESSIONS, uniqueEmail } from './staff.js';

const FLOOD = 300;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { TRUSTED_PROXIES: '127.0.0.1,::1' } });
});

function logIn(address: string, body: object) {
  return app.post(SESSIONS, body, { headers: { 'X-Forwarded-For': address } });
}

function statusCounts(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

it('a flood of logins from one address gets 429, and does not stop the login of a user elsewhere', async () => {
  const { user, password } = await hire(app, ['viewer']);
  const wrong = () => logIn('192.0.2.1', { email: uniqueEmail(), password: 'not the password' });
  const flood = Promise.all(Array.from({ length: FLOOD }, wrong));
  const statuses: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const answer = await logIn('198.51.100.1', { email: user.email, password });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual(Array(5).fill(201));
  const counts = statusCounts(await flood);
  expect(Object.keys(counts)).toEqual(['401', '429']);
  expect(counts[429]).toBeGreaterThan(FLOOD / 2);
});

it('users behind one address who log in at the same time all succeed', async () => {
  const members = await Promise.all(Array.from({ length: 20 }, () => hire(app, ['viewer'])));
  const answers = await Promise.all(
    members.map(({ user, password }) => logIn('192.0.2.2', { email: user.email, password })),
  );
  expect(statusCounts(answers)).toEqual({ 201: 20 });
});
