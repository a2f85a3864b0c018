const path = '/v1/admin/bookings';

/** A booking from its first item to its end. */
export function bookings(mark) {
  return { 'staff: bookings': (service, credentials) => booking(service, credentials, mark) };
}

async function booking(service, { staff: { token } }, mark) {
  const body = { currency: 'EUR', customerName: `Smoke ${mark}`, startDate: '2027-05-12' };
  const { body: made } = await service.call(`POST ${path}`, { token, body, expect: 201 });
  const params = { bookingId: made.data.id };
  await service.call(`POST ${path}/{bookingId}/confirmation`, { params, token, expect: 409 });
  await service.call(`PATCH ${path}/{bookingId}`, { params, token, body: { notes: 'Vegetarian' } });

  const item = (title, unitSellCents) => ({ type: 'unit', title, quantity: 2, unitSellCents });
  const items = [];
  for (const wanted of [item('Seat', 5900), item('Museum pass', 1000)]) {
    items.push(
      (await service.call(`POST ${path}/{bookingId}/items`, { params, token, body: wanted, expect: 201 })).body,
    );
  }
  const first = { ...params, itemId: items[0].data.id };
  await service.call(`PATCH ${path}/{bookingId}/items/{itemId}`, { params: first, token, body: { quantity: 3 } });
  await service.call(`GET ${path}/{bookingId}/items/{itemId}`, { params: first, token });
  const second = { ...params, itemId: items[1].data.id };
  await service.call(`POST ${path}/{bookingId}/items/{itemId}/cancellation`, { params: second, token });
  const { body: listed } = await service.call(`GET ${path}/{bookingId}/items`, { params, token });
  service.same('both items are listed', listed.total, 2);

  const { body: confirmed } = await service.call(`POST ${path}/{bookingId}/confirmation`, { params, token });
  service.same('the total is the sum of the live items', confirmed.data.totalCents, 17_700);
  const reason = { reason: 'Smoke test' };
  await service.call(`POST ${path}/{bookingId}/cancellation`, { params, token, body: reason });
  const { body: read } = await service.call(`GET ${path}/{bookingId}`, { params, token });
  service.same('the booking is cancelled', read.data.status, 'cancelled');
  await service.call(`GET ${path}`, { token, query: `?search=${mark}` });
}
