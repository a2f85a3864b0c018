import { Controller, Get, Query } from '@nestjs/common';
import { assertSession, RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { ListOwnSecurityEvents, ListSecurityEvents, SecurityEventPage, toSecurityEvent } from './security-event.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SecurityEventsService } from './security-events.service.js';

@ApiGroup('Users and sessions')
@Controller('/v1/admin/identity')
export class SecurityEventsController {
  constructor(private readonly events: SecurityEventsService) {}

  /**
   * List security events
   *
   * @remarks Returns a page of events about accounts and credentials of all users during the last 90 days, newest first: logins
   * and rejected ones, sessions, second factors, devices, passwords, tokens, roles and keys.
   */
  @Get('security-events')
  @RequireScope('identity:read')
  async list(@Query() query: ListSecurityEvents): Promise<SecurityEventPage> {
    const { events, total } = await this.events.list(query);
    return { data: events.map(toSecurityEvent), total, ...pageBounds(query) };
  }

  /**
   * List your security events
   *
   * @remarks Returns a page of events about the account and credentials of the calling user during the last 90 days, newest
   * first. It needs a session, but no particular scope.
   */
  @Get('me/security-events')
  @RequireScope()
  @Refuses({ 403: ['session_required', 'password_change_required'] })
  async listOwn(@Query() query: ListOwnSecurityEvents): Promise<SecurityEventPage> {
    const { events, total } = await this.events.list({ ...query, userId: assertSession().principal });
    return { data: events.map(toSecurityEvent), total, ...pageBounds(query) };
  }
}
