import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { PathOperatorId } from './path-ids.js';
import {
  CreateOperator,
  ListOperators,
  OperatorPage,
  OperatorResponse,
  toOperator,
  UpdateOperator,
} from './operator.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { OperatorsService } from './operators.service.js';

@ApiGroup('Connect: Operators and grants')
@Controller('/connect/v1/operators')
export class OperatorsController {
  constructor(private readonly operators: OperatorsService) {}

  /**
   * Create an operator
   *
   * @remarks Adds an operator, for which grants and OAuth clients can then be created. An ID that is in use is rejected.
   * Credentials bound to an operator are rejected.
   */
  @Post()
  @RequireScope('connect:operators:write')
  @Mutates('connect.operator.create', {
    irreversible: 'Only credentials of the connect surface may change it: change it there',
  })
  @Refuses({ 409: ['operator_exists'] })
  async create(@Body() body: CreateOperator): Promise<OperatorResponse> {
    const operator = await this.operators.create(body);
    return created(`/connect/v1/operators/${operator.id}`, operator, toOperator(operator));
  }

  /**
   * List operators
   *
   * @remarks Returns a page of operators ordered by ID. A credential that is bound to an operator gets only that one.
   */
  @Get()
  @RequireScope('connect:operators:read')
  async list(@Query() query: ListOperators): Promise<OperatorPage> {
    const { operators, total } = await this.operators.list(pageBounds(query));
    return { data: operators.map(toOperator), total, ...pageBounds(query) };
  }

  /**
   * Get an operator
   *
   * @remarks Returns one operator. An operator that the caller may not see is not found, like an unknown one.
   */
  @Get(':operatorId')
  @RequireScope('connect:operators:read')
  async get(@PathOperatorId() operatorId: string): Promise<OperatorResponse> {
    const operator = await this.operators.get(operatorId);
    return tagged(operator, toOperator(operator));
  }

  /**
   * Update an operator
   *
   * @remarks Changes only the fields that are sent. `inactive` stops all clients of the operator as soon as the change is
   * stored; `active` lets them work again. Credentials bound to an operator are rejected.
   */
  @Patch(':operatorId')
  @RequireScope('connect:operators:write')
  @Mutates('connect.operator.update', {
    irreversible: 'Only credentials of the connect surface may change it: change it there',
  })
  async update(
    @PathOperatorId() operatorId: string,
    @Body() body: UpdateOperator,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<OperatorResponse> {
    const operator = await this.operators.update(operatorId, body, expected);
    return tagged(operator, toOperator(operator));
  }
}
