import { Injectable, type Type } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { Actor } from '../context/actor.js';
import { CREDENTIAL_KINDS, type CredentialKind } from '../ids/credentials.js';
import type { OwnPassport } from './passport.js';
import { TokenVerifier } from './token-verifier.js';

/**
 * One passport strategy per credential kind, all behind the one TokenVerifier. They register with the passport given
 * and not with the process-wide one, so that two applications in a process do not take over each other's.
 */
export function bearerStrategies(passport: OwnPassport): Type<unknown>[] {
  return CREDENTIAL_KINDS.map((kind) => bearerStrategy(kind, passport));
}

function bearerStrategy(kind: CredentialKind, passport: OwnPassport): Type<unknown> {
  @Injectable()
  class KindStrategy extends PassportStrategy(Strategy, kind) {
    constructor(private readonly verifier: TokenVerifier) {
      super();
    }

    async validate(token: string): Promise<Actor | false> {
      return (token.startsWith(`${kind}_`) && (await this.verifier.verify(token))) || false;
    }

    getPassportInstance(): OwnPassport {
      return passport;
    }
  }
  return KindStrategy;
}
