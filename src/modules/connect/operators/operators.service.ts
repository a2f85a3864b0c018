import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import type { PageBounds } from '../../../platform/database/page.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { assertUnbound } from './assert-unbound.js';
import { type CreateOperator, OperatorRow, type UpdateOperator } from './operator.dto.js';
import { GIVEN_ID, Operator } from './operator.entity.js';
import { OperatorGrant } from './operator-grant.entity.js';

/** The operators that the caller may see: a caller bound to one operator sees only that one. */
@Injectable()
export class OperatorsService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly verifier: TokenVerifier,
  ) {}

  async create({ id, name, status = 'active' }: CreateOperator): Promise<Operator> {
    assertUnbound();
    const now = this.clock.now();
    const operator = make(Operator, { id, name, status, createdAt: now });
    await this.database.transaction(async () => {
      const isNew = await this.database.insertUnlessTaken(operator);
      if (!isNew) throw conflict('operator_exists', 'An operator with this ID exists already');
      this.record('create', operator, null);
    });
    return operator;
  }

  async list({ limit: take, offset: skip }: PageBounds): Promise<{ operators: Operator[]; total: number }> {
    const { operatorId } = currentActor();
    const where = operatorId === null ? {} : { id: operatorId };
    const found = this.database.repository(Operator).findAndCount({ where, order: { id: 'ASC' }, take, skip });
    const [operators, total] = await found;
    return { operators, total };
  }

  /** An unknown operator and one that the caller may not see get the same 404. */
  async get(id: string): Promise<Operator> {
    const operator = isVisible(id) ? await this.database.repository(Operator).findOneBy({ id }) : null;
    if (!operator) throw unknownOperator();
    return operator;
  }

  /** Which of these operators are active, for work that goes on without a credential of theirs. */
  async activeAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.database.prepared<{ id: string }>(
      'connect-active-operators',
      `select id from operators where id = any ($1) and status = 'active'`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async assertVisible(id: string): Promise<void> {
    await this.get(id);
  }

  /** Locks the operator, which serializes the creation of its clients. */
  async lock(id: string): Promise<Operator> {
    // Unlike `for update`, this lock does not block inserts of rows with a foreign key to the operator.
    const lock = { mode: 'for_no_key_update' } as const;
    const operators = this.database.repository(Operator);
    const operator = isVisible(id) ? await operators.findOne({ where: { id }, lock }) : null;
    if (!operator) throw unknownOperator();
    return operator;
  }

  /** Changes the permissions of the operator's clients at the commit. */
  async update(id: string, changes: UpdateOperator, expected: ExpectedVersions): Promise<Operator> {
    return this.database.transaction(async () => {
      const operator = await this.lock(id);
      assertUnbound();
      assertVersion(expected, operator);
      const before = operator.auditImage();
      Object.assign(operator, changes, { updatedAt: this.clock.now() });
      await this.database.update(operator);
      this.record('update', operator, before);
      this.database.afterCommit(() => this.verifier.forget());
      return operator;
    });
  }

  /** Returns a grant of this operator; grants of other operators are not found. */
  async getGrant(operatorId: string, id: string): Promise<OperatorGrant> {
    const grant = await this.database.repository(OperatorGrant).findOneBy({ id, operatorId });
    if (!grant) throw notFound({ resource: 'grant' });
    return grant;
  }

  /** Creates or updates operators by ID, all or none. Members that a row omits keep their values. */
  @Provisions({ name: 'operators', order: 300, row: OperatorRow })
  async provision(rows: OperatorRow[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))) await this.provisionRow(row);
      this.database.afterCommit(() => this.verifier.forget());
    });
  }

  private async provisionRow({ id, name, status }: OperatorRow): Promise<void> {
    const now = this.clock.now();
    const operators = this.database.repository(Operator);
    const lock = { mode: 'for_no_key_update' } as const;
    const found = await operators.findOne({ where: { id }, lock });
    const operator = make(Operator, {
      id,
      name,
      status: status ?? found?.status ?? 'active',
      version: (found?.version ?? 0) + 1,
      createdAt: found?.createdAt ?? now,
      updatedAt: now,
    });

    if (found?.name === operator.name && found.status === operator.status) return;
    const before = found?.auditImage() ?? null;
    if (found) await operators.update({ id }, operator);
    else await this.database.insert(operator);
    this.record(found ? 'update' : 'create', operator, before);
  }

  private record(verb: 'create' | 'update', operator: Operator, before: object | null): void {
    const subject = { subjectType: 'operator', subjectId: operator.id };
    this.ledger.record(`connect.operator.${verb}`, { ...subject, before, after: operator.auditImage() });
  }
}

function isVisible(id: string): boolean {
  const { operatorId } = currentActor();
  return GIVEN_ID.test(id) && (operatorId === null || operatorId === id);
}

function unknownOperator(): Error {
  return notFound({ resource: 'operator' });
}
