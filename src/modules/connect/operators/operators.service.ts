import { Injectable } from '@nestjs/common';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import type { PageBounds } from '../../../platform/database/page.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { CallerBounds } from '../oauth-clients/caller-bounds.service.js';
import { GIVEN_ID, Operator } from './operator.entity.js';
import { OperatorGrant } from './operator-grant.entity.js';

/** Operators as the caller may see them: whoever is bound to one sees no other. */
@Injectable()
export class Operators {
  constructor(
    private readonly database: Database,
    readonly callers: CallerBounds,
  ) {}

  /** By id; whoever is bound to one sees that one. */
  async list({ limit: take, offset: skip }: PageBounds): Promise<{ operators: Operator[]; total: number }> {
    const { operatorId } = currentActor();
    const where = operatorId === null ? {} : { id: operatorId };
    const found = this.database.repository(Operator).findAndCount({ where, order: { id: 'ASC' }, take, skip });
    const [operators, total] = await found;
    return { operators, total };
  }

  /** Throws 404, the same for an operator that is unknown and for one that the caller may not see. */
  async get(id: string): Promise<Operator> {
    const operator = isVisible(id) ? await this.database.repository(Operator).findOneBy({ id }) : null;
    if (!operator) throw unknownOperator();
    return operator;
  }

  /** Throws 404 as `get`. */
  async assertVisible(id: string): Promise<void> {
    await this.get(id);
  }

  /** The operator, whose clients nobody else adds before the transaction ends. Throws 404. */
  async lock(id: string): Promise<Operator> {
    // Foreign keys to the operator stay possible under this lock.
    const lock = { mode: 'for_no_key_update' } as const;
    const operators = this.database.repository(Operator);
    const operator = isVisible(id) ? await operators.findOne({ where: { id }, lock }) : null;
    if (!operator) throw unknownOperator();
    return operator;
  }

  /** A grant of this operator. Throws 404 for an unknown one and for another operator's. */
  async getGrant(operatorId: string, id: string): Promise<OperatorGrant> {
    const grant = await this.database.repository(OperatorGrant).findOneBy({ id, operatorId });
    if (!grant) throw notFound({ resource: 'grant' });
    return grant;
  }
}

function isVisible(id: string): boolean {
  const { operatorId } = currentActor();
  return GIVEN_ID.test(id) && (operatorId === null || operatorId === id);
}

function unknownOperator(): Error {
  return notFound({ resource: 'operator' });
}
