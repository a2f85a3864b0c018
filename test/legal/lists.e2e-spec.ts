/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { type Contract, CONTRACTS, contractIn, draft } from './contracts.js';

interface Page {
  data: Contract[];
  total: number;
  limit: number;
  offset: number;
}

let app: TestApp;
const list = (query: string) => app.as('owner').get<Page>(`${CONTRACTS}?${query}`);
const titles = async (query: string) => (await list(query)).body.data.map(({ title }) => title);

beforeAll(async () => {
  app = await startApp();
  for (const title of ['Zanzibar one', 'Zanzibar two', 'Zanzibar three']) await draft(app, { title });
  await contractIn(app, 'issued', { title: 'Zanzibar four', contractNumber: 'ZZ%1', recipientName: 'Ada Zw_eig' });
});

describe('the list of contracts', () => {
  it('contracts are listed newest first, with total, limit and offset, without texts and metadata', async () => {
    const { body } = await list('search=zanzibar&limit=3');
    const [newest] = body.data;

    expect(body).toEqual({ data: body.data, total: 4, limit: 3, offset: 0 });
    expect(body.data.map(({ title }) => title)).toEqual(['Zanzibar four', 'Zanzibar three', 'Zanzibar two']);
    expect(newest).toEqual({
      id: newest?.id,
      reference: newest?.reference,
      title: 'Zanzibar four',
      status: 'issued',
      contractNumber: 'ZZ%1',
      language: 'en',
      scope: 'customer',
      expiresAt: null,
      publicUntil: newest?.['publicUntil'],
      withdrawnAt: null,
      bookingId: null,
      bookingNumber: null,
      recipientName: 'Ada Zw_eig',
      recipientEmail: null,
      issuedAt: newest?.['issuedAt'],
      sentAt: null,
      signedAt: null,
      version: 2,
      createdAt: newest?.['createdAt'],
      updatedAt: newest?.['issuedAt'],
    });
  });

  it('a page after the offset, also an empty one, has the total', async () => {
    expect(await titles('search=zanzibar&limit=3&offset=3')).toEqual(['Zanzibar one']);
    expect((await list('search=zanzibar&offset=4')).body).toEqual({ data: [], total: 4, limit: 50, offset: 4 });
  });

  it('contracts are filtered by status', async () => {
    expect(await titles('search=zanzibar&status=issued')).toEqual(['Zanzibar four']);
  });

  it('contracts are searched by title, number and recipient; wildcards are plain characters', async () => {
    expect(await titles('search=zz%251')).toEqual(['Zanzibar four']);
    expect(await titles('search=zw_e')).toEqual(['Zanzibar four']);
    expect(await titles('search=zanzibar_')).toEqual([]);
    expect(await titles('search=z%25r')).toEqual([]);
  });

  it('contracts are sorted by title or time in both directions', async () => {
    const byTitle = ['Zanzibar four', 'Zanzibar one', 'Zanzibar three', 'Zanzibar two'];
    expect(await titles('search=zanzibar&sort=title')).toEqual(byTitle);
    expect(await titles('search=zanzibar&sort=-title')).toEqual([...byTitle].reverse());
    expect(await titles('search=zanzibar&sort=createdAt&limit=1')).toEqual(['Zanzibar one']);
  });

  it('an invalid query for contracts is rejected with 400', async () => {
    const { status, body } = await app.as('owner').get<{ details: { fields: object } }>(`${CONTRACTS}?sort=body`);

    expect([status, Object.keys(body.details.fields)]).toEqual([400, ['sort']]);
  });
});
