const bookingsPath = '/v1/admin/bookings';
const path = '/v1/admin/finance/invoices';
const seriesPath = '/v1/admin/finance/invoice-number-series';

/** Invoices to customers, and the series of their numbers. */
export function invoicing(mark) {
  return {
    'staff: invoice number series': (service, credentials) => numberSeries(service, credentials, mark),
    'staff: invoices': (service, credentials) => invoices(service, credentials, mark),
  };
}

async function numberSeries(service, { staff: { token } }, mark) {
  const body = { name: `Smoke ${mark}`, prefix: `S${mark}-`, nextNumber: 7, isDefault: false };
  const { body: made } = await service.call(`POST ${seriesPath}`, { token, body, expect: 201 });
  const params = { id: made.data.id };
  await service.call(`PATCH ${seriesPath}/{id}`, { params, token, body: { nextNumber: 6 }, expect: 409 });
  await service.call(`PATCH ${seriesPath}/{id}`, { params, token, body: { nextNumber: 8 } });
  const { body: read } = await service.call(`GET ${seriesPath}/{id}`, { params, token });
  service.same('the next number moved on', read.data.nextNumber, 8);
  await service.call(`GET ${seriesPath}`, { token, query: '?sort=-createdAt&limit=1' });
  await service.call(`DELETE ${seriesPath}/{id}`, { params, token });
}

async function invoices(service, { staff: { token } }, mark) {
  const customer = { currency: 'EUR', customerName: `Smoke ${mark}` };
  const { body: booking } = await service.call(`POST ${bookingsPath}`, { token, body: customer, expect: 201 });
  const bookingId = booking.data.id;
  const seat = { type: 'unit', title: 'Seat', quantity: 2, unitSellCents: 11_900, taxIncludedCents: 3_800 };
  const items = { params: { bookingId }, token, body: seat, expect: 201 };
  await service.call(`POST ${bookingsPath}/{bookingId}/items`, items);
  const { body: series } = await service.call(`POST ${seriesPath}`, {
    token,
    body: { name: `Smoke ${mark}`, prefix: `I${mark}-`, isDefault: false },
    expect: 201,
  });

  const { body: made } = await service.call(`POST ${path}`, { token, body: { bookingId }, expect: 201 });
  service.same('the tax is that of the items', [made.data.totalCents, made.data.taxCents], [23_800, 3_800]);
  await service.call(`POST ${path}`, { token, body: { bookingId }, expect: 422 });
  const params = { id: made.data.id };
  await service.call(`PATCH ${path}/{id}`, { params, token, body: { payerAddress: '12 Lake Road' } });
  const seriesId = series.data.id;
  const { body: issued } = await service.call(`POST ${path}/{id}/issuance`, { params, token, body: { seriesId } });
  service.same('the first number of the series', issued.data.number, `I${mark}-0001`);
  await service.call(`PATCH ${path}/{id}`, { params, token, body: { payerName: 'Other' }, expect: 409 });
  await rendition(service, token, issued.data);
  await service.call(`POST ${path}/{id}/voiding`, { params, token, body: { reason: 'Smoke test' } });
  const { body: read } = await service.call(`GET ${path}/{id}`, { params, token });
  service.same('the voided one keeps its number', read.data.number, issued.data.number);

  const { body: again } = await service.call(`POST ${path}`, { token, body: { bookingId }, expect: 201 });
  await service.call(`DELETE ${path}/{id}`, { params: { id: again.data.id }, token });
  const { body: page } = await service.call(`GET ${path}`, { token, query: `?bookingId=${bookingId}` });
  service.same('one invoice is left', page.total, 1);
}

async function rendition(service, token, { id, number }) {
  const params = { id };
  const wanted = { params, token, body: { format: 'html', language: 'de' }, expect: 202 };
  const { body: asked } = await service.call(`POST ${path}/{id}/renditions`, wanted);
  const download = `/v1/admin/finance/invoice-renditions/${asked.data.id}/download`;
  const headers = { authorization: `Bearer ${token}` };
  for (let polls = 0; polls < 100; polls += 1) {
    const { status } = await fetch(service.url + download, { headers, redirect: 'manual' });
    if (status === 302) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await service.call(`GET ${path}/{id}/renditions`, { params, token });
  const { headers: sentOn } = await service.call('GET /v1/admin/finance/invoice-renditions/{id}/download', {
    params: { id: asked.data.id },
    token,
    expect: 302,
  });
  const link = sentOn.get('location').replace('/v1/files/', '');
  const { body: html } = await service.call('GET /v1/files/{token}', { params: { token: link } });
  service.same('the file shows the number', html.includes(`Rechnung ${number}`), true);
}
