import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { checkedAs } from '../../platform/http/format-check.js';
import { randomBase62 } from '../../platform/ids/id.js';
import { CreateInvitation, type InvitationResponse, toInvitation } from './invitations/invitation.dto.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { SecondFactorsService } from './second-factors/second-factors.service.js';
import { SessionsService } from './sessions/sessions.service.js';
import { type ListUsers, toUser, type UserResponse } from './users/user.dto.js';
import { UsersService } from './users/users.service.js';

const PAGE = 200;
const PASSWORD_CHARACTERS = 20;

/** Manages staff users by e-mail address, for the operator's command line. The service itself is the actor. */
@Injectable()
export class OperatorUsersService {
  constructor(
    private readonly users: UsersService,
    private readonly invitations: InvitationsService,
    private readonly sessions: SessionsService,
    private readonly secondFactors: SecondFactorsService,
    private readonly clock: Clock,
  ) {}

  /** All users with these properties, by address. */
  async list(filters: Pick<ListUsers, 'search' | 'role' | 'active'>): Promise<UserResponse[]> {
    const found: UserResponse[] = [];
    for (;;) {
      const { users, total } = await this.users.list({
        ...filters,
        sort: 'email',
        limit: PAGE,
        offset: found.length,
      });
      found.push(...users.map(toUser));
      if (users.length === 0 || found.length >= total) return found;
    }
  }

  /** Creates a user with a generated password, which must be changed at the first login. */
  async add(values: object): Promise<{ user: UserResponse; password: string }> {
    const wanted = await checkedAs(CreateInvitation, values);
    const password = randomBase62(PASSWORD_CHARACTERS);
    const user = await this.users.create({ ...wanted, password, passwordChangeRequired: true });
    return { user: toUser(user), password };
  }

  /** A running process of the service sends the link. */
  async invite(values: object): Promise<InvitationResponse> {
    const invitation = await this.invitations.create(await checkedAs(CreateInvitation, values));
    return toInvitation(invitation, this.clock.now());
  }

  async setActive(email: string, active: boolean): Promise<UserResponse> {
    const user = await this.users.getByAddress(email);
    return toUser(user.active === active ? user : await this.users.update(user.id, { active }, null));
  }

  /** Returns the number of sessions. */
  async endSessions(email: string): Promise<number> {
    const { id } = await this.users.getByAddress(email);
    return this.sessions.endAllOf(id);
  }

  /** Also ends the sessions. */
  async removeSecondFactor(email: string): Promise<void> {
    return this.secondFactors.removeByAddress(email);
  }
}
