import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AnswerRetentionJobs } from '../../src/modules/bookings/answers/answer-retention.jobs.js';
import { BookingData } from '../../src/modules/bookings/personal-data/booking-data.js';
import { SealedValues } from '../../src/modules/customers/index.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { newCustomer } from '../customers/customers.js';
import type { ErrorBody } from '../distribution/channels.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { activeList } from '../products/price-lists.js';
import { newPart, newProduct, PRODUCTS } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenOf } from '../setup/credentials.js';
import { pagesOf } from '../setup/pdf.js';
import { BOOKINGS, confirmedBooking, makeBooking, readBooking, staffWith } from './bookings.js';
import { addTraveler, assign, CONSENT, type Traveler, travelersOf } from './travelers.js';

interface Answers {
  data: {
    version: number;
    answers: { id: string; questionId: string; values: string[] | null; [member: string]: unknown }[];
    missing: { questionId: string; [member: string]: unknown }[];
  };
}

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** A booking with two people on a departure in 30 days, of a product with questions. */
async function tour() {
  const { id: productId } = await newProduct(app);
  const question = async (body: object) => (await newPart(app, productId, 'questions', body)).id;
  const startsAt = new Date(app.now().getTime() + 30 * 86_400_000);
  const times = { startsAt: startsAt.toISOString(), endsAt: new Date(startsAt.getTime() + 3_600_000).toISOString() };
  const { id: departureId } = await newDeparture(app, { productId, ...times });
  const { booking, item } = await confirmedBooking(owner, { item: { departureId, quantity: 2 } });
  const travelers = [
    await addTraveler(owner, booking.id, { firstName: 'Ana' }),
    await addTraveler(owner, booking.id, { firstName: 'Ion' }),
  ];
  const [ana = '', ion = ''] = travelers.map(({ id }) => id);
  await assign(owner, item, [ana, ion]);
  return { productId, departureId, question, bookingId: booking.id, item, ana, ion };
}

const answersOf = (bookingId: string) => `${BOOKINGS}/${bookingId}/answers`;

const read = async (bookingId: string) => (await owner.get<Answers>(answersOf(bookingId))).body.data;

const put = <T = ErrorBody>(bookingId: string, answers: object[]) => owner.put<T>(answersOf(bookingId), { answers });

async function answer(bookingId: string, answers: object[]): Promise<Answers['data']> {
  const { status, text, body } = await put<Answers>(bookingId, answers);
  expect([status, text]).toEqual([200, text]);
  return body.data;
}

const missingOf = async (bookingId: string) => {
  const { data } = (await owner.get<{ data: Traveler[] }>(travelersOf(bookingId))).body;
  return data.map(({ missing }) => missing);
};

const isIncomplete = async ({ departureId, bookingId }: { departureId: string; bookingId: string }) => {
  const path = `${BOOKINGS}?departureId=${departureId}&travelersIncomplete=true`;
  const { data } = (await owner.get<{ data: { id: string }[] }>(path)).body;
  return data.some(({ id }) => id === bookingId);
};

const YES_NO = { scope: 'booking', type: 'boolean', label: 'With bicycles?', required: true };
const SIZE = { scope: 'traveler', type: 'integer', label: 'Shoe size', min: 20, max: 50, required: true };

describe('answers to the questions of products', () => {
  it('required questions that are due are missing until they are answered, and those that do not apply are not asked', async () => {
    const all = await tour();
    const { bookingId, question, ana, ion } = all;
    expect(await isIncomplete(all)).toBe(false);
    const bicycles = await question(YES_NO);
    const size = await question({ ...SIZE, showIf: { questionId: bicycles, equals: 'true' } });
    const later = await question({ ...SIZE, dueDaysBefore: 7 });
    await question({ ...SIZE, type: 'text', min: null, max: null, field: 'gender' });
    await question({ ...SIZE, required: false });
    expect((await read(bookingId)).missing.map(({ questionId }) => questionId)).toEqual([bicycles]);
    expect([await missingOf(bookingId), await isIncomplete(all)]).toEqual([[['gender'], ['gender']], true]);

    await answer(bookingId, [{ questionId: bicycles, values: ['true'] }]);
    expect(await missingOf(bookingId)).toEqual([
      ['gender', size],
      ['gender', size],
    ]);
    const { answers, missing } = await answer(bookingId, [
      { questionId: bicycles },
      { questionId: size, travelerId: ana, values: ['39'] },
    ]);
    expect(missing).toEqual([{ questionId: size, travelerId: ion, bookingItemId: null, unitNumber: null }]);
    expect(answers).toMatchObject([
      { questionId: bicycles, values: ['true'], scope: 'booking', questionVersion: 1, travelerId: null },
      { questionId: size, values: ['39'], label: 'Shoe size', type: 'integer', travelerId: ana, isSealed: false },
    ]);
    for (const id of [ana, ion]) await owner.patch(`${travelersOf(bookingId)}/${id}`, { gender: 'F' });
    await answer(bookingId, [{ questionId: bicycles, values: ['false'] }]);
    expect([await missingOf(bookingId), await isIncomplete(all)]).toEqual([[[], []], false]);
    app.travel({ days: 24 });
    expect([await missingOf(bookingId), await isIncomplete(all)]).toEqual([[[later], [later]], true]);
    app.travel({ days: -24 });
  });

  it('an answer keeps the version of its question until it changes, and the booking has a new version each time', async () => {
    const { bookingId, productId, question } = await tour();
    const hotel = await question({ scope: 'booking', type: 'text', label: 'Hotel' });
    const before = await readBooking(owner, bookingId);
    const first = await answer(bookingId, [{ questionId: hotel, values: ['Esplanada'] }]);
    expect(first.version).toBe(Number(before['version']) + 1);
    const path = `${PRODUCTS}/${productId}/questions/${hotel}`;
    await owner.patch(path, { label: 'Where do you stay?' });
    const same = await answer(bookingId, [{ questionId: hotel, values: ['Esplanada'] }]);
    expect(same.answers).toMatchObject([{ id: first.answers[0]?.id, questionVersion: 1, label: 'Hotel' }]);
    const changed = await answer(bookingId, [{ questionId: hotel, values: ['Delta'] }]);
    expect(changed.answers).toMatchObject([{ questionVersion: 2, label: 'Where do you stay?', values: ['Delta'] }]);
    const stale = await owner.put<ErrorBody>(answersOf(bookingId), { answers: [] }, { headers: { 'if-match': '"1"' } });
    expect(stale.status).toBe(412);
    const inUse = await owner.delete<ErrorBody>(path);
    expect([inUse.status, inUse.body.code]).toEqual([409, 'question_in_use']);
    await owner.patch(path, { active: false });
    const ended = await put(bookingId, [{ questionId: hotel, values: ['Other'] }]);
    expect([ended.status, ended.body.code]).toEqual([409, 'question_inactive']);
    expect((await answer(bookingId, [{ questionId: hotel }])).answers).toHaveLength(1);
    expect((await answer(bookingId, [])).answers).toEqual([]);
  });

  it('an answer of another type, person or product is rejected with its path', async () => {
    const { bookingId, question, ana, item } = await tour();
    const size = await question(SIZE);
    const text = await question({ scope: 'booking', type: 'text', label: 'Hotel', maxLength: 3 });
    const choices = [{ value: 's', label: 'S' }];
    const choice = await question({ scope: 'booking', type: 'multi_choice', label: 'Sizes', choices });
    const date = await question({ scope: 'booking', type: 'date', label: 'Arrival' });
    const country = await question({ scope: 'booking', type: 'country', label: 'From' });
    const phone = await question({ scope: 'booking', type: 'phone', label: 'Phone' });
    const field = await question({ scope: 'traveler', type: 'text', label: 'Gender', field: 'gender' });
    const path = async (body: object) => {
      const { status, body: rejected } = await put(bookingId, [body]);
      const { issues = [], field: at } = rejected.details as { issues?: { path: string }[]; field?: string };
      return `${status} ${issues[0]?.path ?? at ?? ''}`.replace('answers.0.', '');
    };
    expect(await path({ questionId: size, travelerId: ana, values: ['51'] })).toBe('400 values.0');
    expect(await path({ questionId: size, travelerId: ana, values: ['4.5'] })).toBe('400 values.0');
    expect(await path({ questionId: size, values: ['40'] })).toBe('400 travelerId');
    expect(await path({ questionId: size, travelerId: 'trav_x', values: ['40'] })).toBe('404 travelerId');
    expect(await path({ questionId: text, travelerId: ana, values: ['abc'] })).toBe('400 travelerId');
    expect(await path({ questionId: text, bookingItemId: item.id, values: ['abc'] })).toBe('400 bookingItemId');
    expect(await path({ questionId: text, values: ['abcd'] })).toBe('400 values.0');
    expect(await path({ questionId: text, values: ['a', 'b'] })).toBe('400 values');
    expect(await path({ questionId: text })).toBe('400 values');
    expect(await path({ questionId: choice, values: ['s', 'm'] })).toBe('400 values.1');
    expect(await path({ questionId: date, values: ['2027-02-30'] })).toBe('400 values.0');
    expect(await path({ questionId: country, values: ['XX'] })).toBe('400 values.0');
    expect(await path({ questionId: phone, values: ['12'] })).toBe('400 values.0');
    expect(await path({ questionId: field, travelerId: ana, values: ['F'] })).toBe('400 questionId');
    expect(await path({ questionId: 'pqst_x', values: ['F'] })).toBe('404 questionId');
    const twice = await put(
      bookingId,
      [1, 2].map(() => ({ questionId: text, values: ['a'] })),
    );
    expect([twice.status, twice.body.details]).toMatchObject([400, { issues: [{ path: 'answers.1.questionId' }] }]);
  });

  it('a sensitive answer is sealed and revealed with a purpose only, and one about health needs a consent that lasts', async () => {
    const { bookingId, question, ana, ion } = await tour();
    const sensitive = { scope: 'traveler', type: 'text', label: 'Allergies', sensitive: true };
    const allergies = await question({ ...sensitive, healthData: true });
    const room = await question({ ...sensitive, label: 'Safe word' });
    const health = { questionId: allergies, travelerId: ana, values: ['Nuts'] };
    const refused = await put(bookingId, [health]);
    expect([refused.status, refused.body.code, refused.body.details]).toEqual([
      ...[422, 'consent_required', { field: 'answers.0.values', purpose: 'health_data' }],
    ]);
    const { id: customerId } = await newCustomer(app);
    await owner.post(`/v1/admin/customers/${customerId}/consents`, {
      purpose: 'health_data',
      granted: true,
      ...CONSENT,
    });
    await owner.patch(`${travelersOf(bookingId)}/${ana}`, { customerId });
    const { answers } = await answer(bookingId, [health, { questionId: room, travelerId: ion, values: ['Delta'] }]);
    expect(answers).toMatchObject([
      { travelerId: ana, values: null, isSealed: true },
      { travelerId: ion, values: null, isSealed: true },
    ]);
    const kept = await answer(bookingId, [
      { questionId: allergies, travelerId: ana },
      { questionId: room, travelerId: ion },
    ]);
    expect(kept.answers).toEqual(answers);
    const path = `${answersOf(bookingId)}/${answers[0]?.id ?? ''}/reveal`;
    const revealed = await owner.post(path, { purpose: 'Menu' });
    expect([revealed.status, revealed.body, revealed.headers['cache-control']]).toEqual([
      ...[200, { data: { values: ['Nuts'] } }, 'no-store'],
    ]);
    const clerk = await staffWith(app, 'bookings:read', 'bookings:write');
    expect((await clerk.post(path, { purpose: 'Menu' })).status).toBe(403);
    await owner.post(`/v1/admin/customers/${customerId}/consents`, {
      purpose: 'health_data',
      granted: false,
      ...CONSENT,
    });
    expect((await read(bookingId)).answers.map(({ questionId }) => questionId)).toEqual([room]);
  });

  it('the protection of answers changes only while there are none', async () => {
    const { bookingId, productId, question } = await tour();
    const questionId = await question({ scope: 'booking', type: 'text', label: 'Allergies', sensitive: true });
    const path = `${PRODUCTS}/${productId}/questions/${questionId}`;
    expect((await owner.patch(path, { healthData: true })).status).toBe(200);
    expect((await owner.patch(path, { healthData: false })).status).toBe(200);
    await answer(bookingId, [{ questionId, values: ['Nuts'] }]);
    for (const change of [{ sensitive: false }, { healthData: true }]) {
      const inUse = await owner.patch<ErrorBody>(path, change);
      expect([inUse.status, inUse.body.code]).toEqual([409, 'question_in_use']);
    }
    expect((await owner.patch(path, { label: 'Allergies?', sensitive: true })).status).toBe(200);
    await answer(bookingId, []);
    expect((await owner.patch(path, { sensitive: false })).status).toBe(200);
  });

  it('an answer and another protection of its question are not both accepted at the same time', async () => {
    const { bookingId, productId, question } = await tour();
    for (let round = 0; round < 4; round += 1) {
      const questionId = await question({ scope: 'booking', type: 'text', label: `Hotel ${round}` });
      const path = `${PRODUCTS}/${productId}/questions/${questionId}`;
      await Promise.all([
        put(bookingId, [{ questionId, values: ['Delta'] }]),
        owner.patch<ErrorBody>(path, { sensitive: true }),
      ]);
      const { sensitive } = (await owner.get<{ data: { sensitive: boolean } }>(path)).body.data;
      const stored = (await read(bookingId)).answers.filter((one) => one.questionId === questionId);
      expect(stored.every(({ isSealed }) => isSealed === sensitive)).toBe(true);
    }
  });

  it('all answers are checked before one of them is encrypted', async () => {
    const { bookingId, question } = await tour();
    const secret = { scope: 'booking', type: 'text', label: 'Safe word', sensitive: true };
    const [first, second] = [await question(secret), await question({ ...secret, maxLength: 3 })];
    const health = await question({ ...secret, healthData: true });
    const seal = jest.spyOn(app.nest.get(SealedValues, { strict: false }), 'seal');
    const given = { questionId: first, values: ['Delta'] };
    const statuses = [];
    for (const last of [given, { questionId: second, values: ['Delta'] }, { questionId: health, values: ['Nuts'] }])
      statuses.push((await put(bookingId, [given, last])).status);
    expect([statuses, seal.mock.calls]).toEqual([[400, 400, 422], []]);
    seal.mockRestore();
  });

  it('a traveler with answers about health keeps a consent to them', async () => {
    const { bookingId, question, ana } = await tour();
    const health = { scope: 'traveler', type: 'text', label: 'Allergies', sensitive: true, healthData: true };
    const questionId = await question(health);
    const path = `${travelersOf(bookingId)}/${ana}`;
    await owner.patch(path, { healthDataConsent: CONSENT });
    const given = await answer(bookingId, [{ questionId, travelerId: ana, values: ['Nuts'] }]);
    const refused = [...[422, 'consent_required', { field: 'healthDataConsent', purpose: 'health_data' }]];
    const change = async (body: object) => {
      const { status, body: answered } = await owner.patch<ErrorBody>(path, body);
      return status === 200 ? status : [status, answered.code, answered.details];
    };
    expect(await change({ healthDataConsent: null })).toEqual(refused);
    const { id: customerId } = await newCustomer(app);
    const consent = { purpose: 'health_data', granted: true, ...CONSENT };
    await owner.post(`/v1/admin/customers/${customerId}/consents`, consent);
    expect(await change({ healthDataConsent: null, customerId })).toBe(200);
    expect(await change({ customerId: (await newCustomer(app)).id })).toEqual(refused);
    expect(await change({ firstName: 'Anca' })).toBe(200);
    expect((await read(bookingId)).answers).toEqual(given.answers);
    await answer(bookingId, []);
    expect(await change({ customerId: null })).toBe(200);
  });

  it('an export has the answers of the person in plain text, and they are deleted after the travel', async () => {
    const { bookingId, question, ana, ion } = await tour();
    const secret = await question({ ...SIZE, sensitive: true });
    const size = await question({ ...SIZE, label: 'Waders' });
    const { id: customerId } = await newCustomer(app);
    await owner.patch(`${travelersOf(bookingId)}/${ana}`, { customerId });
    await answer(bookingId, [
      { questionId: secret, travelerId: ana, values: ['39'] },
      { questionId: size, travelerId: ana, values: ['40'] },
      { questionId: size, travelerId: ion, values: ['44'] },
    ]);
    const person = { customerIds: [customerId], names: [], emails: [], bookings: [] };
    const collect = () =>
      asSystem(() => app.nest.get(BookingData, { strict: false }).collect(person, { opensSealed: true }));
    const held = async () => (await collect()).filter(({ kind }) => kind.startsWith('answers'));
    expect((await held()).flatMap(({ records }) => records)).toMatchObject([
      { bookingId, question: 'Shoe size', values: ['39'] },
      { bookingId, question: 'Waders', values: ['40'] },
    ]);
    const erase = () => asSystem(() => app.nest.get(AnswerRetentionJobs, { strict: false }).deletePast());
    app.travel({ days: 59 });
    await erase();
    expect((await read(bookingId)).answers).toHaveLength(3);
    app.travel({ days: 4 });
    await erase();
    expect([(await read(bookingId)).answers, (await held()).flatMap(({ records }) => records)]).toEqual([[], []]);
    app.travel({ days: -63 });
  });

  it('the manifest shows the answers about a unit with the people of that unit only', async () => {
    const { productId, departureId, question } = await tour();
    const { id: unitId } = await newPart(app, productId, 'units', { type: 'other', name: 'Canoe', paxCount: 2 });
    await activeList(app, [{ productId, unitId, amountCents: 5_000 }]);
    const colour = await question({ scope: 'unit', type: 'text', label: 'Colour' });
    const { id: bookingId } = await makeBooking(owner);
    const sale = { departureId, units: [{ unitId, quantity: 2 }] };
    const sold = await owner.post<{ data: { id: string } }>(`${BOOKINGS}/${bookingId}/items`, sale);
    const bookingItemId = sold.body.data.id;
    await answer(bookingId, [
      { questionId: colour, bookingItemId, unitNumber: 1, values: ['Red'] },
      { questionId: colour, bookingItemId, unitNumber: 2, values: ['Blue'] },
    ]);
    const { body } = await owner.get<{ data: { people: { itemId: string; seat: number; answers?: object[] }[] } }>(
      `${DEPARTURES}/${departureId}/manifest?columns=answers`,
    );
    const people = body.data.people.filter(({ itemId }) => itemId === bookingItemId);
    const [red, blue] = ['Red', 'Blue'].map((value) => [{ label: 'Colour', values: [value] }]);
    expect(people.map(({ seat, answers }) => [seat, answers])).toEqual([
      [1, red],
      [2, red],
      [3, blue],
      [4, blue],
    ]);
  });

  it('the manifest shows the answers that are not sensitive if they are asked for', async () => {
    const { bookingId, departureId, question, ana } = await tour();
    const size = await question(SIZE);
    const hotel = await question({ scope: 'booking', type: 'text', label: 'Hotel' });
    const secret = await question({ ...SIZE, label: 'Secret', sensitive: true });
    await answer(bookingId, [
      { questionId: size, travelerId: ana, values: ['39'] },
      { questionId: hotel, values: ['Esplanada'] },
      { questionId: secret, travelerId: ana, values: ['42'] },
    ]);
    const clerk = await staffWith(app, 'operations:read');
    const path = `${DEPARTURES}/${departureId}/manifest`;
    const { body } = await clerk.get<{ data: { people: { answers?: object[] }[] } }>(`${path}?columns=answers`);
    const shown = { label: 'Hotel', values: ['Esplanada'] };
    expect(body.data.people.map(({ answers }) => answers)).toEqual([
      [{ label: 'Shoe size', values: ['39'] }, shown],
      [shown],
    ]);
    expect((await clerk.get(`${path}?columns=answers,document`)).status).toBe(403);
    expect((await clerk.get(path)).text).not.toContain('Esplanada');
    expect((await clerk.get(`${path}?columns=answers&format=csv`)).text).toContain('Shoe size: 39; Hotel: Esplanada');
    const authorization = `Bearer ${tokenOf(app.credentials, 'owner')}`;
    const print = async (query: string) =>
      (await pagesOf((await fetchFile(`${app.url}${path}?format=pdf${query}`, { authorization })).bytes)).join(' ');
    const answered = await print('&columns=answers');
    for (const answer of ['Answers', 'Shoe size: 39', 'Hotel: Esplanada']) expect(answered).toContain(answer);
    expect(await print('')).not.toContain('Esplanada');
  });
});
