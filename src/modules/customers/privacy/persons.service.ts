import { Injectable } from '@nestjs/common';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { emailKey } from '../customers/contacts.js';
import type { Customer } from '../customers/customer.entity.js';
import { CustomersRepository } from '../customers/customers.repository.js';
import {
  ERASURE_BLOCKERS,
  type ErasureBlocker,
  type HeldData,
  type Person,
  PersonalDataHolder,
  type PersonBooking,
} from './personal-data-holder.js';

/** The data of a customer in one module. */
export interface ModuleData extends HeldData {
  readonly module: string;
}

/** Finds everything that the modules store about a customer. */
@Injectable()
export class PersonsService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly listeners: Listeners,
  ) {}

  get holders(): readonly PersonalDataHolder[] {
    return this.listeners.all(PersonalDataHolder);
  }

  async personOf(customer: Customer): Promise<Person> {
    const all = [customer, ...(await this.customers.mergedInto(customer.id))];
    const customerIds = all.map(({ id }) => id);
    const bookings: PersonBooking[] = [];
    for (const holder of this.holders) bookings.push(...((await holder.bookingsOf?.(customerIds)) ?? []));
    return {
      customerIds,
      names: [...new Set(all.map(({ displayName }) => displayName))],
      emails: [...new Set(all.flatMap(({ emails }) => emails.map(({ address }) => emailKey(address))))],
      bookings,
    };
  }

  async collect(person: Person, options = { opensSealed: false }): Promise<ModuleData[]> {
    const found: ModuleData[] = [];
    for (const holder of this.holders) {
      const held = await holder.collect(person, options);
      found.push(
        ...held.filter(({ records }) => records.length > 0).map((data) => ({ module: holder.module, ...data })),
      );
    }
    return found;
  }

  /** In the order of `ERASURE_BLOCKERS`, each once. */
  async blockersOf(person: Person): Promise<ErasureBlocker[]> {
    const found = new Set<ErasureBlocker>();
    for (const holder of this.holders) {
      for (const blocker of (await holder.blockersOf?.(person)) ?? []) found.add(blocker);
    }
    return ERASURE_BLOCKERS.filter((blocker) => found.has(blocker));
  }
}
