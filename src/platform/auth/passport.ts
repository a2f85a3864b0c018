import passport from 'passport';

/** Token of the application's own passport, which shares nothing with the process-wide one. */
export const PASSPORT = Symbol('passport');

export type OwnPassport = InstanceType<typeof passport.Passport>;

export function ownPassport(): OwnPassport {
  return new passport.Passport();
}
