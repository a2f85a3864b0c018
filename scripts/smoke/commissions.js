const bookingsPath = '/v1/admin/bookings';
const path = '/v1/admin/finance/booking-items/{bookingItemId}/commissions';

/** A commission from its item to its payout, and what becomes of it when the item is cancelled. */
export function commissions(mark) {
  return { 'staff: commissions': (service, credentials) => commission(service, credentials, mark) };
}

async function commission(service, { staff: { token } }, mark) {
  // It has departed, so that a commission on it is payable at once.
  const body = { currency: 'EUR', customerName: `Smoke ${mark}`, startDate: '2026-01-01' };
  const { body: booking } = await service.call(`POST ${bookingsPath}`, { token, body, expect: 201 });
  const at = { params: { bookingId: booking.data.id }, token };
  const seat = { type: 'unit', title: 'Seat', unitSellCents: 120_000, taxIncludedCents: 20_000 };
  const { body: item } = await service.call(`POST ${bookingsPath}/{bookingId}/items`, {
    ...at,
    body: seat,
    expect: 201,
  });
  await service.call(`POST ${bookingsPath}/{bookingId}/confirmation`, at);

  const params = { bookingItemId: item.data.id };
  const agency = { recipientType: 'agency', recipientName: 'Smoke Agency', rateBasisPoints: 1250 };
  const wanted = { ...agency, payableTrigger: 'departed' };
  const { body: made } = await service.call(`POST ${path}`, { params, token, body: wanted, expect: 201 });
  service.same('12.5 % of the net price', made.data.amountCents, 12_500);
  const line = { params: { ...params, id: made.data.id }, token };
  await service.call(`PATCH ${path}/{id}`, { ...line, body: { rateBasisPoints: 1000 } });
  await service.call(`GET ${path}/{id}`, line);
  await service.call(`POST ${path}/{id}/payout`, { ...line, body: { paidOn: '2026-01-31' } });
  await service.call(`POST ${path}/{id}/voiding`, { ...line, body: { reason: 'Smoke test' }, expect: 409 });

  const reason = { reason: 'Smoke test' };
  await service.call(`POST ${bookingsPath}/{bookingId}/cancellation`, { ...at, body: reason });
  const { body: listed } = await service.call(`GET ${path}`, { params, token });
  const net = listed.data.reduce((sum, { amountCents }) => sum + amountCents, 0);
  service.same('the recipient is left with nothing', [listed.data.length, net], [2, 0]);
}
