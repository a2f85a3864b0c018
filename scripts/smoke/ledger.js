const entries = '/v1/admin/action-ledger/entries';
const channels = '/v1/admin/distribution/channels';

/** What was done, by whom; and undoing it. */
export function ledger(mark) {
  return { 'staff: action ledger': (service, credentials) => reading(service, credentials, mark) };
}

async function reading(service, { staff: { token } }, mark) {
  const body = { name: `Smoke, by mistake ${mark}` };
  const { body: made } = await service.call(`POST ${channels}`, { token, body, expect: 201 });
  const query = `?limit=3&subjectId=${made.data.id}`;
  const { body: page } = await service.call(`GET ${entries}`, { token, query });
  service.same('the ledger says who made the channel', page.data.length, 1);
  const params = { id: page.data[0].id };
  await service.call(`GET ${entries}/{id}`, { params, token });

  const { body: foretold } = await service.call(`GET ${entries}/{id}/reversal-preview`, { params, token });
  service.same('the making can be undone', foretold.data.possible, true);
  const reason = { reason: 'Made by the smoke test' };
  await service.call(`POST ${entries}/{id}/reversals`, { params, token, body: reason, expect: 201 });
  await service.call(`POST ${entries}/{id}/reversals`, { params, token, body: reason, expect: 409 });
  const { body: undone } = await service.call(`GET ${channels}/{id}`, { params: { id: made.data.id }, token });
  service.same('the channel is archived', undone.data.status, 'archived');

  const { body: csv } = await service.call(`GET ${entries}/export`, { token, query: `?subjectId=${made.data.id}` });
  service.same('both entries stand in the table', csv.trim().split('\r\n').length, 3);
  const { body: verified } = await service.call('GET /v1/admin/action-ledger/verify', { token });
  service.same('nobody changed the ledger', verified.data.breaks, []);
}
