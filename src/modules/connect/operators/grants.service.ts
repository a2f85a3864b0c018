import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { assertMayGive } from '../may-give.js';
import { assertUnbound } from './assert-unbound.js';
import { grantFacts } from './operator-provisioning.js';
import { OperatorGrant } from './operator-grant.entity.js';
import type { CreateGrant, ListGrants, UpdateGrant } from './operator-requests.dto.js';
import { Operators } from './operators.service.js';

const SCOPE = 'connect:grants:write';

/** What operators are permitted. Nobody grants what he does not hold himself. */
@Injectable()
export class Grants {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly operators: Operators,
    private readonly verifier: TokenVerifier,
  ) {}

  /** Throws 400 for an end that is past, 403, 404, 409 `operator_inactive`. */
  async create(operatorId: string, { scopes, expiresAt }: CreateGrant, id = newId('grant')): Promise<OperatorGrant> {
    return this.database.transaction(async () => {
      const operator = await this.operators.lock(operatorId);
      assertUnbound();
      assertMayGive(scopes, SCOPE);
      operator.assertActive();
      const now = this.clock.now();
      const grant = make(OperatorGrant, {
        id,
        operatorId,
        status: 'active',
        scopes,
        expiresAt: endOf(expiresAt, now),
        version: 1,
        createdAt: now,
        updatedAt: now,
      });
      await this.database.insert(grant);
      this.record('create', grant, null);
      return grant;
    });
  }

  /** Newest first. Throws 404. */
  async list(operatorId: string, query: ListGrants): Promise<{ grants: OperatorGrant[]; total: number }> {
    await this.operators.assertVisible(operatorId);
    const { limit: take, offset: skip } = pageBounds(query);
    const [grants, total] = await this.database.repository(OperatorGrant).findAndCount({
      where: { operatorId, ...(query.status === undefined ? {} : { status: query.status }) },
      order: { createdAt: 'DESC', id: 'DESC' },
      take,
      skip,
    });
    return { grants, total };
  }

  /** Throws 404. */
  async get(operatorId: string, id: string): Promise<OperatorGrant> {
    await this.operators.assertVisible(operatorId);
    return this.operators.getGrant(operatorId, id);
  }

  /**
   * Holds for the clients of the grant with the commit. Throws 400, 403 where the caller does not hold what the grant then
   * gives (to take away he need not), 404, 409 `grant_revoked`, 412.
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
      if (gives(changes)) assertMayGive(changes.scopes ?? grant.scopes, SCOPE);
      assertVersion(expected, grant);
      const before = grantFacts(grant);
      grant.change(this.termsOf(changes), this.clock.now());
      await this.database.update(grant);
      this.record('update', grant, before);
      this.database.afterCommit(() => this.verifier.forget());
      return grant;
    });
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
    this.ledger.record(`connect.operator_grant.${verb}`, { ...subject, before, after: grantFacts(grant) });
  }
}

/** Whether the change may permit more than before: other scopes, another end, or anything at all again. */
function gives({ scopes, expiresAt, status }: UpdateGrant): boolean {
  return scopes !== undefined || expiresAt !== undefined || status === 'active';
}

function endOf(expiresAt: string | null | undefined, now: Date): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  const end = new Date(expiresAt);
  if (end <= now) throw invalidField('expiresAt', 'expiresAt must be in the future', 'future');
  return end;
}
