import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';

const GZIP = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
const SEARCH = '/v1/public/catalog/search';
const TOKENS = '/v1/admin/identity/api-tokens';
const SUPPLIER_INVOICES = '/v1/admin/finance/supplier-invoices';
const DOCUMENTS = '/v1/admin/catalog/documents/batch';

interface Issue {
  path: string;
  message: string;
  code: string;
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const postGzip = (path: string, json: string) => owner.post(path, undefined, { raw: gzipSync(json), headers: GZIP });
const INVOICE = {
  supplierName: 'Hotel Aurora',
  invoiceNumber: 'N-1',
  currency: 'EUR',
  totalCents: 100,
  issueDate: '2027-01-15',
};
const times = <T>(count: number, element: T) => Array.from({ length: count }, () => element);

function expectIssues({ status, body, headers }: Answer, issues: Issue[]): void {
  const fields: Record<string, string[]> = {};
  for (const { path, message } of issues) (fields[path] ??= []).push(message);
  expect(status).toBe(400);
  expect(body).toEqual({
    error: 'The request is invalid',
    code: 'invalid_request',
    requestId: headers['x-request-id'],
    details: { issues: issues.map((issue) => expect.objectContaining({ ...issue }) as object), fields },
  });
}

const arrayTooLong = { path: '', message: 'An array has more than 10000 elements', code: 'too_many' };
const atMost = (name: string, max: number) => ({
  path: name,
  message: `${name} must contain no more than ${max} elements`,
  code: 'too_many',
});

describe('a number literal', () => {
  it('a number literal of 60,000 digits in a compressed body of 109 bytes is 400', async () => {
    const answer = await postGzip(TOKENS, `{"name":1.${'0'.repeat(60_000)}1e5}`);
    expectIssues(answer, [{ path: '', message: 'A number has more than 400 characters', code: 'number_too_long' }]);
  });
});

describe('an array longer than any route allows', () => {
  it('an array longer than any route allows is 400 without a credential: 20,000 facets', async () => {
    const answer = await app.post(SEARCH, { vertical: 'products', facets: times(20_000, {}) });
    expectIssues(answer, [arrayTooLong]);
  });

  it('an array longer than any route allows is 400 in a compressed body: 48,000 scopes, 20,000 lines', async () => {
    const scopes = Array.from({ length: 48_000 }, (_, n) => `finance:${n}`);
    expectIssues(await postGzip(TOKENS, JSON.stringify({ name: 'x', scopes })), [arrayTooLong]);
    expectIssues(await postGzip(SUPPLIER_INVOICES, JSON.stringify({ lines: times(20_000, {}) })), [arrayTooLong]);
  });
});

describe('an array longer than its route allows', () => {
  it('an array longer than its route allows is one issue, with any elements', async () => {
    const facets = { vertical: 'products', facets: times(9_999, {}) };
    expectIssues(await app.post(SEARCH, facets), [atMost('facets', 20)]);
    const scopes = Array.from({ length: 9_999 }, (_, n) => `finance:${n}`);
    expectIssues(await postGzip(TOKENS, JSON.stringify({ name: 'x', scopes })), [atMost('scopes', 64)]);
    const invoice = { ...INVOICE, lines: times(9_999, {}) };
    expectIssues(await postGzip(SUPPLIER_INVOICES, JSON.stringify(invoice)), [atMost('lines', 500)]);
  });
});

describe('the limit of 100 issues in a response', () => {
  it('a response lists at most 100 issues of the elements of an array', async () => {
    const invoice = { ...INVOICE, lines: times(500, { description: 'Night', unitAmountCents: 0.5 }) };
    const issues = Array.from({ length: 100 }, (_, index) => ({
      path: `lines.${index}.unitAmountCents`,
      message: 'unitAmountCents must be an integer number',
      code: 'wrong_type',
    }));
    expectIssues(await owner.post(SUPPLIER_INVOICES, invoice), issues);
  });

  it('a response lists at most 100 issues of unknown members', async () => {
    const unknown = Array.from({ length: 990 }, (_, n) => `unknown${n}`);
    const body = { name: 'x', scopes: ['finance:read'], ...Object.fromEntries(unknown.map((name) => [name, 1])) };
    const issues = unknown.slice(0, 100).map((path) => {
      return { path, message: `${path} is not recognized`, code: 'unknown_member' };
    });
    expectIssues(await owner.post(TOKENS, body), issues);
  });

  it('a response lists at most 100 issues of the fields of catalog documents', async () => {
    const document = { vertical: 'products', fields: { name: 'Walk', status: 'unknown' } };
    const documents = Array.from({ length: 500 }, (_, n) => ({ ...document, id: `prod_${n}` }));
    const issues = Array.from({ length: 100 }, (_, index) => {
      const path = `documents.${index}.fields.status`;
      return { path, message: `${path} must be one of active, draft, archived`, code: 'unknown_value' };
    });
    expectIssues(await owner.post(DOCUMENTS, { documents }), issues);
  });
});
