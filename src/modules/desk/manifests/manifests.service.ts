import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { hasScope } from '../../../platform/auth/access.js';
import { invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { SealedValues } from '../../customers/index.js';
import { DeparturesService } from '../../operations/index.js';
import { type DocumentLanguage, OrganizationService } from '../../organization/index.js';
import { ProductsService } from '../../products/index.js';
import {
  type CheckIn,
  type CheckInState,
  type CheckInSummary,
  type ManifestGroup,
  type ManifestGrouping,
  type ManifestPerson,
  type ManifestPickup,
  type ManifestQuery,
  type ManifestResource,
  type ManifestResponse,
  MAX_PEOPLE,
  SENSITIVE_COLUMNS,
  type ManifestColumn,
} from './manifest.dto.js';
import { MANIFEST_LABELS } from './manifest-labels.js';
import type { PrintedHead } from './manifest-pdf.js';
import { ARRIVALS, MANIFEST, type ManifestRow, PEOPLE, RESOURCES, SEATS } from './manifest.sql.js';

interface FoundSeat {
  itemId: string;
  seat: number;
  travelerId: string | null;
  state: CheckInState | null;
  /** Whether the check-in is that of the person, not that of the guest who had the seat before. */
  isOwn: boolean;
}

type PersonRow = ManifestRow & { bookingId: string };

/** The lists of people with which a departure is run, and who of them has arrived. */
@Injectable()
export class ManifestsService {
  constructor(
    private readonly database: Database,
    private readonly departures: DeparturesService,
    private readonly organization: OrganizationService,
    private readonly products: ProductsService,
    private readonly sealed: SealedValues,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** The language of a list to print: that of the request, otherwise of the company. */
  async languageOf({ language }: { language?: DocumentLanguage }): Promise<DocumentLanguage> {
    return language ?? (await this.organization.getProfile()).defaultLanguage;
  }

  /** What the head of a list to print says in this language about the company and the product. */
  async headOf({ productId }: { productId: string }, language: DocumentLanguage): Promise<PrintedHead> {
    // A departure may be of a product without a record.
    const productTitle = (await this.products.findTitle(productId, language)) ?? productId;
    return { companyName: await this.organization.displayName(), productTitle };
  }

  /** `language` is that of the names of guests. Throws 422 `manifest_too_large` for more than 2,000 people. */
  async get(
    departureId: string,
    { columns = [], includeCancelled = false, groupBy = 'booking' }: ManifestQuery,
    language: DocumentLanguage = 'en',
  ): Promise<ManifestResponse> {
    await this.assertNotTooLarge(departureId, includeCancelled);
    const rows = await this.database.query<ManifestRow>(MANIFEST, [
      ...[departureId, includeCancelled, columns.includes('answers'), groupBy],
    ]);
    const [head] = rows;
    if (!head) throw notFound();
    const listed = rows.filter(isPerson);
    const showsAmounts = hasScope('finance:receivables');
    const people: ManifestPerson[] = [];
    const places = placesOf(listed);
    for (const row of listed) {
      const sensitive = await this.reveal(row, columns);
      const shown = {
        ...(showsAmounts && { balanceDueCents: dueOf(row) }),
        ...(row.answers && { answers: row.answers }),
      };
      people.push({ ...toPerson(row, places, language), ...shown, ...sensitive });
    }
    await this.recordReading(departureId, people);
    const resources = await this.database.query<ManifestResource>(RESOURCES, [departureId]);
    const resourceWarnings = await this.departures.listResourceWarnings(departureId);
    return toManifest(head, { groupBy, people, resources, resourceWarnings, now: this.clock.now() });
  }

  /** Sets the state of these people; the last state counts, and people who have it already are left alone. */
  async checkIn(departureId: string, { state, travelerIds = [], seats = [] }: CheckIn): Promise<CheckInSummary> {
    if (travelerIds.length + seats.length === 0) {
      throw invalidField('travelerIds', 'travelerIds or seats must name somebody', 'empty');
    }
    await this.assertNotTooLarge(departureId, false);
    return this.database.transaction(async () => {
      await this.departures.lock([departureId]);
      const items = seats.map(({ itemId }) => itemId);
      const numbers = seats.map(({ seat }) => seat);
      const [named] = await this.database.query<{ ids: string[] }>(
        `select coalesce(array_agg(taken.traveler_id), '{}') as ids from booking_item_travelers taken
         join unnest($1::text[], $2::int[]) as given (item, seat) on given.item = taken.item_id and given.seat = taken.seat`,
        [items, numbers],
      );
      // A traveler that is deleted meanwhile would take the check-in along.
      await this.database.execute('select from booking_travelers where id = any($1) order by id for key share', [
        [...travelerIds, ...(named?.ids ?? [])],
      ]);
      const found = await this.database.query<FoundSeat>(SEATS, [departureId, travelerIds, items, numbers]);
      assertAllFound(found, { travelerIds, seats });
      const changed = found.filter((seat) => (seat.state ?? 'none') !== state || !seat.isOwn);
      if (changed.length > 0) await this.store(departureId, state, changed);
      const [arrivals] = await this.database.query<CheckInSummary>(ARRIVALS, [departureId]);
      return arrivals ?? { arrived: 0, noShow: 0, open: 0 };
    });
  }

  /**
   * Call this before seats change numbers. A guest who has a name by now keeps the check-in; guests have no seats beyond the people
   * of their item, and a later guest on such a seat is another person.
   */
  async followPeople(itemId: string, people: number): Promise<void> {
    await this.database.execute(
      `update departure_check_ins arrival set traveler_id = taken.traveler_id
       from booking_item_travelers taken
       where arrival.item_id = $1 and arrival.traveler_id is null
         and taken.item_id = arrival.item_id and taken.seat = arrival.seat
         and not exists (
           select from departure_check_ins own
           where own.departure_id = arrival.departure_id and own.item_id = $1 and own.traveler_id = taken.traveler_id)`,
      [itemId],
    );
    await this.database.execute(
      'delete from departure_check_ins where item_id = $1 and traveler_id is null and seat > $2',
      [itemId, people],
    );
  }

  /** Returns the number of deleted check-ins. */
  async deleteOlderThan(days: number): Promise<number> {
    const { count } = await this.database.execute(
      `delete from departure_check_ins arrival using departures departure
       where departure.id = arrival.departure_id and departure.ends_at < $1::timestamptz - make_interval(days => $2)`,
      [this.clock.now(), days],
    );
    return count;
  }

  private async store(departureId: string, state: CheckInState, seats: readonly FoundSeat[]): Promise<void> {
    const columns = [
      departureId,
      seats.map(({ itemId }) => itemId),
      seats.map(({ seat }) => seat),
      seats.map(({ travelerId }) => travelerId),
    ];
    await this.database.execute(
      `delete from departure_check_ins arrival using unnest($2::text[], $3::int[], $4::text[]) as given (item, seat, traveler)
       where arrival.departure_id = $1 and arrival.item_id = given.item
         and (arrival.traveler_id = given.traveler or arrival.traveler_id is null and arrival.seat = given.seat)`,
      columns,
    );
    if (state !== 'none') {
      await this.database.execute(
        `insert into departure_check_ins (departure_id, item_id, seat, traveler_id, state, changed_by, changed_at)
         select $1, given.item, given.seat, given.traveler, $5, $6, $7
         from unnest($2::text[], $3::int[], $4::text[]) as given (item, seat, traveler)`,
        [...columns, state, currentActor().id, this.clock.now()],
      );
    }
    const image = (stateOf: (seat: FoundSeat) => string) =>
      seats.map((seat) => ({
        itemId: seat.itemId,
        seat: seat.seat,
        travelerId: seat.travelerId,
        state: stateOf(seat),
      }));
    this.ledger.record('operations.departure.check_in', {
      subjectType: 'departure',
      subjectId: departureId,
      before: { seats: image((seat) => seat.state ?? 'none') },
      after: { seats: image(() => state) },
    });
  }

  private async assertNotTooLarge(departureId: string, includeCancelled: boolean): Promise<void> {
    const [count] = await this.database.query<{ people: string }>(PEOPLE, [departureId, includeCancelled]);
    if (Number(count?.people ?? 0) <= MAX_PEOPLE) return;
    const details = { field: 'id', limit: MAX_PEOPLE };
    throw unprocessable('manifest_too_large', `A manifest has at most ${MAX_PEOPLE} people`, details);
  }

  private async reveal(row: PersonRow, columns: readonly ManifestColumn[]): Promise<Partial<ManifestPerson>> {
    const { travelerId, document } = row;
    const open = async (field: string, ciphertext: string | null | undefined) =>
      travelerId !== null && ciphertext ? this.sealed.open({ subject: travelerId, field }, ciphertext) : null;
    const revealed: Partial<ManifestPerson> = {};
    if (columns.includes('document')) {
      const number = await open('document', document?.sealedNumber);
      const { type = '', issuingCountry = '', expiresOn = null } = document ?? {};
      revealed.document = number === null ? null : { type, number, issuingCountry, expiresOn };
    }
    if (columns.includes('healthNote')) revealed.healthNote = await open('healthNote', row.healthNote);
    if (columns.includes('mobilityNote')) revealed.mobilityNote = await open('mobilityNote', row.mobilityNote);
    return revealed;
  }

  /** Records whose values were shown, by member; nothing if there were none. */
  private async recordReading(departureId: string, people: readonly ManifestPerson[]): Promise<void> {
    const shown = SENSITIVE_COLUMNS.flatMap((member) => {
      const read = people.filter((person) => person[member] !== undefined && person[member] !== null);
      const travelerIds = read.flatMap(({ travelerId }) => travelerId ?? []);
      return travelerIds.length === 0 ? [] : [{ member, travelerIds }];
    });
    if (shown.length === 0) return;
    await this.database.transaction(async () => {
      const subject = { subjectType: 'departure', subjectId: departureId };
      this.ledger.record('customers.document.reveal', { ...subject, before: null, after: { shown } });
    });
  }
}

function isPerson(row: ManifestRow): row is PersonRow {
  return row.bookingId !== null;
}

function dueOf({ balanceDueCents }: ManifestRow): number {
  return Number(balanceDueCents);
}

/** The different people of each booking, in the order of its items and seats; those of its cancelled items by themselves. */
type Places = ReadonlyMap<string, string[]>;

const partyOf = ({ bookingId, itemStatus }: PersonRow): string => `${bookingId} ${itemStatus === 'cancelled'}`;

/** A traveler with several seats is one person. */
const personOf = ({ travelerId, itemId, seat }: PersonRow): string => travelerId ?? `${itemId} ${seat}`;

function placesOf(rows: readonly PersonRow[]): Places {
  // IDs of items follow their creation; the grouping does not matter.
  const ordered = [...rows].sort((one, other) =>
    one.itemId === other.itemId ? one.seat - other.seat : one.itemId < other.itemId ? -1 : 1,
  );
  const parties = new Map<string, Set<string>>();
  for (const row of ordered) {
    const party = parties.get(partyOf(row)) ?? new Set();
    parties.set(partyOf(row), party.add(personOf(row)));
  }
  return new Map([...parties].map(([key, people]) => [key, [...people]]));
}

function placeIn(places: Places, row: PersonRow): [place: number, people: number] {
  const people = places.get(partyOf(row)) ?? [];
  return [people.indexOf(personOf(row)) + 1, people.length];
}

function toPerson(row: PersonRow, places: Places, language: DocumentLanguage): ManifestPerson {
  const name = [row.firstName, row.lastName].filter((part) => part !== null).join(' ');
  return {
    bookingId: row.bookingId,
    bookingNumber: row.bookingNumber,
    isProvisional: row.bookingStatus === 'draft',
    isCancelled: row.itemStatus === 'cancelled',
    itemId: row.itemId,
    seat: row.seat,
    travelerId: row.travelerId,
    name: name === '' ? MANIFEST_LABELS[language].guest(...placeIn(places, row)) : name,
    customerName: row.customerName,
    unit: row.unit,
    option: row.option,
    pickup: pickupOf(row),
    age: row.age,
    phone: row.phone,
    language: row.language,
    dietary: row.dietary ?? [],
    emergencyContact: row.emergencyContact,
    otherServices: row.otherServices,
    isBalanceDue: dueOf(row) > 0,
    checkIn: {
      state: row.checkInState ?? 'none',
      changedBy: row.changedBy,
      changedAt: row.changedAt?.toISOString() ?? null,
    },
  };
}

function pickupOf(row: PersonRow): ManifestPickup | null {
  const { pickupFacilityId: facilityId, pickupFacility: facilityName, pickupTime: localTime, pickupNote: note } = row;
  return facilityId === null && note === null ? null : { facilityId, facilityName, localTime, note };
}

/** The value by which a person is grouped, and how the list shows it. */
function groupOf(person: ManifestPerson, groupBy: ManifestGrouping): { key: string; label: string | null } {
  switch (groupBy) {
    case 'booking':
      return { key: person.bookingId, label: person.bookingNumber };
    case 'option':
      return { key: person.option ?? '', label: person.option };
    case 'pickup': {
      const { facilityId = null, facilityName = null, localTime = null } = person.pickup ?? {};
      const parts = [localTime?.slice(-5) ?? null, facilityName].filter((part) => part !== null);
      return { key: facilityId ?? '', label: parts.length > 0 ? parts.join(' ') : null };
    }
  }
}

function groupsOf(people: readonly ManifestPerson[], groupBy: ManifestGrouping): ManifestGroup[] {
  const groups: ManifestGroup[] = [];
  let last: string | null = null;
  for (const person of people) {
    const { key, label } = groupOf(person, groupBy);
    const group = groups.at(-1);
    if (group && key === last) group.people += 1;
    else groups.push({ label, people: 1 });
    last = key;
  }
  return groups;
}

function toManifest(
  head: ManifestRow,
  {
    groupBy,
    people,
    resources,
    resourceWarnings,
    now,
  }: Pick<ManifestResponse, 'groupBy' | 'people' | 'resources' | 'resourceWarnings'> & {
    now: Date;
  },
): ManifestResponse {
  const counted = people.filter(({ isCancelled }) => !isCancelled);
  const inState = (state: string) => counted.filter(({ checkIn }) => checkIn.state === state).length;
  return {
    departureId: head.departureId,
    productId: head.productId,
    productName: head.productName,
    startsAt: head.startsAt.toISOString(),
    endsAt: head.endsAt.toISOString(),
    timeZone: head.timeZone,
    localStart: head.localStart,
    meetingPoint: head.meetingPoint,
    capacity: head.capacity,
    sold: head.sold,
    held: head.held,
    arrived: inState('arrived'),
    noShow: inState('no_show'),
    dietary: countEach(counted.flatMap(({ dietary }) => dietary)).map(([need, number]) => ({ need, people: number })),
    units: countEach(counted.map(({ unit }) => unit)).map(([unit, number]) => ({ unit, people: number })),
    resources,
    resourceWarnings,
    generatedAt: now.toISOString(),
    groupBy,
    groups: groupsOf(people, groupBy),
    people,
  };
}

/** The different texts, sorted, with how often each occurs. */
function countEach(texts: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort();
}

function assertAllFound(
  found: readonly FoundSeat[],
  { travelerIds, seats }: Required<Pick<CheckIn, 'travelerIds' | 'seats'>>,
): void {
  for (const [index, id] of travelerIds.entries()) {
    if (!found.some(({ travelerId }) => travelerId === id)) throw notFound({ field: `travelerIds.${index}` });
  }
  for (const [index, { itemId, seat }] of seats.entries()) {
    if (!found.some((one) => one.itemId === itemId && one.seat === seat)) {
      throw notFound({ field: `seats.${index}` });
    }
  }
}
