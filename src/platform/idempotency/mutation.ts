/** Metadata key of the declared change of a route. */
export const MUTATES = 'mutates';

export interface Mutation {
  /** The action that its ledger entry carries; null: the route changes nothing, for the reason given. */
  readonly action: string | null;
  readonly reason?: string;
  /** Dotted paths of secrets in the response; a replay omits them. */
  readonly secrets: readonly string[];
  /** Members of the body that people choose and others could guess: passwords. They are kept as a slow hash only. */
  readonly guessable?: readonly string[];
  /**
   * The route commits by itself, because it calls external systems: its response is stored after the work, not with it.
   * It must be repeatable, because a process that dies in between has done the work and released the key.
   */
  readonly ownTransactions?: boolean;
}
