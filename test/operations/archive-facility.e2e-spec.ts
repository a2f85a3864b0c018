import { beforeAll, describe, expect, it } from '@jest/globals';
import { NOT_FOUND, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { DEPARTURES, departure, newDeparture } from './departures.js';
import { archived, FACILITIES, newFacility, newOperator, OPERATORS, readFacility } from './facilities.js';

const ARCHIVED = { code: 'facility_archived', error: 'The facility is archived' };

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

const archive = (id: string) => staff.delete<ErrorBody & { data: object }>(`${FACILITIES}/${id}`);

describe('DELETE /v1/admin/operations/facilities/{id}', () => {
  it('archiving a facility counts the resources that still refer to it', async () => {
    const { id } = await newFacility(app);
    await newFacility(app, { parentFacilityId: id });
    await archived(app, { parentFacilityId: id });
    const operator = await newOperator(app, { facilityId: id });
    const past = { startsAt: '2025-05-12T06:00:00.000Z', endsAt: '2025-05-12T15:00:00.000Z', facilityId: id };
    const departed = await newDeparture(app, past);
    const calledOff = await newDeparture(app, { facilityId: id });
    await staff.post(`${DEPARTURES}/${calledOff.id}/cancellation`);

    const answer = await archive(id);

    const { deletedAt } = await readFacility(app, id);
    const impact = { departures: 2, children: 1, operators: 1 };
    expect([answer.status, answer.body]).toEqual([200, { data: { id, status: 'archived', deletedAt, impact } }]);
    expect(deletedAt).toEqual(expect.any(String));
    for (const path of [`${OPERATORS}/${operator.id}`, `${DEPARTURES}/${departed.id}`]) {
      expect((await staff.get<{ data: { facilityId: string } }>(path)).body.data.facilityId).toBe(id);
    }
  });

  it('archiving a facility with a scheduled future departure is rejected with 409 and the counts', async () => {
    const before = await newFacility(app);
    await newFacility(app, { parentFacilityId: before.id });
    await newOperator(app, { facilityId: before.id });
    await newDeparture(app, { facilityId: before.id });
    await newDeparture(app, { facilityId: before.id });
    const departed = { startsAt: '2025-05-12T06:00:00.000Z', endsAt: '2025-05-12T15:00:00.000Z' };
    await newDeparture(app, { facilityId: before.id, ...departed });

    const answer = await archive(before.id);

    const details = { departures: 2, children: 1, operators: 1 };
    const error = 'Scheduled future departures use the facility';
    expect([answer.status, answer.body]).toEqual([409, errorBody(answer, { code: 'facility_in_use', error, details })]);
    expect(await readFacility(app, before.id)).toEqual(before);
  });

  it('archiving an archived, unknown or malformed facility is rejected with 404', async () => {
    const { id } = await archived(app);
    for (const unknown of [id, 'fac_01k0dem000e000000000099999', 'fac_x', '%00']) {
      const answer = await archive(unknown);
      expect([answer.status, answer.body]).toEqual([404, errorBody(answer, NOT_FOUND)]);
    }
  });

  it('archiving a facility requires the scope operations:delete', async () => {
    const { id } = await newFacility(app);
    const { body } = await staff.post<{ data: { token: string } }>('/v1/admin/identity/api-tokens', {
      name: 'Writer',
      scopes: ['operations:read', 'operations:write'],
    });

    const answer = await app.with(body.data.token).delete<ErrorBody>(`${FACILITIES}/${id}`);

    expect([answer.status, answer.body.details]).toEqual([403, { requiredScope: 'operations:delete' }]);
  });

  const namers = [
    { thing: 'a departure', path: DEPARTURES, field: 'facilityId', terms: departure() },
    { thing: 'an operator', path: OPERATORS, field: 'facilityId', terms: { name: 'Transfers' } },
    { thing: 'another facility', path: FACILITIES, field: 'parentFacilityId', terms: { name: 'Pier' } },
  ];
  it.each(namers)('an archived facility is rejected with 409 for $thing', async ({ path, field, terms }) => {
    const { id } = await archived(app);

    const answer = await staff.post<ErrorBody>(path, { ...terms, [field]: id });

    expect([answer.status, answer.body]).toEqual([409, errorBody(answer, { ...ARCHIVED, details: { field } })]);
  });

  it.each(namers)('an unknown facility is rejected with 404 and the field for $thing', async (namer) => {
    const { path, field, terms } = namer;
    for (const unknown of ['fac_01k0dem000e000000000099999', 'nowhere']) {
      const answer = await staff.post<ErrorBody>(path, { ...terms, [field]: unknown });
      expect([answer.status, answer.body]).toEqual([404, errorBody(answer, { ...NOT_FOUND, details: { field } })]);
    }
  });

  it('resources that refer to an archived facility can still be changed otherwise', async () => {
    const { id } = await newFacility(app);
    const operator = await newOperator(app, { facilityId: id });
    await archive(id);

    const path = `${OPERATORS}/${operator.id}`;
    const other = await staff.patch<{ data: object }>(path, { active: false, facilityId: id });
    await staff.patch(path, { facilityId: null });
    const again = await staff.patch<ErrorBody>(path, { facilityId: id });

    expect([other.status, other.body.data]).toEqual([200, expect.objectContaining({ active: false, facilityId: id })]);
    expect([again.status, again.body]).toEqual([
      409,
      errorBody(again, { ...ARCHIVED, details: { field: 'facilityId' } }),
    ]);
  });

  it('an archived facility releases its code and is listed only on request', async () => {
    const code = `CODE-${Date.now()}`;
    const old = await archived(app, { code });
    const replacement = await newFacility(app, { code });

    const list = async (query: string) => {
      const { body } = await staff.get<{ data: { id: string }[] }>(`${FACILITIES}?search=${code}${query}`);
      return body.data.map(({ id }) => id);
    };
    expect(await list('')).toEqual([replacement.id]);
    expect(await list('&status=archived')).toEqual([old.id]);
    expect((await readFacility(app, old.id)).status).toBe('archived');
  });

  it('archiving a facility concurrently with new departures leaves no scheduled future departure there', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await newFacility(app);

      const [deleted, ...planned] = await Promise.all([
        archive(id),
        ...Array.from({ length: 4 }, () => staff.post<ErrorBody>(DEPARTURES, departure({ facilityId: id }))),
      ]);

      const made = planned.filter(({ status }) => status === 201);
      const rejected = planned.filter(({ status }) => status !== 201);
      expect(rejected.map(({ status, body }) => [status, body.code])).toEqual(
        rejected.map(() => [409, 'facility_archived']),
      );
      expect([deleted.status, made.length === 0]).toEqual(deleted.status === 200 ? [200, true] : [409, false]);
    }
  });

  it('archiving a facility publishes an event and records the former facility', async () => {
    const before = await newFacility(app);
    await archive(before.id);

    const [entry] = await app.sql<{ before: object }>(
      `select p.before::json as before from action_ledger_entries e join ledger_payloads p on p.entry_id = e.id
       where e.subject_id = $1 and e.action = 'operations.facility.delete'`,
      [before.id],
    );
    expect(entry?.before).toEqual(before);
  });
});
