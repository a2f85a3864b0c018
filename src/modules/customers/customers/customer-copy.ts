/** What bookings copy of a customer. */
export interface CustomerCopy {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly language: string | null;
  /** With line breaks. */
  readonly address: string | null;
}

/** What a traveler copies of a customer; members that the customer lacks are absent. */
export type CustomerPerson = Partial<
  Readonly<Record<'firstName' | 'lastName' | 'birthDate' | 'language' | 'email' | 'phone', string>>
>;
