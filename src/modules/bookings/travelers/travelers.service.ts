import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion } from '../../../platform/http/if-match.js';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import {
  ConsentsService,
  type CustomerPerson,
  CustomersService,
  isInternationalNumber,
  personName,
  phoneNumber,
  SealedValues,
} from '../../customers/index.js';
import { BookingsRepository, type ItemPath } from '../bookings/bookings.repository.js';
import {
  type CreateTraveler,
  type ListedTraveler,
  type ListTravelers,
  MAX_TRAVELERS,
  type RevealedDocument,
  type TravelerView,
  type UpdateTraveler,
} from './traveler.dto.js';
import { BookingTraveler, type TravelDocument, type TravelerChanges } from './traveler.entity.js';
import { type Seat, type TravelerPath, TravelersRepository } from './travelers.repository.js';

const CHANGES = { create: 'created', update: 'updated', delete: 'deleted' } as const;

/** A traveler, and the versions that a change of it expects. */
export type TravelerTarget = TravelerPath & { expected: ExpectedVersions };

/** The people on an item, and the seats of those with a name. */
export interface ItemSeats {
  itemId: string;
  people: number;
  seats: readonly Seat[];
}

/** A person of a trip. */
export interface PartyMember {
  name?: string | null;
  birthDate?: string | null;
  email?: string | null;
  phone?: string | null;
}

/** What a request says about a traveler, with its sensitive values sealed. */
interface Given {
  id: string;
  input: UpdateTraveler;
  changes: TravelerChanges;
}

/** Where a traveler stands in the list of the booking, and the travelers whose lead it may replace. */
interface Place {
  position: number;
  others: readonly BookingTraveler[];
  /** The traveler's customer, if the request names one. */
  person: CustomerPerson | undefined;
}

/** The people of bookings and the seats that they take. Each change locks the customer of the traveler, then the booking. */
@Injectable()
export class TravelersService {
  constructor(
    private readonly database: Database,
    private readonly repository: TravelersRepository,
    private readonly bookings: BookingsRepository,
    private readonly customers: CustomersService,
    private readonly consents: ConsentsService,
    private readonly sealed: SealedValues,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async list(bookingId: string, query: ListTravelers): Promise<{ views: TravelerView[]; total: number }> {
    const page = await this.repository.list(bookingId, query);
    if (page.total === 0) await this.bookings.bookings.get(bookingId);
    return page;
  }

  async get(path: TravelerPath): Promise<TravelerView> {
    return this.repository.view(path);
  }

  async create(bookingId: string, body: CreateTraveler, id = newId('trav')): Promise<TravelerView> {
    const given = await this.seal(id, body);
    await this.change(bookingId, [given], async (people) => {
      const others = await this.repository.allOf(bookingId);
      assertCount(others.length + 1);
      const position = (others.at(-1)?.position ?? 0) + 1;
      const person = people.get(given.input.customerId ?? '');
      const traveler = await this.insert(given, { bookingId, position, others, person });
      await this.appointLead([...others, traveler]);
    });
    return this.repository.view({ bookingId, travelerId: given.id });
  }

  async update({ expected, ...path }: TravelerTarget, body: UpdateTraveler): Promise<TravelerView> {
    await this.repository.get(path);
    const given = await this.seal(path.travelerId, body);
    await this.change(path.bookingId, [given], async (people) => {
      const all = await this.repository.allOf(path.bookingId);
      const traveler = all.find(({ id }) => id === path.travelerId);
      if (!traveler) throw notFound();
      assertVersion(expected, traveler);
      const person = people.get(given.input.customerId ?? '');
      await this.save(traveler, given, { position: traveler.position, others: all, person });
      await this.appointLead(all);
    });
    return this.repository.view(path);
  }

  /** The next active traveler becomes the lead. Returns the traveler as it was. */
  async delete({ expected, ...path }: TravelerTarget): Promise<TravelerView> {
    return this.change(path.bookingId, [], async () => {
      const view = await this.repository.view(path);
      const all = await this.repository.allOf(path.bookingId);
      const traveler = all.find(({ id }) => id === path.travelerId);
      if (!traveler) throw notFound();
      assertVersion(expected, traveler);
      await this.remove([traveler]);
      await this.appointLead(all.filter((one) => one !== traveler));
      return view;
    });
  }

  /** Travelers with an id are kept and changed, those without are new, all others are deleted. */
  async replace(bookingId: string, list: readonly ListedTraveler[]): Promise<{ views: TravelerView[]; total: number }> {
    assertLeads(list);
    const given = await Promise.all(list.map(({ id, ...body }) => this.seal(id ?? newId('trav'), body)));
    await this.change(bookingId, given, async (people) => {
      const before = await this.repository.allOf(bookingId);
      const kept = list.map(({ id }, index) => (id === undefined ? null : known(before, id, index)));
      assertUnique(kept);
      await this.remove(before.filter((traveler) => !kept.includes(traveler)));
      const all: BookingTraveler[] = kept.filter((traveler) => traveler !== null);
      for (const [index, one] of given.entries()) {
        const [traveler, position, person] = [kept[index], index + 1, people.get(one.input.customerId ?? '')];
        if (traveler) await this.save(traveler, one, { position, others: all, person });
        else all.push(await this.insert(one, { bookingId, position, others: all, person }));
      }
      await this.appointLead(all.sort((one, other) => one.position - other.position));
      const travelerIds = given.map(({ id }) => id);
      this.ledger.record('bookings.traveler.replace', {
        subjectType: 'booking',
        subjectId: bookingId,
        before: { travelerIds: before.map(({ id }) => id) },
        after: { travelerIds },
      });
    });
    return this.repository.list(bookingId, { limit: MAX_TRAVELERS });
  }

  /** The sealed values in plain text; the ledger records the purpose. */
  async reveal(path: TravelerPath, purpose: string): Promise<RevealedDocument> {
    const { id, document, healthNote, mobilityNote } = await this.repository.get(path);
    const open = async (field: string, ciphertext: string | null | undefined): Promise<string | null> =>
      ciphertext ? this.sealed.open({ subject: id, field }, ciphertext) : null;
    const revealed = {
      number: await open('document', document?.sealedNumber),
      healthNote: await open('healthNote', healthNote),
      mobilityNote: await open('mobilityNote', mobilityNote),
    };
    await this.database.transaction(async () => {
      this.ledger.record('customers.document.reveal', {
        subjectType: 'booking_traveler',
        subjectId: id,
        before: null,
        after: { bookingId: path.bookingId, members: Object.keys(revealed) },
        reason: purpose,
      });
    });
    return revealed;
  }

  async seatsOf(path: ItemPath): Promise<ItemSeats> {
    const { quantity: people } = await this.bookings.getItem(path);
    return { itemId: path.itemId, people, seats: await this.repository.seatsOf(path.itemId) };
  }

  /** Travelers who stay keep their seats; new ones get the lowest free seats in the order of the list. */
  async assign({ bookingId, itemId }: ItemPath, travelerIds: readonly string[]): Promise<ItemSeats> {
    return this.change(bookingId, [], async () => {
      const item = await this.bookings.getItem({ bookingId, itemId });
      if (item.status === 'cancelled') {
        throw conflict('booking_item_cancelled', 'A cancelled booking item has no travelers');
      }
      const active = (await this.repository.allOf(bookingId)).filter(({ status }) => status === 'active');
      for (const [index, id] of travelerIds.entries()) {
        if (!active.some((traveler) => traveler.id === id)) throw notFound({ field: `travelerIds.${index}`, id });
      }
      if (travelerIds.length > item.quantity) {
        const details = { travelers: travelerIds.length, people: item.quantity };
        throw conflict('too_many_travelers', 'The item has fewer seats than travelers', details);
      }
      const before = await this.repository.seatsOf(itemId);
      const seats = seatsFor(travelerIds, before);
      await this.repository.replaceSeats(itemId, seats);
      this.recordSeats({ bookingId, itemId }, before, seats);
      return { itemId, people: item.quantity, seats };
    });
  }

  /** Removes surplus seats of an item with fewer people: placeholders first, then the travelers with the highest positions. */
  async dropSurplus(path: ItemPath, people: number): Promise<void> {
    const before = await this.repository.seatsOf(path.itemId);
    const surplus = before.length - people;
    // Seat numbers stay within the number of people.
    if (surplus <= 0 && before.every(({ seat }) => seat <= people)) return;
    const travelers = new Map((await this.repository.allOf(path.bookingId)).map((one) => [one.id, one]));
    const positionOf = ({ travelerId }: Seat): number => {
      const traveler = travelers.get(travelerId);
      return traveler?.lastName === null ? Infinity : (traveler?.position ?? Infinity);
    };
    const kept = before.toSorted((one, other) => positionOf(one) - positionOf(other)).slice(0, people);
    const seated = kept.filter(({ seat }) => seat <= people);
    const ids = kept.map(({ travelerId }) => travelerId);
    const seats = seatsFor(ids, seated);
    await this.repository.replaceSeats(path.itemId, seats);
    this.recordSeats(path, before, seats);
  }

  /** Adds the people of a trip to its new booking, and puts them on the seats of these items in their order. */
  async seatParty(bookingId: string, party: readonly PartyMember[], itemIds: readonly string[]): Promise<void> {
    const travelers: BookingTraveler[] = [];
    const isLead = party.findIndex(({ name }) => !!name);
    for (const [index, member] of party.slice(0, MAX_TRAVELERS).entries()) {
      const given = {
        id: newId('trav'),
        input: {},
        changes: { ...changesOf(member), isLead: index === Math.max(isLead, 0) },
      };
      const place = { bookingId, position: index + 1, others: travelers, person: undefined };
      travelers.push(await this.insert(given, place));
    }
    for (const itemId of itemIds) {
      const { quantity } = await this.bookings.getItem({ bookingId, itemId });
      const seats = seatsFor(
        travelers.slice(0, quantity).map(({ id }) => id),
        [],
      );
      await this.repository.replaceSeats(itemId, seats);
    }
  }

  /** Locks the customers and the booking, which is not cancelled. */
  private async change<T>(
    bookingId: string,
    given: readonly Given[],
    change: (people: ReadonlyMap<string, CustomerPerson>) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      const people = new Map<string, CustomerPerson>();
      for (const id of [...new Set(given.flatMap(({ input }) => input.customerId ?? []))].sort()) {
        const customer = await this.customers.lockShared(id);
        customer.assertLive();
        people.set(id, customer.person);
      }
      const booking = await this.bookings.bookings.lock(bookingId);
      booking.assertNotCancelled();
      const result = await change(people);
      return result;
    });
  }

  private async insert(
    { id, changes }: Given,
    { bookingId, position, others, person }: Place & { bookingId: string },
  ): Promise<BookingTraveler> {
    const now = this.clock.now();
    const { isLead = !others.some((other) => other.isLead) } = changes;
    if (isLead) await this.dismissLead(others);
    const traveler = make(BookingTraveler, {
      ...{ id, bookingId, position, isLead, status: 'active', dietary: [], createdAt: now },
    });
    traveler.change(person ?? {}, now);
    traveler.change(changes, now);
    await this.assertConsent(traveler);
    await this.repository.travelers.insert(traveler);
    this.record('create', traveler, null);
    return traveler;
  }

  private async save(
    traveler: BookingTraveler,
    { changes }: Given,
    { position, others, person }: Place,
  ): Promise<void> {
    if (changes.isLead && !traveler.isLead) await this.dismissLead(others);
    const before = traveler.auditImage();
    traveler.change(person ?? {}, this.clock.now());
    traveler.change(changes, this.clock.now());
    traveler.position = position;
    await this.assertConsent(traveler);
    if (traveler.status === 'cancelled') await this.repository.leaveSeats(traveler.id);
    await this.repository.travelers.update(traveler);
    this.record('update', traveler, before);
  }

  private async remove(travelers: readonly BookingTraveler[]): Promise<void> {
    await this.repository.delete(travelers.map(({ id }) => id));
    for (const traveler of travelers) this.record('delete', traveler, traveler.auditImage());
  }

  private async dismissLead(travelers: readonly BookingTraveler[]): Promise<void> {
    for (const traveler of travelers.filter(({ isLead }) => isLead)) await this.lead(traveler, false);
  }

  /** A booking with active travelers has a lead: the first of them unless another was named. */
  private async appointLead(travelers: readonly BookingTraveler[]): Promise<void> {
    const active = travelers.filter(({ status }) => status === 'active');
    const [first] = active;
    if (first && !travelers.some(({ isLead }) => isLead)) await this.lead(first, true);
  }

  private async lead(traveler: BookingTraveler, isLead: boolean): Promise<void> {
    const before = traveler.auditImage();
    traveler.change({ isLead }, this.clock.now());
    await this.repository.travelers.update(traveler);
    this.record('update', traveler, before);
  }

  /** Health data needs the consent of the traveler, sent for this booking or recorded for the customer. */
  private async assertConsent(traveler: BookingTraveler): Promise<void> {
    if (!traveler.hasHealthData() || traveler.healthDataConsent !== null) return;
    const { customerId } = traveler;
    const consents = customerId === null ? [] : await this.consents.current([customerId]);
    if (consents.some(({ purpose, granted }) => purpose === 'health_data' && granted)) return;
    throw unprocessable('consent_required', 'Dietary needs and notes need a consent to the use of health data', {
      field: 'healthDataConsent',
      purpose: 'health_data',
    });
  }

  /** Runs before rows are locked: the vault is another transaction. */
  private async seal(id: string, input: UpdateTraveler): Promise<Given> {
    const { document, healthNote, mobilityNote, healthDataConsent, phone, emergencyContact, ...plain } = input;
    const country = input.nationality ?? null;
    const note = async (field: string, text: string | null) =>
      text === null ? null : this.sealed.seal({ subject: id, field }, text);
    const changes: TravelerChanges = {
      ...plain,
      phone: phone && phoneNumber(phone, { country, path: 'phone' }),
      emergencyContact: emergencyContact && {
        name: emergencyContact.name,
        phone: phoneNumber(emergencyContact.phone, { country, path: 'emergencyContact.phone' }),
      },
      document: document && (await this.sealDocument(id, document)),
      healthNote: healthNote === undefined ? undefined : await note('healthNote', healthNote),
      mobilityNote: mobilityNote === undefined ? undefined : await note('mobilityNote', mobilityNote),
      healthDataConsent: healthDataConsent && this.consentOf(healthDataConsent),
    };
    return { id, input, changes };
  }

  private async sealDocument(id: string, document: NonNullable<CreateTraveler['document']>): Promise<TravelDocument> {
    const { type, number, issuingCountry, expiresOn = null } = document;
    const sealedNumber = await this.sealed.seal({ subject: id, field: 'document' }, number);
    return { type, sealedNumber, ending: number.slice(-2), issuingCountry, expiresOn };
  }

  private consentOf({ source, textVersion = null, givenAt }: NonNullable<CreateTraveler['healthDataConsent']>) {
    const now = this.clock.now();
    const at = givenAt === undefined ? now : new Date(givenAt);
    if (at > now) {
      throw invalidField(
        'healthDataConsent.givenAt',
        'healthDataConsent.givenAt must not be in the future',
        'in_the_future',
      );
    }
    return { source, textVersion, givenAt: at.toISOString() };
  }

  private record(verb: keyof typeof CHANGES, traveler: BookingTraveler, before: object | null): void {
    const { id: travelerId, bookingId, version } = traveler;
    const after = verb === 'delete' ? null : traveler.auditImage();
    const subject = { subjectType: 'booking_traveler', subjectId: travelerId };
    this.ledger.record(`bookings.traveler.${verb}`, { ...subject, before, after });
    this.publish({ bookingId, travelerId, bookingItemId: null, change: CHANGES[verb], version });
  }

  private recordSeats({ bookingId, itemId }: ItemPath, before: readonly Seat[], after: readonly Seat[]): void {
    this.ledger.record('bookings.traveler.assign', {
      subjectType: 'booking_item',
      subjectId: itemId,
      before: { bookingId, seats: before },
      after: { bookingId, seats: after },
    });
    this.publish({ bookingId, travelerId: null, bookingItemId: itemId, change: 'assigned', version: null });
  }

  private publish(data: {
    bookingId: string;
    travelerId: string | null;
    bookingItemId: string | null;
    change: string;
    version: number | null;
  }): void {
    for (const channel of [`bookings.${data.bookingId}`, 'bookings']) {
      this.outbox.add({ channel, event: 'booking_traveler.changed', data });
    }
  }
}

/** Only an international number becomes one in the form of E.164; another text stays as it was typed. */
function changesOf({ name, birthDate, email, phone }: PartyMember): TravelerChanges {
  const { firstName, lastName } = personName(name ?? '');
  return {
    firstName: firstName?.slice(0, 100),
    lastName: lastName === '' ? null : lastName.slice(0, 100),
    birthDate: birthDate ?? null,
    email: email ?? null,
    phone: phone ? (isInternationalNumber(phone) ? phoneNumber(phone, { country: null, path: 'phone' }) : phone) : null,
  };
}

function seatsFor(travelerIds: readonly string[], before: readonly Seat[]): Seat[] {
  const kept = before.filter(({ travelerId }) => travelerIds.includes(travelerId));
  const taken = new Set(kept.map(({ seat }) => seat));
  let next = 1;
  const added = travelerIds
    .filter((id) => !kept.some(({ travelerId }) => travelerId === id))
    .map((travelerId) => {
      while (taken.has(next)) next += 1;
      taken.add(next);
      return { seat: next, travelerId };
    });
  return [...kept, ...added].sort((one, other) => one.seat - other.seat);
}

function assertCount(count: number): void {
  if (count <= MAX_TRAVELERS) return;
  const details = { limit: MAX_TRAVELERS };
  throw conflict('traveler_limit_reached', `A booking has at most ${MAX_TRAVELERS} travelers`, details);
}

function assertLeads(list: readonly ListedTraveler[]): void {
  if (list.filter(({ isLead }) => isLead).length < 2) return;
  throw invalidField('travelers', 'travelers must have at most one lead', 'several_defaults');
}

function known(travelers: readonly BookingTraveler[], id: string, index: number): BookingTraveler {
  const found = travelers.find((traveler) => traveler.id === id);
  if (!found) throw notFound({ field: `travelers.${index}.id`, id });
  return found;
}

function assertUnique(kept: readonly (BookingTraveler | null)[]): void {
  const ids = kept.flatMap((traveler) => traveler?.id ?? []);
  if (new Set(ids).size < ids.length) {
    throw invalidField('travelers', 'travelers must not contain the same traveler twice', 'duplicate');
  }
}
