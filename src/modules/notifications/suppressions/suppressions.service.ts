import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { SealingKeys } from '../../../platform/keys/sealing-keys.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  byReason,
  PayloadErasuresService,
  type RecordedAction,
  Reverses,
  type ReversalResult,
  Undoes,
} from '../../action-ledger/index.js';
import { emailKey } from '../../customers/index.js';
import type { CreateSuppression, ListSuppressions } from './suppression.dto.js';
import { Suppression, type SuppressionReason, type SuppressionScope } from './suppression.entity.js';
import { type SuppressedMail, SuppressionListener } from './suppression-listener.js';

mapConstraint('message_suppressions_live', () => alreadySuppressed());

/** The purpose of the codes of erased addresses. */
const PURPOSE = 'message-suppression';
/** Longer than any service runs: replaced keys are kept, and the codes under all of them are compared. */
const EVER_SECONDS = 100 * 366 * 24 * 3_600;

/** What happened to an address. */
interface Cause {
  address: string;
  scope: SuppressionScope;
  reason: Exclude<SuppressionReason, 'manual'>;
  messageId: string | null;
}

/** Addresses that get no mail, or no marketing mail. */
@Injectable()
export class SuppressionsService {
  private readonly rows: Rows<Suppression>;

  constructor(
    private readonly database: Database,
    private readonly sealingKeys: SealingKeys,
    private readonly payloads: PayloadErasuresService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Suppression);
  }

  /** Throws 409 `already_suppressed` if the address is suppressed in this scope or for all mails. */
  async create({ address, scope = 'all' }: CreateSuppression, id = newId('msup')): Promise<Suppression> {
    const suppression = this.newSuppression({ id, address, scope, reason: 'manual', messageId: null });
    return this.database.transaction(async () => {
      if (await this.find(address, scope)) throw alreadySuppressed();
      await this.rows.insert(suppression);
      this.recordCreation(suppression);
      return suppression;
    });
  }

  async list(query: ListSuppressions): Promise<{ rows: Suppression[]; total: number }> {
    const { address, active, createdAfter: after, createdBefore: before, sort = '-createdAt' } = query;
    const found = this.rows.query('suppression');
    if (address !== undefined) {
      const values = { address: emailKey(address), codes: this.codesOf(address) };
      found.andWhere('(suppression.address = :address or suppression.addressCode = any(:codes))', values);
    }
    filterRows(found, 'suppression.scope', query.scope);
    filterRows(found, 'suppression.reason', query.reason);
    if (active !== undefined) found.andWhere(`suppression.liftedAt is ${active ? '' : 'not'} null`);
    if (after !== undefined) found.andWhere('suppression.createdAt >= :after', { after });
    if (before !== undefined) found.andWhere('suppression.createdAt < :before', { before });
    sortRows(found, sort);
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<Suppression> {
    return this.rows.get(id);
  }

  /** Also reverses the addition of a suppression. */
  @Undoes('notifications.suppression.create', { effect: 'notifications.suppression.lift', values: byReason })
  async lift(id: string, reason: string, expected: ExpectedVersions): Promise<Suppression> {
    return this.database.transaction(async () => {
      const suppression = await this.rows.lock(id);
      assertVersion(expected, suppression);
      const before = suppression.auditImage();
      suppression.lift(currentActor().principal, reason, this.clock.now());
      await this.rows.update(suppression);
      await this.listeners.call(SuppressionListener, (listener) => listener.lifted?.(id));
      const after = suppression.auditImage();
      this.ledger.record('notifications.suppression.lift', { ...subjectOf(suppression), before, after });
      this.publish('lifted', suppression);
      return suppression;
    });
  }

  /** Suppresses the address again. */
  @Reverses('notifications.suppression.lift', { effect: 'notifications.suppression.create' })
  async reverseLifting(entry: RecordedAction): Promise<ReversalResult> {
    const suppression = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, suppression);
    const before = suppression.auditImage();
    suppression.restore(this.clock.now());
    if (!(await this.rows.updateUnlessTaken(suppression))) throw alreadySuppressed();
    this.publish('created', suppression);
    return { before, after: suppression.auditImage() };
  }

  /** Returns the suppression that prevents a mail to this address; null if there is none. */
  async find(address: string, scope: SuppressionScope = 'all'): Promise<Suppression | null> {
    const [found] = await this.rows.read({
      name: 'message-suppression-find',
      text: `select ${this.rows.columns('suppression')} from message_suppressions suppression
        where lifted_at is null and scope in ('all', $1) and (address = $2 or address_code = any($3))
        order by scope, id limit 1`,
      values: [scope, emailKey(address), this.codesOf(address)],
    });
    return found ?? null;
  }

  /** Throws 409 `recipient_suppressed`: the caller asks for a mail that would not be sent. */
  async assertReachable(address: string, scope: SuppressionScope = 'all'): Promise<void> {
    const suppression = await this.find(address, scope);
    if (suppression) {
      const { id: suppressionId, reason } = suppression;
      throw conflict('recipient_suppressed', 'The address of the recipient is suppressed', { suppressionId, reason });
    }
  }

  /** Suppresses the address, unless it is already, and returns the id. Call it in the transaction of the cause. */
  async add(cause: Cause): Promise<string> {
    const suppression = this.newSuppression({ id: newId('msup'), ...cause });
    if (await this.rows.insertUnlessTaken(suppression)) {
      this.recordCreation(suppression);
      return suppression.id;
    }
    return (await this.find(cause.address, cause.scope))?.id ?? suppression.id;
  }

  /** A mail to a customer was not sent or not delivered. */
  async report(mail: SuppressedMail): Promise<void> {
    await this.listeners.call(SuppressionListener, (listener) => listener.mailSuppressed?.(mail));
  }

  /** Returns the suppressions of these addresses for an export. */
  async collect(addresses: readonly string[]): Promise<object[]> {
    return this.database.query<object>(
      `select address, scope, reason, created_at as "createdAt", lifted_at as "liftedAt", lift_reason as "liftReason"
       from message_suppressions where address = any($1) order by id`,
      [addresses.map(emailKey)],
    );
  }

  /**
   * The data of a person with these addresses is erased: the addresses are stored as codes only, and get no mail. An address that a
   * customer shares whose data is not erased stays as it is.
   */
  async erase(addresses: readonly string[], customerIds: readonly string[]): Promise<void> {
    const now = this.clock.now();
    for (const address of await this.unsharedOf(addresses, customerIds)) {
      const [code = ''] = this.codesOf(address);
      const known = await this.rows.listBy({ address }, ['id']);
      const suppressions = await this.rows.lockAll(known.map(({ id }) => id));
      for (const suppression of suppressions) suppression.eraseAddress(code, now);
      await this.rows.updateAll(suppressions);
      await this.payloads.eraseAbout(
        'message_suppression',
        suppressions.map(({ id }) => id),
        'The data of the customer was erased on request',
      );
      if (await this.find(address)) continue;
      const cause = { address, scope: 'all', reason: 'erasure', messageId: null } as const;
      const erased = this.newSuppression({ id: newId('msup'), ...cause });
      erased.eraseAddress(code, now);
      await this.rows.insert(erased);
      this.recordCreation(erased);
    }
  }

  private async unsharedOf(addresses: readonly string[], customerIds: readonly string[]): Promise<string[]> {
    const shared = await this.database.query<{ address: string }>(
      `select address from unnest($1::text[]) as given (address)
       where exists (select from customers where contact_keys @> array[address] and id <> all($2)
         and status in ('active', 'archived'))`,
      [addresses.map(emailKey), customerIds],
    );
    return addresses.map(emailKey).filter((address) => !shared.some((one) => one.address === address));
  }

  private newSuppression(of: { id: string } & Omit<Cause, 'reason'> & { reason: SuppressionReason }): Suppression {
    const createdBy = currentActor().principal;
    return make(Suppression, { ...of, address: emailKey(of.address), createdBy, createdAt: this.clock.now() });
  }

  /** The codes of the address under the present sealing key, and under all that were replaced. */
  private codesOf(address: string): string[] {
    const codes = this.sealingKeys.codesOf(PURPOSE, Buffer.from(emailKey(address)), EVER_SECONDS);
    return codes.map((code) => code.toString('hex'));
  }

  private recordCreation(suppression: Suppression): void {
    const images = { before: null, after: suppression.auditImage() };
    this.ledger.record('notifications.suppression.create', { ...subjectOf(suppression), ...images });
    this.publish('created', suppression);
  }

  private publish(what: 'created' | 'lifted', { id, scope, reason, version }: Suppression): void {
    const data = { suppressionId: id, scope, reason, version };
    this.outbox.add({ channel: 'notifications.suppressions', event: `suppression.${what}`, data });
  }
}

function subjectOf({ id }: Suppression) {
  return { subjectType: 'message_suppression', subjectId: id };
}

function alreadySuppressed() {
  return conflict('already_suppressed', 'The address is already suppressed');
}
