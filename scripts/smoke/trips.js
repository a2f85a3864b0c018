const departures = '/v1/admin/operations/departures';
const path = '/v1/admin/trips';

/** A trip from its first component to its booking, and one that is cancelled. */
export function trips(mark) {
  return { 'staff: trips': (service, credentials) => trip(service, credentials, mark) };
}

async function trip(service, { staff: { token } }, mark) {
  const departure = {
    productId: `smoke-${mark}`,
    startsAt: '2030-05-12T07:00:00Z',
    endsAt: '2030-05-12T16:00:00Z',
    timeZone: 'Europe/Bucharest',
    capacity: 3,
    priceCents: 5900,
    currency: 'EUR',
  };
  const { body: boat } = await service.call(`POST ${departures}`, { token, body: departure, expect: 201 });
  const seats = { kind: 'catalog_booking', title: 'Boat', quantity: 2, departureId: boat.data.id };

  const params = await draft(service, { token, mark, component: seats });
  await service.call(`POST ${path}/{envelopeId}/pricing`, { params, token });
  const { body: reserved } = await service.call(`POST ${path}/{envelopeId}/reserve`, { params, token });
  service.same('the trip is reserved', [reserved.data.status, reserved.data.totalCents], ['reserved', 11_800]);

  const second = await draft(service, { token, mark, component: seats });
  await service.call(`POST ${path}/{envelopeId}/reserve`, { params: second, token, expect: 409 });
  await service.call(`POST ${path}/{envelopeId}/cancellation`, { params: second, token });

  const { body: booked } = await service.call(`POST ${path}/{envelopeId}/booking`, { params, token });
  service.same('the trip is booked', booked.data.status, 'booked');
  const { body: sold } = await service.call(`GET ${departures}/{id}`, { params: { id: boat.data.id }, token });
  service.same('its seats are sold', [sold.data.sold, sold.data.held], [2, 0]);
  await service.call(`GET ${path}`, { token, query: `?search=${mark}&status=booked` });
}

async function draft(service, { token, mark, component }) {
  const person = { name: 'Ada Lovelace', email: 'ada@example.com' };
  const travelerParty = { billing: person, travelers: [{ name: person.name }] };
  const body = { title: `Smoke ${mark}`, currency: 'EUR', travelerParty };
  const { body: made } = await service.call(`POST ${path}`, { token, body, expect: 201 });
  const params = { envelopeId: made.data.envelopeId };
  await service.call(`PATCH ${path}/{envelopeId}`, { params, token, body: { title: `Smoked ${mark}` } });

  const { body: added } = await service.call(`POST ${path}/{envelopeId}/components`, {
    params,
    token,
    body: component,
    expect: 201,
  });
  const guide = { kind: 'manual_placeholder', title: 'Guide', unitPriceCents: 100 };
  const { body: extra } = await service.call(`POST ${path}/{envelopeId}/components`, {
    params,
    token,
    body: guide,
    expect: 201,
  });
  const at = (data) => ({ ...params, componentId: data.componentId });
  const one = `${path}/{envelopeId}/components/{componentId}`;
  await service.call(`PATCH ${one}`, { params: at(added.data), token, body: { title: 'Boat in the morning' } });
  await service.call(`DELETE ${one}`, { params: at(extra.data), token });
  await service.call(`GET ${path}/{envelopeId}`, { params, token });
  return params;
}
