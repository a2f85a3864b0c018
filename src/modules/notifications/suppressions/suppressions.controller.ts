import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateSuppression,
  LiftSuppression,
  ListSuppressions,
  SuppressionEnvelope,
  SuppressionPage,
  toSuppression,
} from './suppression.dto.js';
import { SuppressionsService } from './suppressions.service.js';

const PATH = '/v1/admin/notifications/suppressions';

@ApiGroup('Notifications')
@Controller(PATH)
export class SuppressionsController {
  constructor(private readonly suppressions: SuppressionsService) {}

  /**
   * Suppress an address
   *
   * @remarks The address gets no mail, or no marketing mail, until the suppression is lifted. Mails about accounts of staff are
   * sent nevertheless. Mail servers that reject an address, complaints, and erasures of customers add suppressions by themselves.
   * Rejected if the address is already suppressed.
   */
  @Post()
  @RequireScope('notifications:write')
  @Mutates('notifications.suppression.create')
  @Refuses({ 409: ['already_suppressed'] })
  async create(@Body() body: CreateSuppression): Promise<SuppressionEnvelope> {
    const suppression = await this.suppressions.create(body);
    return created(`${PATH}/${suppression.id}`, suppression, { data: toSuppression(suppression) });
  }

  /**
   * List suppressions
   *
   * @remarks Returns a page of suppressions, newest first unless `sort` is given. It includes lifted suppressions unless
   * `active` is `true`.
   */
  @Get()
  @RequireScope('notifications:read')
  async list(@Query() query: ListSuppressions): Promise<SuppressionPage> {
    const { rows, total } = await this.suppressions.list(query);
    return { data: rows.map(toSuppression), total, ...pageBounds(query) };
  }

  /**
   * Get a suppression
   *
   * @remarks Returns the suppression, also if it was lifted.
   */
  @Get(':id')
  @RequireScope('notifications:read')
  async get(@PathId('msup') id: string): Promise<SuppressionEnvelope> {
    const suppression = await this.suppressions.get(id);
    return tagged(suppression, { data: toSuppression(suppression) });
  }

  /**
   * Lift a suppression
   *
   * @remarks The address gets mails again. Mails that were not sent meanwhile are not sent by this: resend them. The tasks that were
   * raised for them are done. Rejected if the suppression is already lifted.
   */
  @Post(':id/lifting')
  @HttpCode(200)
  @RequireScope('notifications:write')
  @Mutates('notifications.suppression.lift')
  @Refuses({ 409: ['suppression_lifted'] })
  async lift(
    @PathId('msup', 'id', 2) id: string,
    @Body() { reason }: LiftSuppression,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<SuppressionEnvelope> {
    const suppression = await this.suppressions.lift(id, reason, expected);
    return tagged(suppression, { data: toSuppression(suppression) });
  }
}
