/** What names a facility. */
export interface FacilityImpact {
  /** All of them, past and cancelled ones too. */
  departures: number;
  /** Scheduled ones that are still to start. */
  comingDepartures: number;
  /** Facilities that lie in it and are not archived. */
  children: number;
  operators: number;
}

/** Counts what names facility `$1` at the instant `$2`. */
export const COUNT_IMPACT = `
  select d.departures, d.coming as "comingDepartures",
    (select count(*)::int from facilities where parent_facility_id = $1 and status <> 'archived') as children,
    (select count(*)::int from ground_operators where facility_id = $1) as operators
  from (
    select count(*)::int as departures,
      count(*) filter (where status = 'scheduled' and starts_at > $2)::int as coming
    from departures where facility_id = $1
  ) d`;
