import { isUnderstaffed } from '../departures/resource-warnings.js';
import { salesStateOf } from '../departures/sales-state.js';
import { type CalendarGrouping, MAX_ENTRIES } from './calendar.dto.js';

/** SQL: whether the period of a row overlaps with the calendar, which is $1 to $2. */
const overlaps = (alias: string): string => `tstzrange(${alias}.starts_at, ${alias}.ends_at) && tstzrange($1, $2)`;

/** The column of a departure by which it belongs to a row. */
const COLUMNS: Readonly<Record<Exclude<CalendarGrouping, 'resource'>, { key: string; table: string }>> = {
  facility: { key: 'facility_id', table: 'facilities' },
  product: { key: 'product_id', table: 'products' },
};

/** SQL: the rows of a calendar. Active resources have a row in any case, since those that are free are looked for. */
function rowsOf(groupBy: CalendarGrouping, resourceTypes: string): string {
  if (groupBy === 'resource') {
    return `select resource.id, resource.name, resource.type as "resourceType" from resources resource
      where (${resourceTypes}::text[] is null or resource.type = any(${resourceTypes}))
        and (resource.status = 'active' or exists (
          select from resource_assignments assignment
          where assignment.resource_id = resource.id and ${overlaps('assignment')}))`;
  }
  const { key, table } = COLUMNS[groupBy];
  return `select departure.${key} as id, named.name, null as "resourceType" from departures departure
    left join ${table} named on named.id = departure.${key}
    where ${overlaps('departure')} and ${resourceTypes}::text[] is null
    group by departure.${key}, named.name`;
}

/** The number of rows with these kinds of resources ($3, null means all). */
export function totalStatement(groupBy: CalendarGrouping): string {
  return `select count(*)::int as total from (${rowsOf(groupBy, '$3')}) as found`;
}

/** A page of the rows with these kinds of resources ($3, null means all); the limit is $4, the offset $5. */
export function rowsStatement(groupBy: CalendarGrouping): string {
  return `select * from (${rowsOf(groupBy, '$3')}) as found
    order by lower(name) nulls last, id nulls last limit $4 offset $5`;
}

/** The entries of the rows $3 at the instant $4, one more than a page may have. */
export function entriesStatement(groupBy: CalendarGrouping): string {
  const departure = `departure.id as "departureId", departure.product_id as "productId", product.name as "productName",
    ${salesStateOf('departure', '$4::timestamptz')} as "salesState", departure.sold, departure.capacity,
    ${isUnderstaffed('departure', '$4::timestamptz')} as understaffed`;
  const order = `order by "startsAt", "endsAt", "departureId", "rowId" limit ${MAX_ENTRIES + 1}`;
  if (groupBy === 'resource') {
    return `
      select assignment.resource_id as "rowId", 'assignment' as kind,
        assignment.starts_at as "startsAt", assignment.ends_at as "endsAt",
        assignment.id as "assignmentId", assignment.role, ${departure}
      from resource_assignments assignment
      join departures departure on departure.id = assignment.departure_id
      left join products product on product.id = departure.product_id
      where assignment.resource_id = any($3) and ${overlaps('assignment')}
      union all
      select resource.id, 'absence', absence."startsAt", absence."endsAt", null, null, null, null, null, null, null, null, false
      from resources resource,
        jsonb_to_recordset(resource.unavailability) as absence ("startsAt" timestamptz, "endsAt" timestamptz)
      where resource.id = any($3) and tstzrange(absence."startsAt", absence."endsAt") && tstzrange($1, $2)
      ${order}`;
  }
  const { key } = COLUMNS[groupBy];
  return `
    select departure.${key} as "rowId", 'departure' as kind,
      departure.starts_at as "startsAt", departure.ends_at as "endsAt",
      null as "assignmentId", null as role, ${departure}
    from departures departure left join products product on product.id = departure.product_id
    where (departure.${key} = any($3) or departure.${key} is null and array_position($3, null) is not null)
      and ${overlaps('departure')}
    ${order}`;
}
