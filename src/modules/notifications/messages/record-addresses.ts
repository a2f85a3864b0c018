import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { unprocessable } from '../../../platform/errors/app-error.js';
import { emailKey } from '../../customers/index.js';

/** The record that a message is about. */
export interface MessageRecord {
  bookingId: string | null;
  customerId: string | null;
}

/** The addresses to which staff may send messages about a record. */
@Injectable()
export class RecordAddresses {
  constructor(private readonly database: Database) {}

  /** Returns the address of the booking, then the addresses of its customer, or of the customer, the primary one first. */
  async listOf({ bookingId, customerId }: MessageRecord): Promise<string[]> {
    const found = await this.database.query<{ address: string }>(
      `select booking.customer_email as address, 0 as position from bookings booking
       where booking.id = $1 and booking.customer_email is not null
       union all
       select email ->> 'address', case when email ->> 'isPrimary' = 'true' then 1 else 2 end
       from customers customer cross join lateral jsonb_array_elements(customer.emails) as email
       where customer.id = coalesce($2, (select booking.customer_id from bookings booking where booking.id = $1))
       order by position`,
      [bookingId, customerId],
    );
    return found.map(({ address }) => address);
  }

  /** Null if the actor is no user. */
  async ofUser(principal: string): Promise<string | null> {
    const [user] = await this.database.query<{ email: string }>('select email from users where id = $1', [principal]);
    return user?.email ?? null;
  }

  /** Returns the customer, or the one of the booking; null if it has none. */
  async customerOf({ bookingId, customerId }: MessageRecord): Promise<string | null> {
    if (customerId !== null) return customerId;
    const [booking] = await this.database.query<{ customerId: string | null }>(
      'select customer_id as "customerId" from bookings where id = $1',
      [bookingId],
    );
    return booking?.customerId ?? null;
  }
}

/** Returns the address as the record has it. Throws 422 `recipient_not_on_record`. */
export function onRecord(address: string, known: readonly string[]): string {
  const found = known.find((one) => emailKey(one) === emailKey(address));
  if (found !== undefined) return found;
  const field = 'recipientEmail';
  throw unprocessable('recipient_not_on_record', 'The address belongs to neither the booking nor its customer', {
    field,
  });
}
