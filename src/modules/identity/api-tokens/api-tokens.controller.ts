import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created } from '../../../platform/http/answer.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  ApiTokenEnvelope,
  ApiTokenPage,
  CreateApiToken,
  CreatedApiTokenEnvelope,
  ListApiTokens,
  toApiToken,
} from './api-token.dto.js';
import { ApiTokens } from './api-tokens.service.js';

@ApiTags('Users and sessions')
@Controller('/v1/admin/identity/api-tokens')
export class ApiTokensController {
  constructor(private readonly tokens: ApiTokens) {}

  /** Makes an API token of the caller's own, which is shown only now; never with more scopes than the caller holds */
  @Post()
  @RequireScope('identity:write')
  @Mutates('identity.api_token.create', { secrets: ['data.token'] })
  async create(@Body() body: CreateApiToken): Promise<CreatedApiTokenEnvelope> {
    const { row, token } = await this.tokens.create(body);
    const data = { ...toApiToken(row), token };
    return created(`/v1/admin/identity/api-tokens/${row.id}`, {}, { data });
  }

  /** Lists the staff's API tokens, newest first, never with their secrets */
  @Get()
  @RequireScope('identity:read')
  async list(@Query() query: ListApiTokens): Promise<ApiTokenPage> {
    const { tokens, total } = await this.tokens.list(query);
    return { data: tokens.map(toApiToken), total, ...pageBounds(query) };
  }

  /** Revokes an API token at once; a second time the answer is the same */
  @Delete(':id')
  @RequireScope('identity:delete')
  @Mutates('identity.api_token.revoke')
  async revoke(@PathId('atok', 'id', 2) id: string): Promise<ApiTokenEnvelope> {
    const token = await this.tokens.revoke(id);
    return { data: toApiToken(token) };
  }
}
