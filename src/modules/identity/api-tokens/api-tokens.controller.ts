import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created } from '../../../platform/http/response-headers.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  ApiTokenEnvelope,
  ApiTokenPage,
  CreateApiToken,
  CreatedApiTokenEnvelope,
  ListApiTokens,
  toApiToken,
} from './api-token.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ApiTokensService } from './api-tokens.service.js';

@ApiGroup('Users and sessions', {
  position: 210,
  description: 'Staff: users, sessions and API tokens of the staff surface.',
})
@Controller('/v1/admin/identity/api-tokens')
export class ApiTokensController {
  constructor(private readonly tokens: ApiTokensService) {}

  /**
   * Create an API token
   *
   * @remarks Creates a token of the calling user and returns its value once; only a hash is stored. Scopes that the caller does
   * not have are rejected, as is an expiry in the past or more than a year away (ten years with `API_TOKENS_WITHOUT_END=true`).
   * A token that creates another one is its parent: the new token expires no later and is revoked with its parent.
   */
  @Post()
  @RequireScope('identity:write')
  @Mutates('identity.api_token.create', { secrets: ['data.token'] })
  async create(@Body() body: CreateApiToken): Promise<CreatedApiTokenEnvelope> {
    const { row, token } = await this.tokens.create(body);
    const data = { ...toApiToken(row), token };
    return created(`/v1/admin/identity/api-tokens/${row.id}`, {}, { data });
  }

  /**
   * List API tokens
   *
   * @remarks Returns a page of the API tokens of all staff users without their values, newest first.
   */
  @Get()
  @RequireScope('identity:read')
  async list(@Query() query: ListApiTokens): Promise<ApiTokenPage> {
    const { tokens, total } = await this.tokens.list(query);
    return { data: tokens.map(toApiToken), total, ...pageBounds(query) };
  }

  /**
   * Revoke an API token
   *
   * @remarks Immediately and permanently ends the token and all tokens that were created with it, and returns the token.
   * Revoking it again returns the same response.
   */
  @Delete(':id')
  @RequireScope('identity:delete')
  @Mutates('identity.api_token.revoke', { irreversible: 'A revoked credential stays revoked: create a token' })
  async revoke(@PathId('atok', 'id', 2) id: string): Promise<ApiTokenEnvelope> {
    const token = await this.tokens.revoke(id);
    return { data: toApiToken(token) };
  }
}
