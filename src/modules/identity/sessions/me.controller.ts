import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { toUser } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import { MeEnvelope } from './session.dto.js';

@ApiTags('Users and sessions')
@Controller('/v1/admin/identity/me')
export class MeController {
  constructor(private readonly users: UsersService) {}

  /**
   * Get the current user
   *
   * @remarks Returns the user of the credential that made the request and the scopes that it has now. It needs a
   * session or a staff API token, but no particular scope.
   */
  @Get()
  @RequireScope()
  async get(): Promise<MeEnvelope> {
    const { type, principal, scopes } = currentActor();
    const user = toUser(await this.users.get(principal));
    return { data: { user, credential: type === 'user' ? 'session' : 'api_token', scopes } };
  }
}
