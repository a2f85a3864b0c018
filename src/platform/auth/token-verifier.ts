import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import type { Actor } from '../context/actor.js';
import { type Credential, type CredentialKind, parseCredential } from './credentials.js';

/** Finds out whose credential this is; null if it is unknown, expired, revoked or its holder is not active. */
export type Verify = (credential: Credential) => Promise<Actor | null>;

/** A revoked credential must be refused everywhere within a second, so no answer is kept for longer. */
const CACHE_MS = 1_000;
const CACHE_SIZE = 10_000;

/** The one check of all credentials. Identity and connect register how theirs are verified. */
@Injectable()
export class TokenVerifier {
  private readonly verifiers = new Map<CredentialKind, Verify>();
  private readonly cache = new Map<string, { actor: Actor; until: number }>();

  constructor(private readonly clock: Clock) {}

  register(kind: CredentialKind, verify: Verify): void {
    this.verifiers.set(kind, verify);
  }

  /** Forgets what is remembered, so that a change made in this process holds from its next request on. */
  forget(): void {
    this.cache.clear();
  }

  /** The actor, if this token was found good less than a second ago. */
  findCached(token: string): Actor | null {
    const entry = this.cache.get(token);
    return entry && entry.until > this.clock.now().getTime() ? entry.actor : null;
  }

  async verify(token: string): Promise<Actor | null> {
    const credential = parseCredential(token);
    const actor = credential ? await this.verifiers.get(credential.kind)?.(credential) : null;
    if (actor) this.remember(token, actor);
    return actor ?? null;
  }

  private remember(token: string, actor: Actor): void {
    if (this.cache.size >= CACHE_SIZE) this.cache.clear();
    this.cache.set(token, { actor, until: this.clock.now().getTime() + CACHE_MS });
  }
}
