import { demoId } from '../../platform/ids/id.js';
import type { DeparturePlans } from './departures/departure-plans.service.js';

const DAY_MS = 24 * 60 * 60 * 1000;

const DELTA = {
  productId: 'tour-danube-delta',
  hours: 9,
  timeZone: 'Europe/Bucharest',
  capacity: 20,
  priceCents: 5_900,
  facilityId: demoId('fac', 1),
};
const ALPS = {
  productId: 'alpine-crossing',
  hours: 100,
  timeZone: 'Europe/Vienna',
  capacity: 12,
  priceCents: 59_500,
  facilityId: null,
};

/** 1 to be read, 2 to be changed, 3 to be called off; 4 and 5 to be booked. */
const DEPARTURES = [
  { ...DELTA, inDays: 60 },
  { ...DELTA, inDays: 67 },
  { ...DELTA, inDays: 74 },
  { ...ALPS, inDays: 90 },
  { ...ALPS, inDays: 120 },
];

/** Departures in the weeks to come, among them those that the API document's examples name. */
export async function loadDemoDepartures(plans: DeparturePlans, now: Date): Promise<void> {
  const morning = new Date(now).setUTCHours(7, 0, 0, 0);
  for (const [index, { inDays, hours, ...fields }] of DEPARTURES.entries()) {
    const startsAt = morning + inDays * DAY_MS;
    const times = {
      startsAt: new Date(startsAt).toISOString(),
      endsAt: new Date(startsAt + hours * 60 * 60 * 1000).toISOString(),
    };
    await plans.create({ ...fields, ...times, currency: 'EUR' }, demoId('dep', index + 1));
  }
}
