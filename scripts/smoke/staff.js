import { randomUUID } from 'node:crypto';

const contractsPath = '/v1/admin/legal/contracts';
const invoicesPath = '/v1/admin/finance/supplier-invoices';
const paymentsPath = '/v1/admin/finance/payments';

/** The staff surface, and the storefront's contracts that staff make. */
export function staff(mark) {
  return {
    'staff: identity': (service, credentials) => identity(service, credentials, mark),
    'staff: distribution channels': (service, credentials) => channels(service, credentials, mark),
    'staff: supplier invoices': (service, credentials) => supplierInvoices(service, credentials, mark),
    'staff: payments': (service, credentials) => payments(service, credentials, mark),
    'staff and storefront: contracts': (service, credentials) => contracts(service, credentials, mark),
  };
}

async function identity(service, { staff: { email, password, token } }, mark) {
  const path = '/v1/admin/identity';
  const login = () => service.call(`POST ${path}/sessions`, { body: { email, password }, expect: 201 });
  const session = (await login()).body.data.token;
  await service.call(`GET ${path}/me`, { token: session });
  const other = await login();
  const { body: mine } = await service.call(`GET ${path}/sessions`, { token: session });
  const ended =
    mine.data.find(({ id }) => other.body.data.token.includes(id)) ?? mine.data.find(({ current }) => !current);
  await service.call(`DELETE ${path}/sessions/{id}`, { params: { id: ended.id }, token: session });
  await service.call(`DELETE ${path}/sessions/current`, { token: session });
  await service.call(`GET ${path}/me`, { token: session, expect: 401 });

  const user = { email: `smoke-${mark}@example.com`, name: 'Smoke Test', password: randomUUID(), roles: ['viewer'] };
  const { body: made } = await service.call(`POST ${path}/users`, { token, body: user, expect: 201 });
  const params = { id: made.data.id };
  await service.call(`GET ${path}/users`, { token });
  await service.call(`GET ${path}/users/{id}`, { params, token });
  await service.call(`PATCH ${path}/users/{id}`, { params, token, body: { active: false } });

  const wanted = { name: `Smoke ${mark}`, scopes: ['distribution:read'] };
  const { body: issued } = await service.call(`POST ${path}/api-tokens`, { token, body: wanted, expect: 201 });
  await service.call(`GET ${path}/api-tokens`, { token });
  await service.call('GET /v1/admin/distribution/channels', { token: issued.data.token });
  await service.call('POST /v1/admin/distribution/channels', {
    token: issued.data.token,
    body: { name: mark },
    expect: 403,
  });
  await service.call(`DELETE ${path}/api-tokens/{id}`, { params: { id: issued.data.id }, token });
}

async function channels(service, { staff: { token } }, mark) {
  const path = '/v1/admin/distribution/channels';
  const body = { name: `Smoke ${mark}`, contactEmail: 'smoke@example.com' };
  const headers = { 'idempotency-key': randomUUID() };
  const { body: made } = await service.call(`POST ${path}`, { token, body, headers, expect: 201 });
  const { body: again } = await service.call(`POST ${path}`, { token, body, headers, expect: 201 });
  service.same('the same key gives the same channel', again.data.id, made.data.id);
  await service.call(`POST ${path}`, { token, body, expect: 409 });
  const params = { id: made.data.id };
  const { headers: read } = await service.call(`GET ${path}/{id}`, { params, token });
  const change = { params, token, body: { status: 'archived' }, headers: { 'if-match': read.get('etag') } };
  await service.call(`PATCH ${path}/{id}`, change);
  await service.call(`PATCH ${path}/{id}`, { ...change, expect: 412 });
  await service.call(`GET ${path}`, { token, query: `?search=${mark}` });
}

async function supplierInvoices(service, { staff: { token } }, mark) {
  const reason = { reason: 'Smoke test' };
  const body = {
    supplierName: 'Smoke Hotels',
    invoiceNumber: `S-${mark}`,
    currency: 'EUR',
    totalCents: 120_00,
    issueDate: '2026-01-15',
  };
  const { body: made } = await service.call(`POST ${invoicesPath}`, { token, body, expect: 201 });
  await service.call(`POST ${invoicesPath}`, { token, body, expect: 409 });
  const params = { id: made.data.id };
  await service.call(`PATCH ${invoicesPath}/{id}`, { params, token, body: { notes: `Smoke ${mark}` } });
  await service.call(`POST ${invoicesPath}/{id}/approval`, { params, token });
  await service.call(`POST ${invoicesPath}/{id}/reopening`, { params, token, body: reason });
  await service.call(`POST ${invoicesPath}/{id}/voiding`, { params, token, body: reason });
  const { body: read } = await service.call(`GET ${invoicesPath}/{id}`, { params, token });
  service.same('the invoice is void', read.data.status, 'void');
  await service.call(`GET ${invoicesPath}`, { token, query: `?search=S-${mark}` });
}

async function payments(service, { staff: { token } }, mark) {
  const invoice = {
    supplierName: 'Smoke Coaches',
    invoiceNumber: `P-${mark}`,
    currency: 'EUR',
    totalCents: 900,
    issueDate: '2025-06-01',
    status: 'approved',
  };
  const { body: bill } = await service.call(`POST ${invoicesPath}`, { token, body: invoice, expect: 201 });
  const status = async () => {
    const { body } = await service.call(`GET ${invoicesPath}/{id}`, { token, params: { id: bill.data.id } });
    return body.data.status;
  };
  const money = { direction: 'out', supplierInvoiceId: bill.data.id, method: 'cash', currency: 'EUR' };
  const body = { ...money, amountCents: 900, paidOn: '2025-06-02' };
  const { body: made } = await service.call(`POST ${paymentsPath}`, { token, body, expect: 201 });
  service.same('the payment pays the supplier invoice', await status(), 'paid');
  await service.call(`POST ${paymentsPath}`, { token, body, expect: 409 });
  const [{ id: allocationId }] = made.data.allocations;
  const params = { id: made.data.id, allocationId };
  await service.call(`DELETE ${paymentsPath}/{id}/allocations/{allocationId}`, { params, token });
  await service.call(`POST ${paymentsPath}/{id}/allocations`, { params, token, body: {} });
  await service.call(`POST ${paymentsPath}/{id}/reversal`, { params, token, body: { reason: 'Smoke test' } });
  service.same('its reversal opens it again', await status(), 'approved');
  const { body: read } = await service.call(`GET ${paymentsPath}/{id}`, { params, token });
  service.same('nothing of it is allocated', read.data.unappliedCents, 900);
  await service.call(`GET ${paymentsPath}`, { token, query: `?supplierInvoiceId=${bill.data.id}` });

  const { body: aging } = await service.call('GET /v1/admin/finance/aging', { token, query: '?side=payable' });
  const euros = aging.data.currencies.find(({ currency }) => currency === 'EUR');
  service.same('what is owed in euros lies in five buckets', euros.buckets.length, 5);
  const { body: proof } = await service.call('GET /v1/admin/finance/integrity', { token });
  service.same('no money was made or lost', proof.data.conserved, true);
}

async function contracts(service, { staff: { token } }, mark) {
  const body = { title: `Smoke ${mark}`, body: '<p>Terms of this trip</p>', recipientEmail: 'smoke@example.com' };
  const { body: made } = await service.call(`POST ${contractsPath}`, { token, body, expect: 201 });
  const params = { id: made.data.id };
  const seen = (expect) => service.call('GET /v1/public/legal/contracts/{id}', { params, expect });
  await seen(404);
  await service.call(`PATCH ${contractsPath}/{id}`, { params, token, body: { language: 'de' } });
  await service.call(`POST ${contractsPath}/{id}/issuance`, { params, token });
  const { body: shown } = await seen(200);
  const members = ['body', 'contractNumber', 'id', 'language', 'status', 'title'];
  service.same('the public sees six members', Object.keys(shown.data).sort(), members);
  await service.call(`POST ${contractsPath}/{id}/dispatch`, { params, token, body: {} });
  await service.call(`POST ${contractsPath}/{id}/voiding`, { params, token, body: { reason: 'Smoke test' } });
  await seen(410);
  await service.call(`GET ${contractsPath}/{id}`, { params, token });
  await service.call(`GET ${contractsPath}`, { token, query: '?status=void&limit=5' });
}
