import { codeAt, stepAt } from '../../src/modules/identity/second-factors/totp.js';
import type { TestApp } from '../setup/app.js';
import type { Answer, Call } from '../setup/http.js';
import { hire, ME, type Member, SESSIONS } from './staff.js';

export const SECOND_FACTOR = `${ME}/second-factor`;
export const CONTINUATION = `${SESSIONS}/second-factor`;
export const REAUTHENTICATION = `${SESSIONS}/current/reauthentication`;

const STEP_MS = 30_000;

export interface ProtectedMember extends Member {
  secret: Buffer;
  recoveryCodes: string[];
}

export interface OpenedBody {
  data: { token: string; deviceToken: string; user: { id: string } };
}

/** The secret of an otpauth URI. */
export function secretOf(uri: string): Buffer {
  const text = new URL(uri).searchParams.get('secret') ?? '';
  const bits = [...text].map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'));
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code that an authenticator app shows now, or some steps later. */
export function codeNow(app: TestApp, secret: Buffer, steps = 0): string {
  return codeAt(secret, stepAt(app.now()) + steps);
}

/** A code that was not used yet: 30 seconds later. */
export function nextCode(app: TestApp, secret: Buffer): string {
  app.travel({ ms: STEP_MS });
  return codeNow(app, secret);
}

/** Three digits of the six differ from every code of the current steps. */
export function wrongCode(app: TestApp, secret: Buffer): string {
  const valid = new Set([-2, -1, 0, 1, 2].map((steps) => codeNow(app, secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !valid.has(code)) ?? '';
}

/** Sets up and activates the second factor of a user. */
export async function protect(app: TestApp, member: Member): Promise<ProtectedMember> {
  const setup = await member.client.post<{ data: { otpauthUri: string } }>(SECOND_FACTOR, {
    currentPassword: member.password,
  });
  if (setup.status !== 201) throw new Error(`setting up a second factor answered ${setup.status} ${setup.text}`);
  const secret = secretOf(setup.body.data.otpauthUri);
  const { status, body, text } = await member.client.post<{ data: { recoveryCodes: string[] } }>(
    `${SECOND_FACTOR}/activation`,
    { code: nextCode(app, secret) },
  );
  if (status !== 200) throw new Error(`activating a second factor answered ${status} ${text}`);
  return { ...member, secret, recoveryCodes: body.data.recoveryCodes };
}

export async function hireProtected(app: TestApp, roles: string[]): Promise<ProtectedMember> {
  return protect(app, await hire(app, roles));
}

/** The challenge of a login with the right password. */
export async function challengeOf(app: TestApp, { user, password }: Member): Promise<string> {
  const { status, body, text } = await app.post<{ code: string; details: { challengeId: string } }>(SESSIONS, {
    email: user.email,
    password,
  });
  if (status !== 401 || body.code !== 'second_factor_required') throw new Error(`login answered ${status} ${text}`);
  return body.details.challengeId;
}

export async function continueLogin(app: TestApp, body: object, call: Call = {}): Promise<Answer<OpenedBody>> {
  return app.post<OpenedBody>(CONTINUATION, body, call);
}
