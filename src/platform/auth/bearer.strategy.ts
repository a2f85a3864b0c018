import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Actor } from '../context/actor.js';
import type { TokenVerifier } from './token-verifier.js';

/**
 * What passport receives in place of the request. It has no query and no body, in which passport-http-bearer would also look
 * for a token.
 */
export interface PresentedCredential {
  readonly headers: { readonly authorization?: string };
  readonly verifier: TokenVerifier;
}

/**
 * Verifies bearer tokens. Passport keeps strategies in one registry per process, where that of a second application replaces
 * that of the first one; so the strategy has no state, and takes the verifier of the application from the request.
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor() {
    super({ passReqToCallback: true });
  }

  async validate({ verifier }: PresentedCredential, token: string): Promise<Actor | false> {
    return (await verifier.verify(token)) ?? false;
  }
}
