import { containsWordsSql } from '../../../platform/database/like.js';
import { type ListBookings, SORT_FIELDS } from './booking.dto.js';

const ORDERS: Record<(typeof SORT_FIELDS)[number], (direction: string) => string> = {
  createdAt: (direction) => `b.created_at ${direction}, b.id ${direction}`,
  departureDate: (direction) => `b.departure_date ${direction} nulls last, b.id ${direction}`,
  startDate: (direction) => `b.departure_date ${direction} nulls last, b.id ${direction}`,
  number: (direction) => `b.number ${direction}, b.id ${direction}`,
};

/** The conditions of the list of bookings `b`, and their values. */
export function conditionsOf({ status, search, startFrom, startTo }: ListBookings): {
  where: string;
  values: unknown[];
} {
  const given: [string, unknown][] = [
    ['b.status = ?', status],
    [containsWordsSql('b.search_text', '?'), search],
    ['b.departure_date >= ?', startFrom],
    ['b.departure_date <= ?', startTo],
  ];
  const filters = given.filter(([, value]) => value !== undefined);
  const where = filters.map(([condition], index) => condition.replaceAll('?', `$${index + 1}`)).join(' and ');
  return { where: where === '' ? 'true' : where, values: filters.map(([, value]) => value) };
}

export function orderOf({ sort = '-createdAt' }: ListBookings): string {
  const field = SORT_FIELDS.find((known) => sort.endsWith(known)) ?? 'createdAt';
  return ORDERS[field](sort.startsWith('-') ? 'desc' : 'asc');
}
