/** Called for changes of a platform key, in their transaction and with the key locked. */
export abstract class PlatformKeyListener {
  /** The key is revoked, and all credentials that were created with it must be revoked as well. */
  revokedWithChildren?(keyId: string): Promise<void>;
}
