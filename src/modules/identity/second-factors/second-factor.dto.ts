import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Nullable, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { PASSWORD_RULE } from '../users/password-policy.js';

export const RECOVERY_CODES = 10;
const CODE = /^[0-9]{6}$/;

/** Proves that the caller of a session is its user. */
export class SetUpSecondFactor {
  /**
   * The current password, compared exactly.
   * @example "as the first start printed it"
   */
  @Text({ min: 0, max: PASSWORD_RULE.max, verbatim: true })
  currentPassword: string;
}

/** The first code of an authenticator app that was just set up. */
export class ActivateSecondFactor {
  /**
   * The six digits. Copy them from the authenticator app.
   * @example "287082"
   */
  @Text({ max: 6, pattern: CODE })
  code: string;
}

/** Proves the second factor by exactly one of `code` and `recoveryCode`. */
export class SecondFactorProof {
  /**
   * The six digits. Copy them from the authenticator app; a code is accepted once.
   * @example "287082"
   */
  @Optional()
  @Text({ max: 6, pattern: CODE })
  code?: string;

  /**
   * One of the recovery codes, ignoring case, spaces and hyphens. Copy it from `data.recoveryCodes` of
   * `POST /v1/admin/identity/me/second-factor/activation`; it is accepted once.
   */
  @Optional()
  @Text({ max: 60 })
  recoveryCode?: string;
}

/** Whether the calling user has a second factor. */
export class SecondFactorResponse {
  /** Whether logins require a code. */
  @Flag()
  active: boolean;

  /** When it was activated; null if it is not active. */
  @Nullable()
  @Instant()
  activatedAt: string | null;

  /** The number of recovery codes that were not used yet. */
  @Whole({ min: 0, max: RECOVERY_CODES })
  recoveryCodesLeft: number;
}

/** The secret for the authenticator app, which is returned only once. */
class SecondFactorSetup {
  /** URL for a QR code, with a secret of 160 bits, SHA-1, six digits and 30 seconds. A replayed response omits it. */
  @Optional()
  @Text({ max: 1_000 })
  otpauthUri?: string;
}

/** The recovery codes, which are returned only once. */
class RecoveryCodes {
  /** Each one replaces a code of the authenticator app once. A replayed response omits them. */
  @Optional()
  @Texts({ min: RECOVERY_CODES, max: RECOVERY_CODES, maxLength: 29 })
  recoveryCodes?: string[];
}

export class SecondFactorEnvelope extends dataOf(SecondFactorResponse) {}
export class SecondFactorSetupEnvelope extends dataOf(SecondFactorSetup) {}
export class RecoveryCodesEnvelope extends dataOf(RecoveryCodes) {}
