import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import type { Actor } from '../context/actor.js';
import { DecoratedMethods } from '../discovery/decorated-methods.js';
import { type CredentialKind, parseCredential } from '../ids/credentials.js';
import { CredentialCache } from './credential-cache.js';
import { VerifiesCredential, type VerifyCredential } from './verifies-credential.js';

/** Verifies all credentials, by the methods with `@VerifiesCredential`, and caches the results for a second. */
@Injectable()
export class TokenVerifier implements OnModuleInit {
  private readonly verifiers = new Map<CredentialKind, VerifyCredential>();
  private readonly caches: { forget(): void }[] = [];
  private readonly actors: CredentialCache<Actor>;

  constructor(
    clock: Clock,
    private readonly methods: DecoratedMethods,
  ) {
    this.actors = new CredentialCache<Actor>(clock);
    this.alsoForget(this.actors);
  }

  onModuleInit(): void {
    for (const [, { options, call }] of this.methods.findByName(VerifiesCredential, (kind) => kind)) {
      this.register(options, call);
    }
  }

  register(kind: CredentialKind, verify: VerifyCredential): void {
    this.verifiers.set(kind, verify);
  }

  /** Adds a cache that depends on credentials, to be cleared together with this one. */
  alsoForget(cache: { forget(): void }): void {
    this.caches.push(cache);
  }

  /** Clears the caches: a change made in this process takes effect with the next request. */
  forget(): void {
    for (const cache of this.caches) cache.forget();
  }

  /** The actor, if this token was verified less than a second ago. */
  findCached(token: string): Actor | null {
    return this.actors.find(token);
  }

  /** Concurrent requests with the same token share one verification. */
  verify(token: string): Promise<Actor | null> {
    return this.actors.ask(token, async () => {
      const credential = parseCredential(token);
      return credential ? ((await this.verifiers.get(credential.kind)?.(credential)) ?? null) : null;
    });
  }
}
