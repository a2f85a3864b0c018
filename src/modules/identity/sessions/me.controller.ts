import { Body, Controller, Get, Patch } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { BaseCurrency } from '../../../platform/money/money.js';
import { toUser, UpdateOwnAccount, UserEnvelope } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { MeEnvelope } from './session.dto.js';

@ApiGroup('Users and sessions')
@Controller('/v1/admin/identity/me')
export class MeController {
  constructor(
    private readonly users: UsersService,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /**
   * Get the current user
   *
   * @remarks Returns the user of the credential that made the request, the scopes that it has now, and the time zone,
   * current day and currency of the organization. It needs a session or a staff API token, but no particular scope.
   */
  @Get()
  @RequireScope()
  async get(): Promise<MeEnvelope> {
    const { type, principal, scopes } = currentActor();
    const user = toUser(await this.users.get(principal));
    return {
      data: {
        user,
        credential: type === 'user' ? 'session' : 'api_token',
        scopes,
        timeZone: this.env.orgTimeZone,
        today: this.clock.today(),
        currency: await this.listeners.one(BaseCurrency).baseCurrency(),
      },
    };
  }

  /**
   * Update your account
   *
   * @remarks Changes name and language of the calling user; only the fields that are sent. It needs a session, but no
   * particular scope.
   */
  @Patch()
  @RequireScope()
  @Mutates('identity.user.update')
  @Refuses({ 403: ['session_required', 'password_change_required'] })
  async update(@Body() body: UpdateOwnAccount, @IfMatch() expected: ExpectedVersions): Promise<UserEnvelope> {
    const user = await this.users.updateOwn(body, expected);
    return tagged(user, { data: toUser(user) });
  }
}
