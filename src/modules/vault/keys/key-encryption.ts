/** Identifies a data-encryption key. It is authenticated with the wrapped key: a key stored in another row does not unwrap. */
export interface KeySlot {
  readonly vaultId: string;
  readonly version: number;
}

/** A data-encryption key as it is stored: wrapped by the key-encryption key of this id. */
export interface WrappedKey {
  readonly kekId: string;
  readonly wrappedKey: Buffer;
}

/** Wraps data-encryption keys. The port to the key-encryption keys, which are in the environment. */
export abstract class KeyEncryption {
  /** The key-encryption key that wraps new keys. */
  abstract readonly primaryId: string;

  abstract wrap(slot: KeySlot, key: Buffer): Promise<WrappedKey>;

  /** The plaintext key; the caller overwrites it with zeros. Throws 503 if the key-encryption key is missing or wrong. */
  abstract unwrap(slot: KeySlot, wrapped: WrappedKey): Promise<Buffer>;
}
