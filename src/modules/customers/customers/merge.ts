import { invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { emailKey } from './contacts.js';
import { type Customer, type CustomerChanges, MAX_TAGS } from './customer.entity.js';
import type { MergedFieldsBody } from './customer.dto.js';

/** How many elements each list of a customer may have. */
const MOST = { emails: 10, phones: 10, addresses: 5, tags: MAX_TAGS } as const;

/**
 * Returns the values of the customer after the merge. It keeps its values unless `fields`
 * names another customer; empty values are filled; lists are united. Throws 422 `list_full` if a list would be too long.
 */
export function mergedValues(
  survivor: Customer,
  duplicates: readonly Customer[],
  fields: MergedFieldsBody = {},
): CustomerChanges {
  const all = [survivor, ...duplicates];
  const emails = united(
    'emails',
    all.flatMap((one) => one.emails),
    ({ address }) => emailKey(address),
  );
  const phones = united(
    'phones',
    all.flatMap((one) => one.phones),
    ({ number }) => number,
  );
  return {
    kind: chosen(all, 'kind', fields.kind)?.kind ?? survivor.kind,
    firstName: chosen(all, 'firstName', fields.firstName)?.firstName ?? null,
    lastName: chosen(all, 'lastName', fields.lastName)?.lastName ?? null,
    companyName: chosen(all, 'companyName', fields.companyName)?.companyName ?? null,
    language: chosen(all, 'language', fields.language)?.language ?? null,
    birthDate: chosen(all, 'birthDate', fields.birthDate)?.birthDate ?? null,
    taxId: chosen(all, 'taxId', fields.taxId)?.taxId ?? null,
    vatId: chosen(all, 'vatId', fields.vatId)?.vatId ?? null,
    notes: chosen(all, 'notes', fields.notes)?.notes ?? null,
    emails: onePrimary(emails),
    phones: onePrimary(phones),
    addresses: united(
      'addresses',
      all.flatMap((one) => one.addresses),
      (address) => JSON.stringify(address),
    ),
    tags: united(
      'tags',
      all.flatMap((one) => one.tags),
      (tag) => tag,
    ),
  };
}

/** The customer whose value of a field is kept: the named one, or the first one that has a value. */
function chosen(all: readonly Customer[], field: keyof MergedFieldsBody, id: string | undefined): Customer | undefined {
  if (id === undefined) return all.find((customer) => customer[field] !== null);
  const named = all.find((customer) => customer.id === id);
  if (named) return named;
  throw invalidField(`fields.${field}`, `fields.${field} must be the ID of one of the customers`, 'not_among_merged');
}

function united<T>(field: keyof typeof MOST, elements: readonly T[], keyOf: (element: T) => string): T[] {
  const byKey = new Map<string, T>();
  for (const element of elements) if (!byKey.has(keyOf(element))) byKey.set(keyOf(element), element);
  const max = MOST[field];
  if (byKey.size > max) {
    const message = `The customers have more than ${max} ${field} together: remove some first`;
    throw unprocessable('list_full', message, { field: 'duplicateIds', list: field, max });
  }
  return [...byKey.values()];
}

/** The first primary element is that of the survivor, if it has one. */
function onePrimary<T extends { isPrimary: boolean }>(elements: readonly T[]): T[] {
  const primary = elements.findIndex(({ isPrimary }) => isPrimary);
  return elements.map((element, index) => ({ ...element, isPrimary: index === Math.max(primary, 0) }));
}
