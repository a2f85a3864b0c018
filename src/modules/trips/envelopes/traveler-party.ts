import { isEmail } from 'class-validator';

export interface Billing {
  name?: string | null;
  email?: string | null;
  phone?: string | null;
  address?: string | null;
}

export interface Traveler {
  name?: string | null;
  birthDate?: string | null;
  email?: string | null;
  phone?: string | null;
}

/** The payer and the travelers. It may be incomplete until the trip is reserved. */
export interface TravelerParty {
  billing?: Billing | null;
  travelers?: Traveler[];
}

/** The members that a reservation requires and the party does not have, as dotted paths. */
export function missingMembers(party: TravelerParty | null): string[] {
  const missing: string[] = [];
  if (!party?.billing?.name) missing.push('billing.name');
  if (!isReachable(party?.billing?.email)) missing.push('billing.email');
  if (!party?.travelers?.some(({ name }) => name)) missing.push('travelers');
  return missing;
}

/** RFC 2606 reserves these domains for tests; no mail reaches them. */
function isReachable(email: string | null | undefined): boolean {
  return isEmail(email) && !/\.(?:invalid|test|localhost)$/i.test(email ?? '');
}
