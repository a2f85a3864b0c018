/** Returns a row if an owner can log in. Every active user has a password. */
export const ACTIVE_OWNER = `select from users where active and 'owner' = any (roles) limit 1`;

/** The configuration error of a production database without such an account; `platform doctor` reports it as well. */
export const NO_OWNER = {
  name: 'BOOTSTRAP_ADMIN_EMAIL',
  fault: 'no account can log in, because the database has no active user with the role owner',
  remedy:
    'expected BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD on the first start, or such a user in the file of `platform provision <file>`',
};
