import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { RejectedLoginJobs } from '../../src/modules/identity/sessions/rejected-logins.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { challengeOf, continueLogin, hireProtected, wrongCode } from './second-factor.js';
import { forgetFailures, hire, SESSIONS, uniqueEmail } from './staff.js';

interface Entry {
  actor_type: string;
  after: { hour: string; count: number; wrongPasswords: number; wrongCodes: number };
}

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { SCHEDULED_JOBS: 'false', LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.1,::1' } });
});
beforeEach(() => forgetFailures(app));

const record = () => asSystem(() => app.nest.get(RejectedLoginJobs, { strict: false }).record());
const reject = (email: string) => app.post(SESSIONS, { email, password: 'a wrong password' });
const entriesOf = (userId: string) =>
  app.sql<Entry>(
    `select e.actor_type, p.after from action_ledger_entries e join ledger_payloads p on p.entry_id = e.id
     where e.action = 'identity.session.reject' and e.subject_id = $1 order by e.sequence`,
    [userId],
  );

/** Moves the clock to the first second of the next hour, so that the rejections of a test are in one hour. */
function travelToHour(): string {
  const hour = Math.ceil(app.now().getTime() / 3_600_000) * 3_600_000;
  app.travel({ ms: hour - app.now().getTime() + 1_000 });
  return new Date(hour).toISOString();
}

describe('rejected logins in the ledger', () => {
  it('rejected logins are one entry per account and hour with their number, after the hour has ended', async () => {
    const [member, other] = [await hireProtected(app, ['viewer']), await hire(app, ['viewer'])];
    const hour = travelToHour();
    for (let i = 0; i < 3; i += 1) await reject(member.user.email);
    const challengeId = await challengeOf(app, member);
    await continueLogin(app, { challengeId, code: wrongCode(app, member.secret) });
    await reject(other.user.email);
    await record();
    expect(await entriesOf(member.user.id)).toEqual([]);

    const next = travelToHour();
    await reject(other.user.email);
    await record();
    await record();
    const counted = { hour, count: 4, wrongPasswords: 3, wrongCodes: 1 };
    expect(await entriesOf(member.user.id)).toEqual([{ actor_type: 'system', after: counted }]);
    travelToHour();
    await record();
    expect((await entriesOf(other.user.id)).map(({ after }) => [after.hour, after.count])).toEqual([
      [hour, 1],
      [next, 1],
    ]);
    expect(await entriesOf(member.user.id)).toHaveLength(1);
  });

  it('rejected logins of an hour are recorded once by several processes at the same time', async () => {
    const { user } = await hire(app, ['viewer']);
    travelToHour();
    await reject(user.email);
    travelToHour();
    await Promise.all([record(), record(), record(), record()]);
    expect(await entriesOf(user.id)).toHaveLength(1);
  });

  it('rejected logins of hours in which no process ran are recorded later, each hour by itself', async () => {
    const { user } = await hire(app, ['viewer']);
    const hours = [travelToHour()];
    await reject(user.email);
    hours.push(travelToHour());
    await reject(user.email);
    app.travel({ hours: 5 });
    await record();
    expect((await entriesOf(user.id)).map(({ after }) => after.hour)).toEqual(hours);
  });

  it('rejected logins with an unknown address are logged, without an entry and without the address', async () => {
    const email = uniqueEmail();
    travelToHour();
    await record();
    const count = async () =>
      (await app.sql(`select from action_ledger_entries where action = 'identity.session.reject'`)).length;
    const before = await count();
    await reject(email);
    travelToHour();
    await record();
    expect(await count()).toBe(before);
    expect(app.logs.some((line) => line.includes('login rejected') && line.includes('"userId":null'))).toBe(true);
    expect(app.logs.join()).not.toContain(email);
  });

  it('the log lines of a rejected login, of its request and of a request that cannot be parsed have the address of the client', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.7' };
    const wrong = { email: uniqueEmail(), password: 'wrong' };
    const { headers: answer } = await app.post(SESSIONS, wrong, { headers });
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.end('no HTTP\r\n\r\n'));
    await once(socket.resume(), 'close');
    const lines = app.logs.map(
      (line) => JSON.parse(line) as { msg: string; clientAddress?: string; requestId?: string },
    );
    const own = lines.filter(({ requestId }) => requestId === answer['x-request-id']);
    const unreadable = lines.filter(({ msg }) => msg === 'a request could not be parsed');
    expect([...own, ...unreadable].map(({ msg, clientAddress }) => [msg, clientAddress])).toEqual([
      ['login rejected', '203.0.113.7'],
      ['request completed', '203.0.113.7'],
      ['a request could not be parsed', '127.0.0.1'],
    ]);
  });
});
