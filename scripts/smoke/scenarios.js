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
    const anew = await service.call('POST /vault/v1/{vaultSlug}/rewrap', { params, token, body: sealed.body.data });
    service.same(
      'a rewrapped ciphertext is another one',
      anew.body.data.ciphertext === sealed.body.data.ciphertext,
      false,
    );
    await service.call('POST /vault/v1/{vaultSlug}/keys', { params, token, expect: 201 });
    const { body: keys } = await service.call('GET /vault/v1/{vaultSlug}/keys', { params, token });
    service.same('a rotation has begun', keys.data[0].state, 'pending');
    const old = keys.data.find(({ state }) => state === 'decrypt_only' || state === 'disabled');
    const rotated = { params: { vaultSlug: old ? vaultSlug : 'rotated', version: String(old?.version ?? 1) }, token };
    for (const state of ['disabled', 'decrypt_only']) {
      await service.call('PATCH /vault/v1/{vaultSlug}/keys/{version}', { ...rotated, body: { state } });
    }
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
    const live = await service.call('GET /realtime/v1/channels/{channel}/events', { params, token });
    service.same(
      'the live stream is one of Server-Sent Events',
      live.headers.get('content-type'),
      'text/event-stream; charset=utf-8',
    );
  },
  data: async (service, { platformKey: token }) => {
    const { body } = await service.call('GET /data/geo/v1/reference/languages', { token });
    service.same('one call returns every language', body.data.length, body.totalCount);
    const one = { token, params: { code: 'iw' } };
    const { body: hebrew } = await service.call('GET /data/geo/v1/reference/languages/{code}', one);
    service.same('a deprecated tag leads to its code', hebrew.data.code, 'he');
    await service.call('GET /data/hotels/v1/{source}/reference/languages', { token, params: { source: 'reviewsite' } });
  },
};
