/** The limit of one subject: a refill per minute, and the largest burst. */
export interface Policy {
  readonly perMinute: number;
  readonly burst: number;
  /** `RATE_LIMIT_FACTOR` does not apply. */
  readonly fixed?: boolean;
}

function perMinute(figure: number, burst = Math.ceil(figure / 4)): Policy {
  return { perMinute: figure, burst };
}

/** Every limit of the service, by name. `RATE_LIMIT_FACTOR` multiplies all that are not `fixed`. */
export const policies = {
  /** Of one address, before authentication. */
  address: perMinute(6_000),
  staff: perMinute(3_000),
  /** Failed logins, of one account and of one address. */
  'login-failures': { ...perMinute(10, 10), fixed: true },
  /** Of one address: uses of the one-time links of invitations and password resets. */
  'account-links': perMinute(30, 10),
  /** Of one address: requests for a password reset. */
  'password-resets': perMinute(10, 5),
  /** Of one OAuth client. */
  token: perMinute(60),
  /** Failed requests for a token, of one client from one address. */
  'token-failures': { ...perMinute(10, 10), fixed: true },
  /** Of one OAuth client, introspections of tokens that it received. */
  'token-introspection': perMinute(600),
  'token-revocation': perMinute(60),
  'connect-read': perMinute(600),
  /** Of one credential, before its scopes are checked. */
  'connect-write-attempts': perMinute(600),
  /** Of one operator, for all credentials that act for it; counted after the scope check. */
  'connect-write': perMinute(60, 60),
  /** Mails that requests send: about one subject such as a contract, to one recipient, and of one user. */
  'mails-about-subject': perMinute(1, 3),
  'mails-to-recipient': perMinute(2, 5),
  'mails-of-user': perMinute(60, 30),
  /** Reports as CSV, of one credential. */
  'report-export': perMinute(30, 10),
  vault: perMinute(600, 100),
  'realtime-history': perMinute(300),
  'realtime-publish': perMinute(1_200),
  data: perMinute(600),
  // Of one credential, for the operations that declare `@LimitOperation()`.
  'ledger-verification': perMinute(30),
  'ledger-export': perMinute(30),
  'reversal-preview': perMinute(120),
  'collection-plan-preview': perMinute(240),
  'reminder-simulation': perMinute(60),
  'invoice-rendition': perMinute(240),
  'organization-logo': perMinute(60),
  'password-hashing': perMinute(60),
  'realtime-stream': perMinute(30),
  /** Of one address, as the storefront has no credentials. */
  'public-contract': perMinute(300),
  'public-search': perMinute(600),
} satisfies Record<string, Policy>;

export type PolicyName = keyof typeof policies;
