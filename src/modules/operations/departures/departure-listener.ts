import { named } from '../../../platform/http/named-values.js';
import type { DepartureSummary } from './departure-summary.js';

/**
 * Decides what happens if the pool has fewer units than a returning slot needs: reject the change, or give the slot the units
 * that exist.
 */
export const SHORTAGE_RULES = named('ShortageRule', ['reject', 'reduce']);
export type ShortageRule = (typeof SHORTAGE_RULES)[number];

/**
 * What happens if a resource of a moved departure is not free then: reject the change, or take the resource from the departure.
 */
export const RESOURCE_CONFLICT_RULES = named('ResourceConflictRule', ['reject', 'unassign']);
export type ResourceConflictRule = (typeof RESOURCE_CONFLICT_RULES)[number];

export const FOLLOWER_KINDS = named('DepartureFollowerKind', ['booking', 'trip']);
export type FollowerKind = (typeof FOLLOWER_KINDS)[number];

/** Side effects of a change, for the response. */
export interface DepartureWarning {
  code: string;
  slotId: string;
  departureId: string;
  wanted: number;
  available: number;
}

/** Records of a module that follow a moved departure to its day, in the background. */
export interface DepartureFollowers {
  kind: FollowerKind;
  total: number;
  /** The records that are still on another day, by id. */
  pendingIds: string[];
}

/** A move of a departure. Listeners add their warnings and the number of bookings that will follow. */
export interface DepartureMove {
  onShortage: ShortageRule;
  followers: number;
  warnings: DepartureWarning[];
  onResourceConflict: ResourceConflictRule;
  /** Resources that were taken from the departure. */
  unassigned: string[];
}

/**
 * Called for changes of a departure by staff, in their transaction, with the departure stored and locked and its product
 * locked by `DeparturesService.lockProduct`. An error rejects the change. Implementations declare `@Listens(DepartureListener, ...)`.
 */
export abstract class DepartureListener {
  created?(departure: DepartureSummary): Promise<void>;
  /** The departure is about to be called off or cancelled, for which offers of its units must end. */
  ending?(departure: DepartureSummary): Promise<void>;
  /** Nothing more is sold, while its sales are moved or cancelled. `reinstated` is called if this is abandoned. */
  calledOff?(departure: DepartureSummary): Promise<void>;
  /** No units are sold or held; implementations release guaranteed units. */
  cancelled?(departure: DepartureSummary): Promise<void>;
  /** A cancelled departure is reinstated unchanged; implementations guarantee units again. */
  reinstated?(departure: DepartureSummary): Promise<void>;
  /** Returns the records on the departure. It is not part of a change and reads without locks. */
  followers?(departureId: string): Promise<DepartureFollowers>;
  /**
   * Counts people on the departure in confirmed bookings. A decision about the departure calls it with the departure locked, so that
   * no confirmation is missed.
   */
  confirmedPeople?(departureId: string): Promise<number>;
  /** The options of units that are sold or held on the departure, which is locked; without units that have no option. */
  optionsInUse?(departureId: string): Promise<string[]>;
  /** Staff must decide whether the departure runs: it has not reached its minimum. Repeated while that is so. */
  decisionDue?(departureId: string): Promise<void>;
  /** No decision is due: the minimum is reached, staff have decided, or the terms have changed. Repeated while that is so. */
  decided?(departureId: string): Promise<void>;
  /**
   * The pool may have more units, or staff changed the departure. Called once before the commit of every transaction for which that
   * holds, not only for changes by staff, with the departure locked: nothing else has taken the units.
   */
  unitsFreed?(departureId: string): Promise<void>;
  /** The departure starts or ends at another instant, or its time zone changed. */
  moved?(departure: DepartureSummary, before: DepartureSummary, move: DepartureMove): Promise<void>;
  /** The departure has another meeting point, or none. Called after `moved`. */
  meetingPointChanged?(departure: DepartureSummary, before: DepartureSummary): Promise<void>;
  /** Sales end at another instant, although the departure is not moved. */
  cutOffMoved?(departure: DepartureSummary): Promise<void>;
}
