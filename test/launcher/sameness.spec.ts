import { describe, expect, it } from '@jest/globals';
import { differences } from '../../scripts/sameness/compare.js';
import { summaryOf } from '../../scripts/sameness/document.js';

const unlike = (before: object, after: object) => differences(summaryOf(before), summaryOf(after));

describe('npm run sameness', () => {
  it('the comparison of API documents ignores their texts, however they are written', () => {
    expect(
      unlike(documentOf({ summary: 'Get it' }), documentOf({ summary: 'Returns it', description: 'If any' })),
    ).toEqual([]);
    const described = { allOf: [{ $ref: '#/components/schemas/Invoice' }], description: 'The invoice' };
    expect(unlike(answering({ $ref: '#/components/schemas/Invoice' }), answering(described))).toEqual([]);
  });

  it('the comparison of API documents reports a changed property that has the name of a text', () => {
    const schema = (type: string) => answering({ type: 'object', properties: { description: { type } } });
    expect(unlike(schema('string'), schema('integer'))).toEqual([expect.stringContaining('description > type')]);
  });

  it('the comparison of API documents reports a changed operation id and a changed schema name', () => {
    expect(unlike(documentOf({ operationId: 'getInvoice' }), documentOf({ operationId: 'readInvoice' }))).toEqual([
      'operations > GET /invoices > operationId: "getInvoice" became "readInvoice"',
    ]);
    expect(
      differences(
        summaryOf({ paths: {}, components: { schemas: { Invoice: {} } } }),
        summaryOf({ paths: {}, components: { schemas: { Bill: {} } } }),
      ),
    ).toEqual(['schemas > Bill: added', 'schemas > Invoice: removed']);
  });

  it('the comparison of API documents reports a changed error code once, and nothing if a response moves to the components', () => {
    expect(unlike(rejecting('invoice_void'), rejecting('invoice_voided'))).toEqual([
      'error codes > GET /invoices: 409 invoice_void removed',
      'error codes > GET /invoices: 409 invoice_voided added',
    ]);
    const { paths } = documentOf({ responses: { 409: { $ref: '#/components/responses/Conflict' } } });
    const components = { responses: { Conflict: conflict('invoice_void') } };
    expect(unlike(rejecting('invoice_void'), { paths, components })).toEqual([]);
  });

  it('the comparison of API documents reports a changed scope, ledger action and credential', () => {
    const before = documentOf({
      'x-required-scope': 'finance:read',
      'x-ledger-action': 'finance.invoice.read',
      security: [{ bearer: [] }],
    });
    expect(unlike(before, documentOf({ security: [{ oauth2: ['finance:read'] }] }))).toEqual([
      'ledger actions > GET /invoices: finance.invoice.read removed',
      'ledger actions > GET /invoices: none added',
      'scopes > GET /invoices: credential bearer removed',
      'scopes > GET /invoices: finance:read removed',
      'scopes > GET /invoices: credential oauth2 finance:read added',
      'scopes > GET /invoices: no scope added',
    ]);
  });
});

function documentOf(operation: object) {
  return { paths: { '/invoices': { get: { operationId: 'getInvoice', responses: {}, ...operation } } } };
}

function answering(schema: object) {
  return documentOf({ responses: { 200: { description: 'Success', content: { 'application/json': { schema } } } } });
}

function rejecting(code: string) {
  return documentOf({ responses: { 409: conflict(code) } });
}

function conflict(code: string) {
  const schema = { type: 'object', properties: { code: { type: 'string', enum: [code] } } };
  return { description: `Conflict: ${code}`, content: { 'application/json': { schema } } };
}
