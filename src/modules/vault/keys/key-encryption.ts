/** A data-encryption key's place. It is bound into the wrapping, so that no stored key can take another one's place. */
export interface KeySlot {
  readonly vaultId: string;
  readonly version: number;
}

/** A data-encryption key as it is stored: wrapped by the key-encryption key of this id. */
export interface WrappedKey {
  readonly kekId: string;
  readonly wrappedKey: Buffer;
}

/** Wraps data-encryption keys. The one port behind which the key-encryption keys lie: the environment, or later a KMS. */
export abstract class KeyEncryption {
  /** The key-encryption key that wraps new keys. */
  abstract readonly primaryId: string;

  abstract wrap(slot: KeySlot, key: Buffer): Promise<WrappedKey>;

  /** The bare key; the caller overwrites it with zeros. Throws 503 where the key-encryption key is away. */
  abstract unwrap(slot: KeySlot, wrapped: WrappedKey): Promise<Buffer>;
}
