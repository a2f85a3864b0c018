/* The tests of the search, with the indexes in PostgreSQL. */
process.env['SEARCH_ADAPTER'] = 'postgres';
await import('./search.e2e-spec.js');
export {};
