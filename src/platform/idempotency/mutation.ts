/** Metadata key of the declared change of a route. */
export const MUTATES = 'mutates';

export interface Mutation {
  /** The action of its ledger entry; null: it writes none, for the given reason. */
  readonly action: string | null;
  /** Actions of the entries that it writes in place of that one, depending on what the request changes. */
  readonly alternatives?: readonly string[];
  readonly reason?: string;
  /** Why no reversal of the entry is possible, for an action without `@Reverses`. */
  readonly irreversible?: string;
  /** Dotted paths of secrets in the response; a replay omits them. */
  readonly secrets: readonly string[];
  /**
   * The route commits by itself, because it calls external systems: its response is stored after the work, not with it.
   * It must be repeatable, because a process that dies in between has done the work and released the key.
   */
  readonly ownTransactions?: boolean;
}
