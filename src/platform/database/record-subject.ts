/**
 * A kind of record to which others can be attached, such as notes. The module of the record declares it, with the scopes that
 * reading and changing an attachment requires.
 */
export interface RecordSubject<Type extends string> {
  readonly type: Type;
  readonly table: string;
  /** SQL: the name of the record in lists. Its row has the alias `record`. */
  readonly title: string;
  readonly readScope: string;
  readonly writeScope: string;
  /** SQL: the code of the error with which the record rejects attachments; null if it accepts them. */
  readonly rejection?: string;
}

/** Declares a kind of record; keeps the literal type of its name. */
export function recordSubject<const Type extends string>(subject: RecordSubject<Type>): RecordSubject<Type> {
  return subject;
}
