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

/** Who travels and who pays. It may be put together piece by piece, and is complete before anything is reserved. */
export interface TravelerParty {
  billing?: Billing | null;
  travelers?: Traveler[];
}

/** What a reservation still needs to know of the party, as dotted paths; nothing where it is complete. */
export function missingOf(party: TravelerParty | null): string[] {
  const missing: string[] = [];
  if (!party?.billing?.name) missing.push('billing.name');
  if (!isReal(party?.billing?.email)) missing.push('billing.email');
  if (!party?.travelers?.some(({ name }) => name)) missing.push('travelers');
  return missing;
}

/** An address that mail can reach: names that RFC 2606 sets aside for nobody are none. */
function isReal(email: string | null | undefined): boolean {
  return isEmail(email) && !/\.(?:invalid|test|localhost)$/i.test(email ?? '');
}
