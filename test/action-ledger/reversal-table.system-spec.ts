import { beforeAll, describe, expect, it } from '@jest/globals';
import { change, newChannel, read, unique } from '../distribution/channels.js';
import { departureIn, newAllotment, onlySlot } from '../distribution/allotments/allotments.js';
import { DEPARTURES, read as readDeparture } from '../operations/departures.js';
import { archived, FACILITIES, newFacility, readFacility } from '../operations/facilities.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { blocked, itself, reversed } from './reversals.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('operations.departure.cancel', () => {
  const ACTION = 'operations.departure.cancel';

  it('the reversal schedules the departure again, with its guaranteed units', async () => {
    const departure = await departureIn(app, 30);
    const allotment = await newAllotment(app, {
      productId: departure.productId,
      defaultQuantity: 4,
      type: 'guaranteed',
    });
    await staff.post(`${DEPARTURES}/${departure.id}/cancellation`);
    expect(await onlySlot(app, allotment.id)).toMatchObject({ remaining: 0 });

    await reversed(app, departure.id, ACTION);

    expect(await readDeparture(app, departure.id)).toMatchObject({ status: 'scheduled', guaranteedOpen: 4 });
    expect(await onlySlot(app, allotment.id)).toMatchObject({ remaining: 4 });
  });

  it('the reversal is blocked if the departure was reinstated already', async () => {
    const { id } = await departureIn(app, 30);
    await staff.post(`${DEPARTURES}/${id}/cancellation`);
    await staff.post(`${DEPARTURES}/${id}/reinstatement`);
    expect(await blocked(app, id, ACTION)).toMatchObject({ reason: 'changed_since' });
  });
});

describe('distribution.channel.create', () => {
  const ACTION = 'distribution.channel.create';

  it('the reversal archives the channel, also after later changes', async () => {
    const made = await newChannel(app);
    await change(staff, made.id, { description: 'Meanwhile' });

    await reversed(app, made.id, ACTION);

    expect(await read(app, made.id)).toMatchObject({ status: 'archived', version: 3 });
  });

  it('the reversal is blocked if the channel is archived already', async () => {
    const { id } = await newChannel(app);
    await change(staff, id, { status: 'archived' });

    expect(await blocked(app, id, ACTION)).toEqual({ reason: 'channel_archived', channelId: id });
  });
});

describe('distribution.channel.update', () => {
  const ACTION = 'distribution.channel.update';

  it('the reversal restores every member, contact and data included', async () => {
    const made = await newChannel(app, {
      ...{ description: 'Before', status: 'pending', website: 'https://before.example', kind: 'ota' },
      ...{ contactName: 'Petra Keller', contactEmail: 'petra@example.com', metadata: { a: { b: [1, null] } } },
    });
    await change(staff, made.id, {
      ...{ name: unique('After'), description: null, status: 'active', website: null, kind: 'reseller' },
      ...{ contactName: null, contactEmail: 'other@example.com', metadata: { c: 1 } },
    });

    await reversed(app, made.id, ACTION);

    expect(itself(await read(app, made.id))).toEqual(itself(made));
  });

  it('the reversal is blocked if another channel has the name', async () => {
    const made = await newChannel(app);
    await change(staff, made.id, { name: unique('Renamed') });
    await newChannel(app, { name: made.name });

    expect(await blocked(app, made.id, ACTION)).toEqual({ reason: 'channel_name_taken', field: 'name' });
  });
});

describe('operations.facility.update', () => {
  const ACTION = 'operations.facility.update';

  it('the reversal restores every member', async () => {
    const parent = await newFacility(app);
    const made = await newFacility(app, {
      ...{ code: unique('C').slice(0, 90), kind: 'hotel', parentFacilityId: parent.id, description: 'Before' },
      ...{ timeZone: 'Europe/Vienna', address: { line1: 'Quay 1', country: 'AT' }, latitude: 47.2, longitude: 11.4 },
      tags: ['river'],
    });
    const after = { ...{ code: null, kind: 'office', parentFacilityId: null, description: null, timeZone: null } };
    await staff.patch(`${FACILITIES}/${made.id}`, {
      ...after,
      ...{ name: 'After', status: 'inactive', address: null, latitude: null, longitude: null, tags: null },
    });

    await reversed(app, made.id, ACTION);

    expect(itself(await readFacility(app, made.id))).toEqual(itself(made));
  });

  it('the reversal is blocked if the facility would contain itself', async () => {
    const [outer, inner] = [await newFacility(app), await newFacility(app)];
    await staff.patch(`${FACILITIES}/${inner.id}`, { parentFacilityId: outer.id });
    await staff.patch(`${FACILITIES}/${inner.id}`, { parentFacilityId: null });
    await staff.patch(`${FACILITIES}/${outer.id}`, { parentFacilityId: inner.id });

    expect(await blocked(app, inner.id, ACTION)).toEqual({ reason: 'facility_cycle' });
  });

  it('the reversal is blocked if the facility was archived since', async () => {
    const { id } = await newFacility(app);
    await staff.patch(`${FACILITIES}/${id}`, { name: 'After' });
    await staff.delete(`${FACILITIES}/${id}`);

    expect(await blocked(app, id, ACTION)).toMatchObject({ reason: 'changed_since' });
  });
});

describe('operations.facility.delete', () => {
  const ACTION = 'operations.facility.delete';

  it.each(['active', 'inactive'])('the reversal restores the facility as %s', async (status) => {
    const made = await newFacility(app, { status, code: unique('D').slice(0, 90) });
    await staff.delete(`${FACILITIES}/${made.id}`);

    await reversed(app, made.id, ACTION);

    expect(itself(await readFacility(app, made.id))).toEqual(itself(made));
  });

  it('the reversal is blocked if another facility has the code', async () => {
    const code = unique('E').slice(0, 90);
    const { id } = await archived(app, { code });
    await newFacility(app, { code });

    expect(await blocked(app, id, ACTION)).toEqual({ reason: 'facility_code_taken' });
  });
});
