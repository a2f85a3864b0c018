const documents = '/v1/admin/catalog/documents';

const synonyms = '/v1/admin/catalog/synonyms';

/** What staff put into the catalog, and what customers find in it. */
export function catalog(mark) {
  return {
    'staff: catalog': (service, credentials) => putting(service, credentials, mark),
    'storefront: search': searching,
    'staff: synonyms and the index': (service, credentials) => keeping(service, credentials, mark),
  };
}

async function putting(service, { staff: { token } }, mark) {
  const params = { vertical: 'products', id: `smoke-${mark}` };
  const fields = { name: `Smoke island ${mark}`, countries: ['Smokeland'], costAmountCents: 5 };
  await service.call(`PUT ${documents}/{vertical}/{id}`, { params, token, body: { fields }, expect: 201 });
  const { body: read } = await service.call(`GET ${documents}/{vertical}/{id}`, { params, token });
  service.same('a document is read as it was put', read.data.fields, fields);
  const batch = [{ ...params, fields: { ...fields, tags: ['smoke'] } }];
  const { body: done } = await service.call(`POST ${documents}/batch`, { token, body: { documents: batch } });
  service.same('a batch replaces', done.data, { created: 0, replaced: 1 });
  const { body: listed } = await service.call(`GET ${documents}`, { token, query: `?search=${mark}` });
  service.same('the document is listed', listed.total, 1);
  await service.call(`DELETE ${documents}/{vertical}/{id}`, { params, token });
  await service.call(`GET ${documents}/{vertical}/{id}`, { params, token, expect: 404 });
}

async function searching(service) {
  const body = {
    vertical: 'products',
    query: 'beach holliday crete',
    projection: 'storefront-card',
    facets: [{ field: 'countries' }],
    pagination: { limit: 3 },
  };
  const { body: found } = await service.call('POST /v1/public/catalog/search', { body });
  service.same('a card for every hit', found.cards.length, found.hits.length);
  service.same('Crete comes first', found.cards[0]?.destinations.regions, ['Crete']);
  const pagination = { limit: 3, cursor: found.next_cursor };
  const { body: next } = await service.call('POST /v1/public/catalog/search', { body: { ...body, pagination } });
  const seen = new Set([...found.hits, ...next.hits].map(({ id }) => id));
  service.same('the next page holds others', seen.size, found.hits.length + next.hits.length);
}

async function keeping(service, { staff: { token } }, mark) {
  const body = { language: 'en', terms: [`smoke ${mark}`, 'fumes'] };
  const { body: made } = await service.call(`POST ${synonyms}`, { token, body, expect: 201 });
  const params = { id: made.data.id };
  await service.call(`GET ${synonyms}`, { token, query: '?language=en' });
  await service.call(`GET ${synonyms}/{id}`, { params, token });
  await service.call(`PATCH ${synonyms}/{id}`, { params, token, body: { input: 'haze' } });
  await service.call(`DELETE ${synonyms}/{id}`, { params, token });
  await service.call('POST /v1/admin/catalog/reindex', { token, body: { vertical: 'charters' } });
  const { body: state } = await service.call('GET /v1/admin/catalog/status', { token });
  service.same('the index is in memory', state.data.adapter, 'memory');
}
