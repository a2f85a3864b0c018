const policies = '/v1/admin/legal/policies';
const assignments = `${policies}/assignments`;
const bookings = '/v1/admin/bookings';

/** A policy that is published, applied to a channel, sold under, and taken away again. */
export function policyTerms(mark) {
  return { 'staff: policies and the terms that are sold': (service, credentials) => terms(service, credentials, mark) };
}

async function terms(service, { staff: { token } }, mark) {
  const body = { kind: 'refund', name: `Smoke ${mark}` };
  const { body: made } = await service.call(`POST ${policies}`, { token, body, expect: 201 });
  const params = { id: made.data.id };
  await service.call(`PATCH ${policies}/{id}`, { params, token, body: { language: 'de' } });
  const versionId = await publish(service, { token, params });
  const { body: read } = await service.call(`GET ${policies}/{id}`, { params, token });
  service.same('the published version is the current one', read.data.currentVersionId, versionId);
  await service.call(`GET ${policies}`, { token, query: `?search=${mark}` });
  await service.call(`GET ${policies}/{id}/versions`, { params, token });

  const assigned = await assign(service, { token, mark, policyId: params.id });
  const sold = () => sell(service, { token, channelId: assigned.channelId });
  const before = await sold();
  service.same('a booking is sold under it', of(before)?.policyVersionId, versionId);
  await service.call(`DELETE ${assignments}/{id}`, { params: { id: assigned.id }, token });
  await service.call(`DELETE ${assignments}/{id}`, { params: { id: assigned.id }, token, expect: 404 });
  await service.call(`POST ${policies}/{id}/versions/{versionId}/retirement`, {
    params: { ...params, versionId },
    token,
  });
  const { body: after } = await service.call(`GET ${bookings}/{bookingId}`, {
    params: { bookingId: before.id },
    token,
  });
  service.same('and stays so when that is taken away', after.data.terms, before.terms);
  service.same('the next one is not', of(await sold()), undefined);
}

async function publish(service, { token, params }) {
  const rules = [{ type: 'percentage', daysBeforeDeparture: 30, refundBasisPoints: 5000, refundType: 'cash' }];
  const path = `${policies}/{id}/versions`;
  const body = { title: 'Refunds', body: '<p>Half of it.</p>' };
  const { body: draft } = await service.call(`POST ${path}`, { params, token, body, expect: 201 });
  const place = { params: { ...params, versionId: draft.data.id }, token };
  await service.call(`PATCH ${path}/{versionId}`, { ...place, body: { rules } });
  await service.call(`POST ${path}/{versionId}/publication`, place);
  await service.call(`PATCH ${path}/{versionId}`, { ...place, body: { rules: [] }, expect: 409 });
  const { body: read } = await service.call(`GET ${path}/{versionId}`, place);
  service.same('what was published has its rules', read.data.rules.length, 1);
  return draft.data.id;
}

async function assign(service, { token, mark, policyId }) {
  const { body: channel } = await service.call('POST /v1/admin/distribution/channels', {
    token,
    body: { name: `Smoke of policies ${mark}` },
    expect: 201,
  });
  const channelId = channel.data.id;
  const body = { policyId, scope: 'channel', targetId: channelId };
  const { body: made } = await service.call(`POST ${assignments}`, { token, body, expect: 201 });
  await service.call(`POST ${assignments}`, { token, body, expect: 409 });
  const params = { id: made.data.id };
  await service.call(`PATCH ${assignments}/{id}`, { params, token, body: { priority: 3 } });
  await service.call(`GET ${assignments}/{id}`, { params, token });
  await service.call(`GET ${assignments}`, { token, query: `?targetId=${channelId}` });
  const query = `?kind=refund&channelId=${channelId}`;
  const { body: resolved } = await service.call(`GET ${policies}/resolve`, { token, query });
  service.same('it applies to the channel', resolved.data.explain[0].outcome, 'applies');
  return { id: params.id, channelId };
}

async function sell(service, { token, channelId }) {
  const body = { currency: 'EUR', customerName: 'Smoke', channelId };
  const { body: made } = await service.call(`POST ${bookings}`, { token, body, expect: 201 });
  const params = { bookingId: made.data.id };
  const item = { type: 'unit', title: 'Seat', unitSellCents: 100 };
  await service.call(`POST ${bookings}/{bookingId}/items`, { params, token, body: item, expect: 201 });
  const { body: confirmed } = await service.call(`POST ${bookings}/{bookingId}/confirmation`, { params, token });
  return confirmed.data;
}

function of({ terms }) {
  return terms.find(({ kind }) => kind === 'refund');
}
