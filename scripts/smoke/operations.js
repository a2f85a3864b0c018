const departures = '/v1/admin/operations/departures';
const facilities = '/v1/admin/operations/facilities';
const operators = '/v1/admin/operations/operators';

/** A place, who works there, and what departs there. */
export function operations(mark) {
  return { 'staff: operations': (service, credentials) => places(service, credentials, mark) };
}

async function places(service, { staff: { token } }, mark) {
  const port = { name: `Smoke port ${mark}`, kind: 'marina', address: { line1: 'Quay 1', line2: 'Pier 3' } };
  const { body: made } = await service.call(`POST ${facilities}`, { token, body: port, expect: 201 });
  const params = { id: made.data.id };
  const { body: moved } = await service.call(`PATCH ${facilities}/{id}`, {
    params,
    token,
    body: { address: { line2: null } },
  });
  service.same('line2 alone is cleared', [moved.data.address.line1, moved.data.address.line2], ['Quay 1', null]);
  await service.call(`GET ${facilities}`, { token, query: `?search=${mark}` });

  await operator(service, { token, mark, facilityId: params.id });
  await departure(service, { token, mark, facilityId: params.id });

  const { body: archived } = await service.call(`DELETE ${facilities}/{id}`, { params, token });
  service.same('what names the facility is told', archived.data.impact, { departures: 1, children: 0, operators: 1 });
  const { body: read } = await service.call(`GET ${facilities}/{id}`, { params, token });
  service.same('the facility is archived', read.data.status, 'archived');
}

async function operator(service, { token, mark, facilityId }) {
  const body = { name: `Smoke transfers ${mark}`, facilityId };
  const { body: made } = await service.call(`POST ${operators}`, { token, body, expect: 201 });
  const params = { id: made.data.id };
  await service.call(`PATCH ${operators}/{id}`, { params, token, body: { serviceAreas: ['Tulcea'] } });
  await service.call(`GET ${operators}/{id}`, { params, token });
  const { body: listed } = await service.call(`GET ${operators}`, { token, query: `?search=${mark}` });
  service.same('a list of operators holds data and nothing beside it', Object.keys(listed), ['data']);
}

async function departure(service, { token, mark, facilityId }) {
  const startsAt = new Date(Date.now() + 30 * 86_400_000);
  const endsAt = new Date(startsAt.getTime() + 3_600_000);
  const { body: made } = await service.call(`POST ${departures}`, {
    token,
    body: {
      productId: `smoke-${mark}`,
      startsAt: startsAt.toISOString(),
      endsAt: endsAt.toISOString(),
      timeZone: 'Europe/Bucharest',
      capacity: 10,
      priceCents: 5900,
      currency: 'EUR',
      facilityId,
    },
    expect: 201,
  });
  const params = { id: made.data.id };
  await service.call(`DELETE ${facilities}/{id}`, { params: { id: facilityId }, token, expect: 409 });
  await service.call(`PATCH ${departures}/{id}`, { params, token, body: { capacity: 12 } });
  const { body: read } = await service.call(`GET ${departures}/{id}`, { params, token });
  service.same('all units are available', read.data.available, 12);
  await service.call(`GET ${departures}`, { token, query: `?productId=smoke-${mark}` });
  await service.call(`POST ${departures}/{id}/cancellation`, { params, token });
}
