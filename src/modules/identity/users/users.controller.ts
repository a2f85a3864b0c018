import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { CreateUser, ListUsers, toUser, UpdateUser, UserEnvelope, UserPage } from './user.dto.js';
import { Users } from './users.service.js';

const PATH = '/v1/admin/identity/users';

@ApiTags('Users and sessions')
@Controller(PATH)
export class UsersController {
  constructor(private readonly users: Users) {}

  /** Creates a member of staff, with roles that allow no more than the caller may do */
  @Post()
  @RequireScope('identity:write')
  @Mutates('identity.user.create', { guessable: ['password'] })
  @Refuses({ 409: ['email_taken'] })
  async create(@Body() body: CreateUser): Promise<UserEnvelope> {
    const user = await this.users.create(body);
    return created(`${PATH}/${user.id}`, user, { data: toUser(user) });
  }

  /** Lists the members of staff, newest first */
  @Get()
  @RequireScope('identity:read')
  async list(@Query() query: ListUsers): Promise<UserPage> {
    const { users, total } = await this.users.list(query);
    return { data: users.map(toUser), total, ...pageBounds(query) };
  }

  /** Reads a member of staff */
  @Get(':id')
  @RequireScope('identity:read')
  async get(@PathId('user', 'id', 2) id: string): Promise<UserEnvelope> {
    const user = await this.users.get(id);
    return tagged(user, { data: toUser(user) });
  }

  /** Changes a member of staff; disabling one ends his sessions and tokens at once */
  @Patch(':id')
  @RequireScope('identity:write')
  @Mutates('identity.user.update', { guessable: ['password'] })
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
