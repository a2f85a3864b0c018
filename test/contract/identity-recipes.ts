import { STAFF_SUBSCRIPTIONS } from '../realtime/subscriptions.js';
import { hire, INVITATIONS, linkToken, ME, OWN_PASSWORD, RESETS, uniqueEmail, USERS } from '../identity/staff.js';
import { codeNow, hireProtected, nextCode, SECOND_FACTOR, secretOf } from '../identity/second-factor.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { PasswordsService } from '../../src/modules/identity/passwords/passwords.service.js';
import { made, on, post, type Recipe, type Row, staff } from './recipe.js';

const password = 'another long sentence';
const invitation = () => ({ email: uniqueEmail(), name: 'Somebody', roles: ['viewer'] });

export const identityRecipes: Record<string, Recipe> = {
  [`POST ${STAFF_SUBSCRIPTIONS}`]: async (app) => ({
    ...staff(app),
    body: { channels: ['bookings'] },
    subject: null,
  }),
  [`POST ${INVITATIONS}`]: async (app) => ({ ...staff(app), body: invitation(), subject: made('invitation') }),
  [`POST ${INVITATIONS}/{id}/resend`]: async (app) => {
    const { id } = await post(app, INVITATIONS, invitation());
    return { ...staff(app), ...on('invitation', id) };
  },
  [`POST ${INVITATIONS}/{id}/revocation`]: async (app) => {
    const { id } = await post(app, INVITATIONS, invitation());
    return { ...staff(app), ...on('invitation', id) };
  },
  [`POST ${INVITATIONS}/acceptance`]: async (app) => {
    const { id } = await post(app, INVITATIONS, invitation());
    const body = { token: await linkToken(app, id), password };
    const actorId = (answer: Row) => answer.id;
    return { body, actorId, subject: () => ({ type: 'invitation', id }), follows: ['identity.user.create'] };
  },
  [`PATCH ${USERS}/{id}`]: async (app) => {
    const { user } = await hire(app, ['viewer']);
    return { ...staff(app), ...on('user', user.id), body: { name: 'Changed' } };
  },
  [`PATCH ${ME}`]: async (app) => {
    const { user, session } = await hire(app, ['viewer']);
    return { token: session, body: { language: 'it' }, subject: () => ({ type: 'user', id: user.id }) };
  },
  [`POST ${OWN_PASSWORD}`]: async (app) => {
    const { user, session, password: currentPassword } = await hire(app, ['viewer']);
    const body = { currentPassword, newPassword: password };
    return { token: session, body, subject: () => ({ type: 'user', id: user.id }) };
  },
  [`POST ${RESETS}`]: async (app) => {
    const { user } = await hire(app, ['viewer']);
    return { body: { email: user.email }, subject: null };
  },
  [`POST ${RESETS}/completion`]: async (app) => {
    const { user } = await hire(app, ['viewer']);
    await asSystem(() => app.nest.get(PasswordsService, { strict: false }).sendResetLink({ userId: user.id }));
    const body = { token: await linkToken(app, user.id), password };
    return { body, actorId: () => user.id, subject: () => ({ type: 'user', id: user.id }) };
  },
  [`POST ${SECOND_FACTOR}`]: async (app) => {
    const { user, session, password: currentPassword } = await hire(app, ['viewer']);
    return { token: session, body: { currentPassword }, subject: secondFactorOf(user) };
  },
  [`POST ${SECOND_FACTOR}/activation`]: async (app) => {
    const { user, session, client, password: currentPassword } = await hire(app, ['viewer']);
    const { body } = await client.post<{ data: { otpauthUri: string } }>(SECOND_FACTOR, { currentPassword });
    const code = codeNow(app, secretOf(body.data.otpauthUri));
    return { token: session, body: { code }, subject: secondFactorOf(user) };
  },
  [`POST ${SECOND_FACTOR}/recovery-codes`]: async (app) => {
    const { user, session, secret } = await hireProtected(app, ['viewer']);
    return { token: session, body: { code: nextCode(app, secret) }, subject: secondFactorOf(user) };
  },
  [`POST ${SECOND_FACTOR}/removal`]: async (app) => {
    const { user, session, secret } = await hireProtected(app, ['viewer']);
    return { token: session, body: { code: nextCode(app, secret) }, subject: secondFactorOf(user) };
  },
  [`DELETE ${USERS}/{id}/second-factor`]: async (app) => {
    const { user } = await hireProtected(app, ['viewer']);
    return { ...staff(app), ...on('user', user.id), subject: secondFactorOf(user) };
  },
};

function secondFactorOf({ id }: { id: string }) {
  return () => ({ type: 'second_factor', id });
}
