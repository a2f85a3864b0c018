import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containsWordsSql } from '../../../platform/database/like.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { AppError, conflict, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { isId, newId } from '../../../platform/ids/id.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { RateLimits } from '../../../platform/admission/rate-limits.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import {
  ActionLedger,
  byReason,
  PayloadErasuresService,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
} from '../../action-ledger/index.js';
import { DirectMailsService, ReaderLanguagesService } from '../../notifications/index.js';
import { newPublicId, REFERENCE } from './contract-id.js';
import {
  changesOf,
  type CreateContract,
  type DispatchContract,
  instantOf,
  type ListContracts,
  LISTED_COLUMNS,
  type ListedContract,
  type UpdateContract,
} from './contract.dto.js';
import { assertPublicUntil, type ClickSignature, Contract } from './contract.entity.js';
import type { PublicContract, ShownStatus } from './public-contract.dto.js';

mapConstraint('contracts_contract_number', () =>
  conflict('contract_number_taken', 'Another contract already has this number'),
);

mapConstraint('contracts_booking', () => notFound({ field: 'bookingId' }));

const EXPIRY_BATCH = 500;
const ERASURE_BATCH = 500;

/** The form of assigned numbers: `C-<year>-<at least five digits>`. */
const ASSIGNED_NUMBER = /^C-(\d{4})-\d{5,10}$/;

type Verb = 'create' | 'update' | 'issue' | 'send' | 'sign' | 'withdraw' | 'expire' | 'void' | 'erase';

/**
 * Columns of the public response. Drafts are not selected. The table's constraints ensure a number, except for a void contract
 * that was never issued.
 */
type PublicRow = Omit<PublicContract, 'status'> & { reference: string; status: ShownStatus | 'void' };

interface ExpiredContract {
  id: string;
  contractNumber: string | null;
  version: number;
  previous: string;
}

/** Manages contracts from draft to expiry. Staff address a contract by its id or its reference. */
@Injectable()
export class ContractsService {
  private readonly rows: Rows<Contract>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly payloads: PayloadErasuresService,
    private readonly outbox: Outbox,
    private readonly mails: DirectMailsService,
    private readonly languages: ReaderLanguagesService,
    private readonly rateLimits: RateLimits,
    private readonly clock: Clock,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.rows = database.rows(Contract);
  }

  async create(input: CreateContract, id = newId(REFERENCE)): Promise<Contract> {
    const { status = 'draft' } = input;
    if (status !== 'draft')
      throw unprocessable('invalid_initial_status', 'A new contract must have the status draft', { field: 'status' });
    const now = this.clock.now();
    const publicUntil = instantOf(input.publicUntil);
    if (publicUntil) assertPublicUntil(publicUntil, now);
    const contract = make(Contract, {
      id,
      publicId: newPublicId(),
      bookingId: input.bookingId,
      title: input.title,
      status,
      contractNumber: input.contractNumber,
      body: input.body ?? '',
      language: input.language ?? (await this.languages.ofBooking(input.bookingId ?? null))[0],
      scope: input.scope ?? 'customer',
      expiresAt: instantOf(input.expiresAt),
      publicUntil,
      recipientName: input.recipientName,
      recipientEmail: input.recipientEmail,
      metadata: input.metadata,
      createdAt: now,
    });
    return this.database.transaction(async () => {
      await this.lockNumbers(contract.contractNumber);
      await this.rows.insert(contract);
      this.record('create', contract, { before: null, after: contract.auditImage() });
      return contract;
    });
  }

  /** Omits texts and metadata, which may be large. */
  async list(query: ListContracts): Promise<{ contracts: ListedContract[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const { status, bookingId, search, sort = '-createdAt' } = query;
    const found = this.rows.query('contract');
    found.select(LISTED_COLUMNS.map((column) => `contract.${column}`));
    filterRows(found, 'contract.status', status);
    if (bookingId !== undefined) found.andWhere('contract.bookingId = :bookingId', { bookingId });
    if (search !== undefined) found.andWhere(containsWordsSql('contract.search_text', ':search'), { search });
    sortRows(found, sort);
    const total = await this.database.count(found);
    return { contracts: await found.limit(limit).offset(offset).getMany(), total };
  }

  async find(reference: string): Promise<Contract | null> {
    return this.rows.find(reference);
  }

  async get(idOrReference: string): Promise<Contract> {
    return this.rows.get(await this.referenceOf(idOrReference));
  }

  /** Serves customers: drafts and contracts whose public access has ended are not found. Logs the access. */
  async getPublic(publicId: string): Promise<PublicContract> {
    const [row] = await this.database.prepared<PublicRow>(
      'public-contract',
      `select id as reference, public_id as id, title, status, contract_number as "contractNumber", body, language
       from contracts
       where public_id = $1 and status <> 'draft' and withdrawn_at is null
         and (issued_at is null or public_until > $2)`,
      [publicId, this.clock.now()],
    );
    const { requestId } = currentContext();
    const access = { contract: row?.reference ?? null, status: row?.status ?? null, requestId };
    this.log.info(access, 'public contract access');
    if (!row) throw notFound();
    const { status } = row;
    if (status === 'void') throw new AppError(410, 'contract_gone', 'The contract is no longer valid');
    return { ...row, status };
  }

  async update(id: string, changes: UpdateContract, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.lock(id, expected);
      const before = contract.auditImage();
      contract.change(changesOf(changes), this.clock.now());
      await this.lockNumbers(contract.contractNumber);
      await this.rows.update(contract);
      // The snapshot omits personal data and text; the list of changed fields shows that they changed.
      const after = { ...contract.auditImage(), changed: Object.keys(changes) };
      this.record('update', contract, { before, after });
      return contract;
    });
  }

  /** Freezes the text and assigns a number. */
  async issue(id: string, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.lock(id, expected);
      contract.assertCanBecome('issued');
      const before = contract.auditImage();
      contract.issue(contract.contractNumber ?? (await this.nextNumber()), this.clock.now());
      await this.rows.update(contract);
      this.record('issue', contract, { before, after: contract.auditImage() });
      this.publish('issued', contract);
      return contract;
    });
  }

  /** Sends the contract by e-mail. A contract that was already sent is sent again only with `resend`. */
  async dispatch(id: string, dispatch: DispatchContract, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.lock(id, expected);
      const wasSent = contract.status === 'sent';
      if (wasSent && dispatch.resend !== true) return contract;
      if (!wasSent) contract.assertCanBecome('sent');
      const recipientEmail = dispatch.recipientEmail ?? contract.recipientEmail;
      if (recipientEmail === null) throw conflict('no_recipient', 'The contract has no recipient e-mail address');
      this.rateLimits.takeMail({ subject: contract.id, recipient: recipientEmail });

      const before = contract.auditImage();
      contract.send(recipientEmail, this.clock.now());
      await this.rows.update(contract);
      const { subject = null, message = null } = dispatch;
      const { id: contractId, bookingId, title, recipientName, language } = contract;
      await this.mails.sendContract({
        ...{ contractId, bookingId, title, recipientEmail, recipientName, subject, message, language },
      });
      this.record('send', contract, { before, after: contract.auditImage() });
      if (!wasSent) this.publish('sent', contract);
      return contract;
    });
  }

  @Undoes('legal.contract.create', { effect: 'legal.contract.void', values: byReason })
  async void(id: string, reason: string, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.lock(id, expected);
      const images = await this.declareVoid(contract, reason);
      this.record('void', contract, { ...images, reason });
      return contract;
    });
  }

  /** Records the signature of the other party, once: a contract that is signed already is returned unchanged. */
  async sign(id: string, signature: ClickSignature): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.rows.lock(id);
      if (contract.signedAt !== null) return contract;
      const before = contract.auditImage();
      contract.sign(signature, this.clock.now());
      await this.rows.update(contract);
      this.record('sign', contract, { before, after: contract.auditImage() });
      this.publish('signed', contract);
      return contract;
    });
  }

  /** Ends public access. A contract that was already withdrawn is returned unchanged. */
  async withdraw(id: string, reason: string | undefined, expected: ExpectedVersions): Promise<Contract> {
    return this.database.transaction(async () => {
      const contract = await this.lock(id, expected);
      if (contract.withdrawnAt !== null) return contract;
      const before = contract.auditImage();
      contract.withdraw(this.clock.now());
      await this.rows.update(contract);
      this.record('withdraw', contract, { before, after: contract.auditImage(), reason: reason ?? null });
      this.publish('withdrawn', contract);
      return contract;
    });
  }

  /** Restores public access with the same id and links. */
  @Reverses('legal.contract.withdraw', { effect: 'legal.contract.send' })
  async reverseWithdrawal({ subjectId }: RecordedAction): Promise<ReversalResult> {
    const contract = await this.rows.lock(subjectId);
    const before = contract.auditImage();
    contract.restoreAccess(this.clock.now());
    await this.rows.update(contract);
    this.publish('restored', contract);
    return { before, after: contract.auditImage() };
  }

  /** Declares the contract void. Its number remains assigned, and a sent mail cannot be recalled. */
  @Reverses(['legal.contract.issue', 'legal.contract.send'], { effect: 'legal.contract.void' })
  async reverse({ subjectId }: RecordedAction, reason: string): Promise<ReversalResult> {
    return this.declareVoid(await this.rows.lock(subjectId), reason);
  }

  @Cron('legal.contracts.expire', '*/5 * * * *')
  async expireOnSchedule(): Promise<void> {
    await this.expireDue();
  }

  /** Expires all contracts whose `expiresAt` has passed and returns their number. Several processes may run it at once. */
  async expireDue(): Promise<number> {
    let count = 0;
    for (let batch = EXPIRY_BATCH; batch === EXPIRY_BATCH; count += batch) {
      batch = await this.database.transaction(() => this.expireBatch());
    }
    return count;
  }

  /** Erases contracts without a booking after their last change and their expiry, with one transaction per batch. */
  @Cron('legal.contracts.retention', '51 3 * * *')
  async erasePast(): Promise<void> {
    const batch = () =>
      this.erase(
        `id in (
          select id from contracts
          where erased_at is null and booking_id is null
            and greatest(updated_at, expires_at) < $2::date - make_interval(months => $3)
          order by id limit $4 for update skip locked)`,
        [this.clock.today(), this.env.contractRetentionMonths, ERASURE_BATCH],
      );
    while ((await this.database.transaction(batch)) === ERASURE_BATCH);
  }

  /** Erases the contracts of bookings in the transaction that erases the bookings. */
  async eraseOfBookings(bookingIds: readonly string[]): Promise<void> {
    await this.erase('booking_id = any ($2) and erased_at is null', [bookingIds]);
  }

  /** Replaces texts and recipient, and ends public access. Number, times and the digest of the text stay. */
  private async erase(condition: string, values: readonly unknown[]): Promise<number> {
    const erased = await this.database.query<{ id: string; version: number }>(
      `update contracts set title = 'Erased contract', body = '', recipient_name = null, recipient_email = null,
         signer_name = null, signer_address = null, signer_agent = null, metadata = null, void_reason = case when void_reason is not null then 'erased' end,
         withdrawn_at = case when issued_at is not null then coalesce(withdrawn_at, $1) end,
         erased_at = $1, version = version + 1, updated_at = $1
       where ${condition} returning id, version`,
      [this.clock.now(), ...values],
    );
    await this.payloads.eraseAbout(
      'contract',
      erased.map(({ id }) => id),
    );
    for (const { id, version } of erased) {
      this.record('erase', { id }, { before: { version: version - 1 }, after: { version } });
    }
    return erased.length;
  }

  private async expireBatch(): Promise<number> {
    const contracts = await this.database.query<ExpiredContract>(
      `with due as (
         select id, status from contracts where status in ('issued', 'sent') and expires_at <= $1
         order by id limit $2 for no key update skip locked
       )
       update contracts set status = 'expired', expired_at = $1, updated_at = $1, version = version + 1
       from due where contracts.id = due.id
       returning contracts.id, contract_number as "contractNumber", version, due.status as previous`,
      [this.clock.now(), EXPIRY_BATCH],
    );
    for (const contract of contracts) {
      const { contractNumber, version, previous } = contract;
      this.record('expire', contract, {
        before: { status: previous, contractNumber, version: version - 1 },
        after: { status: 'expired', contractNumber, version },
      });
      this.publish('expired', contract);
    }
    return contracts.length;
  }

  private async lock(idOrReference: string, expected: ExpectedVersions): Promise<Contract> {
    const contract = await this.rows.lock(await this.referenceOf(idOrReference));
    assertVersion(expected, contract);
    return contract;
  }

  /** Returns the reference of a public id. Contracts of earlier versions have references with the form of a public id. */
  private async referenceOf(idOrReference: string): Promise<string> {
    if (isId(REFERENCE, idOrReference)) return idOrReference;
    return (await this.rows.findBy({ publicId: idOrReference }))?.id ?? idOrReference;
  }

  private async declareVoid(contract: Contract, reason: string): Promise<{ before: object; after: object }> {
    const before = contract.auditImage();
    contract.void(reason, this.clock.now());
    await this.rows.update(contract);
    this.publish('voided', contract);
    return { before, after: contract.auditImage() };
  }

  /**
   * Returns the next number of this year, such as `C-2027-00042`, and skips numbers in use. Locks the counter of the year until
   * the transaction ends: a number is assigned if and only if its contract is issued.
   */
  private async nextNumber(): Promise<string> {
    const year = Number(this.clock.today().slice(0, 4));
    const [row] = await this.database.query<{ number: string }>('select contract_number_next($1) as number', [year]);
    if (!row) throw new Error(`No contract number for ${year}`);
    return row.number;
  }

  /**
   * A chosen number with the form of assigned ones also locks the counter of its year. Otherwise a concurrent issue could get
   * the same number and fail because of a number that its caller did not choose.
   */
  private async lockNumbers(chosen: string | null): Promise<void> {
    const year = Number(ASSIGNED_NUMBER.exec(chosen ?? '')?.[1] ?? 0);
    if (year > 0) await this.database.query('select contract_numbers_lock($1)', [year]);
  }

  private record(
    verb: Verb,
    { id: subjectId }: Pick<Contract, 'id'>,
    entry: { before: object | null; after: object; reason?: string | null },
  ): void {
    this.ledger.record(`legal.contract.${verb}`, { subjectType: 'contract', subjectId, ...entry });
  }

  private publish(
    event: 'issued' | 'sent' | 'signed' | 'withdrawn' | 'restored' | 'expired' | 'voided',
    { id: contractReference, contractNumber, version }: Pick<Contract, 'id' | 'contractNumber' | 'version'>,
  ): void {
    const data = { contractReference, contractNumber, version };
    this.outbox.add({ channel: 'legal.contracts', event: `contract.${event}`, data });
  }
}
