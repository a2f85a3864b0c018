const documents = '/v1/admin/catalog/documents';

/** What staff put into the catalog. */
export function catalog(mark) {
  return { 'staff: catalog': (service, credentials) => putting(service, credentials, mark) };
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
