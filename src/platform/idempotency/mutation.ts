/** Under this key a route says what it changes. */
export const MUTATES = 'mutates';

export interface Mutation {
  /** The action that its ledger entry carries; null: the route changes nothing, for the reason given. */
  readonly action: string | null;
  readonly reason?: string;
  /** Dotted paths of the answer that hold a secret; a replay answers without them. */
  readonly secrets: readonly string[];
  /** Members of the body that people choose and others could guess: passwords. They are kept as a slow hash only. */
  readonly guessable?: readonly string[];
  /**
   * The route commits by itself, as what talks to the outside must: its answer is stored after the work, not with it. It
   * has to bear being called again, since a service that dies in between has done the work and frees the key.
   */
  readonly ownTransactions?: boolean;
}
