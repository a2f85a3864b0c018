import { readFileSync } from 'node:fs';
import { unprocessable } from '../../../platform/errors/app-error.js';

/** The bounds of a password in characters. */
export const PASSWORD_RULE = { min: 12, max: 256, verbatim: true } as const;

/** The owner of a password, as known to an attacker. */
export interface PasswordOwner {
  name: string;
  email: string;
}

/** Twelve characters in such a sequence are as easy to guess as one of them. */
const ROWS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
];

/** A shorter text remains easy to guess even when repeated. */
const MIN_REPEATED = 5;

let common: ReadonlySet<string> | null = null;

/**
 * Rejects a password that is easy to guess. Only 25 of the 10,000 most common passwords have the required length, so a common
 * password remains one with digits and signs around it and when it is repeated.
 */
export function assertHardToGuess(password: string, { name, email }: PasswordOwner, field = 'password'): void {
  common ??= readCommonPasswords();
  const folded = fold(password);
  const forms = [folded, lettersWithin(folded)].flatMap((form) => [form, repeatedPart(form)]);
  const isInRow = ROWS.some((row) => row.includes(folded) || [...row].reverse().join('').includes(folded));
  if (isInRow || repeatedPart(folded).length < MIN_REPEATED || forms.some((form) => common?.has(form))) {
    throw unprocessable('password_too_common', 'The password is one of the most common ones; choose another one', {
      field,
    });
  }
  const localPart = email.slice(0, email.lastIndexOf('@'));
  const personal = [name, email, localPart].map((text) => signsRemoved(fold(text))).filter((text) => text !== '');
  if ([folded, lettersWithin(folded)].some((form) => personal.includes(signsRemoved(form)))) {
    throw unprocessable('password_too_personal', 'The password must differ from the name and the e-mail address', {
      field,
    });
  }
}

function readCommonPasswords(): Set<string> {
  const text = readFileSync(new URL('./data/common-passwords.txt', import.meta.url), 'utf8');
  return new Set(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')));
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** The text between its first and its last letter. */
function lettersWithin(text: string): string {
  const characters = [...text];
  const isLetter = (character: string) => /\p{L}/u.test(character);
  return characters.slice(characters.findIndex(isLetter), characters.findLastIndex(isLetter) + 1).join('');
}

/** Returns the shortest text whose repetition gives this one. */
function repeatedPart(text: string): string {
  const length = `${text}${text}`.indexOf(text, 1);
  return text === '' ? '' : text.slice(0, length);
}

function signsRemoved(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
