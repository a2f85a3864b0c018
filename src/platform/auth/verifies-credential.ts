import type { Actor } from '../context/actor.js';
import { methodDecorator } from '../discovery/decorated-methods.js';
import type { Credential, CredentialKind } from '../ids/credentials.js';

/** Returns the actor of a credential; null if it is unknown, expired or revoked, or its owner is not active. */
export type VerifyCredential = (credential: Credential) => Promise<Actor | null>;

/** Verifies credentials of this kind; `TokenVerifier` calls the method. */
export const VerifiesCredential = methodDecorator<CredentialKind, VerifyCredential>();
