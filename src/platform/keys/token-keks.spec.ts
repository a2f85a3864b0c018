import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  CKA_EXTRACTABLE,
  CKA_SENSITIVE,
  CKA_VALUE_LEN,
  CKF_USER_PIN_FINAL_TRY,
  CKR_CRYPTOKI_NOT_INITIALIZED,
  CKR_DEVICE_REMOVED,
  CKR_PIN_INCORRECT,
  CKR_PIN_LOCKED,
  CKR_SESSION_HANDLE_INVALID,
  type Handle,
  type Pkcs11,
} from './pkcs11.js';
import { TokenKeks } from './token-keks.js';

const PLACE = 'vault-dek|vault_1|3';
const SETTINGS = { library: '/no/library.so', label: 'travel', pin: '648219' };
const UNAVAILABLE = { status: 503, code: 'service_unavailable' };
const TAG_BYTES = 16;

type Mechanism = Parameters<Pkcs11['C_EncryptInit']>[1];

function rejected(code: number, name: string): Error {
  return Object.assign(new Error(`${name}\n    at C_Login`), { code });
}

/** A library with one token, whose logins are counted and whose calls can fail. SoftHSM never locks itself. */
class CountingToken implements Pkcs11 {
  logins = 0;
  initialized = 0;
  flags = 0;
  loginFails: Error | null = null;
  sessionFails: Error | null = null;
  /** Calls of the library, except those of logins. */
  calls = 0;
  /** The point at which encryptions wait. */
  answers: Promise<void> = Promise.resolve();
  /** Thrown by the next operation only. */
  operationFails: Error | null = null;
  private readonly secret = randomBytes(32);
  private mechanism: Mechanism = { mechanism: 0 };

  load(): void {}
  C_Initialize(): void {
    this.initialized += 1;
  }
  C_Finalize(): void {}
  C_GetSlotList(): Handle[] {
    return [Buffer.from('slot')];
  }
  C_GetTokenInfo(): { label: string; flags: number } {
    return { label: 'travel'.padEnd(32), flags: this.flags };
  }
  C_OpenSession(): Handle {
    this.calls += 1;
    if (this.sessionFails) throw this.sessionFails;
    return Buffer.from('session');
  }
  C_CloseSession(): void {}
  C_Login(): void {
    this.logins += 1;
    if (this.loginFails) throw this.loginFails;
  }
  C_FindObjectsInit(): void {}
  C_FindObjects(): Handle[] {
    return [Buffer.from('key')];
  }
  C_FindObjectsFinal(): void {}
  C_GetAttributeValue(_session: Handle, _key: Handle, [template]: { type: number }[]): { value: Buffer }[] {
    const values = new Map([
      [CKA_EXTRACTABLE, 0],
      [CKA_SENSITIVE, 1],
      [CKA_VALUE_LEN, 32],
    ]);
    return [{ value: Buffer.from([values.get(template?.type ?? 0) ?? 0]) }];
  }
  C_EncryptInit(_session: Handle, mechanism: Mechanism): void {
    this.begin(mechanism);
  }
  async C_EncryptAsync(_session: Handle, input: Buffer): Promise<Buffer> {
    const { iv, aad } = this.gcm();
    await this.answers;
    const cipher = createCipheriv('aes-256-gcm', this.secret, iv).setAAD(aad);
    return Buffer.concat([cipher.update(input), cipher.final(), cipher.getAuthTag()]);
  }
  C_DecryptInit(_session: Handle, mechanism: Mechanism): void {
    this.begin(mechanism);
  }
  async C_DecryptAsync(_session: Handle, input: Buffer): Promise<Buffer> {
    const { iv, aad } = this.gcm();
    const decipher = createDecipheriv('aes-256-gcm', this.secret, iv).setAAD(aad);
    decipher.setAuthTag(input.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(input.subarray(0, -TAG_BYTES)), decipher.final()]);
  }
  C_SignInit(_session: Handle, mechanism: Mechanism): void {
    this.begin(mechanism);
  }
  async C_SignAsync(_session: Handle, input: Buffer): Promise<Buffer> {
    return createHmac('sha256', this.secret).update(input).digest();
  }

  private begin(mechanism: Mechanism): void {
    this.calls += 1;
    const failure = this.operationFails;
    this.operationFails = null;
    if (failure) throw failure;
    this.mechanism = mechanism;
  }

  private gcm(): { iv: Buffer; aad: Buffer } {
    const { parameter } = this.mechanism;
    if (!parameter) throw new Error('No parameters of AES-GCM');
    return parameter;
  }
}

let token: CountingToken;
beforeEach(() => {
  jest.useFakeTimers();
  token = new CountingToken();
});
afterEach(() => {
  jest.useRealTimers();
});
/** The token can be connected again. */
const wait = () => jest.advanceTimersByTimeAsync(5_000);
const open = () => TokenKeks.open(SETTINGS, { primaryId: 'hsm', isPrimary: true }, { pkcs11: token, gcmParameters: 1 });
const wrap = (keks: TokenKeks) => keks.wrap(PLACE, randomBytes(32));

describe('the PIN of a token', () => {
  it.each([
    [CKR_PIN_INCORRECT, 'CKR_PIN_INCORRECT'],
    [CKR_PIN_LOCKED, 'CKR_PIN_LOCKED'],
    [0x80000001, 'CKR_VENDOR_DEFINED'],
  ])('a PIN that the token rejects with %i (%s) is tried once by a start', (code, name) => {
    token.loginFails = rejected(code, name);

    expect(open).toThrow(`KEK_PKCS11_TOKEN: the token 'travel' cannot be used (${name})`);
    expect(token.logins).toBe(1);
  });

  it('a start does not try a PIN if the next wrong one locks the token', () => {
    token.flags = CKF_USER_PIN_FINAL_TRY;

    expect(open).toThrow('(the next wrong PIN locks the token: log in once with its own tools)');
    expect(token.logins).toBe(0);
  });

  it('a PIN that is changed while the service runs is tried once, and every operation is 503', async () => {
    const keks = open();
    token.loginFails = rejected(CKR_PIN_INCORRECT, 'CKR_PIN_INCORRECT');
    for (let operation = 0; operation < 5; operation += 1) {
      await wait();
      token.operationFails = rejected(CKR_SESSION_HANDLE_INVALID, 'CKR_SESSION_HANDLE_INVALID');
      await expect(wrap(keks)).rejects.toMatchObject(UNAVAILABLE);
    }

    expect(token.logins).toBe(2);
  });

  it('a lost session is opened again with one login, and the operation succeeds', async () => {
    const keks = open();
    await wait();
    token.operationFails = rejected(CKR_SESSION_HANDLE_INVALID, 'CKR_SESSION_HANDLE_INVALID');
    const key = randomBytes(32);

    expect(await keks.unwrap(PLACE, await keks.wrap(PLACE, key))).toEqual(key);
    expect(token.logins).toBe(2);
  });

  it.each([
    [CKR_CRYPTOKI_NOT_INITIALIZED, 'CKR_CRYPTOKI_NOT_INITIALIZED'],
    [CKR_DEVICE_REMOVED, 'CKR_DEVICE_REMOVED'],
  ])(
    'a start initializes the library again if a session fails with %i (%s), and tries no PIN meanwhile',
    (code, name) => {
      token.sessionFails = rejected(code, name);

      expect(open).toThrow(`(${name})`);
      expect([token.initialized, token.logins]).toEqual([2, 0]);
    },
  );
});

describe('a token that fails', () => {
  it('an operation without an answer is 503, the library is not called before it ends, and then operations work again', async () => {
    const keks = open();
    let answer = () => {};
    token.answers = new Promise((resolve) => (answer = resolve));
    const hanging = Array.from({ length: 3 }, () => expect(wrap(keks)).rejects.toMatchObject(UNAVAILABLE));
    await wait();
    await Promise.all(hanging);
    const { calls } = token;
    await wait();
    await expect(wrap(keks)).rejects.toMatchObject(UNAVAILABLE);
    expect(token.calls).toBe(calls);

    answer();
    await wait();
    expect((await wrap(keks)).kekId).toBe('hsm');
  });

  it('more operations than the queue takes are 503 at once', async () => {
    const keks = open();
    let answer = () => {};
    token.answers = new Promise((resolve) => (answer = resolve));
    const waiting = Array.from({ length: 100 }, () => wrap(keks));
    await expect(wrap(keks)).rejects.toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('Too many') });

    answer();
    expect(await Promise.all(waiting)).toHaveLength(100);
    expect((await wrap(keks)).kekId).toBe('hsm');
  });

  it('a token that cannot be connected is tried every five seconds and not with each operation', async () => {
    const keks = open();
    await wait();
    token.sessionFails = rejected(CKR_DEVICE_REMOVED, 'CKR_DEVICE_REMOVED');
    token.operationFails = token.sessionFails;
    const { initialized } = token;
    for (let operation = 0; operation < 5; operation += 1) {
      await expect(wrap(keks)).rejects.toMatchObject(UNAVAILABLE);
    }
    expect(token.initialized - initialized).toBe(2);

    token.sessionFails = null;
    await wait();
    expect((await wrap(keks)).kekId).toBe('hsm');
  });

  it('one value that the token cannot decrypt does not end the session of the others', async () => {
    const keks = open();
    const { kekId, wrappedKey } = await wrap(keks);
    for (let operation = 0; operation < 5; operation += 1) {
      await expect(keks.unwrap(PLACE, { kekId, wrappedKey: randomBytes(60) })).rejects.toMatchObject(UNAVAILABLE);
      expect((await keks.unwrap(PLACE, { kekId, wrappedKey })).length).toBe(32);
    }
    expect(token.logins).toBe(1);
  });
});
