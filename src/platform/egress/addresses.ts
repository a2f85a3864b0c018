import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Networks of IPv4 that are not public, from the registry of special-purpose addresses of IANA (RFC 6890). */
const SPECIAL_IPV4: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Carrier-grade NAT.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, with the metadata services of cloud providers.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved addresses and broadcast.
  ['224.0.0.0', 3],
  // The metadata and host services of Azure have a public address.
  ['168.63.129.16', 32],
];

/** Networks within 2000::/3 that are not public, or contain an IPv4 address: Teredo (in 2001::/23) and 6to4 (2002::/16). */
const SPECIAL_IPV6: readonly [network: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6');

/** All other addresses of IPv6, such as `::1`, `fc00::/7`, `fe80::/10`, IPv4-mapped ones and those of NAT64, are special. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether the address is one that any machine of the Internet could have. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

const STANDARD_PORTS = [443, 80];
const WITH_PORT = /^(?:\[([0-9a-fA-F:.]+)\]|([^:]+)):(\d{1,5})$/;

/** Where a request goes: the name or address in its URL, one of its addresses, and the port. */
export interface Target {
  readonly name: string;
  readonly address: string;
  readonly port: number;
}

/** The addresses of this machine: a service that listens on a public one may be meant for this machine only. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}

/**
 * The entries of `EGRESS_ALLOW`: addresses, networks and names that are allowed although they are not public, on all ports or on the
 * one that the entry names. Without an entry only the standard ports of public addresses of other machines are allowed.
 */
export class AllowedTargets {
  private readonly networks = new BlockList();
  private readonly names = new Set<string>();

  constructor(
    entries: readonly string[],
    private readonly addressesOfMachine: () => readonly string[] = ownAddresses,
  ) {
    for (const entry of entries) {
      const [, bracketed, plain, port] = WITH_PORT.exec(entry) ?? [];
      const host = bracketed ?? plain;
      if (host !== undefined && port !== undefined) {
        this.names.add(`${host.toLowerCase()} ${Number(port)}`);
        continue;
      }
      const [address = '', prefix] = entry.split('/');
      const version = isIP(address);
      const family = version === 6 ? 'ipv6' : 'ipv4';
      if (version === 0) this.names.add(entry.toLowerCase());
      else this.networks.addSubnet(address, Number(prefix ?? (version === 6 ? 128 : 32)), family);
    }
  }

  has({ name, address, port }: Target): boolean {
    if (this.names.has(name) || this.names.has(`${name} ${port}`) || this.names.has(`${address} ${port}`)) return true;
    if (this.networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return true;
    const isOwn = this.addressesOfMachine().includes(address);
    return STANDARD_PORTS.includes(port) && isPublicAddress(address) && !isOwn;
  }
}
