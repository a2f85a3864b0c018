import { extensible } from '../../../platform/http/named-values.js';
import type { ResourceType } from '../../products/index.js';

/** What is wrong with the resources of a departure. None of it prevents a sale. */
export const RESOURCE_WARNINGS = extensible('ResourceWarningCode', [
  'understaffed',
  'vehicle_too_small',
  'document_expired',
]);
export type ResourceWarningCode = (typeof RESOURCE_WARNINGS)[number];

/** A row of `resourceWarningsOf`. */
export interface ResourceWarningRow {
  code: ResourceWarningCode;
  resourceType: ResourceType;
  resourceId: string | null;
  resourceName: string | null;
  documentKind: string | null;
  expiresOn: string | null;
  required: number | null;
  available: number | null;
}

/** SQL: the assignments of a departure with their resources. */
const assigned = (departure: string): string => `resource_assignments assignment
  join resources resource on resource.id = assignment.resource_id and assignment.departure_id = ${departure}.id`;

/** SQL: the kinds of resources of which a departure has fewer than its product needs, with both numbers. */
const unmetNeeds = (departure: string): string => `
  select need.type, need.quantity, count(present.id)::int as assigned
  from (
    select one.type, sum(one.quantity)::int as quantity
    from products product, jsonb_to_recordset(product.resource_needs) as one (type text, quantity integer)
    where product.id = ${departure}.product_id
    group by one.type
  ) as need
  left join (select resource.id, resource.type from ${assigned(departure)}) as present on present.type = need.type
  group by need.type, need.quantity having count(present.id) < need.quantity`;

/** SQL: whether a departure will run at an instant or runs then. Only those need resources. */
const takesPlace = (departure: string, now: string): string =>
  `${departure}.status = 'scheduled' and ${departure}.ends_at > ${now}`;

/** SQL: whether a departure that takes place lacks resources that its product needs. */
export const isUnderstaffed = (departure: string, now: string): string =>
  `(${takesPlace(departure, now)} and exists (${unmetNeeds(departure)}))`;

/**
 * SQL: a query for the warnings about the resources of a departure at an instant. `people` is an expression for the people of its
 * confirmed bookings. Vehicles of a kind share them; a kind gets no warning if the seats of one vehicle are unknown.
 */
export const resourceWarningsOf = (departure: string, { now, people }: { now: string; people: string }): string => `
  select warning.* from (
    select 'understaffed' as code, unmet.type as "resourceType", null as "resourceId", null as "resourceName",
      null as "documentKind", null as "expiresOn", unmet.quantity as required, unmet.assigned as available
    from (${unmetNeeds(departure)}) as unmet
    union all
    select 'vehicle_too_small', resource.type, null, null, null, null, ${people},
      sum(case when resource.exclusive then resource.seats else assignment.seats end)::int
    from ${assigned(departure)}
    where resource.type in ('vehicle', 'boat')
    group by resource.type
    having bool_and(resource.seats is not null)
      and sum(case when resource.exclusive then resource.seats else assignment.seats end) < ${people}
    union all
    select 'document_expired', resource.type, resource.id, resource.name, document.kind, document."expiresOn", null, null
    from ${assigned(departure)}, jsonb_to_recordset(resource.documents) as document (kind text, "expiresOn" text)
    where document."expiresOn" < to_char(${departure}.ends_at at time zone ${departure}.time_zone, 'YYYY-MM-DD')
  ) as warning
  where ${takesPlace(departure, now)}`;
