import { Body, Controller, Delete, Get, Ip, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { created } from '../../../platform/http/response-headers.js';
import { Public, RequireScope } from '../../../platform/auth/access.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { PageQuery, pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates, MutatesForNobody } from '../../../platform/idempotency/mutates.js';
import { RateLimit } from '../../../platform/limits/rate-limit.guard.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { toUser } from '../users/user.dto.js';
import {
  EndedSessionEnvelope,
  Login,
  OpenedSessionEnvelope,
  SessionEnvelope,
  SessionPage,
  toSession,
} from './session.dto.js';
import { SessionsService } from './sessions.service.js';

@ApiTags('Users and sessions')
@Controller('/v1/admin/identity/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  /**
   * Log in with e-mail and password
   *
   * @remarks Opens a session and returns its token once. The session ends at the latest after 30 days, or after twelve
   * hours without use. A wrong password, an unknown address and a disabled user all get the same response (401
   * `unauthorized`). Failed logins are limited per account and per client address; 429 follows after too many.
   */
  @Post()
  @Public()
  @RateLimit(null)
  @MutatesForNobody('identity.session.create')
  @Refuses({ 401: ['unauthorized'] })
  async open(@Body() body: Login, @Ip() address: string): Promise<OpenedSessionEnvelope> {
    const { session, token, user } = await this.sessions.open(body, address);
    const data = { token, expiresAt: session.expiresAt.toISOString(), user: toUser(user) };
    return created(`/v1/admin/identity/sessions/${session.id}`, {}, { data });
  }

  /**
   * List the sessions of the current user
   *
   * @remarks Returns a page of the open sessions of the caller, newest first. Sessions of other users are never shown.
   */
  @Get()
  @RequireScope()
  async list(@Query() query: PageQuery): Promise<SessionPage> {
    const { sessions, total } = await this.sessions.list(query);
    const { credentialId } = currentActor();
    return { data: sessions.map((session) => toSession(session, credentialId)), total, ...pageBounds(query) };
  }

  /**
   * Log out
   *
   * @remarks Ends the session that made the request and returns it. If the request was made with an API token, nothing
   * ends and `data` is null.
   */
  @Delete('current')
  @RequireScope()
  @Mutates('identity.session.end')
  async endCurrent(): Promise<EndedSessionEnvelope> {
    const session = await this.sessions.endCurrent();
    return { data: session && toSession(session, session.id) };
  }

  /**
   * End a session
   *
   * @remarks Ends an open session of the calling user at once, for example of a lost device, and returns it. A session
   * that has ended and a session of another user are not found (404).
   */
  @Delete(':id')
  @RequireScope()
  @Mutates('identity.session.end')
  async end(@PathId('sess') id: string): Promise<SessionEnvelope> {
    const session = await this.sessions.end(id);
    return { data: toSession(session, currentActor().credentialId) };
  }
}
