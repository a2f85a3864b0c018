import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { assertGrantable } from '../assert-grantable.js';
import { assertUnbound } from './assert-unbound.js';
import { OperatorGrant } from './operator-grant.entity.js';
import { type CreateGrant, type ListGrants, OperatorGrantRow, type UpdateGrant } from './operator.dto.js';
import { Operator } from './operator.entity.js';
import { OperatorsService } from './operators.service.js';

const SCOPE = 'connect:grants:write';

/** Grants of operators. A caller can grant only scopes that it has itself. */
@Injectable()
export class GrantsService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly operators: OperatorsService,
    private readonly verifier: TokenVerifier,
  ) {}

  async create(operatorId: string, { scopes, expiresAt }: CreateGrant, id = newId('grant')): Promise<OperatorGrant> {
    return this.database.transaction(async () => {
      const operator = await this.operators.lock(operatorId);
      assertUnbound();
      assertGrantable(scopes, SCOPE);
      operator.assertActive();
      const now = this.clock.now();
      const grant = make(OperatorGrant, {
        id,
        operatorId,
        status: 'active',
        scopes,
        expiresAt: endOf(expiresAt, now),
        createdAt: now,
      });
      await this.database.insert(grant);
      this.record('create', grant, null);
      return grant;
    });
  }

  /** Newest first. */
  async list(operatorId: string, query: ListGrants): Promise<{ grants: OperatorGrant[]; total: number }> {
    await this.operators.assertVisible(operatorId);
    const { limit: take, offset: skip } = pageBounds(query);
    const [grants, total] = await this.database.repository(OperatorGrant).findAndCount({
      where: { operatorId, ...(query.status === undefined ? {} : { status: In(query.status) }) },
      order: { createdAt: 'DESC', id: 'DESC' },
      take,
      skip,
    });
    return { grants, total };
  }

  async get(operatorId: string, id: string): Promise<OperatorGrant> {
    await this.operators.assertVisible(operatorId);
    return this.operators.getGrant(operatorId, id);
  }

  /**
   * Takes effect for the clients of the grant at the commit. Only an extension of the grant requires its scopes; a restriction
   * requires none.
   */
  async update(
    { operatorId, grantId }: { operatorId: string; grantId: string },
    changes: UpdateGrant,
    expected: ExpectedVersions,
  ): Promise<OperatorGrant> {
    return this.database.transaction(async () => {
      await this.operators.assertVisible(operatorId);
      const grant = await this.lock(operatorId, grantId);
      assertUnbound();
      if (canExtend(changes)) assertGrantable(changes.scopes ?? grant.scopes, SCOPE);
      assertVersion(expected, grant);
      const before = grant.auditImage();
      grant.change(this.termsOf(changes), this.clock.now());
      await this.database.update(grant);
      this.record('update', grant, before);
      this.database.afterCommit(() => this.verifier.forget());
      return grant;
    });
  }

  /**
   * Creates or updates grants by ID, all or none. Members that a row omits keep their values. A grant of an unknown operator is
   * an error, as is one that would change its operator.
   */
  @Provisions({ name: 'operatorGrants', order: 310, row: OperatorGrantRow })
  async provision(rows: OperatorGrantRow[]): Promise<void> {
    await this.database.transaction(async () => {
      for (const row of [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))) await this.provisionRow(row);
      this.database.afterCommit(() => this.verifier.forget());
    });
  }

  private async provisionRow({ id, operatorId, scopes, status, expiresAt }: OperatorGrantRow): Promise<void> {
    const now = this.clock.now();
    const grants = this.database.repository(OperatorGrant);
    const lock = { mode: 'for_no_key_update' } as const;
    const found = await grants.findOne({ where: { id }, lock });
    if (found && found.operatorId !== operatorId) throw new Error(`operatorGrants: ${id} belongs to another operator`);
    const known = await this.database.repository(Operator).existsBy({ id: operatorId });
    if (!known) throw new Error(`operatorGrants: ${id} refers to the operator ${operatorId}, which does not exist`);
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

    if (found && isDeepStrictEqual(provisioned(found), provisioned(grant))) return;
    const before = found?.auditImage() ?? null;
    if (found) await grants.update({ id }, grant);
    else await this.database.insert(grant);
    this.record(found ? 'update' : 'create', grant, before);
  }

  private async lock(operatorId: string, id: string): Promise<OperatorGrant> {
    await this.operators.getGrant(operatorId, id);
    const grant = await this.database.lock(OperatorGrant, id);
    if (!grant) throw new Error('Grants are never deleted');
    return grant;
  }

  private termsOf({ scopes, expiresAt, status }: UpdateGrant) {
    return {
      ...(scopes === undefined ? {} : { scopes }),
      ...(status === undefined ? {} : { status }),
      ...(expiresAt === undefined ? {} : { expiresAt: endOf(expiresAt, this.clock.now()) }),
    };
  }

  private record(verb: 'create' | 'update', grant: OperatorGrant, before: object | null): void {
    const subject = { subjectType: 'operator_grant', subjectId: grant.id };
    this.ledger.record(`connect.operator_grant.${verb}`, { ...subject, before, after: grant.auditImage() });
  }
}

/** Whether the change can permit more than before: new scopes, a new end or activation. */
function canExtend({ scopes, expiresAt, status }: UpdateGrant): boolean {
  return scopes !== undefined || expiresAt !== undefined || status === 'active';
}

function endOf(expiresAt: string | null | undefined, now: Date): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const end = new Date(expiresAt);
  if (end <= now) throw invalidField('expiresAt', 'expiresAt must be in the future', 'not_in_the_future');
  return end;
}

function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

function provisioned({ status, scopes, expiresAt }: OperatorGrant) {
  return { status, scopes, expiresAt };
}
