import { make } from '../../../platform/database/rows.js';
import type { AddressBody, CreateFacility, UpdateFacility } from './facility.dto.js';
import { Facility, type FacilityChanges } from './facility.entity.js';

export function newFacility(input: CreateFacility, id: string, now: Date): Facility {
  const { address } = input;
  return make(Facility, {
    id,
    name: input.name,
    code: input.code ?? null,
    kind: input.kind ?? 'other',
    status: input.status ?? 'active',
    parentFacilityId: input.parentFacilityId ?? null,
    description: input.description ?? null,
    timeZone: input.timeZone ?? null,
    addressLine1: address?.line1 ?? null,
    addressLine2: address?.line2 ?? null,
    addressCity: address?.city ?? null,
    addressRegion: address?.region ?? null,
    addressPostalCode: address?.postalCode ?? null,
    addressCountry: address?.country ?? null,
    latitude: input.latitude ?? null,
    longitude: input.longitude ?? null,
    tags: input.tags ?? [],
    archivedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

/** What the body changes, and nothing else. */
export function changesOf({ address, tags, ...fields }: UpdateFacility): FacilityChanges {
  return { ...fields, ...(tags === undefined ? {} : { tags: tags ?? [] }), ...addressChanges(address) };
}

const ADDRESS = [
  ['line1', 'addressLine1'],
  ['line2', 'addressLine2'],
  ['city', 'addressCity'],
  ['region', 'addressRegion'],
  ['postalCode', 'addressPostalCode'],
  ['country', 'addressCountry'],
] as const;

/** A member that is left out stays as it is; null clears it, and in place of the address all of them. */
function addressChanges(address: AddressBody | null | undefined): FacilityChanges {
  if (address === undefined) return {};
  const changes: FacilityChanges = {};
  for (const [member, column] of ADDRESS) {
    const value = address === null ? null : address[member];
    if (value !== undefined) changes[column] = value;
  }
  return changes;
}
