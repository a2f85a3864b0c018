import { addressKey } from '../context/client-address.js';
import { findContext } from '../context/request-context.js';

/** Whose share the running work uses: that of the credential of its request, or without one that of its address. */
export function currentCaller(): string {
  const { actor, client } = findContext() ?? {};
  return actor?.credentialId ?? `address ${addressKey(client?.address)}`;
}
