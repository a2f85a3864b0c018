import { randomBytes } from 'node:crypto';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BATCH = 1_000;

/**
 * The id that opens a contract without a credential gets a column of its own; the primary key grants nothing and may appear
 * in events, ledger entries and logs. Existing contracts keep their id as primary key and get a new public id, because the
 * old one was published: links that were sent before stop working. Public access ends at `public_until`, or when it is
 * withdrawn. A contract may belong to a booking.
 */
export class ContractPublicIds1791000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table contracts drop constraint if exists contracts_id_check');
    await runner.query(`
      alter table contracts
        add constraint contracts_id_check check (id ~ '^ctrf?_[0-9a-hjkmnp-tv-z]{26}$'),
        add column public_id text constraint contracts_public_id_check check (public_id ~ '^ctr_[0-9a-hjkmnp-tv-z]{26}$'),
        add column public_until timestamptz,
        add column withdrawn_at timestamptz,
        add column booking_id text constraint contracts_booking references bookings on delete restrict`);
    await this.givePublicIds(runner);
    await runner.query(
      `update contracts set public_until = issued_at + interval '12 months' where issued_at is not null`,
    );
    await runner.query(`
      alter table contracts
        alter column public_id set not null,
        add constraint contracts_public_id unique (public_id),
        add constraint contracts_public_id_differs check (public_id <> id),
        add constraint contracts_issued_public_until check (issued_at is null or public_until is not null),
        add constraint contracts_withdrawn_after_issue check (withdrawn_at is null or issued_at is not null)`);
    await runner.query('create index contracts_booking_id on contracts (booking_id) where booking_id is not null');
  }

  /** The earlier build opens contracts by their primary key, so that one gets the form of a public id again. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table notification_messages drop constraint notification_messages_contract');
    await runner.query(`
      alter table contracts
        drop constraint contracts_id_check,
        drop column booking_id,
        drop column withdrawn_at,
        drop column public_until,
        drop column public_id`);
    await runner.query(`update contracts set id = 'ctr_' || substr(id, 6) where id ~ '^ctrf_'`);
    await runner.query(`
      update notification_messages set contract_id = 'ctr_' || substr(contract_id, 6) where contract_id ~ '^ctrf_'`);
    await runner.query(`
      alter table contracts add constraint contracts_id_check check (id ~ '^ctr_[0-9a-hjkmnp-tv-z]{26}$')`);
    await runner.query(`
      alter table notification_messages add constraint notification_messages_contract
      foreign key (contract_id) references contracts on delete restrict`);
  }

  private async givePublicIds(runner: QueryRunner): Promise<void> {
    const contracts = (await runner.query('select id from contracts order by id')) as { id: string }[];
    for (let from = 0; from < contracts.length; from += BATCH) {
      const ids = contracts.slice(from, from + BATCH).map(({ id }) => id);
      await runner.query(
        `update contracts set public_id = given.public_id from unnest($1::text[], $2::text[]) as given (id, public_id)
         where contracts.id = given.id`,
        [ids, ids.map(() => `ctr_${randomBase32(26)}`)],
      );
    }
  }
}

function randomBase32(length: number): string {
  return [...randomBytes(length)].map((byte) => ALPHABET.charAt(byte & 31)).join('');
}
