import { beforeAll, describe, expect, it } from '@jest/globals';
import { confirmedBooking, makeBooking } from '../bookings/bookings.js';
import { CONTRACTS, draft } from '../legal/contracts.js';
import { startApp, type TestApp } from '../setup/app.js';
import { makeTrip, MANUAL, TRIPS } from '../trips/trips.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const INVOICES = '/v1/admin/finance/invoices';
const NAME = 'José Ñandú O’Neil-Straße';

async function found(path: string, search: string): Promise<string[]> {
  const query = `${path}?limit=200&search=${encodeURIComponent(search)}`;
  const { status, body } = await app.as('owner').get<{ data: Record<string, string>[] }>(query);
  expect(status).toBe(200);
  return body.data.map(({ id, envelopeId }) => id ?? envelopeId ?? '');
}

describe('the search of lists', () => {
  it.each(['jose', 'NANDU', "o'neil", 'oneil', 'neil strasse', 'straße', 'ñandú josé', 'ＪＯＳＥ', 'Neil-Straße ñand'])(
    'the search "%s" finds a customer whose name has accents, an apostrophe and a hyphen',
    async (search) => {
      const { id } = await makeBooking(app.as('owner'), { customerName: NAME });
      expect(await found('/v1/admin/bookings', search)).toContain(id);
      const trip = await makeTrip(app.as('owner'), [MANUAL], { travelerParty: { travelers: [{ name: NAME }] } });
      expect(await found(TRIPS, search)).toContain(trip.envelopeId);
      const contract = await draft(app, { recipientName: NAME });
      expect(await found(CONTRACTS, search)).toContain(contract.id);
    },
  );

  it('every word must occur, wildcards are literal, and a search without a word finds nothing', async () => {
    const { id } = await makeBooking(app.as('owner'), { customerName: 'Percy 100%_\\ Sure' });
    expect(await found('/v1/admin/bookings', 'percy 100%_\\')).toEqual([id]);
    for (const search of ['percy nobody', 'per_y', 'p%y', "'", '-']) {
      expect(await found('/v1/admin/bookings', search)).toEqual([]);
    }
  });

  it('a booking is found by its e-mail address, and its invoices by its number', async () => {
    const owner = app.as('owner');
    const { booking } = await confirmedBooking(owner, { booking: { customerEmail: 'Nandu.Jose@example.com' } });
    expect(await found('/v1/admin/bookings', 'nandu.jose@EXAMPLE')).toEqual([booking.id]);
    const invoice = await owner.post<{ data: { id: string } }>('/v1/admin/finance/invoices', { bookingId: booking.id });
    expect(invoice.status).toBe(201);
    expect(await found('/v1/admin/finance/invoices', booking.number.toLowerCase())).toEqual([invoice.body.data.id]);
  });

  it('an invoice is found by its number and by the present name of its payer, also after it was issued and voided', async () => {
    const owner = app.as('owner');
    const { booking } = await confirmedBooking(owner, { booking: { customerName: NAME } });
    type One = { data: { id: string; number: string } };
    const { id } = (await owner.post<One>(INVOICES, { bookingId: booking.id })).body.data;
    expect(await found(INVOICES, 'nandu oneil jose')).toContain(id);
    expect((await owner.patch(`${INVOICES}/${id}`, { payerName: 'Søren Ångström' })).status).toBe(200);
    expect(await found(INVOICES, 'angstrom soren')).toContain(id);
    expect(await found(INVOICES, 'nandu oneil jose')).not.toContain(id);
    const { number } = (await owner.post<One>(`${INVOICES}/${id}/issuance`, {})).body.data;
    expect(await found(INVOICES, number)).toContain(id);
    expect((await owner.post(`${INVOICES}/${id}/voiding`, { reason: 'Wrong payer' })).status).toBe(200);
    expect(await found(INVOICES, 'soren angstrom')).toContain(id);
  });

  it.each(['O´Neil', 'O`Neil', 'O’Neil', 'OʼNeil', 'O＇Neil'])(
    'the name %s is found without its apostrophe',
    async (name) => {
      const { id } = await makeBooking(app.as('owner'), { customerName: name });
      expect(await found('/v1/admin/bookings', 'oneil')).toContain(id);
      expect(await found('/v1/admin/bookings', name)).toContain(id);
    },
  );

  it('users are found by words of their names in any order', async () => {
    const [user] = await app.sql<{ id: string; name: string }>(
      'select id, name from users order by created_at limit 1',
    );
    await app.sql('update users set name = $2 where id = $1', [user?.id, 'Ðorđe Łukasz']);
    expect(await found('/v1/admin/identity/users', 'lukasz dorde')).toEqual([user?.id]);
    await app.sql('update users set name = $2 where id = $1', [user?.id, user?.name]);
  });
});
