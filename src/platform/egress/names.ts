import { Resolver } from 'node:dns/promises';

const LOCAL = /(^|\.)localhost$/;

/** Resolves a name to its addresses; empty if it has none. */
export type ResolveName = (name: string) => Promise<string[]>;

/**
 * Asks the name servers of the machine. The resolver of the operating system would occupy a thread of the process for as long as a
 * name server does not answer, and files are read by the same few threads. So names of its hosts file are not known, apart from
 * `localhost` (RFC 6761).
 */
export const resolveName: ResolveName = async (name) => {
  if (LOCAL.test(name)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
};
