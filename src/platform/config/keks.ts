import { readSmallFile } from './small-file.js';
import { keyWeakness } from './weak-secrets.js';

const VARIABLE = /^VAULT_KEK_([A-Za-z0-9]{1,32})$/;
const ID = /^[A-Za-z0-9]{1,32}$/;
const KEY_BYTES = 32;
const FILE_FORM = '{"primary": "<id>", "keys": {"<id>": "<32 bytes in base64>"}}';
const PIN_FORM = 'a file with the user PIN of the token';
const TOKEN_FORM =
  'the library, the label and the file with the PIN of a token; for example KEK_PKCS11_LIBRARY=/usr/lib/softhsm/libsofthsm2.so KEK_PKCS11_TOKEN=travel KEK_PKCS11_PIN_FILE=/run/secrets/pin';
/** A secret that Kubernetes mounts belongs to root and to the group of the process. */
const MOUNTED_MODE = 0o440;
const NEW_KEY = 'the output of: openssl rand -base64 32';

/** A PKCS#11 token with key-encryption keys. */
export interface TokenSettings {
  /** The path of its library. */
  library: string;
  label: string;
  pin: string;
}

/** The key-encryption keys by id, and the id of the one that wraps new keys. */
export interface Keks {
  keks: ReadonlyMap<string, Buffer>;
  kekPrimary: string | null;
  kekToken: TokenSettings | null;
}

type ConfiguredKeys = Omit<Keks, 'kekToken'>;

interface Given {
  provider: string;
  token: { library: string | null; label: string | null; pinFile: string | null };
  file: string | null;
  primary: string | null;
  production: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The key-encryption keys of the environment or of a file. In production there is at least the primary one; elsewhere the
 * service creates a local one if there is none.
 */
export function readKeks(variables: Variables, given: Given, faults: string[]): Keks {
  return { ...readKeys(variables, given, faults), kekToken: readToken(given, faults) };
}

/** Also reads a token that is not selected, because it unwraps the keys it has wrapped. */
function readToken({ provider, token }: Given, faults: string[]): TokenSettings | null {
  const { library, label, pinFile } = token;
  const variables = { KEK_PKCS11_LIBRARY: library, KEK_PKCS11_TOKEN: label, KEK_PKCS11_PIN_FILE: pinFile };
  const missing = Object.entries(variables).flatMap(([name, value]) => (value === null ? [name] : []));
  if (missing.length === 3 && provider !== 'pkcs11') return null;
  faults.push(...missing.map((name) => `${name}: is missing; expected ${TOKEN_FORM}`));
  if (library === null || label === null || pinFile === null) return null;
  const pin = readSecret({ name: 'KEK_PKCS11_PIN_FILE', path: pinFile, example: PIN_FORM }, faults)?.trim();
  if (pin === '') faults.push(`KEK_PKCS11_PIN_FILE: ${pinFile} is empty; expected ${PIN_FORM}; for example 648219`);
  return pin ? { library, label, pin } : null;
}

function readKeys(variables: Variables, given: Given, faults: string[]): ConfiguredKeys {
  const isFile = given.provider === 'file';
  if (isFile && given.file !== null) {
    faults.push(...namesOf(variables, given.primary).map(unusedFault));
    return readFile(given.file, given.production, faults);
  }
  if (isFile) {
    faults.push(
      'KEK_FILE: is missing; expected the path of a file with keys; for example KEK_FILE=/run/secrets/keks.json',
    );
    return { keks: new Map(), kekPrimary: null };
  }
  if (given.file !== null) {
    faults.push('KEK_FILE: is not read; expected KEK_PROVIDER=file beside it; for example KEK_PROVIDER=file');
  }
  return readEnvironment(variables, given, faults);
}

function readEnvironment(
  variables: Variables,
  { provider, primary, production }: Given,
  faults: string[],
): ConfiguredKeys {
  const keks = new Map<string, Buffer>();
  for (const [name, value] of Object.entries(variables)) {
    const id = VARIABLE.exec(name)?.[1];
    if (id === undefined || id === 'PRIMARY' || !value) continue;
    const key = toKey(value);
    if (key) keks.set(id, key);
    else faults.push(`${name}: is not a key; expected 32 bytes in base64; for example ${NEW_KEY}`);
  }
  if (provider === 'pkcs11') {
    const label = 'the label of the keys of the token that wrap new keys; for example VAULT_KEK_PRIMARY=hsm2026';
    if (primary === null) faults.push(`VAULT_KEK_PRIMARY: is missing; expected ${label}`);
    else if (keks.has(primary)) {
      faults.push(`VAULT_KEK_PRIMARY: is also the id of VAULT_KEK_${primary}; expected ${label}`);
    }
  } else if (primary !== null && !keks.has(primary)) {
    faults.push(
      `VAULT_KEK_PRIMARY: names '${primary}', but VAULT_KEK_${primary} has no key; expected the id of one; for example VAULT_KEK_PRIMARY=${[...keks.keys()][0] ?? '2026a'}`,
    );
  } else if (primary === null && (production || keks.size > 0)) {
    faults.push(
      'VAULT_KEK_PRIMARY: is missing; expected the id of the VAULT_KEK_<id> that wraps new keys; for example VAULT_KEK_PRIMARY=2026a',
    );
  }
  return { keks, kekPrimary: primary };
}

/** Names of variables with keys, which a file replaces: a forgotten one would look as if it were in use. */
function namesOf(variables: Variables, primary: string | null): string[] {
  const names = Object.keys(variables).filter((name) => VARIABLE.test(name) && name !== 'VAULT_KEK_PRIMARY');
  return [...names.filter((name) => variables[name]), ...(primary === null ? [] : ['VAULT_KEK_PRIMARY'])];
}

function unusedFault(name: string): string {
  return `${name}: is not read beside KEK_PROVIDER=file; expected it in the file of KEK_FILE; for example ${FILE_FORM}`;
}

function readFile(path: string, production: boolean, faults: string[]): ConfiguredKeys {
  const nothing = { keks: new Map<string, Buffer>(), kekPrimary: null };
  const fault = (text: string, expected: string, example: string) => {
    faults.push(`KEK_FILE: ${path} ${text}; expected ${expected}; for example ${example}`);
    return nothing;
  };
  const text = readSecret({ name: 'KEK_FILE', path, example: FILE_FORM }, faults);
  if (text === null) return nothing;
  const parsed = parseFile(text);
  if (!parsed) return fault('has the wrong form', 'a JSON object with a primary id and keys', FILE_FORM);
  const { keks, kekPrimary } = parsed;
  if (!keks.has(kekPrimary)) return fault('has no key for its primary id', 'the id of one of its keys', FILE_FORM);
  for (const [id, key] of keks) {
    const weakness = production ? keyWeakness(key) : null;
    if (weakness) fault(`has a key '${id}' that ${weakness}`, '32 random bytes in base64', NEW_KEY);
  }
  return parsed;
}

/** The content of a file that only the service can read; null after a fault. */
function readSecret(
  { name, path, example }: { name: string; path: string; example: string },
  faults: string[],
): string | null {
  const fault = (text: string) => {
    faults.push(`${name}: ${path} ${text}`);
    return null;
  };
  try {
    const { content, mode } = readSmallFile(path);
    if ((mode & 0o077) === 0 || (mode & 0o777) === MOUNTED_MODE) return content;
    return fault(`can be read by others; expected the mode 0400, 0440 or 0600; for example chmod 600 ${path}`);
  } catch (error) {
    const { message } = error as Error;
    return fault(`cannot be read (${message}); expected a file that the service can read; for example ${example}`);
  }
}

function parseFile(text: string): { keks: Map<string, Buffer>; kekPrimary: string } | null {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(content) || !isObject(content.keys) || typeof content.primary !== 'string') return null;
  const keks = new Map<string, Buffer>();
  for (const [id, value] of Object.entries(content.keys)) {
    const key = typeof value === 'string' && ID.test(id) ? toKey(value) : null;
    if (!key) return null;
    keks.set(id, key);
  }
  return { keks, kekPrimary: content.primary };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Decodes 32 bytes of standard, padded base64; null for any other text. */
function toKey(text: string): Buffer | null {
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES && key.toString('base64') === text ? key : null;
}
