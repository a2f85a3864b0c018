import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { ListUsers, toUser, UpdateUser, UserEnvelope, UserPage } from './user.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { UsersService } from './users.service.js';

@ApiGroup('Users and sessions')
@Controller('/v1/admin/identity/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  /**
   * List staff users
   *
   * @remarks Returns a page of users, newest first unless `sort` is given, including disabled ones. `search` matches
   * part of the name or the e-mail address, ignoring case.
   */
  @Get()
  @RequireScope('identity:read')
  async list(@Query() query: ListUsers): Promise<UserPage> {
    const { users, total } = await this.users.list(query);
    return { data: users.map(toUser), total, ...pageBounds(query) };
  }

  /**
   * Get a staff user
   *
   * @remarks Returns one user with roles and version.
   */
  @Get(':id')
  @RequireScope('identity:read')
  async get(@PathId('user', 'id', 2) id: string): Promise<UserEnvelope> {
    const user = await this.users.get(id);
    return tagged(user, { data: toUser(user) });
  }

  /**
   * Update a staff user
   *
   * @remarks Changes only the fields that are sent. Disabling a user ends its sessions, API tokens and links at once, and the
   * links of invitations that the user has sent. A user whose present or new roles allow more than the scopes of the caller is
   * rejected. The last active owner cannot be disabled or lose the role. A password cannot be set here: users change their own.
   */
  @Patch(':id')
  @RequireScope('identity:write')
  @Mutates('identity.user.update')
  @Refuses({ 409: ['last_owner'] })
  async update(
    @PathId('user', 'id', 3) id: string,
    @Body() body: UpdateUser,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<UserEnvelope> {
    const user = await this.users.update(id, body, expected);
    return tagged(user, { data: toUser(user) });
  }
}
