import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { EmailAddress } from '../../../platform/http/trade-fields.js';
import { PASSWORD_RULE } from '../users/password-policy.js';

const MAX_ENDED = 1_000_000;

/** A change of the caller's own password. */
export class ChangePassword {
  /**
   * The current password, compared exactly.
   * @example "as the first start printed it"
   */
  @Text({ min: 0, max: PASSWORD_RULE.max, verbatim: true })
  currentPassword: string;

  /**
   * 12 to 256 characters of any kind, none of the most common passwords, and neither the name nor the e-mail address.
   * @example "a long sentence of their own"
   */
  @Text(PASSWORD_RULE)
  newPassword: string;

  /**
   * Whether all API tokens of the user are revoked as well; `false` by default.
   * @example false
   */
  @Optional()
  @Flag()
  revokeTokens?: boolean;
}

/** The account whose password was forgotten. */
export class RequestPasswordReset {
  /**
   * E-mail address of the user, ignoring case.
   * @example "petra.keller@example.com"
   */
  @EmailAddress()
  email: string;
}

/** The one-time token of a password reset, and the new password. */
export class CompletePasswordReset {
  /**
   * The one-time token. Copy it from the link in the mail of `POST /v1/admin/identity/password-resets`.
   * @example "as the mail contains it"
   */
  @Text({ max: 300 })
  token: string;

  /**
   * 12 to 256 characters of any kind, none of the most common passwords, and neither the name nor the e-mail address.
   * @example "a long sentence of their own"
   */
  @Text(PASSWORD_RULE)
  password: string;
}

/** Sessions and tokens ended by the new password. */
export class EndedCredentialsResponse {
  /** The number of sessions that were ended. */
  @Whole({ min: 0, max: MAX_ENDED })
  endedSessions: number;

  /** The number of API tokens that were revoked. */
  @Whole({ min: 0, max: MAX_ENDED })
  revokedTokens: number;
}

/** Sessions and tokens ended by the reset, and the device that becomes known. */
export class CompletedPasswordReset extends EndedCredentialsResponse {
  /**
   * Send it with logins from this device: failed logins from other devices then do not limit them. It replaces neither the
   * password nor a code.
   */
  @Text({ max: 200 })
  deviceToken: string;
}

/** The response is the same for every address, whether or not a user has it. */
class RequestedPasswordReset {
  /** Always `true`. */
  @Flag()
  accepted: boolean;
}

export class EndedCredentialsEnvelope extends dataOf(EndedCredentialsResponse) {}
export class CompletedPasswordResetEnvelope extends dataOf(CompletedPasswordReset) {}
export class RequestedPasswordResetEnvelope extends dataOf(RequestedPasswordReset) {}
