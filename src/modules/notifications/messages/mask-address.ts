/** `p***@x.com`: recognizable for those who know the address, and useless to others. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address.slice(0, Math.max(at, 0))][0] ?? ''}***${at === -1 ? '' : address.slice(at)}`;
}
