import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../../platform/auth/access.js';
import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { ChangesNothing } from '../../../platform/idempotency/mutates.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { AccessTokensService } from './access-tokens.service.js';
import { ClientAuthenticationService } from './client-authentication.service.js';
import { IntrospectionResponse, toIntrospection } from './introspection.dto.js';
import { TOKEN_REFERENCE, TOKEN_REQUEST, TokenResponse, toTokenResponse } from './token.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { readClientRequest, readTokenRequest, tokenOf } from './token-request.js';

/** The OAuth endpoints that a client calls with its ID and secret. Each route has its own rate limit per client. */
@ApiGroup('Connect: OAuth tokens')
@Controller('/connect/v1/oauth')
export class TokenController {
  constructor(
    private readonly clients: ClientAuthenticationService,
    private readonly tokens: AccessTokensService,
  ) {}

  /**
   * Get an access token
   *
   * @remarks Exchanges the ID and secret of a client for an access token (OAuth client credentials grant, RFC 6749).
   * Credentials are sent with HTTP Basic or as `client_id` and `client_secret` in the body, not both. The token lives one hour,
   * or less if the client or its grant ends earlier. Without `scope` the token has all scopes of the client that the grant
   * covers; requests for other scopes are rejected. Wrong credentials and an inactive operator or grant are rejected.
   * Parameters in the query string are rejected.
   */
  @ApiOperation({ operationId: 'oauthTokens_issue' })
  @Post('token')
  @HttpCode(200)
  @Public()
  @RateLimit(null)
  @ChangesNothing('a token is a short-lived credential of its client, whose creation is in the ledger')
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiBody(TOKEN_REQUEST)
  @Refuses({ 400: ['invalid_scope', 'unauthorized_client', 'unsupported_grant_type'], 401: ['invalid_client'] })
  async issue(@Req() request: Request): Promise<TokenResponse> {
    const { credentials, scopes } = readTokenRequest(request);
    const client = await this.clients.authenticate('token', request.ip, credentials);
    const token = await this.tokens.issue(client, scopes);
    setResponseHeader('Cache-Control', 'no-store');
    setResponseHeader('Pragma', 'no-cache');
    return toTokenResponse(token);
  }

  /**
   * Introspect an access token
   *
   * @remarks Returns whether an access token is valid and what it allows (RFC 7662). The client authenticates with its ID and
   * secret, by HTTP Basic or in the body as for the token endpoint; a Bearer token is not accepted. Tokens of other operators,
   * unknown, expired and revoked tokens all return only `{"active": false}`. A revocation takes effect within one second.
   */
  @ApiOperation({ operationId: 'oauthTokens_introspect' })
  @Post('introspect')
  @HttpCode(200)
  @Public()
  @RateLimit(null)
  @ChangesNothing('it only reads')
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiBody(TOKEN_REFERENCE)
  @Refuses({ 400: ['unauthorized_client'], 401: ['invalid_client'] })
  async introspect(@Req() request: Request): Promise<IntrospectionResponse> {
    const asked = readClientRequest(request);
    const client = await this.clients.authenticate('token-introspection', request.ip, asked.credentials);
    this.clients.assertPermitted(client);
    const token = await this.tokens.find(tokenOf(asked));
    setResponseHeader('Cache-Control', 'no-store');
    return toIntrospection(token, client.operatorId);
  }

  /**
   * Revoke an access token
   *
   * @remarks Ends an access token of the requesting client before it expires (RFC 7009). The client authenticates with its ID
   * and secret, by HTTP Basic or in the body as for the token endpoint; a Bearer token is not accepted. An unknown, expired or
   * revoked token gets the same response. The token of another client is rejected.
   */
  @ApiOperation({ operationId: 'oauthTokens_revoke' })
  @Post('revoke')
  @HttpCode(200)
  @Public()
  @RateLimit(null)
  @ChangesNothing('a token is a short-lived credential of its client, which ends it itself')
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiBody(TOKEN_REFERENCE)
  @Refuses({ 400: ['unauthorized_client'], 401: ['invalid_client'] })
  async revoke(@Req() request: Request): Promise<void> {
    const asked = readClientRequest(request);
    const client = await this.clients.authenticate('token-revocation', request.ip, asked.credentials);
    await this.tokens.revoke(tokenOf(asked), client);
  }
}
