// @ts-check
/** @typedef {import('./caller.js').Call} Call @typedef {import('./world.js').World} World */

export const CHANNELS = '/v1/admin/distribution/channels';
export const INVOICES = '/v1/admin/finance/supplier-invoices';
const CONTRACTS = '/v1/admin/legal/contracts';

/** Requests to each surface in turn, all of which need the database. @param {World} world @returns {(n: number) => Call} */
export function everySurface({ credentials }) {
  const staff = { token: credentials.staff.token };
  const platform = { token: credentials.platformKey };
  const calls = [
    () => ({ ...staff, path: `${CHANNELS}?limit=5` }),
    () => ({ ...staff, method: 'POST', path: CONTRACTS, body: { title: 'In a fault', body: '<p>Hello</p>' } }),
    () => ({ ...platform, path: '/connect/v1/connector-providers' }),
    () => ({
      ...platform,
      method: 'POST',
      path: '/realtime/v1/channels/chaos/messages',
      body: { event: 'x', data: {} },
    }),
    () => ({ ...platform, path: '/realtime/v1/channels/chaos/messages' }),
    () => ({ path: `/v1/public/legal/contracts/${credentials.demo.contractId}` }),
  ];
  return (n) => /** @type {() => Call} */ (calls[n % calls.length])();
}

/** A small list for staff. @param {World} world @returns {() => Call} */
export function listing({ credentials }) {
  return () => ({ token: credentials.staff.token, path: `${CHANNELS}?limit=5` });
}
