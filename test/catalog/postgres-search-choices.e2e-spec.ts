/* The tests of filters, facets and paging, with the indexes in PostgreSQL. */
process.env['SEARCH_ADAPTER'] = 'postgres';
await import('./search-choices.e2e-spec.js');
export {};
