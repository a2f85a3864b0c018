/** An address of which a reader recognizes his own, and learns nobody else's: `p***@x.com`. */
export function masked(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address.slice(0, Math.max(at, 0))][0] ?? ''}***${at === -1 ? '' : address.slice(at)}`;
}
