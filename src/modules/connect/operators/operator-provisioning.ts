import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { OperatorGrantRow, OperatorRow } from './operator.dto.js';
import { Operator } from './operator.entity.js';
import { OperatorGrant } from './operator-grant.entity.js';

/** Operators and grants, which no endpoint creates. Members that a row omits keep their values. */
@Injectable()
export class OperatorProvisioning {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly verifier: TokenVerifier,
  ) {}

  @Provisions({ name: 'operators', order: 300, row: OperatorRow })
  async applyOperators(rows: OperatorRow[]): Promise<void> {
    await this.inOrder(rows, (row) => this.applyOperator(row));
  }

  /** Throws an Error for a grant of an unknown operator, and for one that would change its operator. */
  @Provisions({ name: 'operatorGrants', order: 310, row: OperatorGrantRow })
  async applyGrants(rows: OperatorGrantRow[]): Promise<void> {
    await this.inOrder(rows, (row) => this.applyGrant(row));
  }

  /** In one transaction, in the order of ids; permissions of clients change with the commit. */
  private async inOrder<Row extends { id: string }>(rows: Row[], apply: (row: Row) => Promise<void>): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))) await apply(row);
      this.database.afterCommit(() => this.verifier.forget());
    });
  }

  private async applyOperator({ id, name, status }: OperatorRow): Promise<void> {
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

    const [before, after] = [found && operatorFacts(found), operatorFacts(operator)];
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    if (found) await operators.update({ id }, operator);
    else await this.database.insert(operator);
    const action = found ? 'connect.operator.update' : 'connect.operator.create';
    this.ledger.record(action, { subjectType: 'operator', subjectId: id, before, after });
  }

  private async applyGrant({ id, operatorId, scopes, status, expiresAt }: OperatorGrantRow): Promise<void> {
    const now = this.clock.now();
    const grants = this.database.repository(OperatorGrant);
    const lock = { mode: 'for_no_key_update' } as const;
    const found = await grants.findOne({ where: { id }, lock });
    if (found && found.operatorId !== operatorId) throw new Error(`operatorGrants: ${id} belongs to another operator`);
    const known = await this.database.repository(Operator).existsBy({ id: operatorId });
    if (!known) throw new Error(`operatorGrants: ${id} names the operator ${operatorId}, which does not exist`);
    const grant = make(OperatorGrant, {
      id,
      operatorId,
      status: status ?? found?.status ?? 'active',
      scopes,
      expiresAt: expiresAt === undefined ? (found?.expiresAt ?? null) : instantOf(expiresAt),
      version: (found?.version ?? 0) + 1,
      createdAt: found?.createdAt ?? now,
      updatedAt: now,
    });

    const [before, after] = [found && grantFacts(found), grantFacts(grant)];
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    if (found) await grants.update({ id }, grant);
    else await this.database.insert(grant);
    const action = found ? 'connect.operator_grant.update' : 'connect.operator_grant.create';
    this.ledger.record(action, { subjectType: 'operator_grant', subjectId: id, before, after });
  }
}

export function operatorFacts({ id, name, status }: Operator): object {
  return { id, name, status };
}

export function grantFacts({ id, operatorId, status, scopes, expiresAt }: OperatorGrant): object {
  return { id, operatorId, status, scopes, expiresAt };
}

function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
