import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { serviceProgram } from '../../scripts/service.js';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import { startApp, type TestApp } from '../setup/app.js';

const STARTUP_MS = 120_000;

let app: TestApp;
let service: ServiceProcess;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  service = await ServiceProcess.start({ EMBEDDER: 'none' });
}, STARTUP_MS);
afterAll(endAll);

describe('the bundle of the service', () => {
  it('`npm start` runs the bundle', () => {
    expect(serviceProgram()).toBe(join(process.cwd(), 'dist/service/start.cjs'));
  });

  it('the bundle keeps the names of classes: its API document is that of the modules', async () => {
    const [bundled, modules] = await Promise.all([
      service.get('/openapi.json').then((response) => response.json()),
      app.as('owner').get('/openapi.json'),
    ]);
    expect(bundled).toEqual(modules.body);
  });

  it('the bundle transforms inherited members: an update accepts what a creation accepts, and a list of the values of another', async () => {
    const staff = { Authorization: `Bearer ${app.credentials.staff.token}`, 'Content-Type': 'application/json' };
    const send = (method: string, path: string, body: object) =>
      fetch(`${service.url}${path}`, { method, headers: staff, body: JSON.stringify(body) });
    const created = await send('POST', '/v1/admin/bookings', {
      currency: 'EUR',
      customerName: 'Ada',
      customerEmail: '',
    });
    expect(created.status).toBe(201);
    const path = created.headers.get('location') ?? '';
    const changed = await send('PATCH', path, { customerEmail: '', customerName: ' Ada ' });
    expect([changed.status, await changed.json()]).toMatchObject([
      200,
      { data: { customerEmail: null, customerName: 'Ada' } },
    ]);
    const partner = { headers: { Authorization: `Bearer ${app.credentials.platformKey}` } };
    expect((await fetch(`${service.url}/connect/v1/departures?salesState=open,closed`, partner)).status).toBe(200);
  });

  it.each(['/docs', '/docs/init.js', '/data/geo/v1/reference/languages', '/health/ready'])(
    'the bundle finds the files of %s',
    async (path) => expect((await service.get(path)).status).toBe(200),
  );
});
