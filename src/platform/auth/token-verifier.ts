import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import type { Actor } from '../context/actor.js';
import { BriefCache } from './brief-cache.js';
import { type Credential, type CredentialKind, parseCredential } from '../ids/credentials.js';

/** Finds out whose credential this is; null if it is unknown, expired, revoked or its holder is not active. */
export type Verify = (credential: Credential) => Promise<Actor | null>;

/** The one check of all credentials. Identity and connect register how theirs are verified. */
@Injectable()
export class TokenVerifier {
  private readonly verifiers = new Map<CredentialKind, Verify>();
  private readonly caches: { forget(): void }[] = [];
  private readonly actors: BriefCache<Actor>;

  constructor(clock: Clock) {
    this.actors = new BriefCache<Actor>(clock);
    this.alsoForget(this.actors);
  }

  register(kind: CredentialKind, verify: Verify): void {
    this.verifiers.set(kind, verify);
  }

  /** A cache of what else hangs on credentials, to be emptied with this one's. */
  alsoForget(cache: { forget(): void }): void {
    this.caches.push(cache);
  }

  /** Forgets what is remembered, so that a change made in this process holds from its next request on. */
  forget(): void {
    for (const cache of this.caches) cache.forget();
  }

  /** The actor, if this token was found good less than a second ago. */
  findCached(token: string): Actor | null {
    return this.actors.find(token);
  }

  /** Requests that come in while a token is being looked up wait for that one look-up. */
  verify(token: string): Promise<Actor | null> {
    return this.actors.ask(token, async () => {
      const credential = parseCredential(token);
      return credential ? ((await this.verifiers.get(credential.kind)?.(credential)) ?? null) : null;
    });
  }
}
