import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { UndoingMethod } from '../../src/modules/action-ledger/entries/undoes.js';
import { DecoratedMethods } from '../../src/platform/discovery/decorated-methods.js';
import { omissionOf } from '../../src/platform/database/unaudited.js';
import { operationsOf, readDocument } from '../contract/served-document.js';
import { Document } from '../fuzz/schema.js';
import { startApp, type TestApp } from '../setup/app.js';

/** Columns of every entity that the entry itself or each change sets. */
const SET_WITH_EACH_CHANGE = {
  id: 'the subject of the entry',
  version: 'counts the changes',
  createdAt: 'the time of the first entry',
  updatedAt: 'the time of the last entry',
};

const NEVER = 'no update changes it';
const OTHERS = 'other use cases change it';

/**
 * The entity of each update that also reverses its own entries, and the reason why columns missing in its body need not be
 * restored. Members of the body that are not columns state their place.
 */
const REVERSIBLE_UPDATES: Record<string, { entity: string; left: Record<string, string[]>; beside?: string[] }> = {
  'customers.customer.update': { entity: 'Customer', left: { [OTHERS]: ['status', 'mergedIntoId', 'archivedAt'] } },
  'desk.task.update': {
    entity: 'Task',
    left: {
      [NEVER]: ['subjectType', 'subjectId', 'source', 'createdBy'],
      'the time of the last change of the status': ['closedAt'],
      [OTHERS]: ['dedupeKey'],
    },
  },
  'documents.template.update': {
    entity: 'DocumentTemplate',
    left: { [NEVER]: ['kind', 'language'], [OTHERS]: ['status', 'publishedAt', 'retiredAt'] },
  },
  'notifications.template.update': {
    entity: 'MessageTemplate',
    left: {
      [NEVER]: ['slug', 'channel', 'language', 'category', 'trigger'],
      [OTHERS]: ['status', 'publishedAt', 'retiredAt'],
    },
  },
  'operations.assignment.update': {
    entity: 'ResourceAssignment',
    left: { [NEVER]: ['departureId', 'resourceId', 'exclusive'] },
  },
  'operations.resource.update': { entity: 'Resource', left: { [NEVER]: ['type'], [OTHERS]: ['status'] } },
  'operations.waiting_entry.update': {
    entity: 'WaitingEntry',
    left: {
      [NEVER]: ['departureId', 'productId', 'from', 'to', 'customerId'],
      'computed from the units': ['seats'],
      [OTHERS]: [
        ...['status', 'offers', 'offeredDepartureId', 'offeredAt', 'offerExpiresAt', 'messageId', 'bookingId'],
        ...['endReason', 'endedAt'],
      ],
    },
  },
  'distribution.allotment.update': {
    entity: 'Allotment',
    left: { [NEVER]: ['channelId', 'productId', 'type', 'validFrom'], [OTHERS]: ['deletedAt'] },
    // The steps of the rule record it.
    beside: ['release'],
  },
  'distribution.allotment_slot.update': {
    entity: 'AllotmentSlot',
    left: {
      [NEVER]: ['allotmentId', 'departureId', 'startsAt', 'startDate', 'timeZone'],
      [OTHERS]: ['sold', 'held', 'released', 'suspended', 'expired', 'releasedAt', 'closedAt'],
    },
  },
  'finance.supplier_invoice.update': {
    entity: 'SupplierInvoice',
    left: {
      'computed from the amounts and their rate': ['baseTotalCents', 'baseSubtotalCents', 'baseTaxCents'],
      'the caller of the update': ['enteredBy'],
      [OTHERS]: [
        'paidCents',
        'status',
        'postingDate',
        'appliedRate',
        'approvedAt',
        'approvedBy',
        'voidedAt',
        'voidedOn',
        'voidReason',
      ],
    },
    // An update that replaces them records them.
    beside: ['lines'],
  },
  'finance.payment_policy.replace': { entity: 'OrganizationPolicy', left: {} },
  'products.product.update': { entity: 'Product', left: { [OTHERS]: ['status', 'activatedAt', 'archivedAt'] } },
  'products.option.update': { entity: 'ProductOption', left: { [NEVER]: ['productId'] } },
  'products.extra.update': { entity: 'ProductExtra', left: { [NEVER]: ['productId'] } },
  'products.question.update': { entity: 'ProductQuestion', left: { [NEVER]: ['productId'] } },
  'products.unit.update': { entity: 'ProductUnit', left: { [NEVER]: ['productId'] } },
  'products.price_list.update': {
    entity: 'PriceList',
    left: { [NEVER]: ['currency'], [OTHERS]: ['status', 'priceCount', 'activatedAt', 'retiredAt'] },
  },
  'operations.departure.update': {
    entity: 'Departure',
    left: {
      [NEVER]: ['productId'],
      'computed from the capacity and the allotments': ['guaranteedOpen'],
      'computed from the minimum of participants': ['minimumNotReachedAt'],
      [OTHERS]: [
        ...['status', 'sold', 'held', 'cancelledAt', 'reasonCode', 'cancelReason', 'salesClosedAt', 'guaranteedAt'],
      ],
    },
  },
  'bookings.booking_item.update': {
    entity: 'BookingItem',
    left: {
      [NEVER]: [
        'bookingId',
        'currency',
        'feeOfItemId',
        'optionId',
        'unitId',
        'extraId',
        'seatsPerUnit',
        'peoplePerUnit',
      ],
      'computed from the departure and its prices': [
        ...['productId', 'priceSource', 'listUnitSellCents', 'priceListId', 'priceListVersion'],
      ],
      'computed from the unit price and the quantity': ['totalSellCents'],
      'computed from the tax code and the day': ['taxCode', 'taxKind', 'taxRateBasisPoints', 'taxRateChanged'],
      'computed from the tax code and what is billed': ['earlierRateCents', 'earlierRateTaxCents'],
      [OTHERS]: ['status', 'supplierStatus', 'cancelledAt', 'cancelledWithBooking'],
    },
    // These members only control the update.
    beside: ['override', 'overrideReason'],
  },
  'trips.trip_component.update': {
    entity: 'TripComponent',
    left: {
      [NEVER]: ['envelopeId', 'kind', 'currency'],
      'computed by pricing, which the update makes necessary again': [
        ...['subtotalCents', 'taxCents', 'totalCents', 'priceExpiresAt', 'warnings', 'lines'],
      ],
      [OTHERS]: ['position', 'status', 'holdExpiresAt', 'bookingItemId', 'bookingItemIds', 'cancellationFeeCents'],
    },
  },
};

let app: TestApp;
let entities: EntityMetadata[];
beforeAll(async () => {
  app = await startApp();
  // A base class of several entities has no snapshot of its own.
  entities = app.nest.get(DataSource).entityMetadatas.filter((entity) => entity.childEntityMetadatas.length === 0);
});

describe('audit snapshots', () => {
  it('each column of an entity is in its audit snapshot, or says why it is not', () => {
    const forgotten = entities.flatMap((entity) => {
      const { read } = snapshotOf(entity);
      return entity.columns
        .map(({ propertyName }) => propertyName)
        .filter((name) => !(name in SET_WITH_EACH_CHANGE) && !read.has(name) && !omissionIn(entity, name))
        .map((name) => `${entity.name}.${name}`);
    });

    expect(entities.length).toBeGreaterThan(50);
    expect(forgotten).toEqual([]);
  });

  it('no column says why its snapshot omits it although the snapshot contains it', () => {
    const wrong = entities.flatMap((entity) => {
      const { members } = snapshotOf(entity);
      return entity.columns
        .map(({ propertyName }) => propertyName)
        .filter((name) => members.includes(name) && omissionIn(entity, name) !== null)
        .map((name) => `${entity.name}.${name}`);
    });

    expect(wrong).toEqual([]);
  });
});

describe('a reversible update', () => {
  it('each update that reverses its own entries says which columns it leaves out', () => {
    const updates = app.nest
      .get(DecoratedMethods, { strict: false })
      .find(UndoingMethod)
      .flatMap(({ options: { actions, effect } }) => actions.filter((action) => action === effect));
    expect(updates.sort()).toEqual(Object.keys(REVERSIBLE_UPDATES).sort());
  });

  it.each(Object.entries(REVERSIBLE_UPDATES))(
    'the body of %s contains each column, except those that are computed or that it never changes',
    async (action, { entity, left, beside = [] }) => {
      const served = await readDocument(app);
      const operation = operationsOf(served).find((one) => one['x-ledger-action'] === action);
      const body = Object.keys((operation && new Document(served).bodyOf(operation)?.schema.properties) ?? {});
      const found = entities.find(({ name }) => name === entity);
      const columns = (found?.columns ?? []).map(({ propertyName }) => propertyName);
      const omitted = Object.values(left).flat();

      const isExplained = (name: string) =>
        name in SET_WITH_EACH_CHANGE ||
        body.includes(name) ||
        (found && omissionIn(found, name)) ||
        omitted.includes(name);
      expect(columns.filter((name) => !isExplained(name))).toEqual([]);
      expect(body.filter((name) => !columns.includes(name)).sort()).toEqual([...beside].sort());
      expect(omitted.filter((name) => !columns.includes(name) || body.includes(name))).toEqual([]);
    },
  );
});

function omissionIn({ target }: EntityMetadata, column: string) {
  return typeof target === 'string' ? null : omissionOf(target, column);
}

/** Returns the members of an entity's snapshot, and the columns that it reads; none for an entity without a snapshot. */
function snapshotOf({ target, columns }: EntityMetadata): { members: string[]; read: ReadonlySet<string> } {
  const read = new Set<string>();
  if (typeof target === 'string') return { members: [], read };
  const sample: object = Object.create(target.prototype as object);
  for (const column of columns) Reflect.set(sample, column.propertyName, valueFor(column));
  const recorder = new Proxy(sample, {
    get: (entity, name, receiver): unknown => {
      if (typeof name === 'string') read.add(name);
      return Reflect.get(entity, name, receiver);
    },
  });
  const auditImage: unknown = Reflect.get(sample, 'auditImage');
  if (typeof auditImage !== 'function') return { members: [], read };
  // Some snapshots contain rows of the entity, here none, or members that depend on a day.
  const image: object = Reflect.apply(auditImage, recorder, [[], '2026-01-01']) as object;
  return { members: Object.keys(image), read };
}

function valueFor({ type, isArray }: ColumnMetadata): unknown {
  if (isArray) return [];
  if (type === 'timestamptz') return new Date(0);
  if (type === 'jsonb') return {};
  if (type === 'integer' || type === 'bigint') return 1;
  return type === 'boolean' ? true : 'text';
}
