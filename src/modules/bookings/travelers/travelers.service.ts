import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import {
  ConsentsService,
  CustomersService,
  isInternationalNumber,
  type LockedCustomer,
  personName,
  phoneNumber,
  SealedValues,
} from '../../customers/index.js';
import type { BookingItem } from '../items/booking-item.entity.js';
import { BookingListener } from '../bookings/booking-listener.js';
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
import {
  BookingTraveler,
  type HealthDataConsent,
  type TravelDocument,
  type TravelerChanges,
} from './traveler.entity.js';
import { type Seat, type TravelerPath, TravelersRepository } from './travelers.repository.js';

/** Members whose change needs a consent to the use of health data. */
const CONSENTED = ['dietary', 'healthNote', 'mobilityNote', 'healthDataConsent', 'customerId'] as const;

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

/** The number of a seat of an item, from 1. */
export interface ItemSeat {
  itemId: string;
  seat: number;
}

/** Someone on a seat of a new item: the traveler of a seat that becomes free, otherwise a new one. */
export type SeatedPerson = PartyMember & { from?: ItemSeat | null };

/** What a request says about a traveler, with its sensitive values sealed. */
interface Given {
  id: string;
  changes: TravelerChanges;
  /** Precedes the paths in errors. */
  prefix: string;
}

/** The nationality tells the country of national telephone numbers. */
interface Entry {
  nationality?: string | null | undefined;
  /** Precedes the paths in errors. */
  prefix?: string;
}

type Customers = ReadonlyMap<string, LockedCustomer>;

/** The position of a traveler in the booking's list, and the travelers whose lead it may replace. */
interface Place {
  position: number;
  others: readonly BookingTraveler[];
  /** The customers that the request names, by their ids. */
  customers: Customers;
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
    private readonly listeners: Listeners,
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
    await this.assertOpen(bookingId, null);
    const given = await this.seal(id, body);
    await this.change(bookingId, [given], async (customers) => {
      const others = await this.repository.lockAllOf(bookingId);
      assertCount(others.length + 1);
      const position = (others.at(-1)?.position ?? 0) + 1;
      await this.insert(given, { bookingId, position, others, customers });
    });
    return this.repository.view({ bookingId, travelerId: given.id });
  }

  async update({ expected, ...path }: TravelerTarget, body: UpdateTraveler): Promise<TravelerView> {
    const { nationality, version } = await this.repository.get(path);
    // Sealing costs more than this check, and the vault records it.
    assertVersion(expected, { version });
    await this.assertOpen(path.bookingId, null);
    const given = await this.seal(path.travelerId, body, { nationality });
    await this.change(path.bookingId, [given], async (customers) => {
      const all = await this.repository.lockAllOf(path.bookingId);
      const traveler = all.find(({ id }) => id === path.travelerId);
      if (!traveler) throw notFound();
      assertVersion(expected, traveler);
      await this.save(traveler, given, { position: traveler.position, others: all, customers });
      await this.appointLead(all);
    });
    return this.repository.view(path);
  }

  /** The next active traveler becomes the lead. Returns the traveler as it was. */
  async delete({ expected, ...path }: TravelerTarget): Promise<TravelerView> {
    return this.change(path.bookingId, [], async () => {
      const view = await this.repository.view(path);
      const all = await this.repository.lockAllOf(path.bookingId);
      const traveler = all.find(({ id }) => id === path.travelerId);
      if (!traveler) throw notFound();
      assertVersion(expected, traveler);
      await this.remove([traveler]);
      await this.appointLead(all.filter((one) => one !== traveler));
      return view;
    });
  }

  /**
   * Travelers with an id are kept and changed, those without are new, all others are deleted. The expected version is that of the
   * booking.
   */
  async replace(
    bookingId: string,
    list: readonly ListedTraveler[],
    expected: ExpectedVersions,
  ): Promise<{ views: TravelerView[]; total: number }> {
    assertLeads(list);
    await this.assertOpen(bookingId, expected);
    const stored = new Map((await this.repository.allOf(bookingId)).map(({ id, nationality }) => [id, nationality]));
    const given = await Promise.all(
      list.map(({ id = newId('trav'), ...body }, index) =>
        this.seal(id, body, { nationality: stored.get(id), prefix: `travelers.${index}.` }),
      ),
    );
    const change = async (customers: Customers): Promise<void> => {
      const before = await this.repository.lockAllOf(bookingId);
      const kept = list.map(({ id }, index) => (id === undefined ? null : known(before, id, index)));
      assertUnique(kept);
      await this.remove(before.filter((traveler) => !kept.includes(traveler)));
      const all: BookingTraveler[] = kept.filter((traveler) => traveler !== null);
      for (const [index, one] of given.entries()) {
        const [traveler, place] = [kept[index], { position: index + 1, others: all, customers }];
        if (traveler) await this.save(traveler, one, place);
        else all.push(await this.insert(one, { bookingId, ...place }));
      }
      await this.appointLead(all.sort((one, other) => one.position - other.position));
      const travelerIds = given.map(({ id }) => id);
      this.ledger.record('bookings.traveler.replace', {
        subjectType: 'booking',
        subjectId: bookingId,
        before: { travelerIds: before.map(({ id }) => id) },
        after: { travelerIds },
      });
    };
    await this.change(bookingId, given, change, expected);
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
        after: {
          bookingId: path.bookingId,
          members: Object.entries(revealed).flatMap(([member, value]) => (value === null ? [] : [member])),
        },
        reason: purpose,
      });
    });
    return revealed;
  }

  async seatsOf(path: ItemPath): Promise<ItemSeats> {
    const item = await this.bookings.getItem(path);
    return { itemId: path.itemId, people: item.people(), seats: await this.repository.seatsOf(path.itemId) };
  }

  /** Travelers who stay keep their seats; new ones get the lowest free seats in the order of the list. */
  async assign(
    { bookingId, itemId, expected }: ItemPath & { expected: ExpectedVersions },
    travelerIds: readonly string[],
  ): Promise<ItemSeats> {
    const change = async (): Promise<ItemSeats> => {
      const item = await this.bookings.getItem({ bookingId, itemId });
      if (item.status === 'cancelled') {
        throw conflict('booking_item_cancelled', 'A cancelled booking item has no travelers');
      }
      assertAllFound(await this.lockActive(bookingId), travelerIds, 'travelerIds');
      return this.takeSeats(item, travelerIds);
    };
    return this.change(bookingId, [], change, expected);
  }

  /** The active travelers of a locked booking. */
  async lockActive(bookingId: string): Promise<BookingTraveler[]> {
    return (await this.repository.lockAllOf(bookingId)).filter(({ status }) => status === 'active');
  }

  /** Gives the seats of a locked booking's item to these travelers; those who have one keep it. */
  async takeSeats(item: BookingItem, travelerIds: readonly string[]): Promise<ItemSeats> {
    const { id: itemId, bookingId } = item;
    const people = item.people();
    if (travelerIds.length > people) {
      const details = { travelers: travelerIds.length, people };
      throw conflict('too_many_travelers', 'The item has fewer seats than travelers', details);
    }
    const before = await this.repository.seatsOf(itemId);
    const seats = seatsFor(travelerIds, before);
    await this.repository.replaceSeats(itemId, seats);
    this.recordSeats({ bookingId, itemId }, before, seats);
    return { itemId, people, seats };
  }

  /** Removes surplus seats of an item with fewer people: placeholders first, then the travelers with the highest positions. */
  async dropSurplus(path: ItemPath, people: number): Promise<void> {
    const before = await this.repository.seatsOf(path.itemId);
    const surplus = before.length - people;
    // Seat numbers stay within the number of people.
    if (surplus <= 0 && before.every(({ seat }) => seat <= people)) return;
    const travelers = new Map((await this.repository.lockAllOf(path.bookingId)).map((one) => [one.id, one]));
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
  async seatParty(
    bookingId: string,
    party: readonly PartyMember[],
    services: readonly (readonly string[])[],
  ): Promise<void> {
    const travelers: BookingTraveler[] = [];
    const isLead = party.findIndex(({ name }) => !!name);
    for (const [index, member] of party.slice(0, MAX_TRAVELERS).entries()) {
      const changes = { ...changesOf(member), isLead: index === Math.max(isLead, 0) };
      const place = { bookingId, position: index + 1, others: travelers, customers: new Map<string, LockedCustomer>() };
      travelers.push(await this.insert({ id: newId('trav'), changes, prefix: '' }, place));
    }
    const ids = travelers.map(({ id }) => id);
    for (const itemIds of services) await this.seatInOrder(bookingId, ids, itemIds);
  }

  /**
   * Frees seats of a locked booking, and puts people on the seats of new items in their order. Travelers behind a free seat move up;
   * those who are left without a seat are cancelled.
   */
  async reseat(
    bookingId: string,
    {
      freed,
      itemIds,
      people,
    }: { freed: readonly ItemSeat[]; itemIds: readonly string[]; people: readonly SeatedPerson[] },
  ): Promise<void> {
    const travelers = await this.repository.lockAllOf(bookingId);
    const sitting = new Map<string, string>();
    for (const itemId of new Set(freed.map((one) => one.itemId))) {
      const seats = freed.filter((one) => one.itemId === itemId).map(({ seat }) => seat);
      const before = await this.repository.seatsOf(itemId);
      for (const { seat, travelerId } of before) if (seats.includes(seat)) sitting.set(`${itemId} ${seat}`, travelerId);
      const staying = before.filter(({ seat }) => !seats.includes(seat));
      const after = staying.map(({ seat, travelerId }) => ({
        ...{ seat: seat - seats.filter((free) => free < seat).length, travelerId },
      }));
      await this.repository.replaceSeats(itemId, after);
      this.recordSeats({ bookingId, itemId }, before, after);
    }
    const seated: (string | null)[] = [];
    for (const { from, ...person } of people) {
      const known = from ? sitting.get(`${from.itemId} ${from.seat}`) : undefined;
      const active = travelers.filter(({ status }) => status === 'active').length;
      // A person beyond the limit of travelers has a seat without a name.
      const added =
        known === undefined && active < MAX_TRAVELERS ? await this.insertLast(bookingId, person, travelers) : null;
      if (added) travelers.push(added);
      seated.push(known ?? added?.id ?? null);
    }
    await this.seatInOrder(bookingId, seated, itemIds);
    await this.cancelUnseated(bookingId, [...sitting.values()], travelers);
  }

  /**
   * Copies the active travelers with their names and contacts to a new booking. Returns the ids of the copies by those of the
   * originals. Documents and health data belong to one journey; a customer who is no longer active is not named.
   */
  async copy(sourceId: string, bookingId: string): Promise<Map<string, string>> {
    const originals = (await this.repository.allOf(sourceId)).filter(({ status }) => status === 'active');
    const copies: BookingTraveler[] = [];
    for (const [index, original] of originals.entries()) {
      const { isLead, customerId, firstName, lastName, birthDate, gender, nationality } = original;
      const { language, phone, email, emergencyContact } = original;
      const person = { firstName, lastName, birthDate, gender, nationality, language, phone, email, emergencyContact };
      const isLive = customerId !== null && (await this.customers.isLive(customerId));
      const changes = { ...person, isLead, customerId: isLive ? customerId : null };
      const place = { bookingId, position: index + 1, others: copies, customers: new Map<string, LockedCustomer>() };
      copies.push(await this.insert({ id: newId('trav'), changes, prefix: '' }, place));
    }
    return new Map(originals.flatMap(({ id }, index) => (copies[index] ? [[id, copies[index].id] as const] : [])));
  }

  /** Gives the travelers on these seats of a locked booking another name or contact; what a person lacks stays as it was. */
  async describe(bookingId: string, people: readonly (ItemSeat & { person: PartyMember })[]): Promise<void> {
    const all = await this.repository.lockAllOf(bookingId);
    for (const { itemId, seat, person } of people) {
      const sitting = (await this.repository.seatsOf(itemId)).find((one) => one.seat === seat);
      const traveler = all.find(({ id }) => id === sitting?.travelerId);
      if (!traveler) continue;
      const given = Object.entries(changesOf(person)).filter(([, value]) => value !== null && value !== undefined);
      const place = { position: traveler.position, others: all, customers: new Map<string, LockedCustomer>() };
      await this.save(traveler, { id: traveler.id, changes: Object.fromEntries(given), prefix: '' }, place);
    }
  }

  /** Fills the seats of these items, one item after the other; null leaves a seat without a traveler. */
  private async seatInOrder(
    bookingId: string,
    travelerIds: readonly (string | null)[],
    itemIds: readonly string[],
  ): Promise<void> {
    let seated = 0;
    for (const itemId of itemIds) {
      const people = (await this.bookings.getItem({ bookingId, itemId })).people();
      const seats = travelerIds
        .slice(seated, seated + people)
        .flatMap((travelerId, index) => (travelerId === null ? [] : [{ seat: index + 1, travelerId }]));
      await this.repository.replaceSeats(itemId, seats);
      seated += people;
    }
  }

  private async insertLast(
    bookingId: string,
    person: PartyMember,
    others: readonly BookingTraveler[],
  ): Promise<BookingTraveler> {
    const position = Math.max(0, ...others.map((other) => other.position)) + 1;
    const place = { bookingId, position, others, customers: new Map<string, LockedCustomer>() };
    return this.insert({ id: newId('trav'), changes: changesOf(person), prefix: '' }, place);
  }

  /** Cancels those of these travelers of a locked booking who have no seat of an active item; the last one of it stays. */
  private async cancelUnseated(
    bookingId: string,
    travelerIds: readonly string[],
    all: BookingTraveler[],
  ): Promise<void> {
    const seated = await this.repository.seatedIn(bookingId);
    const leaving = all.filter(({ id }) => travelerIds.includes(id) && !seated.includes(id));
    const next = all.find((traveler) => traveler.status === 'active' && !leaving.includes(traveler));
    if (!next) return;
    if (leaving.some(({ isLead }) => isLead)) {
      await this.dismissLead(leaving);
      await this.lead(next, true);
    }
    for (const traveler of leaving) {
      const place = { position: traveler.position, others: all, customers: new Map<string, LockedCustomer>() };
      await this.save(traveler, { id: traveler.id, changes: { status: 'cancelled' }, prefix: '' }, place);
    }
  }

  /** Rejects a request without locks, before its values are sealed; `change` repeats the check. */
  private async assertOpen(bookingId: string, expected: ExpectedVersions): Promise<void> {
    const booking = await this.bookings.bookings.get(bookingId);
    assertVersion(expected, booking);
    booking.assertNotCancelled();
  }

  /** Locks the customers and the booking, which must not be cancelled and gets a new version. */
  private async change<T>(
    bookingId: string,
    given: readonly Given[],
    change: (customers: Customers) => Promise<T>,
    expected: ExpectedVersions = null,
  ): Promise<T> {
    return this.database.transaction(async () => {
      const customers = new Map<string, LockedCustomer>();
      for (const id of [...new Set(given.flatMap(({ changes }) => changes.customerId ?? []))].sort()) {
        customers.set(id, await this.customers.lockShared(id));
      }
      const booking = await this.bookings.bookings.lock(bookingId);
      assertVersion(expected, booking);
      booking.assertNotCancelled();
      const result = await change(customers);
      booking.updatedAt = this.clock.now();
      await this.bookings.bookings.update(booking);
      await this.listeners.call(BookingListener, (listener) => listener.travelersChanged?.(bookingId));
      return result;
    });
  }

  /** The first traveler leads the booking, even if the request does not say so. */
  private async insert(
    { id, changes, prefix }: Given,
    { bookingId, position, others, customers }: Place & { bookingId: string },
  ): Promise<BookingTraveler> {
    const now = this.clock.now();
    const isLead = changes.isLead === true || !others.some((other) => other.isLead);
    if (isLead) await this.dismissLead(others);
    const traveler = make(BookingTraveler, {
      ...{ id, bookingId, position, isLead, status: 'active', dietary: [], createdAt: now },
    });
    traveler.change({ ...changes, isLead }, now);
    this.followCustomer(traveler, null, changes, customers);
    await this.assertConsent(traveler, changes, prefix);
    await this.repository.travelers.insert(traveler);
    if (traveler.healthDataConsent !== null) await this.repository.insertConsent(traveler);
    this.record('create', traveler, null);
    return traveler;
  }

  /** Does not write a traveler that stays the same. */
  private async save(
    traveler: BookingTraveler,
    { changes, prefix }: Given,
    { position, others, customers }: Place,
  ): Promise<void> {
    if (changes.isLead && !traveler.isLead) await this.dismissLead(others);
    const [before, stored] = [traveler.auditImage(), { ...traveler }];
    traveler.change(changes, this.clock.now());
    this.followCustomer(traveler, stored.customerId, changes, customers);
    traveler.position = position;
    if (isDeepStrictEqual({ ...traveler, updatedAt: null }, { ...stored, updatedAt: null })) return;
    await this.assertConsent(traveler, changes, prefix);
    if (traveler.status === 'cancelled') await this.repository.leaveSeats(traveler.id);
    await this.repository.travelers.update(traveler);
    if (!isDeepStrictEqual(traveler.healthDataConsent, stored.healthDataConsent)) {
      await this.repository.insertConsent(traveler);
    }
    this.record('update', traveler, before);
  }

  /** A customer that is new to the traveler must be active, and fills what the traveler lacks and the request does not name. */
  private followCustomer(
    traveler: BookingTraveler,
    former: string | null,
    changes: TravelerChanges,
    customers: Customers,
  ): void {
    const customer = customers.get(traveler.customerId ?? '');
    if (!customer || traveler.customerId === former) return;
    customer.assertLive();
    traveler.fill(customer.person, changes);
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
  private async assertConsent(traveler: BookingTraveler, changes: TravelerChanges, prefix: string): Promise<void> {
    if (traveler.healthDataConsent !== null) return;
    const hasMembers = CONSENTED.some((member) => changes[member] !== undefined) && traveler.hasHealthData();
    const losesConsent = changes.healthDataConsent !== undefined || changes.customerId !== undefined;
    if (!hasMembers && !(losesConsent && (await this.repository.hasHealthAnswers(traveler.id)))) return;
    const { customerId } = traveler;
    const consents = customerId === null ? [] : await this.consents.current([customerId]);
    if (consents.some(({ purpose, granted }) => purpose === 'health_data' && granted)) return;
    const concerned = hasMembers ? 'Dietary needs and notes' : 'Answers about health';
    throw unprocessable('consent_required', `${concerned} need a consent to the use of health data`, {
      field: `${prefix}healthDataConsent`,
      purpose: 'health_data',
    });
  }

  /** Runs before rows are locked: the vault is another transaction. */
  private async seal(id: string, input: UpdateTraveler, { nationality, prefix = '' }: Entry = {}): Promise<Given> {
    const { document, healthNote, mobilityNote, healthDataConsent, phone, emergencyContact, ...plain } = input;
    if (input.birthDate && input.birthDate > this.clock.today()) {
      throw invalidField(`${prefix}birthDate`, `${prefix}birthDate must not be in the future`, 'in_the_future');
    }
    const country = input.nationality ?? nationality ?? null;
    const note = async (field: string, text: string | null) =>
      text === null ? null : this.sealed.seal({ subject: id, field }, text);
    const changes: TravelerChanges = {
      ...plain,
      phone: phone && phoneNumber(phone, { country, path: `${prefix}phone` }),
      emergencyContact: emergencyContact && {
        name: emergencyContact.name,
        phone: phoneNumber(emergencyContact.phone, { country, path: `${prefix}emergencyContact.phone` }),
      },
      document: document && (await this.sealDocument(id, document)),
      healthNote: healthNote === undefined ? undefined : await note('healthNote', healthNote),
      mobilityNote: mobilityNote === undefined ? undefined : await note('mobilityNote', mobilityNote),
      healthDataConsent: healthDataConsent && this.consentOf(healthDataConsent, `${prefix}healthDataConsent.givenAt`),
    };
    return { id, changes, prefix };
  }

  private async sealDocument(id: string, document: NonNullable<CreateTraveler['document']>): Promise<TravelDocument> {
    const { type, number, issuingCountry, expiresOn = null } = document;
    const sealedNumber = await this.sealed.seal({ subject: id, field: 'document' }, number);
    return { type, sealedNumber, ending: number.slice(-2), issuingCountry, expiresOn };
  }

  private consentOf(
    { source, textVersion = null, givenAt }: NonNullable<CreateTraveler['healthDataConsent']>,
    path: string,
  ): HealthDataConsent {
    const now = this.clock.now();
    const at = givenAt === undefined ? now : new Date(givenAt);
    if (at > now) {
      throw invalidField(path, `${path} must not be in the future`, 'in_the_future');
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

/** Throws 404 with the path of the first traveler that is not among them. */
export function assertAllFound(
  travelers: readonly BookingTraveler[],
  travelerIds: readonly string[],
  path: string,
): void {
  const index = travelerIds.findIndex((id) => !travelers.some((traveler) => traveler.id === id));
  if (index >= 0) throw notFound({ field: `${path}.${index}` });
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
  if (!found) throw notFound({ field: `travelers.${index}.id` });
  return found;
}

function assertUnique(kept: readonly (BookingTraveler | null)[]): void {
  const ids = kept.flatMap((traveler) => traveler?.id ?? []);
  if (new Set(ids).size < ids.length) {
    throw invalidField('travelers', 'travelers must not contain the same traveler twice', 'duplicate');
  }
}
