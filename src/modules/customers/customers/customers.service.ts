import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { hasScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { NamesOf } from '../../../platform/http/row-names.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  UndoesItself,
} from '../../action-ledger/index.js';
import { ConsentsService } from './consents.service.js';
import {
  addressesFrom,
  type CustomerAddress,
  emailKey,
  emailsFrom,
  isInternationalNumber,
  personName,
  phonesFrom,
} from './contacts.js';
import { CustomerListener, type MovedRecord } from './customer-listener.js';
import {
  type ChangeTags,
  type CreateCustomer,
  type CustomerWarning,
  type DuplicatePair,
  type ListCustomers,
  type ListDuplicates,
  type MergeCustomers,
  RecordedMerge,
  UpdateCustomer,
} from './customer.dto.js';
import type { CustomerCopy, CustomerPerson } from './customer-copy.js';
import { Customer, type CustomerChanges, MAX_TAGS } from './customer.entity.js';
import { CustomersRepository } from './customers.repository.js';
import { mergedValues } from './merge.js';

const EVENTS = {
  create: 'created',
  update: 'updated',
  archive: 'archived',
  merge: 'updated',
} as const;
type CustomerEvent = (typeof EVENTS)[keyof typeof EVENTS] | 'restored' | 'merged' | 'separated';

/** Serializes the search for a customer with an address and its creation. */
const LOCK_ADDRESS = 'select pg_advisory_xact_lock(7120031, hashtext($1))';

/** A buyer, as bookings and trips know them. */
export interface Buyer {
  name: string;
  email: string;
  /** Free text. */
  phone?: string | null;
}

/** A customer that does not change until the transaction ends. */
export interface LockedCustomer {
  readonly copy: CustomerCopy;
  readonly person: CustomerPerson;
  /** Throws 409 unless the customer is active. */
  assertLive(): void;
}

/** A stored customer and others that may be the same. */
export interface ChangedCustomer {
  customer: Customer;
  warnings: CustomerWarning[];
}

/** Customers, their duplicates, and what other modules copy of them. */
@Injectable()
export class CustomersService {
  constructor(
    private readonly database: Database,
    private readonly repository: CustomersRepository,
    private readonly consents: ConsentsService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateCustomer, id = newId('cus')): Promise<ChangedCustomer> {
    this.assertBorn(input);
    const customer = newCustomer(input, id, this.clock.now());
    return this.database.transaction(async () => {
      await this.repository.rows.insert(customer);
      this.record('create', customer, { before: null, after: customer.auditImage() });
      return this.withWarnings(customer);
    });
  }

  @NamesOf('customerId')
  async listNames(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    if (!hasScope('customers:read')) return [];
    return this.database.query('select id, display_name as name from customers where id = any($1)', [ids]);
  }

  async list(query: ListCustomers): Promise<{ rows: Customer[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<Customer> {
    return this.repository.rows.get(id);
  }

  /** Also reverses an update: the values come from the payload of its entry. */
  @UndoesItself('customers.customer.update', UpdateCustomer)
  async update(id: string, body: UpdateCustomer, expected: ExpectedVersions): Promise<ChangedCustomer> {
    this.assertBorn(body);
    return this.database.transaction(async () => {
      const customer = await this.repository.rows.lock(id);
      assertVersion(expected, customer);
      await this.change(customer, body);
      return this.withWarnings(customer);
    });
  }

  /** Adds and removes tags, and keeps the others. Throws 422 `too_many_tags`. */
  async changeTags(id: string, { add = [], remove = [] }: ChangeTags): Promise<void> {
    await this.database.transaction(async () => {
      const customer = await this.repository.rows.lock(id);
      const tags = [...new Set([...customer.tags, ...add])].filter((tag) => !remove.includes(tag));
      if (tags.length > MAX_TAGS) {
        throw unprocessable('too_many_tags', `A customer has at most ${MAX_TAGS} tags`, { field: 'add' });
      }
      if (!isDeepStrictEqual(tags, customer.tags)) await this.change(customer, { tags });
    });
  }

  private assertBorn({ birthDate }: Pick<UpdateCustomer, 'birthDate'>): void {
    if (!birthDate || birthDate <= this.clock.today()) return;
    throw invalidField('birthDate', 'birthDate must not be in the future', 'in_the_future');
  }

  private async change(customer: Customer, body: UpdateCustomer): Promise<void> {
    const [before, copied] = [customer.auditImage(), customer.copy()];
    customer.change(changesOf(body, customer), this.clock.now());
    await this.repository.rows.update(customer);
    this.record('update', customer, { before, after: customer.auditImage() });
    await this.passOn(copied, customer.copy());
  }

  async archive(id: string, expected: ExpectedVersions): Promise<Customer> {
    return this.database.transaction(async () => {
      const customer = await this.repository.rows.lock(id);
      assertVersion(expected, customer);
      const before = customer.auditImage();
      customer.archive(this.clock.now());
      await this.listeners.call(CustomerListener, (listener) => listener.archiving?.(id));
      await this.repository.rows.update(customer);
      this.record('archive', customer, { before, after: customer.auditImage() });
      return customer;
    });
  }

  @Reverses('customers.customer.archive', { effect: 'customers.customer.create' })
  async reverseArchival(entry: RecordedAction): Promise<ReversalResult> {
    const customer = await this.repository.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, customer);
    const before = customer.auditImage();
    customer.restore(this.clock.now());
    await this.repository.rows.update(customer);
    this.publish('restored', customer);
    return { before, after: customer.auditImage() };
  }

  /** Pairs of customers who may be the same. */
  async listDuplicates(query: ListDuplicates): Promise<{ rows: DuplicatePair[]; total: number }> {
    return this.repository.duplicatePairs(query);
  }

  /**
   * Merges duplicates into a customer: it gets their values where it has none, and their records. The duplicates stay readable.
   * All are locked in the order of their ids, so that of two opposite merges the second one fails.
   */
  async merge(id: string, { duplicateIds, fields }: MergeCustomers, expected: ExpectedVersions): Promise<Customer> {
    if (duplicateIds.includes(id)) {
      throw invalidField('duplicateIds', 'duplicateIds must not contain the customer itself', 'same_as_source');
    }
    return this.database.transaction(async () => {
      const locked = await this.repository.rows.lockAll([id, ...duplicateIds]);
      const survivor = locked.find((one) => one.id === id);
      if (!survivor) throw notFound();
      assertVersion(expected, survivor);
      survivor.assertLive();
      const duplicates = duplicateIds.map((duplicateId) => among(locked, duplicateId));
      // Duplicates of the duplicates: without them, `mergedIntoId` would lead to a customer that is merged itself.
      const earlier = await this.repository.lockMergedInto(duplicateIds);
      const before = survivor.auditImage();
      const copied = survivor.copy();
      const consents = await this.consents.current([id, ...duplicateIds]);
      const moved = [...duplicates, ...earlier].map((one) => ({ customer: one, before: one.auditImage() }));
      const recorded = earlier.map(({ id: earlierId, mergedIntoId }) => ({
        id: earlierId,
        mergedIntoId: mergedIntoId ?? id,
      }));
      const now = this.clock.now();
      const values = mergedValues(survivor, duplicates, fields);
      for (const duplicate of duplicates) duplicate.mergeInto(id, now);
      for (const one of earlier) one.followMerge(id, now);
      survivor.change(values, now);
      await this.repository.rows.updateAll([survivor, ...duplicates, ...earlier]);
      this.recordMoved('merged', moved);
      // The moved records keep their copies: they move after the survivor's own records have followed it.
      await this.passOn(copied, survivor.copy());
      const records = await this.moveRecords(id, duplicateIds);
      await this.consents.keepWithdrawals(id, consents);
      const versions = duplicates.map(({ id: duplicateId, version }) => ({ id: duplicateId, version }));
      const after = { ...survivor.auditImage(), duplicates: versions, earlier: recorded, records };
      this.record('merge', survivor, { before, after });
      return survivor;
    });
  }

  /** Separates customers while neither they nor the moved records have changed hands since. */
  @Reverses('customers.customer.merge', { effect: 'customers.customer.update' })
  async reverseMerge(entry: RecordedAction): Promise<ReversalResult> {
    const { duplicates: merged, earlier: former, records } = await checkedAs(RecordedMerge, entry.after);
    const ids = [...merged, ...former].map(({ id }) => id);
    const locked = await this.repository.rows.lockAll([entry.subjectId, ...ids]);
    const survivor = among(locked, entry.subjectId);
    assertUnchangedSince(entry, survivor);
    for (const { id, version } of merged) {
      if (among(locked, id).version === version) continue;
      throw conflict('changed_since', 'A duplicate was changed after this action', { customerId: id });
    }
    const before = survivor.auditImage();
    const copied = survivor.copy();
    const moved = ids.map((id) => among(locked, id)).map((one) => ({ customer: one, before: one.auditImage() }));
    const restored = changesOf(await checkedAs(UpdateCustomer, entry.before), survivor);
    const now = this.clock.now();
    survivor.change(restored, now);
    for (const { id } of merged) among(locked, id).restore(now);
    for (const { id, mergedIntoId } of former) among(locked, id).followMerge(mergedIntoId, now);
    await this.repository.rows.updateAll([survivor, ...moved.map(({ customer }) => customer)]);
    this.recordMoved('separated', moved);
    await this.listeners.call(CustomerListener, (listener) => listener.separated?.(survivor.id, records));
    await this.passOn(copied, survivor.copy());
    this.publish('updated', survivor);
    return { before, after: survivor.auditImage() };
  }

  /**
   * Prevents changes of the customer until the transaction ends; sales to the same customer run side by side. Call this before
   * bookings are locked. Throws 404.
   */
  async lockShared(id: string): Promise<LockedCustomer> {
    const customer = await this.repository.findAndShare(id);
    if (!customer) throw notFound({ field: 'customerId' });
    return { copy: customer.copy(), person: customer.person(), assertLive: () => customer.assertLive('customerId') };
  }

  /** Whether the customer exists and is active, until the running transaction ends. */
  async isLive(id: string): Promise<boolean> {
    return (await this.repository.findAndShare(id))?.status === 'active';
  }

  /** As `lockShared`. Throws also 409 unless the customer is active. */
  async lockLive(id: string): Promise<CustomerCopy> {
    const customer = await this.lockShared(id);
    customer.assertLive();
    return customer.copy;
  }

  /**
   * Returns the active customer with this primary e-mail address and this name, or creates one. Names match as a whole, or those
   * of persons by the last name and the initial. Call this in a transaction, until whose end the customer does not change. Two
   * sales to a new customer at the same time create one.
   */
  async findOrCreate({ name, email, phone = null }: Buyer): Promise<string> {
    const phones = phonesOf(phone);
    const customer = newCustomer(
      { ...nameFrom(name), emails: [{ address: email }], phones },
      newId('cus'),
      this.clock.now(),
    );
    return this.database.transaction(async () => {
      await this.database.execute(LOCK_ADDRESS, [emailKey(email)]);
      const known = await this.repository.findNamesake(customer);
      if (known !== null) return known;
      await this.repository.rows.insert(customer);
      this.record('create', customer, { before: null, after: customer.auditImage() });
      return customer.id;
    });
  }

  private async moveRecords(id: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const moved: MovedRecord[] = [];
    await this.listeners.call(CustomerListener, async (listener) => {
      moved.push(...((await listener.merged?.(id, duplicateIds)) ?? []));
    });
    return moved;
  }

  /** Updates the copies of the customer in other records. */
  private async passOn(before: CustomerCopy, after: CustomerCopy): Promise<void> {
    if (isDeepStrictEqual(before, after)) return;
    await this.listeners.call(CustomerListener, (listener) => listener.changed?.(before, after));
  }

  private async withWarnings(customer: Customer): Promise<ChangedCustomer> {
    const ids = await this.repository.possibleDuplicates(customer);
    return { customer, warnings: ids.map((customerId) => ({ code: 'possible_duplicate', customerId })) };
  }

  private record(
    verb: 'create' | 'update' | 'archive' | 'merge',
    customer: Customer,
    images: { before: object | null; after: object },
  ): void {
    this.ledger.record(`customers.customer.${verb}`, { subjectType: 'customer', subjectId: customer.id, ...images });
    this.publish(EVENTS[verb], customer);
  }

  /** The customers that a merge or its reversal moved have entries and events of their own. */
  private recordMoved(event: 'merged' | 'separated', moved: readonly { customer: Customer; before: object }[]): void {
    for (const { customer, before } of moved) {
      const images = { before, after: customer.auditImage() };
      this.ledger.record('customers.customer.update', { subjectType: 'customer', subjectId: customer.id, ...images });
      this.publish(event, customer);
    }
  }

  private publish(event: CustomerEvent, { id: customerId, kind, status, mergedIntoId, version }: Customer): void {
    const data = { customerId, kind, status, mergedIntoId, version };
    this.outbox.add({ channel: 'customers', event: `customer.${event}`, data });
  }
}

function among(locked: readonly Customer[], id: string): Customer {
  const found = locked.find((one) => one.id === id);
  if (!found) throw notFound({ field: 'duplicateIds', id });
  return found;
}

function newCustomer(input: CreateCustomer, id: string, now: Date): Customer {
  const addresses = addressesFrom(input.addresses ?? []);
  const customer = make(Customer, {
    id,
    kind: input.kind ?? 'person',
    status: 'active',
    firstName: input.firstName,
    lastName: input.lastName,
    companyName: input.companyName,
    displayName: '',
    emails: emailsFrom(input.emails ?? []),
    phones: phonesFrom(input.phones ?? [], countryOf(addresses)),
    addresses,
    language: input.language,
    birthDate: input.birthDate,
    taxId: input.taxId,
    vatId: input.vatId,
    notes: input.notes,
    tags: input.tags ?? [],
    contactKeys: [],
    searchTerms: '',
    createdAt: now,
  });
  customer.derive();
  return customer;
}

/** Endings of names of companies in the countries of most operators; points are ignored. */
const COMPANY =
  /\s(ab|ag|aps|as|bv|co|corp|doo|eg|eood|ev|gbr|gmbh|inc|kft|kg|llc|llp|ltd|nv|oy|plc|sa|sarl|sas|sl|spa|srl|srls|sro|ug)$/i;

/** A text that is too long for a person names a company. */
function nameFrom(name: string): Pick<CreateCustomer, 'kind' | 'firstName' | 'lastName' | 'companyName'> {
  const { firstName, lastName } = personName(name);
  const isCompany = COMPANY.test(name.trim().replaceAll('.', ''));
  const isPerson = !isCompany && lastName.length <= 100 && (firstName ?? '').length <= 100;
  return isPerson ? { kind: 'person', firstName, lastName } : { kind: 'company', companyName: name.slice(0, 200) };
}

/** The number if it is an international one; the text of another one stays with the booking. */
function phonesOf(phone: string | null): { number: string }[] {
  if (phone === null || !isInternationalNumber(phone)) return [];
  return [{ number: phone }];
}

function changesOf({ emails, phones, addresses, ...fields }: UpdateCustomer, customer: Customer): CustomerChanges {
  const given = addresses && addressesFrom(addresses);
  return {
    ...fields,
    ...(emails && { emails: emailsFrom(emails) }),
    ...(phones && { phones: phonesFrom(phones, countryOf(given ?? customer.addresses)) }),
    ...(given && { addresses: given }),
  };
}

function countryOf(addresses: readonly CustomerAddress[]): string | null {
  return addresses[0]?.country ?? null;
}
