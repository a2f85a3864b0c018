import { hasScope } from '../../../platform/auth/access.js';

/** Masks an address as `p***@x.com`: recognizable to those who know it, and useless to others. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address.slice(0, Math.max(at, 0))][0] ?? ''}***${at === -1 ? '' : address.slice(at)}`;
}

/** Returns an address of a customer as the caller may see it: masked without the scope `customers:read`. */
export function shownAddress(address: string): string {
  return hasScope('customers:read') ? address : maskAddress(address);
}
