import type { Actor } from '../../../platform/context/actor.js';

/** Knows by which channels partner systems sell. One higher module declares it with `@Listens(PartnerChannels, ...)`. */
export abstract class PartnerChannels {
  /**
   * The channels whose sales are those of the caller: all of its operator, or that of a key without an operator. Empty without a
   * connection.
   */
  abstract listFor(caller: Pick<Actor, 'type' | 'id' | 'operatorId'>): Promise<string[]>;
}
