import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Public, RequireScope } from '../../../platform/auth/access.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { ChangesNothing, Mutates, MutatesForNobody } from '../../../platform/idempotency/mutates.js';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import {
  ChangePassword,
  CompletedPasswordResetEnvelope,
  CompletePasswordReset,
  EndedCredentialsEnvelope,
  RequestedPasswordResetEnvelope,
  RequestPasswordReset,
} from './password.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PasswordsService } from './passwords.service.js';

@ApiGroup('Users and sessions')
@Controller('/v1/admin/identity')
export class PasswordsController {
  constructor(private readonly passwords: PasswordsService) {}

  /**
   * Change your password
   *
   * @remarks Ends all other sessions of the user and, with `revokeTokens`, its API tokens, and informs the user by mail. It
   * needs a session. Too many wrong present passwords in a session are answered with 429. The new password must differ from the
   * current one.
   */
  @Post('me/password')
  @HttpCode(200)
  @RequireScope()
  @Mutates('identity.user.password_change', { irreversible: 'The ledger keeps no secrets: change the password again' })
  @Refuses({
    403: ['session_required'],
    422: ['current_password_wrong', 'password_unchanged', 'password_too_common', 'password_too_personal'],
  })
  // Hashing a password takes 19 MiB and one of the four threads of the pool.
  @LimitOperation({ name: 'password-hashing', maxConcurrent: 4 })
  async change(@Body() body: ChangePassword): Promise<EndedCredentialsEnvelope> {
    return { data: await this.passwords.change(body) };
  }

  /**
   * Request a password reset
   *
   * @remarks Sends a link to the address if an active user has it; the response is always the same. The link works once, for
   * 60 minutes, and only the newest one works. At most three links per hour are sent to a user.
   */
  @Post('password-resets')
  @HttpCode(202)
  @Public()
  @RateLimit('password-resets')
  @ChangesNothing('The job that sends the link records it: the request does the same work for every address')
  async requestReset(@Body() { email }: RequestPasswordReset): Promise<RequestedPasswordResetEnvelope> {
    await this.passwords.requestReset(email);
    return { data: { accepted: true } };
  }

  /**
   * Set a new password by a reset link
   *
   * @remarks Sets the password and ends all sessions and API tokens of the user, who is informed by mail. It opens no session
   * and keeps the second factor. Its `deviceToken` makes the device of the link known for the next login. All invalid links
   * (unknown, used, replaced, expired) get the same error.
   */
  @Post('password-resets/completion')
  @HttpCode(200)
  @Public()
  @RateLimit('account-links')
  @MutatesForNobody('identity.user.password_reset', {
    irreversible: 'The ledger keeps no secrets: change the password again',
  })
  @Refuses({ 422: ['link_invalid', 'password_too_common', 'password_too_personal'] })
  async completeReset(@Body() body: CompletePasswordReset): Promise<CompletedPasswordResetEnvelope> {
    return { data: await this.passwords.completeReset(body) };
  }
}
