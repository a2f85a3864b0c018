import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { Request } from 'express';
import { Public } from '../../../platform/auth/access.js';
import { answerHeader } from '../../../platform/http/answer.js';
import { ChangesNothing } from '../../../platform/idempotency/mutates.js';
import { FailureLimits } from '../../../platform/limits/failure-limits.js';
import { RateLimit } from '../../../platform/limits/rate-limit.guard.js';
import { RateLimits } from '../../../platform/limits/rate-limits.js';
import { AccessTokens } from './access-tokens.service.js';
import { TOKEN_REQUEST, TokenResponse, toTokenResponse } from './token.dto.js';
import { readTokenRequest } from './token-request.js';

@Controller('/connect/v1/oauth')
export class TokenController {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly limits: RateLimits,
    private readonly failures: FailureLimits,
  ) {}

  /** Exchanges a client's id and secret for an access token (RFC 6749, client credentials grant) */
  @Post('token')
  @HttpCode(200)
  @Public()
  @RateLimit(null)
  @ChangesNothing('a token is a short-lived image of its client, whose making is in the ledger')
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiBody(TOKEN_REQUEST)
  async issue(@Req() request: Request): Promise<TokenResponse> {
    const { credentials, scopes } = readTokenRequest(request);
    const subject = `${credentials.clientId} ${request.ip}`;
    const client = await this.failures.count('token-failures', [subject], () => this.tokens.authenticate(credentials));
    // Only now: whoever merely knows a client's id cannot use up its tokens.
    this.limits.take('token', credentials.clientId);
    const token = await this.tokens.issue(client, scopes);
    answerHeader('Cache-Control', 'no-store');
    answerHeader('Pragma', 'no-cache');
    return toTokenResponse(token);
  }
}
