import { randomUUID } from 'node:crypto';
import { allotments } from './allotments.js';
import { bookings } from './bookings.js';
import { catalog } from './catalog.js';
import { collecting } from './collecting.js';
import { commissions } from './commissions.js';
import { connect } from './connect.js';
import { invoicing } from './invoicing.js';
import { ledger } from './ledger.js';
import { operations } from './operations.js';
import { policyTerms } from './policies.js';
import { reminders } from './reminders.js';
import { staff } from './staff.js';
import { trips } from './trips.js';

/** A mark by which this run's rows differ from every other run's. */
const mark = randomUUID().slice(0, 8);

export const scenarios = {
  'health and documents': async (service) => {
    const page = await fetch(`${service.url}/docs`);
    service.same(
      'Swagger UI answers',
      [page.status, page.headers.get('content-type')?.split(';')[0]],
      [200, 'text/html'],
    );
    for (const path of ['live', 'ready']) {
      const { status } = await (await fetch(`${service.url}/health/${path}`)).json();
      service.same(`health/${path}`, status, 'ok');
    }
  },
  ...staff(mark),
  ...bookings(mark),
  ...collecting(mark),
  ...commissions(mark),
  ...invoicing(mark),
  ...catalog(mark),
  ...operations(mark),
  ...ledger(mark),
  ...allotments(mark),
  ...policyTerms(mark),
  ...reminders(mark),
  ...trips(mark),
  ...connect(mark),
  vault: async (service, { platformKey: token, vaultSlug }) => {
    const params = { vaultSlug };
    const plaintext = `P1234567 ${mark} 🛂`;
    const sealed = await service.call('POST /vault/v1/{vaultSlug}/encrypt', { params, token, body: { plaintext } });
    const opened = await service.call('POST /vault/v1/{vaultSlug}/decrypt', { params, token, body: sealed.body.data });
    service.same('what was encrypted comes back', opened.body.data.plaintext, plaintext);
  },
  realtime: async (service, { platformKey: token }) => {
    const params = { channel: `smoke.${mark}` };
    const path = '/realtime/v1/channels/{channel}/messages';
    const data = { hello: ['wörld', null, 1.5] };
    const first = await service.call(`POST ${path}`, { params, token, body: { event: 'greeting', data }, expect: 201 });
    await service.call(`POST ${path}`, { params, token, body: { event: 'farewell' }, expect: 201 });
    const all = await service.call(`GET ${path}`, { params, token });
    service.same(
      'history is oldest first',
      all.body.map(({ event }) => event),
      ['greeting', 'farewell'],
    );
    service.same('data comes back unchanged', all.body[0].data, data);
    const later = await service.call(`GET ${path}`, { params, token, query: `?sinceId=${first.body.data.id}` });
    service.same(
      'sinceId continues after a message',
      later.body.map(({ event }) => event),
      ['farewell'],
    );
  },
  data: async (service, { platformKey: token }) => {
    const { body } = await service.call('GET /data/geo/v1/reference/languages', { token });
    service.same('one call returns every language', body.data.length, body.totalCount);
    await service.call('GET /data/hotels/v1/{source}/reference/languages', { token, params: { source: 'reviewsite' } });
  },
};
