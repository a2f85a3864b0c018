import { isIPv4, isIPv6 } from 'node:net';

/** Some proxies write an address with a port, or an IPv6 address in brackets, into `X-Forwarded-For`. */
const WITH_PORT = /^(?:\[([0-9a-f:.]{2,45})\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/;

/**
 * The key under which a client's address is counted: an IPv6 client is given a whole /64, so the /64
 * counts; an IPv4 address written as IPv6 (`::ffff:192.0.2.1`) is that IPv4 address. All texts that are no address count as
 * one client.
 */
export function addressKey(address: string | undefined): string {
  const [text = ''] = (address ?? '').toLowerCase().split('%', 1);
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  const bare = bracketed ?? plain ?? text;
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return 'unknown';
  const groups = groupsOf(bare);
  const [network, mapped] = [groups.slice(0, 4), groups.slice(0, 6)];
  if (mapped.every((group, index) => group === (index === 5 ? 0xffff : 0))) return ipv4Of(groups.slice(6));
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The eight groups of an IPv6 address in any of its spellings. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::', 2);
  const [front, back] = [groupsIn(head), groupsIn(tail ?? '')];
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function groupsIn(part: string): number[] {
  return part
    .split(':')
    .filter(Boolean)
    .flatMap((group) => {
      if (!group.includes('.')) return [Number.parseInt(group, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
}

function ipv4Of(groups: readonly number[]): string {
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}
