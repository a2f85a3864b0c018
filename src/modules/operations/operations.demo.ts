import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { FacilitiesService } from './facilities/facilities.service.js';
import type { CreateFacility } from './facilities/facility.dto.js';
import type { CreateDepartureSchedule } from './schedules/departure-schedule.dto.js';
import { ResourceAssignmentsService } from './resources/resource-assignments.service.js';
import type { CreateResource } from './resources/resource.dto.js';
import { ResourcesService } from './resources/resources.service.js';
import { DepartureSchedulesService } from './schedules/departure-schedules.service.js';
import type { CreateGroundOperator } from './operators/ground-operator.dto.js';
import { GroundOperatorsService } from './operators/ground-operators.service.js';

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

/** The examples read 1 and change 2. Neither makes departures, because the other examples count them. */
const SCHEDULES: readonly CreateDepartureSchedule[] = ['FREQ=WEEKLY;BYDAY=TU,SA', 'FREQ=MONTHLY;BYDAY=1SU'].map(
  (rrule) => ({
    ...{ productId: demoId('prod', 1), dtstart: '2027-05-01', startTimes: ['09:00'], rrule, horizonDays: 180 },
    ...{ priceCents: 5_900, currency: 'EUR', active: false },
  }),
);

/** The examples read 1 and assign it, change 2 and archive 3. Departure 5 has 1, 4 and 5. */
const RESOURCES: readonly CreateResource[] = [
  {
    ...{ type: 'guide', name: 'Ioana Marin', languages: ['ro', 'en', 'de'] },
    documents: [{ kind: 'guide licence', expiresOn: '2028-03-31' }],
  },
  { type: 'vehicle', name: 'Minibus TL 08 DLT', seats: 18, groundOperatorId: demoId('gop', 1) },
  { type: 'boat', name: 'Rowing boat' },
  { type: 'driver', name: 'Radu Stan', languages: ['ro'] },
  { type: 'equipment', name: 'Satellite phone' },
];

/** The facilities, ground operators, schedules and resources that the examples of the API document name. */
@Injectable()
export class OperationsDemo {
  constructor(
    private readonly facilities: FacilitiesService,
    private readonly operators: GroundOperatorsService,
    private readonly schedules: DepartureSchedulesService,
    private readonly resources: ResourcesService,
    private readonly assignments: ResourceAssignmentsService,
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

  @DemoData(157, 'schedules of departures')
  async loadSchedules(): Promise<void> {
    for (const [index, schedule] of SCHEDULES.entries()) {
      await this.schedules.create(schedule, demoId('dsch', index + 1));
    }
  }

  @DemoData(640, 'resources')
  async loadResources(): Promise<void> {
    for (const [index, resource] of RESOURCES.entries()) {
      await this.resources.create(resource, demoId('rsrc', index + 1));
    }
    for (const [index, number] of [1, 4, 5].entries()) {
      const body = { resourceId: demoId('rsrc', number) };
      await this.assignments.create(demoId('dep', 5), body, demoId('rasn', index + 1));
    }
  }
}
