import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import {
  CreateGroundOperator,
  GroundOperatorEnvelope,
  GroundOperatorList,
  ListGroundOperators,
  toGroundOperator,
  UpdateGroundOperator,
} from './ground-operator.dto.js';
import { GroundOperatorsService } from './ground-operators.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageHeaders, withPageHeaders } from './list-headers.js';

const PATH = '/v1/admin/operations/operators';

@ApiGroup('Facilities and ground operators')
@Controller(PATH)
export class GroundOperatorsController {
  constructor(private readonly operators: GroundOperatorsService) {}

  /**
   * List ground operators
   *
   * @remarks Returns a page of ground operators by name. The number of matches is in the header `X-Total-Count` and the address
   * of the next page in `Link`; the body contains only `data`.
   */
  @Get()
  @RequireScope('operations:read')
  @ApiResponse({
    status: 200,
    type: GroundOperatorList,
    description: 'A page of ground operators',
    headers: pageHeaders,
  })
  async list(@Query() query: ListGroundOperators): Promise<GroundOperatorList> {
    const { rows, total } = await this.operators.list(query);
    return withPageHeaders({ path: PATH, query, total }, { data: rows.map(toGroundOperator) });
  }

  /**
   * Create a ground operator
   *
   * @remarks Adds a local partner that runs services. The code, if given, must be unique, with case significant. The facility
   * must exist and must not be archived.
   */
  @Post()
  @RequireScope('operations:write')
  @Mutates('operations.ground_operator.create')
  @Refuses({ 404: ['not_found'], 409: ['operator_code_taken', 'facility_archived'] })
  async create(@Body() body: CreateGroundOperator): Promise<GroundOperatorEnvelope> {
    const operator = await this.operators.create(body);
    return created(`${PATH}/${operator.id}`, operator, { data: toGroundOperator(operator) });
  }

  /**
   * Get a ground operator
   *
   * @remarks Returns the ground operator, even if it is inactive.
   */
  @Get(':id')
  @RequireScope('operations:read')
  async get(@PathId('gop') id: string): Promise<GroundOperatorEnvelope> {
    const operator = await this.operators.get(id);
    return tagged(operator, { data: toGroundOperator(operator) });
  }

  /**
   * Update a ground operator
   *
   * @remarks Changes only the fields that are sent; null clears a field. The code must stay unique, and a new facility must not
   * be archived.
   */
  @Patch(':id')
  @RequireScope('operations:write')
  @Mutates('operations.ground_operator.update', {
    irreversible: 'The ledger keeps no contact data: change the operator again',
  })
  @BodyExample({ active: false, insuranceExpiresOn: '2028-06-30' })
  @Refuses({ 409: ['operator_code_taken', 'facility_archived'] })
  async update(
    @PathId('gop', 'id', 2) id: string,
    @Body() body: UpdateGroundOperator,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<GroundOperatorEnvelope> {
    const operator = await this.operators.update(id, body, expected);
    return tagged(operator, { data: toGroundOperator(operator) });
  }
}
