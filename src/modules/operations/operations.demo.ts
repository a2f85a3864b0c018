import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { DeparturesService } from './departures/departures.service.js';
import { FacilitiesService } from './facilities/facilities.service.js';
import type { CreateFacility } from './facilities/facility.dto.js';
import type { CreateGroundOperator } from './operators/ground-operator.dto.js';
import { GroundOperatorsService } from './operators/ground-operators.service.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** The examples read and refer to 1, change 2 and archive 3. */
const FACILITIES: readonly CreateFacility[] = [
  {
    name: 'Tulcea river port',
    code: 'TCE-PORT',
    kind: 'meeting_point',
    timeZone: 'Europe/Bucharest',
    address: { line1: 'Strada Portului 12', line2: 'Pier 3', city: 'Tulcea', postalCode: '820243', country: 'RO' },
    latitude: 45.1787,
    longitude: 28.8049,
    tags: ['river', 'parking'],
  },
  {
    name: 'Hotel Bergblick',
    code: 'INN-BERG',
    kind: 'hotel',
    timeZone: 'Europe/Vienna',
    address: { line1: 'Bergweg 4', line2: 'Rear building', city: 'Innsbruck', postalCode: '6020', country: 'AT' },
  },
  { name: 'Old ticket office', kind: 'office', parentFacilityId: demoId('fac', 1) },
];

/** The examples read 1 and change 2. */
const OPERATORS: readonly CreateGroundOperator[] = [
  {
    name: 'Delta Transfers',
    code: 'DELTA',
    facilityId: demoId('fac', 1),
    contactName: 'Ioana Marin',
    contactEmail: 'dispatch@delta-transfers.example',
    contactPhone: '+40 240 555 010',
    serviceAreas: ['Tulcea', 'Constanta'],
    licenseNumber: 'TR-4711',
    insuranceExpiresOn: '2027-12-31',
    timeZone: 'Europe/Bucharest',
  },
  { name: 'Alpenbus Innsbruck', code: 'ALPENBUS', serviceAreas: ['Tyrol'], timeZone: 'Europe/Vienna' },
];

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

/** The examples read 1, change 2, cancel 3, book 4 and 5, close the sales of 6, open those of 7 and guarantee 8. */
const DEPARTURES = [
  { ...DELTA, inDays: 60 },
  { ...DELTA, inDays: 67 },
  { ...DELTA, inDays: 74 },
  { ...ALPS, inDays: 90 },
  { ...ALPS, inDays: 120 },
  { ...DELTA, inDays: 81, cutoff: { daysBefore: 1, at: '18:00' } },
  { ...DELTA, inDays: 88 },
  { ...ALPS, inDays: 150, minParticipants: 6, euPackage: true },
];

/** The facilities, ground operators and departures that the examples of the API document name. */
@Injectable()
export class OperationsDemo {
  constructor(
    private readonly facilities: FacilitiesService,
    private readonly operators: GroundOperatorsService,
    private readonly departures: DeparturesService,
    private readonly clock: Clock,
  ) {}

  @DemoData(140, 'facilities and ground operators')
  async loadPlaces(): Promise<void> {
    for (const [index, facility] of FACILITIES.entries()) {
      await this.facilities.create(facility, demoId('fac', index + 1));
    }
    for (const [index, operator] of OPERATORS.entries()) {
      await this.operators.create(operator, demoId('gop', index + 1));
    }
  }

  @DemoData(150, 'departures')
  async loadDepartures(): Promise<void> {
    const morning = this.clock.now().setUTCHours(7, 0, 0, 0);
    for (const [index, { inDays, hours, ...fields }] of DEPARTURES.entries()) {
      const startsAt = new Date(morning + inDays * DAY_MS).toISOString();
      const endsAt = new Date(morning + inDays * DAY_MS + hours * HOUR_MS).toISOString();
      await this.departures.create({ ...fields, startsAt, endsAt, currency: 'EUR' }, demoId('dep', index + 1));
    }
    await this.departures.closeSales(demoId('dep', 7), 'The boat is in repair', null);
  }
}
