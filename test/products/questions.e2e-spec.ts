import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type ErrorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newPart, newProduct, PRODUCTS } from './products.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const SIZE = { scope: 'traveler', type: 'integer', label: 'Shoe size', min: 20, max: 50 };
const DIET = {
  ...{ scope: 'traveler', type: 'choice', label: 'Menu' },
  choices: ['meat', 'plants'].map((value) => ({ value, label: value, texts: [] })),
};

const newQuestion = async (productId: string, body: object) => (await newPart(app, productId, 'questions', body)).id;

async function versionsOf(questionId: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
  await client.connect();
  const { rows } = await client.query<object>(
    `select version, (content ->> 'required')::boolean as required from product_question_versions
     where question_id = $1 order by version`,
    [questionId],
  );
  await client.end();
  return rows;
}

describe('questions of products', () => {
  it('a question is created, listed, changed as a new version and deleted', async () => {
    const { id: productId } = await newProduct(app);
    const path = `${PRODUCTS}/${productId}/questions`;
    const made = await owner.post<{ data: { id: string } }>(path, {
      ...SIZE,
      texts: [{ locale: 'de', label: 'Schuh' }],
    });
    const { id } = made.body.data;
    const expected = {
      ...{ ...SIZE, id, productId, help: null, texts: [{ locale: 'de', label: 'Schuh', help: null }], choices: [] },
      ...{ required: false, dueDaysBefore: null, maxLength: null, showIf: null, field: null, sensitive: false },
      ...{ healthData: false, position: 1, active: true, version: 1 },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    };
    expect([made.status, made.body.data]).toEqual([201, expected]);
    expect((await owner.get(`${path}?scope=traveler,unit&active=true`)).body).toMatchObject({ data: [expected] });
    expect((await owner.get(`${path}?scope=booking`)).body).toMatchObject({ data: [], total: 0 });
    const changed = await owner.patch<{ data: object }>(`${path}/${id}`, { required: true, dueDaysBefore: 14 });
    expect(changed.body.data).toMatchObject({ required: true, dueDaysBefore: 14, version: 2 });
    const rows = await versionsOf(id);
    expect(rows).toEqual([
      { version: 1, required: false },
      { version: 2, required: true },
    ]);
    expect((await owner.delete(`${path}/${id}`)).status).toBe(200);
    expect((await owner.get(`${path}/${id}`)).status).toBe(404);
  });

  it.each<[object, string]>([
    [{ ...SIZE, max: 10 }, 'max'],
    [{ ...SIZE, maxLength: 10 }, 'maxLength'],
    [{ ...SIZE, choices: DIET.choices }, 'choices'],
    [{ ...DIET, choices: [] }, 'choices'],
    [{ ...DIET, choices: [...DIET.choices, ...DIET.choices] }, 'choices.2.value'],
    [{ ...SIZE, scope: 'booking', field: 'gender' }, 'field'],
    [{ ...SIZE, healthData: true }, 'healthData'],
    [{ ...SIZE, texts: [{ locale: 'de' }, { locale: 'de' }] }, 'texts.1.locale'],
  ])('the question %j is rejected at %s', async (body, path) => {
    const { id } = await newProduct(app);
    const answer = await owner.post<ErrorBody>(`${PRODUCTS}/${id}/questions`, body);
    expect([answer.status, answer.body.details]).toMatchObject([400, { issues: [{ path }] }]);
  });

  it('a question depends only on an earlier question with known answers, which stays as long as it does', async () => {
    const { id: productId } = await newProduct(app);
    const path = `${PRODUCTS}/${productId}/questions`;
    const menu = await newQuestion(productId, DIET);
    const size = await newQuestion(productId, SIZE);
    const ask = (questionId: string, equals: string, terms: object = {}) =>
      owner.post<ErrorBody>(path, { ...SIZE, showIf: { questionId, equals }, ...terms });
    const wrong = await Promise.all([
      ask(menu, 'fish'),
      ask(size, '30'),
      ask(menu, 'meat', { position: 0 }),
      ask(menu, 'meat', { scope: 'booking' }),
      ask('pqst_x', 'meat'),
    ]);
    expect(wrong.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404]);
    expect(wrong[0]?.body.details).toMatchObject({ issues: [{ path: 'showIf.equals', code: 'unknown_value' }] });
    const id = await newQuestion(productId, { ...SIZE, showIf: { questionId: menu, equals: 'meat' } });
    const inUse = await owner.delete<ErrorBody>(`${path}/${menu}`);
    expect([inUse.status, inUse.body.code, inUse.body.details]).toEqual([
      409,
      'question_in_use',
      { questionIds: [id] },
    ]);
    expect((await owner.patch(`${path}/${menu}`, { choices: [{ value: 'plants', label: 'Plants' }] })).status).toBe(
      400,
    );
    expect((await owner.delete(`${path}/${id}`)).status).toBe(200);
    expect((await owner.delete(`${path}/${menu}`)).status).toBe(200);
  });
});
