import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../platform/errors/app-error.js';
import { assertHardToGuess } from './password-policy.js';

const OWNER = { name: 'Maria Rossi', email: 'm.rossi.desk@example.com' };

function codeOf(password: string): string | null {
  try {
    assertHardToGuess(password, OWNER);
    return null;
  } catch (error) {
    return error instanceof AppError ? `${error.status} ${error.code}` : String(error);
  }
}

describe('a new password', () => {
  it.each([
    ['one of the list', '123456qwerty'],
    ['one of the list in another case', 'QWERTY123456'],
    ['a common password with digits behind it', 'password1234'],
    ['a common password with a year and signs', 'Sunshine-2026!'],
    ['a common password with digits on both sides', '123dragon123!!'],
    ['a common password twice', 'letmeinletmein'],
    ['a repeated digit', '111111111111'],
    ['digits in a row', '123456789012'],
    ['letters in a row, backwards', 'zyxwvutsrqponm'],
    ['keys in a row', 'qwertyuiopas'],
    ['a common password in full-width letters', 'ｐａｓｓｗｏｒｄ2026'],
  ])('a new password is rejected as too common if it is %s', (_, password) => {
    expect(codeOf(password)).toBe('422 password_too_common');
  });

  it.each([
    ['the name', 'maria  rossi'],
    ['the name without the space and with a year', 'MariaRossi2026'],
    ['the e-mail address', 'm.rossi.desk@example.com'],
    ['the local part of the e-mail address', 'M.Rossi.Desk'],
    ['the local part without its signs', 'mrossidesk!!'],
  ])('a new password is rejected as too personal if it is %s', (_, password) => {
    expect(codeOf(password)).toBe('422 password_too_personal');
  });

  it.each([
    'correct horse battery staple',
    'twelve chars',
    'ein ganz langer Satz',
    '839201948571',
    '!!!!????!!!!++',
    '日本語のパスワードです',
  ])('a new password is accepted if it is neither: %s', (password) => {
    expect(codeOf(password)).toBeNull();
  });

  it('a new password is compared with a list of exactly 10,000 passwords, which names its source and its licence', async () => {
    const { readFileSync } = await import('node:fs');
    const lines = readFileSync(new URL('./data/common-passwords.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const comments = lines.filter((line) => line.startsWith('#')).join('\n');
    expect(new Set(lines.filter((line) => !line.startsWith('#'))).size).toBe(10_000);
    expect(comments).toContain('Source: ');
    expect(comments).toContain('Licence: MIT');
  });
});
