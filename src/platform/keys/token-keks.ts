import { randomBytes, timingSafeEqual } from 'node:crypto';
import { ConfigurationError } from '../config/configuration-error.js';
import type { TokenSettings } from '../config/keks.js';
import { unavailable } from '../errors/app-error.js';
import { KekProvider, type Mac, type WrappedKey } from './kek-provider.js';
import {
  CKA_CLASS,
  CKA_EXTRACTABLE,
  CKA_KEY_TYPE,
  CKA_LABEL,
  CKA_SENSITIVE,
  CKA_VALUE_LEN,
  CKF_OS_LOCKING_OK,
  CKF_SERIAL_SESSION,
  CKK_AES,
  CKK_GENERIC_SECRET,
  CKM_AES_GCM,
  CKM_SHA256_HMAC,
  CKO_SECRET_KEY,
  CKF_USER_PIN_FINAL_TRY,
  CKR_CRYPTOKI_ALREADY_INITIALIZED,
  CKR_CRYPTOKI_NOT_INITIALIZED,
  CKR_DEVICE_ERROR,
  CKR_DEVICE_MEMORY,
  CKR_DEVICE_REMOVED,
  CKR_PIN_EXPIRED,
  CKR_PIN_INCORRECT,
  CKR_PIN_INVALID,
  CKR_PIN_LEN_RANGE,
  CKR_PIN_LOCKED,
  CKR_SESSION_CLOSED,
  CKR_SESSION_HANDLE_INVALID,
  CKR_TOKEN_NOT_PRESENT,
  CKR_USER_ALREADY_LOGGED_IN,
  CKU_USER,
  type Handle,
  type LoadedPkcs11,
  loadPkcs11,
} from './pkcs11.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAC_BYTES = 32;
/** An operation takes milliseconds, in a remote token tens of them. */
const ANSWER_MS = 5_000;
/** Opening a session blocks the process, so a token that fails is not connected with each operation. */
const RECONNECT_AFTER_MS = 5_000;
const MAX_WAITING = 100;
const PIN_REJECTED = new Set<unknown>([
  CKR_PIN_INCORRECT,
  CKR_PIN_INVALID,
  CKR_PIN_LEN_RANGE,
  CKR_PIN_EXPIRED,
  CKR_PIN_LOCKED,
]);
/** A login that ended with one of these did not try the PIN. */
const CONNECTION_LOST = new Set<unknown>([
  CKR_CRYPTOKI_NOT_INITIALIZED,
  CKR_SESSION_HANDLE_INVALID,
  CKR_SESSION_CLOSED,
  CKR_TOKEN_NOT_PRESENT,
  CKR_DEVICE_ERROR,
  CKR_DEVICE_MEMORY,
  CKR_DEVICE_REMOVED,
]);

/** A missing key is no failure of the token, so the operation is not repeated. */
class MissingKey extends Error {}

/** The token has not answered an operation in time. */
class NoAnswer extends Error {
  constructor() {
    super(`The token did not answer within ${ANSWER_MS} ms`);
  }
}

/** The PIN may have been tried: tokens count wrong PINs and lock themselves. */
class LoginFailed extends Error {
  constructor(override readonly cause: unknown) {
    super(reasonOf(cause));
  }
}

type Operation = (loaded: LoadedPkcs11, session: Handle) => Promise<Buffer>;

/**
 * Key-encryption keys in a PKCS#11 token, which they never leave. The id of a KEK is the label of two keys: one for AES-256-GCM,
 * and a generic secret for HMAC-SHA-256, so that no key is used with two algorithms.
 *
 * A session of PKCS#11 performs one operation at a time. Operations run on threads, since a remote token takes time; the package
 * has no such functions for opening a session. While an operation has no answer, the library is not called at all: it may have
 * locked itself, and any other call would then stop the process.
 */
export class TokenKeks extends KekProvider {
  private session: Handle | null = null;
  /** Set until the process ends: the token must not count this PIN again. */
  private pinRejected: LoginFailed | null = null;
  private readonly keys = new Map<string, Handle>();
  private turn: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private hanging = false;
  private connectedAt = -Infinity;

  private constructor(
    private readonly settings: TokenSettings,
    private readonly loaded: LoadedPkcs11,
    readonly primaryId: string,
  ) {
    super();
  }

  /**
   * Opens the token, and checks the primary keys if they are in it. Throws ConfigurationError if the package or the library
   * is missing, or the token cannot be used.
   */
  static open(
    settings: TokenSettings,
    { primaryId, isPrimary }: { primaryId: string; isPrimary: boolean },
    loaded = load(settings.library),
  ): TokenKeks {
    const keks = new TokenKeks(settings, loaded, primaryId);
    try {
      keks.connect();
    } catch (error) {
      throw fault('KEK_PKCS11_TOKEN', `the token '${settings.label}' cannot be used (${reasonOf(error)})`, {
        expected: 'the label of an initialized token, and its user PIN in KEK_PKCS11_PIN_FILE',
        example: 'pkcs11-tool --module <library> --list-token-slots',
      });
    }
    if (isPrimary) keks.checkPrimary();
    return keks;
  }

  async wrap(binding: string, key: Buffer): Promise<WrappedKey> {
    const kekId = this.primaryId;
    const nonce = randomBytes(NONCE_BYTES);
    const sealed = await this.run(({ pkcs11 }, session) => {
      pkcs11.C_EncryptInit(session, this.gcm(nonce, `${binding}|${kekId}`), this.encryptionKey(kekId));
      return pkcs11.C_EncryptAsync(session, key, Buffer.alloc(key.length + TAG_BYTES));
    });
    return { kekId, wrappedKey: Buffer.concat([nonce, sealed]) };
  }

  async unwrap(binding: string, { kekId, wrappedKey }: WrappedKey): Promise<Buffer> {
    if (wrappedKey.length < NONCE_BYTES + TAG_BYTES) throw unavailable('The key-encryption key does not match');
    const nonce = wrappedKey.subarray(0, NONCE_BYTES);
    const sealed = wrappedKey.subarray(NONCE_BYTES);
    return this.run(({ pkcs11 }, session) => {
      pkcs11.C_DecryptInit(session, this.gcm(nonce, `${binding}|${kekId}`), this.encryptionKey(kekId));
      // Some libraries use the space of the tag while they decrypt.
      return pkcs11.C_DecryptAsync(session, sealed, Buffer.alloc(sealed.length));
    });
  }

  async mac(purpose: string, data: Buffer): Promise<Mac> {
    const kekId = this.primaryId;
    return { kekId, mac: await this.hmac(purpose, data, kekId) };
  }

  async verifyMac(purpose: string, data: Buffer, { kekId, mac }: Mac): Promise<boolean> {
    const expected = await this.hmac(purpose, data, kekId);
    return mac.length === expected.length && timingSafeEqual(mac, expected);
  }

  /** Tokens have no common way to derive a key. The purpose has no zero byte, so no two inputs are the same. */
  private hmac(purpose: string, data: Buffer, kekId: string): Promise<Buffer> {
    const input = Buffer.concat([Buffer.from(`mac|${purpose}\0`), data]);
    return this.run(({ pkcs11 }, session) => {
      pkcs11.C_SignInit(session, { mechanism: CKM_SHA256_HMAC }, this.macKey(kekId));
      return pkcs11.C_SignAsync(session, input, Buffer.alloc(MAC_BYTES));
    });
  }

  private gcm(iv: Buffer, binding: string): Parameters<LoadedPkcs11['pkcs11']['C_EncryptInit']>[1] {
    const sizes = { ivBits: NONCE_BYTES * 8, tagBits: TAG_BYTES * 8 };
    const parameter = { type: this.loaded.gcmParameters, iv, aad: Buffer.from(binding), ...sizes };
    return { mechanism: CKM_AES_GCM, parameter };
  }

  /** Runs operations in sequence. */
  private run(operation: Operation): Promise<Buffer> {
    if (this.waiting >= MAX_WAITING) {
      return Promise.reject(unavailable('Too many operations wait for the token of the key-encryption keys'));
    }
    this.waiting += 1;
    const answer = this.turn
      .then(() => this.perform(operation))
      .catch((error: unknown) => {
        if (error instanceof MissingKey) throw unavailable('The key-encryption key is missing');
        const message = 'The key-encryption key does not match, or its token does not respond';
        throw Object.assign(unavailable(message), { cause: error });
      })
      .finally(() => (this.waiting -= 1));
    this.turn = answer.catch(() => undefined);
    return answer;
  }

  /** After a failure a new session is opened, and the operation is repeated once. */
  private async perform(operation: Operation): Promise<Buffer> {
    try {
      return await this.attempt(operation);
    } catch (error) {
      if (error instanceof MissingKey || error instanceof NoAnswer || !this.mayConnect()) throw error;
      this.disconnect();
      return this.attempt(operation);
    }
  }

  private async attempt(operation: Operation): Promise<Buffer> {
    if (this.hanging) throw new NoAnswer();
    const running = operation(this.loaded, this.session ?? this.connect());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.hanging = true;
        const end = () => {
          this.hanging = false;
          this.disconnect();
        };
        running.then(end, end);
        reject(new NoAnswer());
      }, ANSWER_MS);
    });
    return Promise.race([running, late]).finally(() => clearTimeout(timer));
  }

  private mayConnect(): boolean {
    return performance.now() - this.connectedAt >= RECONNECT_AFTER_MS;
  }

  /** Opens a session; initializes the library again if it has lost its connection to the token. Tries the PIN at most once. */
  private connect(): Handle {
    if (this.pinRejected) throw this.pinRejected;
    if (!this.mayConnect()) throw new Error('The token failed a moment ago');
    try {
      return this.openSession();
    } catch (error) {
      if (error instanceof LoginFailed) throw error;
      quietly(() => this.loaded.pkcs11.C_Finalize());
      return this.openSession();
    } finally {
      // The attempt itself may have taken long.
      this.connectedAt = performance.now();
    }
  }

  private openSession(): Handle {
    const { pkcs11 } = this.loaded;
    const { label } = this.settings;
    ignoring(CKR_CRYPTOKI_ALREADY_INITIALIZED, () => pkcs11.C_Initialize({ flags: CKF_OS_LOCKING_OK }));
    // Labels are padded with spaces.
    const slot = pkcs11.C_GetSlotList(true).find((one) => pkcs11.C_GetTokenInfo(one).label.trim() === label);
    if (!slot) throw new Error('there is no token with this label');
    const session = pkcs11.C_OpenSession(slot, CKF_SERIAL_SESSION);
    try {
      this.login(session, pkcs11.C_GetTokenInfo(slot).flags);
    } catch (error) {
      quietly(() => pkcs11.C_CloseSession(session));
      throw error;
    }
    this.session = session;
    return session;
  }

  /** Never uses the last attempt: a service that restarts repeatedly would lock the token. */
  private login(session: Handle, flags: number): void {
    try {
      if ((flags & CKF_USER_PIN_FINAL_TRY) !== 0) {
        throw new Error('the next wrong PIN locks the token: log in once with its own tools');
      }
      ignoring(CKR_USER_ALREADY_LOGGED_IN, () => this.loaded.pkcs11.C_Login(session, CKU_USER, this.settings.pin));
    } catch (error) {
      if (CONNECTION_LOST.has(codeOf(error))) throw error;
      const failed = new LoginFailed(error);
      if (PIN_REJECTED.has(codeOf(error))) this.pinRejected = failed;
      throw failed;
    }
  }

  private disconnect(): void {
    const { session } = this;
    this.session = null;
    this.keys.clear();
    if (session) quietly(() => this.loaded.pkcs11.C_CloseSession(session));
  }

  private encryptionKey(id: string): Handle {
    return this.key(id, CKK_AES);
  }

  private macKey(id: string): Handle {
    return this.key(id, CKK_GENERIC_SECRET);
  }

  /** The only key of this label and type. Throws MissingKey. */
  private key(id: string, type: number): Handle {
    const known = this.keys.get(`${type}|${id}`);
    if (known) return known;
    const { pkcs11 } = this.loaded;
    const session = this.session ?? this.connect();
    pkcs11.C_FindObjectsInit(session, [
      { type: CKA_CLASS, value: CKO_SECRET_KEY },
      { type: CKA_KEY_TYPE, value: type },
      { type: CKA_LABEL, value: id },
    ]);
    const found = pkcs11.C_FindObjects(session, 2);
    pkcs11.C_FindObjectsFinal(session);
    const [key] = found;
    if (!key || found.length > 1) {
      throw new MissingKey(key ? `several keys are labelled ${id}` : `no key is labelled ${id}`);
    }
    this.keys.set(`${type}|${id}`, key);
    return key;
  }

  private checkPrimary(): void {
    const id = this.primaryId;
    for (const [what, type] of [
      ['AES key', CKK_AES],
      ['generic secret', CKK_GENERIC_SECRET],
    ] as const) {
      const weakness = this.weaknessOf(id, type);
      if (weakness === null) continue;
      throw fault('VAULT_KEK_PRIMARY', `the token has no usable ${what} '${id}' (${weakness})`, {
        expected: 'an AES key and a generic secret of 32 bytes with this label that cannot be extracted',
        example: 'see "Keys in a PKCS#11 token" in docs/operations/keys.md',
      });
    }
  }

  private weaknessOf(id: string, type: number): string | null {
    try {
      const key = this.key(id, type);
      const { pkcs11 } = this.loaded;
      const read = (attribute: number) =>
        pkcs11.C_GetAttributeValue(this.session ?? this.connect(), key, [{ type: attribute }])[0]?.value;
      if (read(CKA_EXTRACTABLE)?.[0] !== 0 || read(CKA_SENSITIVE)?.[0] !== 1) return 'it can be extracted';
      return read(CKA_VALUE_LEN)?.readUInt8(0) === KEY_BYTES ? null : `it does not have ${KEY_BYTES} bytes`;
    } catch (error) {
      return error instanceof MissingKey ? error.message : reasonOf(error);
    }
  }
}

function load(library: string): LoadedPkcs11 {
  try {
    return loadPkcs11(library);
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') {
      throw fault('KEK_PKCS11_LIBRARY', 'needs the package pkcs11js, which is not installed', {
        expected: 'it beside the service or in a folder of NODE_PATH',
        example: 'npm install --prefix /opt/pkcs11 pkcs11js@2.1.7, and NODE_PATH=/opt/pkcs11/node_modules',
      });
    }
    throw fault('KEK_PKCS11_LIBRARY', `${library} cannot be loaded (${reasonOf(error)})`, {
      expected: 'the PKCS#11 library of the token for this platform',
      example: 'KEK_PKCS11_LIBRARY=/usr/lib/softhsm/libsofthsm2.so',
    });
  }
}

function fault(name: string, text: string, { expected, example }: { expected: string; example: string }): Error {
  return new ConfigurationError([`${name}: ${text}; expected ${expected}; for example ${example}`]);
}

/** Ignores an error with this code. */
function ignoring(expected: number, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (codeOf(error) !== expected) throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The session or the library was lost already.
  }
}

/** The first line of its message, such as CKR_PIN_INCORRECT. */
function reasonOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  return String(message ?? error).split('\n', 1)[0] ?? '';
}
