/** A key as it is stored: wrapped by the key-encryption key of this id. */
export interface WrappedKey {
  readonly kekId: string;
  readonly wrappedKey: Buffer;
}

/** The authentication code of a text, and the key-encryption key whose derived key made it. */
export interface Mac {
  readonly kekId: string;
  readonly mac: Buffer;
}

/**
 * The port to the key-encryption keys (KEKs), which are never in the database: a copy of the database alone is not sufficient
 * to unwrap a stored key or to make a code. All methods are asynchronous, as in a KMS or an HSM.
 */
export abstract class KekProvider {
  /** The KEK that wraps new keys and makes new codes. The others unwrap and verify their own keys and codes. */
  abstract readonly primaryId: string;

  /**
   * Wraps a key of at most 4 KiB. `binding` names the place in which the wrapped key is stored, such as
   * `vault-dek|vault_1|3`; it is authenticated together with the id of the KEK, so the key unwraps in no other place.
   */
  abstract wrap(binding: string, key: Buffer): Promise<WrappedKey>;

  /** The plaintext key; the caller overwrites it with zeros. Throws 503 if the KEK is missing or wrong. */
  abstract unwrap(binding: string, wrapped: WrappedKey): Promise<Buffer>;

  /** HMAC-SHA-256 under the primary KEK, separate for each purpose, such as `ledger-checkpoint`. */
  abstract mac(purpose: string, data: Buffer): Promise<Mac>;

  /**
   * Returns whether the code was made for this data and purpose. Works while the KEK that made it is configured, even if it is
   * no longer primary. Throws 503 if the KEK is missing, which says nothing about the data.
   */
  abstract verifyMac(purpose: string, data: Buffer, mac: Mac): Promise<boolean>;
}
