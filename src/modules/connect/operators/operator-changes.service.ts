import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { assertUnbound } from './assert-unbound.js';
import { Operator } from './operator.entity.js';
import { operatorFacts } from './operator-provisioning.js';
import type { CreateOperator, UpdateOperator } from './operator-requests.dto.js';
import { Operators } from './operators.service.js';

@Injectable()
export class OperatorChanges {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly operators: Operators,
    private readonly verifier: TokenVerifier,
  ) {}

  /** Throws 403 for a caller who is bound to an operator, 409 `operator_exists`. */
  async create({ id, name, status = 'active' }: CreateOperator): Promise<Operator> {
    assertUnbound();
    const now = this.clock.now();
    const operator = make(Operator, { id, name, status, version: 1, createdAt: now, updatedAt: now });
    await this.database.transaction(async () => {
      const isNew = await this.database.insertUnlessTaken(operator);
      if (!isNew) throw conflict('operator_exists', 'An operator with this id exists already');
      this.record('create', operator, null);
    });
    return operator;
  }

  /** What clients of the operator may do has changed with the commit. Throws 403 as `create`, 404, 412. */
  async update(id: string, changes: UpdateOperator, expected: ExpectedVersions): Promise<Operator> {
    return this.database.transaction(async () => {
      const operator = await this.operators.lock(id);
      assertUnbound();
      assertVersion(expected, operator);
      const before = operatorFacts(operator);
      Object.assign(operator, changes, { updatedAt: this.clock.now() });
      await this.database.update(operator);
      this.record('update', operator, before);
      this.database.afterCommit(() => this.verifier.forget());
      return operator;
    });
  }

  private record(verb: 'create' | 'update', operator: Operator, before: object | null): void {
    const subject = { subjectType: 'operator', subjectId: operator.id };
    this.ledger.record(`connect.operator.${verb}`, { ...subject, before, after: operatorFacts(operator) });
  }
}
