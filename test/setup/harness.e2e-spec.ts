import { describe, expect, it } from '@jest/globals';
import { Listeners } from '../../src/platform/discovery/listeners.js';
import { conflict } from '../../src/platform/errors/app-error.js';
import { BookingListener } from '../../src/modules/bookings/index.js';
import { startApp } from './app.js';

describe('the test harness', () => {
  it('the test harness starts the built service as a role that is not a superuser', async () => {
    const app = await startApp();

    const [role] = await app.sql('select rolsuper from pg_roles where rolname = current_user');

    expect(role).toEqual({ rolsuper: false });
    expect((await app.get('/health/live')).status).toBe(200);
  });

  it('the test harness receives the error body of an unknown route, and its request id', async () => {
    const app = await startApp();

    const { status, body, headers } = await app.get('/foo', { headers: { 'X-Request-Id': 'asked-by-a-test' } });

    expect(status).toBe(404);
    expect(body).toEqual({ error: expect.any(String), code: 'not_found', requestId: 'asked-by-a-test' });
    expect(headers['x-request-id']).toBe('asked-by-a-test');
  });

  it('the test harness runs two applications on one database, each with a clock of its own', async () => {
    const [here, later] = [await startApp(), await startApp()];

    later.travel({ days: 2 });

    const [a, b] = [here, later].map((app) => app.now().getTime());
    expect(Math.round(((b ?? 0) - (a ?? 0)) / 3_600_000)).toBe(48);
  });

  it('the test harness reads the log of the service', async () => {
    const app = await startApp({ env: { LOG_LEVEL: 'info' } });

    await app.get('/foo', { headers: { 'X-Request-Id': 'asked-by-a-test' } });

    expect(app.logs.filter((line) => line.includes('asked-by-a-test'))).not.toEqual([]);
  });

  it('the test harness fails a test on an error code that the route does not declare', async () => {
    const app = await startApp();
    const owner = app.as('owner');
    let code = 'booking_not_priced';
    app.nest.get(Listeners).add(BookingListener, 1_000, {
      confirmed: () => Promise.reject(conflict(code, 'Planted')),
    });
    const { body } = await owner.get<{ data: { id: string }[] }>('/v1/admin/bookings?status=draft');
    const confirm = () => owner.post(`/v1/admin/bookings/${body.data[0]?.id ?? ''}/confirmation`);

    expect((await confirm()).status).toBe(409);
    code = 'capacity_exceeded';
    await expect(confirm()).rejects.toThrow(/confirmation answered 409[^]*\/code must be .*allowed values/);
  });
});
