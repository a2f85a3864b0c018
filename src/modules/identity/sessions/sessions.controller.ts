import { Body, Controller, Delete, Get, HttpCode, Ip, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { created } from '../../../platform/http/response-headers.js';
import { Public, RequireScope } from '../../../platform/auth/access.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates, MutatesForNobody } from '../../../platform/idempotency/mutates.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { SecondFactorProof } from '../second-factors/second-factor.dto.js';
import { toUser } from '../users/user.dto.js';
import { LoginsService, type OpenSession } from './logins.service.js';
import {
  ContinueLogin,
  EndedSessionsEnvelope,
  ListSessions,
  Login,
  OpenedSessionEnvelope,
  SessionEnvelope,
  SessionPage,
  toSession,
} from './session.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SessionsService } from './sessions.service.js';

@ApiGroup('Users and sessions')
@Controller('/v1/admin/identity/sessions')
export class SessionsController {
  constructor(
    private readonly logins: LoginsService,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Log in with e-mail and password
   *
   * @remarks Opens a session and returns its token once. The session ends at the latest after 30 days, or after twelve hours
   * without use. A wrong password, an unknown address and a disabled user all get the same response. If the user has a second
   * factor, the right password gets 401 `second_factor_required`, and `details.challengeId` continues the login. Failed logins
   * are limited per account and per client address. A login with the `deviceToken` of an earlier login is limited per device
   * instead.
   */
  @ApiOperation({ operationId: 'sessions_create' })
  @Post()
  @Public()
  @RateLimit(null)
  @MutatesForNobody('identity.session.create', { irreversible: 'A login is a fact: end the session' })
  @Refuses({ 401: ['unauthorized', 'second_factor_required'] })
  async open(@Body() body: Login, @Ip() address: string): Promise<OpenedSessionEnvelope> {
    return opened(await this.logins.open(body, address));
  }

  /**
   * Continue a login with the second factor
   *
   * @remarks Opens the session of a login that got `second_factor_required`, with exactly one of `code` (of the authenticator
   * app) and `recoveryCode`. A challenge is valid for five minutes and five tries. A wrong code and a challenge that is unknown
   * or has ended all get the same response. The user gets a mail after five wrong codes in a row. After ten, the user must
   * choose a new password, and codes are rejected for an hour, except from a device that is known by its `deviceToken`;
   * recovery codes are accepted.
   */
  @ApiOperation({ operationId: 'sessions_confirmSecondFactor' })
  @Post('second-factor')
  @Public()
  @RateLimit(null)
  @MutatesForNobody('identity.session.create', { irreversible: 'A login is a fact: end the session' })
  @BodyExample({ challengeId: 'as the error contains it', code: '287082' })
  @Refuses({ 401: ['unauthorized'] })
  async continue(@Body() body: ContinueLogin, @Ip() address: string): Promise<OpenedSessionEnvelope> {
    return opened(await this.logins.continue(body, address));
  }

  /**
   * List sessions
   *
   * @remarks Returns a page of the open sessions of the caller, newest first, with address and user agent of the login. Listing
   * sessions of another user (`userId`) needs the scope `identity:read`. It needs a session.
   */
  @Get()
  @RequireScope()
  @Refuses({ 403: ['session_required', 'password_change_required', 'second_factor_setup_required'] })
  async list(@Query() query: ListSessions): Promise<SessionPage> {
    const { sessions, total } = await this.sessions.list(query);
    const { credentialId } = currentActor();
    return { data: sessions.map((session) => toSession(session, credentialId)), total, ...pageBounds(query) };
  }

  /**
   * Prove the second factor again
   *
   * @remarks With `REQUIRE_MFA=true`, sensitive changes need a second factor that was proved in the session during the last 15
   * minutes: changes under special scopes, and changes of accounts, credentials, the organization and refunds. Takes exactly
   * one of `code` and `recoveryCode`. Too many wrong codes in a session are answered with 429.
   */
  @Post('current/reauthentication')
  @HttpCode(200)
  @RequireScope()
  @Mutates('identity.session.reauthenticate', { irreversible: 'The proof of identity ends by itself' })
  @BodyExample({ code: '287082' })
  @Refuses({
    403: ['session_required', 'password_change_required'],
    409: ['second_factor_inactive'],
    422: ['second_factor_code_wrong'],
  })
  async reauthenticate(@Body() proof: SecondFactorProof): Promise<SessionEnvelope> {
    const session = await this.sessions.reauthenticate(proof);
    return { data: toSession(session, session.id) };
  }

  /**
   * Log out
   *
   * @remarks Ends the session that made the request and returns it. An API token has no session.
   */
  @Delete('current')
  @RequireScope()
  @Mutates('identity.session.end', { irreversible: 'An ended session stays ended: log in' })
  @Refuses({ 403: ['session_required'] })
  async endCurrent(): Promise<SessionEnvelope> {
    const session = await this.sessions.endCurrent();
    return { data: toSession(session, session.id) };
  }

  /**
   * End all other sessions
   *
   * @remarks Ends all sessions of the calling user except the current one, and returns the number of ended sessions. Their
   * devices become unknown. It needs a session.
   */
  @Delete('others')
  @RequireScope()
  @Mutates('identity.session.end_others', { irreversible: 'Ended sessions stay ended: log in' })
  @Refuses({ 403: ['session_required', 'password_change_required'] })
  async endOthers(): Promise<EndedSessionsEnvelope> {
    return { data: { endedSessions: await this.sessions.endOthers() } };
  }

  /**
   * End a session
   *
   * @remarks Immediately ends an open session of the calling user, for example on a lost device, deletes the device token, and
   * returns the session. With the scope `identity:write` it also ends sessions of other users. A session that has ended, and
   * without this scope a session of another user, are not found. It needs a session.
   */
  @Delete(':id')
  @RequireScope()
  @Mutates('identity.session.end', { irreversible: 'An ended session stays ended: log in' })
  @Refuses({ 403: ['session_required', 'password_change_required', 'reauthentication_required'] })
  async end(@PathId('sess') id: string): Promise<SessionEnvelope> {
    const session = await this.sessions.end(id);
    return { data: toSession(session, currentActor().credentialId) };
  }
}

function opened({ session, token, user, deviceToken }: OpenSession): OpenedSessionEnvelope {
  const data = { token, expiresAt: session.expiresAt.toISOString(), user: toUser(user), deviceToken };
  return created(`/v1/admin/identity/sessions/${session.id}`, {}, { data });
}
