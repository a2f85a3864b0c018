import { createRequire } from 'node:module';

/** A session, a slot or a key, in the form of the library. */
export type Handle = Buffer;

interface Attribute {
  type: number;
  value?: Buffer | string | number | boolean;
}

interface Mechanism {
  mechanism: number;
  parameter?: { type: number; iv: Buffer; aad: Buffer; ivBits: number; tagBits: number };
}

/** The functions of PKCS#11 (OASIS, version 2.40) that the service calls, as the package pkcs11js names them. */
export interface Pkcs11 {
  load(library: string): void;
  C_Initialize(options: { flags: number }): void;
  C_Finalize(): void;
  C_GetSlotList(tokenPresent: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { label: string; flags: number };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_Login(session: Handle, userType: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: Attribute[]): void;
  C_FindObjects(session: Handle, max: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, template: Attribute[]): { value: Buffer }[];
  C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_EncryptAsync(session: Handle, input: Buffer, output: Buffer): Promise<Buffer>;
  C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_DecryptAsync(session: Handle, input: Buffer, output: Buffer): Promise<Buffer>;
  C_SignInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_SignAsync(session: Handle, input: Buffer, output: Buffer): Promise<Buffer>;
}

/** Constants of the standard. */
export const CKF_OS_LOCKING_OK = 2;
export const CKF_SERIAL_SESSION = 4;
export const CKF_USER_PIN_FINAL_TRY = 0x20000;
export const CKU_USER = 1;
export const CKO_SECRET_KEY = 4;
export const CKK_GENERIC_SECRET = 0x10;
export const CKK_AES = 0x1f;
export const CKA_CLASS = 0;
export const CKA_LABEL = 3;
export const CKA_KEY_TYPE = 0x100;
export const CKA_SENSITIVE = 0x103;
export const CKA_VALUE_LEN = 0x161;
export const CKA_EXTRACTABLE = 0x162;
export const CKM_SHA256_HMAC = 0x251;
export const CKM_AES_GCM = 0x1087;
export const CKR_DEVICE_ERROR = 0x30;
export const CKR_DEVICE_MEMORY = 0x31;
export const CKR_DEVICE_REMOVED = 0x32;
export const CKR_PIN_INCORRECT = 0xa0;
export const CKR_PIN_INVALID = 0xa1;
export const CKR_PIN_LEN_RANGE = 0xa2;
export const CKR_PIN_EXPIRED = 0xa3;
export const CKR_PIN_LOCKED = 0xa4;
export const CKR_SESSION_CLOSED = 0xb0;
export const CKR_SESSION_HANDLE_INVALID = 0xb3;
export const CKR_TOKEN_NOT_PRESENT = 0xe0;
export const CKR_USER_ALREADY_LOGGED_IN = 0x100;
export const CKR_CRYPTOKI_NOT_INITIALIZED = 0x190;
export const CKR_CRYPTOKI_ALREADY_INITIALIZED = 0x191;

const PACKAGE = 'pkcs11js';

interface Package {
  PKCS11: new () => Pkcs11;
  /** The form of the parameters of AES-GCM in version 2.40. */
  CK_PARAMS_AES_GCM_v240: number;
}

export interface LoadedPkcs11 {
  pkcs11: Pkcs11;
  gcmParameters: number;
}

/**
 * The package is no dependency of the service: it has native code for the few installations that use a token. It is found
 * beside the service or in a folder of `NODE_PATH`. Throws an error with the code MODULE_NOT_FOUND if it is not installed.
 */
export function loadPkcs11(library: string): LoadedPkcs11 {
  const { PKCS11, CK_PARAMS_AES_GCM_v240: gcmParameters } = createRequire(import.meta.url)(PACKAGE) as Package;
  const pkcs11 = new PKCS11();
  pkcs11.load(library);
  return { pkcs11, gcmParameters };
}
