import type { Actor } from '../context/actor.js';
import { DecoratedMethods, methodDecorator } from '../discovery/decorated-methods.js';
import { type Credential, type CredentialKind, parseCredential } from '../ids/credentials.js';
import { Clock } from '../clock/clock.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';

/** Returns the actor of a credential; null if it is unknown, expired or revoked, or its owner is not active. */
export type VerifyCredential = (credential: Credential) => Promise<Actor | null>;

/** Verifies credentials of this kind; `TokenVerifier` calls the method. */
export const VerifiesCredential = methodDecorator<CredentialKind, VerifyCredential>();

/** Returns the actor of a credential that was verified before, by the actor's `credentialId`; null if it has ended since. */
export type RecallCredential = (credentialId: string) => Promise<Actor | null>;

/** Recalls credentials of this kind; `TokenVerifier` calls the method. */
export const RecallsCredential = methodDecorator<CredentialKind, RecallCredential>();

/** A revoked credential must be rejected by all processes within a second, so no result is cached for longer. */
const KEPT_MS = 1_000;
const MOST = 10_000;

/** Caches results about credentials for at most one second. A missing result is not cached. */
export class CredentialCache<Value> {
  private generation = 0;
  private readonly running = new Map<string, Promise<Value | null>>();
  private readonly found = new Map<string, { value: Value; until: number }>();

  constructor(private readonly clock: Clock) {}

  /** Clears the cache, so that a change made in this process applies from its next request on. */
  forget(): void {
    this.generation += 1;
    this.running.clear();
    this.found.clear();
  }

  /** The cached value. */
  find(key: string): Value | null {
    const entry = this.found.get(key);
    return entry && entry.until > this.clock.elapsedMs() ? entry.value : null;
  }

  /** Runs the query. Concurrent callers with the same key share one run. */
  ask(key: string, question: () => Promise<Value | null>): Promise<Value | null> {
    const running = this.running.get(key);
    if (running) return running;
    const answer = this.answer(key, question).finally(() => {
      if (this.running.get(key) === answer) this.running.delete(key);
    });
    this.running.set(key, answer);
    return answer;
  }

  /** Caches a value that is known to be current. */
  set(key: string, value: Value): void {
    this.keep(key, value, this.clock.elapsedMs() + KEPT_MS);
  }

  delete(key: string): void {
    this.found.delete(key);
  }

  private async answer(key: string, question: () => Promise<Value | null>): Promise<Value | null> {
    // A value counts as read when its query started; a value from before a `forget` is not cached.
    const [asked, generation] = [this.clock.elapsedMs(), this.generation];
    const value = await question();
    if (value === null) this.found.delete(key);
    else if (generation === this.generation) this.keep(key, value, asked + KEPT_MS);
    return value;
  }

  private keep(key: string, value: Value, until: number): void {
    if (this.found.size >= MOST) this.found.clear();
    this.found.set(key, { value, until });
  }
}

/** Verifies all credentials, by the methods with `@VerifiesCredential`, and caches the results for a second. */
@Injectable()
export class TokenVerifier implements OnModuleInit {
  private readonly verifiers = new Map<CredentialKind, VerifyCredential>();
  private readonly recallers = new Map<CredentialKind, RecallCredential>();
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
    for (const [, { options, call }] of this.methods.findByName(RecallsCredential, (kind) => kind)) {
      this.recallers.set(options, call);
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

  /** The actor of a credential whose secret was verified before, with its present scopes; null if it has ended. */
  recall(kind: CredentialKind, credentialId: string): Promise<Actor | null> {
    return this.actors.ask(
      `${kind}:${credentialId}`,
      async () => (await this.recallers.get(kind)?.(credentialId)) ?? null,
    );
  }

  /** Concurrent requests with the same token share one verification. */
  verify(token: string): Promise<Actor | null> {
    return this.actors.ask(token, async () => {
      const credential = parseCredential(token);
      return credential ? ((await this.verifiers.get(credential.kind)?.(credential)) ?? null) : null;
    });
  }
}
