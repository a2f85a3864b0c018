import { type CommandContext, CommandError, EXIT_DATA, type Outcome } from './command.js';
import { OperatorUsersService, ROLES } from '../modules/identity/index.js';
import { asSystem } from '../platform/context/request-context.js';
import { AppError } from '../platform/errors/app-error.js';

export async function listUsers({ app, options }: CommandContext): Promise<Outcome> {
  const wanted = options.find('role');
  const role = ROLES.find((each) => each === wanted);
  const [search, active, disabled] = [options.find('search'), options.has('active'), options.has('disabled')];
  const users = await asSystem(() =>
    app.get(OperatorUsersService).list({
      ...(search === undefined ? {} : { search }),
      ...(role === undefined ? {} : { role: [role] }),
      ...(active || disabled ? { active } : {}),
    }),
  );
  const width = Math.max(0, ...users.map(({ email }) => email.length));
  const lines = users.map(({ email, roles, active: isActive, name }) => {
    return `${email.padEnd(width)}  ${isActive ? 'active  ' : 'disabled'}  ${roles.join(',')}  ${name}`;
  });
  return { result: { users }, lines };
}

export async function addUser({ app, options }: CommandContext): Promise<Outcome> {
  const { user, password } = await asSystem(() => app.get(OperatorUsersService).add(fieldsIn(options)));
  const shown = `Password, shown only now and to be changed at the first login: ${password}`;
  return { result: { user, password }, lines: [`Added ${user.email} (${user.id})`, shown] };
}

export async function inviteUser({ app, options }: CommandContext): Promise<Outcome> {
  const invitation = await asSystem(() => app.get(OperatorUsersService).invite(fieldsIn(options)));
  const sent = `Invited ${invitation.email} (${invitation.id}); the running service sends the link, valid until ${invitation.expiresAt}`;
  return { result: { invitation }, lines: [sent] };
}

export async function enableUser({ app, options }: CommandContext): Promise<Outcome> {
  const user = await ofUser(options, (email) => app.get(OperatorUsersService).setActive(email, true));
  return { result: { user }, lines: [`${user.email} is active`] };
}

export async function disableUser({ app, options }: CommandContext): Promise<Outcome> {
  const user = await ofUser(options, (email) => app.get(OperatorUsersService).setActive(email, false));
  return { result: { user }, lines: [`${user.email} is disabled; sessions and API tokens have ended`] };
}

export async function endSessions({ app, options }: CommandContext): Promise<Outcome> {
  const endedSessions = await ofUser(options, (email) => app.get(OperatorUsersService).endSessions(email));
  return { result: { endedSessions }, lines: [`Ended ${endedSessions} sessions`] };
}

export async function removeSecondFactor({ app, options }: CommandContext): Promise<Outcome> {
  const work = (email: string) => app.get(OperatorUsersService).removeSecondFactor(email);
  await ofUser(options, work, 'No active user with a second factor has this address');
  return { result: { removed: true }, lines: ['Removed the second factor and ended all sessions of the user'] };
}

function fieldsIn(options: CommandContext['options']): object {
  return { email: options.get('email'), name: options.get('name'), roles: options.list('role') };
}

async function ofUser<T>(
  options: CommandContext['options'],
  work: (email: string) => Promise<T>,
  missing = 'No user has this address',
): Promise<T> {
  try {
    return await asSystem(() => work(options.get('email')));
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 404) throw error;
    throw new CommandError(EXIT_DATA, missing, undefined, error.code);
  }
}
