import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { PathOperatorId } from '../oauth-clients/path-ids.js';
import { OperatorChanges } from './operator-changes.service.js';
import {
  CreateOperator,
  ListOperators,
  OperatorPage,
  OperatorResponse,
  toOperator,
  UpdateOperator,
} from './operator-requests.dto.js';
import { Operators } from './operators.service.js';

@ApiTags('Connect: Operators and grants')
@Controller('/connect/v1/operators')
export class OperatorsController {
  constructor(
    private readonly operators: Operators,
    private readonly changes: OperatorChanges,
  ) {}

  /** Adds an operator, on whose behalf OAuth clients can act from now on */
  @Post()
  @RequireScope('connect:operators:write')
  @Mutates('connect.operator.create')
  @Refuses({ 409: ['operator_exists'] })
  async create(@Body() body: CreateOperator): Promise<OperatorResponse> {
    const operator = await this.changes.create(body);
    return created(`/connect/v1/operators/${operator.id}`, operator, toOperator(operator));
  }

  /** Lists the operators that the caller may see, by id */
  @Get()
  @RequireScope('connect:operators:read')
  async list(@Query() query: ListOperators): Promise<OperatorPage> {
    const { operators, total } = await this.operators.list(pageBounds(query));
    return { data: operators.map(toOperator), total, ...pageBounds(query) };
  }

  /** Reads one operator */
  @Get(':operatorId')
  @RequireScope('connect:operators:read')
  async get(@PathOperatorId() operatorId: string): Promise<OperatorResponse> {
    const operator = await this.operators.get(operatorId);
    return tagged(operator, toOperator(operator));
  }

  /** Renames an operator, or stops its clients (`inactive`) and lets them go on, at once and everywhere */
  @Patch(':operatorId')
  @RequireScope('connect:operators:write')
  @Mutates('connect.operator.update')
  async update(
    @PathOperatorId() operatorId: string,
    @Body() body: UpdateOperator,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<OperatorResponse> {
    const operator = await this.changes.update(operatorId, body, expected);
    return tagged(operator, toOperator(operator));
  }
}
