import { demoId } from '../../platform/ids/id.js';
import type { Facilities } from './facilities/facilities.service.js';
import type { CreateFacility } from './facilities/facility.dto.js';
import type { CreateGroundOperator } from './operators/ground-operator.dto.js';
import type { GroundOperators } from './operators/ground-operators.service.js';

/** 1 to be read and named, 2 to be changed, 3 to be archived. */
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

/** 1 to be read, 2 to be changed. */
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

/** The facilities and ground operators that the API document's examples name. */
export async function loadDemoPlaces(facilities: Facilities, operators: GroundOperators): Promise<void> {
  for (const [index, facility] of FACILITIES.entries()) await facilities.create(facility, demoId('fac', index + 1));
  for (const [index, operator] of OPERATORS.entries()) await operators.create(operator, demoId('gop', index + 1));
}
