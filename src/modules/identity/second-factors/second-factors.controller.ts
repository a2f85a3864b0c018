import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import {
  ActivateSecondFactor,
  RecoveryCodesEnvelope,
  SecondFactorEnvelope,
  SecondFactorProof,
  SecondFactorSetupEnvelope,
  SetUpSecondFactor,
} from './second-factor.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SecondFactorsService } from './second-factors.service.js';

const REJECTIONS = {
  403: ['session_required', 'password_change_required'],
  409: ['second_factor_inactive'],
  422: ['second_factor_code_wrong'],
};
const PROOF = { code: '287082' };

@ApiGroup('Users and sessions')
@Controller('/v1/admin/identity')
export class SecondFactorsController {
  constructor(private readonly secondFactors: SecondFactorsService) {}

  /**
   * Get your second factor
   *
   * @remarks Returns whether logins of the calling user require a code, and how many recovery codes are left. It needs a
   * session.
   */
  @Get('me/second-factor')
  @RequireScope()
  @Refuses({ 403: ['session_required', 'password_change_required'] })
  async get(): Promise<SecondFactorEnvelope> {
    return { data: await this.secondFactors.getOwn() };
  }

  /**
   * Set up a second factor
   *
   * @remarks Returns a new secret for an authenticator app once. Logins require codes only after the activation with the first
   * code; until then the request can be repeated, which replaces the secret. An active second factor must be removed first. It
   * needs the current password, because a stolen session must not set one up; wrong ones are counted per session. It needs a
   * session; API tokens have no second factor.
   */
  @Post('me/second-factor')
  @RequireScope()
  @Mutates('identity.second_factor.create', {
    irreversible: 'The ledger keeps no secrets: set up another one',
    secrets: ['data.otpauthUri'],
  })
  @Refuses({
    403: ['session_required', 'password_change_required'],
    409: ['second_factor_active'],
    422: ['current_password_wrong'],
  })
  // Hashing a password takes 19 MiB and one of the four threads of the pool.
  @LimitOperation({ name: 'password-hashing', maxConcurrent: 4 })
  async setUp(@Body() { currentPassword }: SetUpSecondFactor): Promise<SecondFactorSetupEnvelope> {
    const otpauthUri = await this.secondFactors.setUp(currentPassword);
    return created('/v1/admin/identity/me/second-factor', {}, { data: { otpauthUri } });
  }

  /**
   * Activate the second factor
   *
   * @remarks Verifies the first code of the authenticator app and returns ten recovery codes once. From now on logins of the
   * user require a code. All other sessions of the user end, and the user is informed by mail. Wrong codes are counted per
   * session.
   */
  @Post('me/second-factor/activation')
  @HttpCode(200)
  @RequireScope()
  @Mutates('identity.second_factor.activate', {
    irreversible: 'The ledger keeps no secrets: remove the second factor',
    secrets: ['data.recoveryCodes'],
  })
  @Refuses({ ...REJECTIONS, 409: ['second_factor_active', 'second_factor_inactive'] })
  async activate(@Body() { code }: ActivateSecondFactor): Promise<RecoveryCodesEnvelope> {
    return { data: { recoveryCodes: await this.secondFactors.activate(code) } };
  }

  /**
   * Replace the recovery codes
   *
   * @remarks Returns ten new recovery codes once; all earlier ones are invalid. It needs a session and exactly one of
   * `code` and `recoveryCode`.
   */
  @Post('me/second-factor/recovery-codes')
  @HttpCode(200)
  @RequireScope()
  @Mutates('identity.second_factor.replace_recovery_codes', {
    irreversible: 'The ledger keeps no secrets: replace the codes again',
    secrets: ['data.recoveryCodes'],
  })
  @BodyExample(PROOF)
  @Refuses(REJECTIONS)
  async replaceRecoveryCodes(@Body() proof: SecondFactorProof): Promise<RecoveryCodesEnvelope> {
    return { data: { recoveryCodes: await this.secondFactors.replaceRecoveryCodes(proof) } };
  }

  /**
   * Remove your second factor
   *
   * @remarks Logins no longer need a code, and the recovery codes are invalid. The user is informed by mail. It needs a session
   * and exactly one of `code` and `recoveryCode`; wrong ones are counted per session.
   */
  @Post('me/second-factor/removal')
  @HttpCode(200)
  @RequireScope()
  @Mutates('identity.second_factor.remove', { irreversible: 'The ledger keeps no secrets: set up a second factor' })
  @BodyExample(PROOF)
  @Refuses(REJECTIONS)
  async remove(@Body() proof: SecondFactorProof): Promise<SecondFactorEnvelope> {
    return { data: await this.secondFactors.removeOwn(proof) };
  }

  /**
   * Remove the second factor of another user
   *
   * @remarks Helps a colleague who has lost the authenticator app and the recovery codes. Ends all sessions of the user,
   * informs the user by mail, and returns the state of the second factor. A user without one is 404. A user whose roles allow
   * more than the scopes of the caller is rejected. The caller's own second factor can be removed only with a code.
   */
  @ApiOperation({ operationId: 'users_removeSecondFactor' })
  @Delete('users/:id/second-factor')
  @RequireScope('identity:write')
  @Mutates('identity.second_factor.remove', { irreversible: 'The ledger keeps no secrets: set up a second factor' })
  @Refuses({ 409: ['own_second_factor'] })
  async removeOfUser(@PathId('user', 'id', 2) id: string): Promise<SecondFactorEnvelope> {
    return { data: await this.secondFactors.removeOfUser(id) };
  }
}
