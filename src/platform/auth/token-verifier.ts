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
  private generation = 0;
  private readonly running = new Map<string, Promise<Actor | null>>();
  private readonly cache = new Map<string, { actor: Actor; until: number }>();

  constructor(private readonly clock: Clock) {}

  register(kind: CredentialKind, verify: Verify): void {
    this.verifiers.set(kind, verify);
  }

  /** Forgets what is remembered, so that a change made in this process holds from its next request on. */
  forget(): void {
    this.generation += 1;
    this.running.clear();
    this.cache.clear();
  }

  /** The actor, if this token was found good less than a second ago. */
  findCached(token: string): Actor | null {
    const entry = this.cache.get(token);
    return entry && entry.until > this.clock.now().getTime() ? entry.actor : null;
  }

  /** Requests that come in while a token is being looked up wait for that one look-up. */
  verify(token: string): Promise<Actor | null> {
    const running = this.running.get(token);
    if (running) return running;
    const lookUp = this.lookUp(token).finally(() => {
      if (this.running.get(token) === lookUp) this.running.delete(token);
    });
    this.running.set(token, lookUp);
    return lookUp;
  }

  private async lookUp(token: string): Promise<Actor | null> {
    const credential = parseCredential(token);
    // The answer is as old as the question; and one that was asked before a change here is not kept.
    const [asked, generation] = [this.clock.now().getTime(), this.generation];
    const actor = credential ? await this.verifiers.get(credential.kind)?.(credential) : null;
    if (actor && generation === this.generation) this.remember(token, actor, asked + CACHE_MS);
    return actor ?? null;
  }

  private remember(token: string, actor: Actor, until: number): void {
    if (this.cache.size >= CACHE_SIZE) this.cache.clear();
    this.cache.set(token, { actor, until });
  }
}
