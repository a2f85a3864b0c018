import type { Type } from '@nestjs/common';
import { BookingsService, ListBookings } from '../../bookings/index.js';
import { DeparturesService, ListDepartures } from '../../operations/index.js';

/** The list whose filters can select the records of a type. */
export interface BulkList<Query extends object = object> {
  /** The scope of the list. */
  readonly scope: string;
  readonly query: Type<Query>;
  /** Reads the page that `pageBounds` states. */
  read(query: Query): Promise<{ ids: string[]; total: number }>;
}

/** A kind of change that a bulk operation makes of many records. */
export interface BulkType<Params extends object = object> {
  /** What the caller must be allowed to do, at the start and again for each record. */
  readonly scopes: readonly string[];
  /** Further scopes that these parameters need. */
  scopesFor?(params: Params): readonly string[];
  /** The class of `params`, which are validated like the body of a request. */
  readonly params: Type<Params>;
  /** The list whose filters select the records. Throws 400 if there is none for these parameters. */
  listFor(params: Params): BulkList;
  /** Rejects parameters with which every record would fail. */
  check?(params: Params): void | Promise<void>;
  /** Changes a record in the transaction of the caller, by the service that the route for one record calls. */
  run(id: string, params: Params): Promise<unknown>;
}

export function listOfBookings(bookings: BookingsService): BulkList<ListBookings> {
  return {
    scope: 'bookings:read',
    query: ListBookings,
    async read(query) {
      const { rows, total } = await bookings.list(query);
      return { ids: rows.map(({ view }) => view.id), total };
    },
  };
}

export function listOfDepartures(departures: DeparturesService): BulkList<ListDepartures> {
  return {
    scope: 'operations:read',
    query: ListDepartures,
    async read(query) {
      const { views, total } = await departures.list(query);
      return { ids: views.map(({ id }) => id), total };
    },
  };
}
