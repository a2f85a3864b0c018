import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LOG } from '../../../platform/observability/log.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { Customer } from '../customers/customer.entity.js';
import { CustomersRepository } from '../customers/customers.repository.js';
import { CustomerErasure, type PlannedData } from './erasure.entity.js';
import type { ErasureBlocker, Person } from './personal-data-holder.js';
import { type ModuleData, PersonsService } from './persons.service.js';

const ERASE_JOB = 'customers.erase';
const BATCH = 200;
/** At most: a contact is rather kept for a few days longer. */
const SECONDS_OF_MONTH = 31 * 24 * 3600;

/** The outcome of an erasure in one module. */
export interface ErasureStep {
  module: string;
  /** Null until it is done. */
  erasedRecords: number | null;
  finishedAt: Date | null;
}

export interface ErasureView {
  erasure: CustomerErasure;
  steps: ErasureStep[];
  /** Reasons that prevent the execution of a planned erasure now. */
  blockers: ErasureBlocker[];
}

/** Erases customers on request: first a plan, then one transaction for each module, which a killed process does not repeat. */
@Injectable()
export class ErasuresService {
  private readonly rows: Rows<CustomerErasure>;

  constructor(
    private readonly database: Database,
    private readonly customers: CustomersRepository,
    private readonly persons: PersonsService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.rows = database.rows(CustomerErasure);
  }

  /** Plans an erasure. Throws 404, and 409 `already_erased` or `customer_merged`. */
  async plan(customerId: string, reason: string, id = newId('eras')): Promise<ErasureView> {
    return this.database.transaction(async () => {
      const customer = await this.customers.rows.lock(customerId);
      assertErasable(customer);
      const person = await this.persons.personOf(customer);
      const erasure = make(CustomerErasure, {
        id,
        customerId,
        reason,
        status: 'planned',
        plan: planOf(await this.persons.collect(person)),
        requestedBy: currentActor().id,
        createdAt: this.clock.now(),
      });
      await this.rows.insert(erasure);
      this.record('plan_erasure', erasure);
      return { erasure, steps: [], blockers: await this.persons.blockersOf(person) };
    });
  }

  async get(customerId: string, id: string): Promise<ErasureView> {
    const erasure = await this.rows.get(id);
    if (erasure.customerId !== customerId) throw notFound();
    const steps = await this.stepsOf(id);
    if (erasure.status !== 'planned') return { erasure, steps, blockers: [] };
    const person = await this.persons.personOf(await this.customers.rows.get(customerId));
    return { erasure, steps, blockers: await this.persons.blockersOf(person) };
  }

  /**
   * Starts a planned erasure: from now on the customer cannot be changed or sold to, and a job erases its data. Throws 409
   * `erasure_blocked` while a service lies ahead or money is open.
   */
  async execute(customerId: string, id: string): Promise<ErasureView> {
    return this.database.transaction(async () => {
      const customer = await this.customers.rows.lock(customerId);
      const erasure = await this.rows.lock(id);
      if (erasure.customerId !== customerId) throw notFound();
      assertErasable(customer);
      const person = await this.persons.personOf(customer);
      const reasons = await this.persons.blockersOf(person);
      if (reasons.length > 0)
        throw conflict('erasure_blocked', 'The data of the customer is still needed', { reasons });
      const now = this.clock.now();
      erasure.start(planOf(await this.persons.collect(person)), now);
      customer.startErasure(now);
      await this.customers.rows.update(customer);
      await this.rows.update(erasure);
      await this.addSteps(id);
      await this.jobs.add(ERASE_JOB, { erasureId: id }, { key: id });
      this.record('erase', erasure);
      // After a restore of an earlier backup, these lines tell which customers must be erased again.
      this.log.info({ erasure: { id, customerId } }, 'the data of a customer is being erased');
      return { erasure, steps: await this.stepsOf(id), blockers: [] };
    });
  }

  /** Erases customers without a booking `CONTACT_RETENTION_MONTHS` after the last contact. */
  @Cron('customers.retention', '43 3 * * *')
  async erasePast(): Promise<void> {
    for (let after: string | null = ''; after !== null;) {
      const ids: string[] = await this.customers.unchangedSince(this.env.contactRetentionMonths, {
        after,
        limit: BATCH,
      });
      for (const id of ids) {
        await this.erasePastOne(id).catch((error: unknown) => {
          this.log.error({ err: error, customerId: id }, 'the data of a customer could not be erased');
        });
      }
      after = ids.length === BATCH ? (ids.at(-1) ?? null) : null;
    }
  }

  /** A contact is also a note, a message, a consent or a trip. */
  private async erasePastOne(customerId: string): Promise<void> {
    const person = await this.personOf(customerId);
    if (person.bookings.length > 0 || (await this.persons.blockersOf(person)).length > 0) return;
    const since = this.clock.inSeconds(-SECONDS_OF_MONTH * this.env.contactRetentionMonths);
    const data = await this.persons.collect(person);
    if (data.some(({ records }) => records.some((record) => contactAt(record) >= since))) return;
    const { erasure } = await this.plan(customerId, 'The retention period of the customer has ended');
    await this.execute(customerId, erasure.id);
  }

  /** Erases the data in one module after another. The customer comes last, because the others are found by it. */
  @Job(ERASE_JOB)
  async erase(payload: unknown): Promise<void> {
    const id = erasureIdOf(payload);
    for (const { module } of await this.stepsOf(id)) {
      await this.database.transaction(() => this.eraseIn(module, id));
    }
    await this.database.transaction(() => this.finish(id));
  }

  private async eraseIn(module: string, id: string): Promise<void> {
    const [open] = await this.database.query(
      `select from customer_erasure_steps where erasure_id = $1 and module = $2 and finished_at is null for update`,
      [id, module],
    );
    if (!open) return;
    const { customerId } = await this.rows.get(id);
    const holder = this.persons.holders.find((one) => one.module === module);
    if (!holder) throw new Error(`No module ${module} holds personal data`);
    const erased = await holder.erase(await this.personOf(customerId));
    await this.database.execute(
      `update customer_erasure_steps set erased_records = $3, finished_at = $4 where erasure_id = $1 and module = $2`,
      [id, module, erased, this.clock.now()],
    );
  }

  private async finish(id: string): Promise<void> {
    const erasure = await this.rows.lock(id);
    if (erasure.status !== 'running') return;
    erasure.finish(this.clock.now());
    await this.rows.update(erasure);
    const { kind, status, mergedIntoId, version } = await this.customers.rows.get(erasure.customerId);
    const data = { customerId: erasure.customerId, kind, status, mergedIntoId, version };
    this.outbox.add({ channel: 'customers', event: 'customer.erased', data });
  }

  private async personOf(customerId: string): Promise<Person> {
    return this.persons.personOf(await this.customers.rows.get(customerId));
  }

  private async addSteps(id: string): Promise<void> {
    await this.database.execute(
      `insert into customer_erasure_steps (erasure_id, module, position)
       select $1, step.module, step.position from unnest($2::text[]) with ordinality as step (module, position)`,
      [id, this.persons.holders.map(({ module }) => module)],
    );
  }

  private async stepsOf(id: string): Promise<ErasureStep[]> {
    return this.database.query<ErasureStep>(
      `select module, erased_records as "erasedRecords", finished_at as "finishedAt" from customer_erasure_steps
       where erasure_id = $1 order by position`,
      [id],
    );
  }

  private record(verb: 'plan_erasure' | 'erase', erasure: CustomerErasure): void {
    this.ledger.record(`customers.customer.${verb}`, {
      subjectType: 'customer_erasure',
      subjectId: erasure.id,
      before: null,
      after: erasure.auditImage(),
    });
  }
}

function assertErasable({ id, status, mergedIntoId }: Customer): void {
  if (status === 'erased') throw conflict('already_erased', 'The data of the customer was erased', { customerId: id });
  if (status === 'merged') {
    throw conflict('customer_merged', 'The customer was merged into another one', { mergedIntoId, customerId: id });
  }
}

function planOf(found: readonly ModuleData[]): PlannedData[] {
  return found.map(({ module, dataClass, kind, keptUntil, records }) => {
    return { module, dataClass, kind, count: records.length, keptUntil };
  });
}

function erasureIdOf(payload: unknown): string {
  const id: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'erasureId') : undefined;
  if (typeof id !== 'string') throw new Error('The payload has no erasureId');
  return id;
}

/** When the record was made. */
function contactAt(record: object): Date {
  const createdAt: unknown = Reflect.get(record, 'createdAt');
  return createdAt instanceof Date ? createdAt : new Date(0);
}
