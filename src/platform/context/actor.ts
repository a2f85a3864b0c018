export const ACTOR_TYPES = ['user', 'api_key', 'oauth_client', 'system'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

/** The actor: the holder of the credential, or the service itself. It never comes from a request's body. */
export interface Actor {
  readonly type: ActorType;
  /** The user's, key's or client's id; `system` for the service itself. */
  readonly id: string;
  /** The same for all credentials of the caller: idempotency keys belong to it and stay valid when a token is rotated. */
  readonly principal: string;
  /** The credential itself, which rate limits count and a stream watches. */
  readonly credentialId: string;
  readonly scopes: readonly string[];
  /** Bound to this operator alone; null: bound to none. */
  readonly operatorId: string | null;
  /** End of the key, token or client; null: it has none. Credentials that it creates end no later. */
  readonly expiresAt: Date | null;
  /** The subscription whose token was presented; its scopes are those of the actor, and the credential is the one behind it. */
  readonly subscriptionId?: string;
  /** The user must change a password chosen by another person; until then the session has no scopes. */
  readonly passwordChangeRequired?: true;
  /** The user must set up a second factor: until then the session has no scopes. */
  readonly secondFactorSetupRequired?: true;
  /** The user must prove the second factor again before a change that needs a fresh proof of identity. */
  readonly freshProofRequired?: true;
}

/** The service acting on its own: a job, provisioning, demo data. */
export const SYSTEM: Actor = {
  type: 'system',
  id: 'system',
  principal: 'system',
  credentialId: 'system',
  scopes: ['*'],
  operatorId: null,
  expiresAt: null,
};
