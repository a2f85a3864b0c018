import { settings } from './table.js';
import type { UnsafeValue } from './unsafe-values.js';

type Variables = Readonly<Record<string, string | undefined>>;

const KEK = /^VAULT_KEK_[A-Za-z0-9]{1,32}$/;

/** Passwords that documentation and API document show, or that every list of common passwords contains. */
const SHOWN = new Set([
  settings.bootstrapAdminPassword.example,
  'a sentence of their own',
  'a long sentence of their own',
  'as the first start printed it',
  'correct horse battery staple',
]);
/** A longer word must come before a word that it starts with. */
const COMMON_WORDS = [
  ...['password', 'passwort', 'passw0rd', 'changeme', 'letmein', 'welcome', 'iloveyou', 'qwertyuiop', 'qwerty'],
  ...['administrator', 'admin', 'secret', 'demo', 'test', 'owner', 'travel'],
];

/** The secrets that can be guessed or are published in this repository. The values are never logged. */
export function weakSecrets(variables: Variables): UnsafeValue[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    const found = value ? weaknessOf(name, value.trim()) : null;
    return found ? [{ name, ...found }] : [];
  });
}

function weaknessOf(name: string, value: string): Omit<UnsafeValue, 'name'> | null {
  if (name === settings.bootstrapAdminEmail.name) {
    return ofEmail(value);
  } else if (name === settings.bootstrapAdminPassword.name) {
    return ofPassword(value);
  } else if (name === settings.bootstrapStaffToken.name || name === settings.bootstrapPlatformKey.name) {
    return ofToken(value);
  } else if (name === settings.bounceReportSecret.name) {
    return isPatterned([...Buffer.from(value)], RANDOM)
      ? { weakness: 'repeats itself and is not random', expected: '32 random bytes or more', example: RANDOM_TEXT }
      : null;
  } else {
    return KEK.test(name) && name !== settings.vaultKekPrimary.name ? ofKey(value) : null;
  }
}

function ofEmail(value: string): Omit<UnsafeValue, 'name'> | null {
  if (value.toLowerCase() !== settings.bootstrapAdminEmail.example) return null;
  const weakness = 'is the address that the documentation shows';
  return { weakness, expected: 'the address of a real mailbox', example: 'the owner’s own' };
}

function ofPassword(value: string): Omit<UnsafeValue, 'name'> | null {
  const instead = {
    expected: 'a random password that is not published',
    example: 'the output of: openssl rand -base64 18',
  };
  const characters = [...value].map((character) => character.codePointAt(0) ?? 0);
  if (SHOWN.has(value.toLowerCase())) return { weakness: 'is a published password', ...instead };
  if (isOfCommonWords(value) || isPatterned(characters, { values: 6, steps: 4 })) {
    return { weakness: 'is a password that is easy to guess', ...instead };
  }
  return null;
}

function ofToken(value: string): Omit<UnsafeValue, 'name'> | null {
  const secret = value.split('_')[2]?.slice(0, 43) ?? '';
  const isMadeUp = secret.includes('DemoDataOnly') || isPatterned([...Buffer.from(secret)], RANDOM);
  if (!isMadeUp) return null;
  return {
    weakness: 'is not random',
    expected: 'a token with 43 random characters',
    example: 'none: staff create tokens through the API, and `platform provision` creates platform keys',
  };
}

function ofKey(value: string): Omit<UnsafeValue, 'name'> | null {
  const weakness = keyWeakness(Buffer.from(value, 'base64'));
  return weakness
    ? { weakness, expected: '32 random bytes in base64', example: 'the output of: openssl rand -base64 32' }
    : null;
}

/** The fault of the bytes of a key, or null. */
export function keyWeakness(key: Buffer): string | null {
  const bytes = [...key];
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'is a text and not random';
  return isPatterned(bytes, RANDOM) ? 'repeats itself and is not random' : null;
}

const RANDOM_TEXT = 'the output of: openssl rand -base64 32';

/** 32 random bytes have about 30 different values; fewer than 12 occur less than once in 10^15. */
const RANDOM = { values: 12, steps: 12 };

/** Whether there are few different values, or few different steps from one to the next: all zeros, abcabc, 1 2 3 4. */
function isPatterned(values: readonly number[], least: { values: number; steps: number }): boolean {
  const steps = values.slice(1).map((value, index) => value - (values[index] ?? 0));
  return new Set(values).size < least.values || new Set(steps).size < least.steps;
}

/** Only common words, each followed by digits or signs. */
function isOfCommonWords(value: string): boolean {
  let rest = value.toLowerCase();
  do {
    const word = COMMON_WORDS.find((common) => rest.startsWith(common));
    if (word === undefined) return false;
    rest = rest.slice(word.length).replace(/^[^a-z]+/, '');
  } while (rest !== '');
  return true;
}
