const path = '/v1/admin/distribution/inventory-allotments';
const DAY_MS = 86_400_000;

/** Units set aside for a channel, sold through it, released and given back. */
export function allotments(mark) {
  return { 'staff: inventory allotments': (service, credentials) => allotment(service, credentials, mark) };
}

async function allotment(service, { staff: { token } }, mark) {
  const { channelId, departure } = await supply(service, { token, mark });
  const { productId } = departure;
  const body = { channelId, productId, validFrom: departure.startDate, defaultQuantity: 6 };
  const { body: made } = await service.call(`POST ${path}`, { token, body, expect: 201 });
  await service.call(`POST ${path}`, { token, body, expect: 409 });
  const params = { id: made.data.id };
  await service.call(`GET ${path}`, { token, query: `?channelId=${channelId}` });
  await service.call(`GET ${path}/{id}`, { params, token });
  await service.call(`PATCH ${path}/{id}`, { params, token, body: { notes: `Smoke ${mark}` } });
  const { body: slots } = await service.call(`GET ${path}/{id}/slots`, { params, token });
  const slot = { ...params, slotId: slots.data[0].id };
  await service.call(`PATCH ${path}/{id}/slots/{slotId}`, { params: slot, token, body: { allotted: 5 } });

  const item = await sale(service, {
    ...{ token, mark, channelId },
    ...{ departureId: departure.id, allotmentId: params.id },
  });
  await service.call(`DELETE ${path}/{id}`, { params, token, expect: 409 });
  const { body: released } = await service.call(`POST ${path}/{id}/releases`, { params, token });
  service.same('what is not sold is released', released.data.units, 3);
  const cancellation = 'POST /v1/admin/bookings/{bookingId}/items/{itemId}/cancellation';
  await service.call(cancellation, { params: item, token });
  await service.call(`DELETE ${path}/{id}`, { params, token });
  const { body: left } = await service.call('GET /v1/admin/operations/departures/{id}', {
    params: { id: departure.id },
    token,
  });
  service.same('all units are back in the pool', left.data.available, 10);
}

async function supply(service, { token, mark }) {
  const channel = { name: `Smoke reseller ${mark}` };
  const { body: sold } = await service.call('POST /v1/admin/distribution/channels', {
    token,
    body: channel,
    expect: 201,
  });
  const start = Date.now() + 90 * DAY_MS;
  const body = {
    productId: `smoke-${mark}-allotted`,
    startsAt: new Date(start).toISOString(),
    endsAt: new Date(start + DAY_MS / 4).toISOString(),
    timeZone: 'Europe/Bucharest',
    capacity: 10,
    priceCents: 5900,
    currency: 'EUR',
  };
  const { body: made } = await service.call('POST /v1/admin/operations/departures', { token, body, expect: 201 });
  return { channelId: sold.data.id, departure: made.data };
}

async function sale(service, { token, mark, channelId, departureId, allotmentId }) {
  const booking = { currency: 'EUR', customerName: `Smoke ${mark}`, channelId };
  const { body: made } = await service.call('POST /v1/admin/bookings', { token, body: booking, expect: 201 });
  const params = { bookingId: made.data.id };
  const body = { type: 'unit', title: 'Seat', quantity: 2, unitSellCents: 5900, departureId, allotmentId };
  const { body: item } = await service.call('POST /v1/admin/bookings/{bookingId}/items', {
    params,
    token,
    body,
    expect: 201,
  });
  service.same('the day is that of the departure', typeof item.data.serviceDate, 'string');
  return { ...params, itemId: item.data.id };
}
