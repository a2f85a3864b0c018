/** @jest-environment-options {"application":"shared"} */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newChannel } from '../distribution/channels.js';
import {
  aProduct,
  assign,
  assigned,
  ASSIGNMENTS,
  newDraft,
  type Policy,
  publish,
  published,
  readVersion,
  databaseErrorOf,
  retire,
  type Version,
} from '../legal/policies.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { MANUAL, PARTY, TRIPS } from '../trips/trips.js';
import {
  addItem,
  type Booking,
  BOOKINGS,
  entriesAbout,
  insisting,
  makeBooking,
  type One,
  readBooking,
} from './bookings.js';

interface Line {
  kind: string;
  policyId: string;
  policyVersionId: string;
  number: number;
  sha256: string;
  productIds: string[] | null;
}

interface Sold extends Booking {
  terms: Line[] | null;
  termsSha256: string | null;
}

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

const confirm = (id: string) => staff.post<One<Sold>>(`${BOOKINGS}/${id}/confirmation`);
const read = async (id: string) => (await readBooking(staff, id)) as Sold;
const remove = async (id: string) => expect((await staff.delete(`${ASSIGNMENTS}/${id}`)).status).toBe(200);

/** Confirms a booking with a seat on a departure of each of these products, and one without a product. */
async function sell({ channelId, products = [] }: { channelId?: string; products?: string[] }): Promise<Sold> {
  const { id } = await makeBooking(staff, channelId === undefined ? {} : { channelId });
  await addItem(staff, id);
  for (const productId of products) {
    await addItem(staff, id, { departureId: (await newDeparture(app, { productId })).id });
  }
  const { status, body } = await confirm(id);
  expect([status, body.data]).toEqual([200, await read(id)]);
  return body.data;
}

const lineOf = (made: { policy: Policy; version: Version }, productIds: string[] | null): Line => ({
  kind: made.policy.kind,
  policyId: made.policy.id,
  policyVersionId: made.version.id,
  number: made.version.number,
  sha256: made.version.sha256 ?? '',
  productIds,
});

const ofKind = ({ terms }: Sold, kind: string) => terms?.filter((line) => line.kind === kind);

describe('the terms of a booking', () => {
  it('the terms of a booking are stored at its confirmation: global ones, those of its channel, and those of its products', async () => {
    const { id: channelId } = await newChannel(app);
    const [first, second, plain] = [aProduct(), aProduct(), aProduct()];
    const ofChannel = await assigned(app, 'refund', { scope: 'channel', targetId: channelId });
    const ofProduct = await assigned(app, 'refund', first);
    await assign(app, ofProduct.policy.id, second);
    const unrelated = await assigned(app, 'guarantee', aProduct());
    const partners = await assigned(app, 'commission', { scope: 'channel', targetId: channelId });

    const sold = await sell({ channelId, products: [first, plain, second].map(({ targetId }) => targetId) });

    const products = [first.targetId, second.targetId].sort();
    expect(ofKind(sold, 'refund')).toEqual([lineOf(ofChannel, null), lineOf(ofProduct, products)]);
    const ids = sold.terms?.map(({ policyId }) => policyId);
    expect([ids?.includes(unrelated.policy.id), ids?.includes(partners.policy.id)]).toEqual([false, false]);
    // The policies of the demo data, which apply everywhere.
    const general = sold.terms?.filter(({ productIds }) => productIds === null).map(({ kind }) => kind);
    expect(general).toEqual(['cancellation', 'payment', 'refund', 'terms_and_conditions']);
    const digest = createHash('sha256')
      .update(canonicalize(sold.terms) ?? '')
      .digest('hex');
    expect(sold.termsSha256).toBe(digest);
    const entries = (await entriesAbout(staff, sold.id)).filter(({ action }) => action === 'bookings.booking.confirm');
    expect(entries).toMatchObject([{ before: { termsSha256: null }, after: { termsSha256: digest } }]);
  });

  it('a booking that is a draft, or was cancelled as a draft, has no terms', async () => {
    const { id } = await makeBooking(staff);
    await addItem(staff, id);
    expect(await read(id)).toMatchObject({ status: 'draft', terms: null, termsSha256: null });
    await staff.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
    expect(await read(id)).toMatchObject({ status: 'cancelled', terms: null, termsSha256: null });
  });

  it('the terms of a booking do not include policies of other products, channels and days', async () => {
    const [product, { id: channelId }] = [aProduct(), await newChannel(app)];
    await assigned(app, 'refund', product);
    await assigned(app, 'refund', { scope: 'channel', targetId: channelId });
    const over = await assigned(app, 'guarantee', { ...product, validTo: '2020-12-31' });

    expect(ofKind(await sell({}), 'refund')).toEqual([]);
    const sold = await sell({ products: [product.targetId] });
    expect(ofKind(sold, 'refund')).toMatchObject([{ productIds: [product.targetId] }]);
    expect(ofKind(sold, 'guarantee')).toEqual([]);
    expect(over.assignment.validTo).toBe('2020-12-31');
  });

  it('the terms of a booking ignore items that were cancelled before', async () => {
    const product = aProduct();
    await assigned(app, 'refund', product);
    const { id } = await makeBooking(staff);
    await addItem(staff, id);
    const { id: departureId } = await newDeparture(app, { productId: product.targetId });
    const item = await addItem(staff, id, { departureId });
    await staff.post(`${BOOKINGS}/${id}/items/${item.id}/cancellation`);
    expect(ofKind((await confirm(id)).body.data, 'refund')).toEqual([]);
  });

  it('the terms of a booking do not change when an assignment is removed, or a version published or retired', async () => {
    const product = aProduct();
    const { policy, version, assignment } = await assigned(app, 'refund', product);
    const sold = await sell({ products: [product.targetId] });
    const terms = [lineOf({ policy, version }, [product.targetId])];
    expect(ofKind(sold, 'refund')).toEqual(terms);

    const second = await publish(app, await newDraft(app, policy.id, { body: 'Nothing is given back.' }));
    const next = await sell({ products: [product.targetId] });
    expect(ofKind(next, 'refund')).toEqual([lineOf({ policy, version: second }, [product.targetId])]);
    await retire(app, second);
    expect(ofKind(await sell({ products: [product.targetId] }), 'refund')).toEqual([]);
    await remove(assignment.id);
    expect(ofKind(await sell({ products: [product.targetId] }), 'refund')).toEqual([]);

    expect(await read(sold.id)).toEqual(sold);
    expect(await read(next.id)).toEqual(next);
    const { body, rules, sha256, status } = await readVersion(app, version);
    expect([body, rules, sha256, status]).toEqual([version.body, version.rules, version.sha256, 'retired']);
  });

  it('the terms of a booking do not change with later changes of the booking', async () => {
    const product = aProduct();
    const { assignment } = await assigned(app, 'refund', product);
    const sold = await sell({ products: [product.targetId] });
    await remove(assignment.id);
    await staff.patch(`${BOOKINGS}/${sold.id}`, { notes: 'Vegetarian', startDate: '2126-01-01' });
    await addItem(staff, sold.id);
    const { body } = await staff.post<One<Sold>>(`${BOOKINGS}/${sold.id}/cancellation`, { reason: 'Ill' });
    const { terms, termsSha256 } = sold;
    expect(body.data).toMatchObject({ status: 'cancelled', terms, termsSha256 });
    expect(await read(sold.id)).toMatchObject({ terms, termsSha256 });
  });

  it.each([`terms = '[]'`, 'terms = null, terms_sha256 = null', `terms_sha256 = repeat('0', 64)`])(
    'the database rejects a change of the terms of a booking: set %s',
    async (change) => {
      const { id } = await sell({});
      expect(await databaseErrorOf(app, `update bookings set ${change} where id = $1`, [id])).toBe('23001');
    },
  );

  it('the booking of a reserved trip has the same terms', async () => {
    const product = aProduct();
    const { policy, version } = await assigned(app, 'refund', product);
    const { id: departureId } = await newDeparture(app, { productId: product.targetId });
    const made = await staff.post<{ data: { envelopeId: string } }>(TRIPS, { currency: 'EUR', travelerParty: PARTY });
    const trip = `${TRIPS}/${made.body.data.envelopeId}`;
    await staff.post(`${trip}/components`, { kind: 'catalog_booking', title: 'Seat', quantity: 1, departureId });
    await staff.post(`${trip}/components`, { ...MANUAL, quantity: 1 });
    expect((await staff.post(`${trip}/reserve`)).status).toBe(200);

    const { status, body } = await staff.post<{ data: { bookingId: string } }>(`${trip}/booking`);

    expect(status).toBe(200);
    const sold = await read(body.data.bookingId);
    expect(sold).toMatchObject({ status: 'confirmed', termsSha256: expect.any(String) });
    expect(ofKind(sold, 'refund')).toEqual([lineOf({ policy, version }, [product.targetId])]);
  });

  it('the terms of a booking are consistent while versions are published', async () => {
    const product = aProduct();
    const { policy } = await published(app, { kind: 'refund' });
    await assign(app, policy.id, product);
    const { id: departureId } = await newDeparture(app, { productId: product.targetId });
    const drafts = await Promise.all(Array.from({ length: 6 }, () => newDraft(app, policy.id)));
    const ids = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { id } = await makeBooking(staff);
        await addItem(staff, id, { departureId });
        return id;
      }),
    );

    const [sold] = await Promise.all([
      Promise.all(ids.map((id) => insisting(() => confirm(id)))),
      Promise.all(drafts.map((draft) => publish(app, draft))),
    ]);

    expect(sold.map(({ status }) => status)).toEqual(ids.map(() => 200));
    for (const { body } of sold) {
      const [line, ...others] = ofKind(body.data, 'refund') ?? [];
      expect([line?.policyId, others]).toEqual([policy.id, []]);
      const { status, sha256 } = await readVersion(app, { policyId: policy.id, id: line?.policyVersionId ?? '' });
      expect([['published', 'retired'].includes(status), line?.sha256]).toEqual([true, sha256]);
    }
  });
});
