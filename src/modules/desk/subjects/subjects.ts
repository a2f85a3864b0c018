import { assertScope, hasScope } from '../../../platform/auth/access.js';
import type { RecordSubject } from '../../../platform/database/record-subject.js';
import { extensible } from '../../../platform/http/named-values.js';
import { bookingSubject } from '../../bookings/index.js';
import { customerSubject } from '../../customers/index.js';
import { invoiceSubject } from '../../finance/index.js';
import { departureSubject } from '../../operations/index.js';

const SUBJECTS = [customerSubject, bookingSubject, departureSubject, invoiceSubject] as const;

export const SUBJECT_TYPES = extensible(
  'RecordSubjectType',
  SUBJECTS.map(({ type }) => type),
);
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** The record to which a note belongs. */
export interface Subject {
  subjectType: SubjectType;
  subjectId: string;
}

export const MAX_SUBJECT_ID = 100;

const byType = new Map<SubjectType, RecordSubject<SubjectType>>(SUBJECTS.map((subject) => [subject.type, subject]));

export function subjectOf(type: SubjectType): RecordSubject<SubjectType> {
  const subject = byType.get(type);
  if (!subject) throw new Error(`No module declares the subject ${type}`);
  return subject;
}

/** Throws 403 unless the caller may read records of this kind. */
export function assertReadable(type: SubjectType): void {
  assertScope(subjectOf(type).readScope);
}

/** Throws 403 unless the caller may change records of this kind. */
export function assertWritable(type: SubjectType): void {
  assertScope(subjectOf(type).writeScope);
}

/**
 * Returns the kinds of records that a list shows: the wanted ones, which the caller must be allowed to read, or all that the caller
 * may read.
 */
export function listedTypes(wanted: readonly SubjectType[] | undefined): SubjectType[] {
  for (const type of wanted ?? []) assertReadable(type);
  return [...(wanted ?? SUBJECT_TYPES.filter((type) => hasScope(subjectOf(type).readScope)))];
}

/** SQL: the name of the subject of a row with this alias; null if the record was deleted. */
export function subjectTitleSql(alias: string): string {
  const titles = SUBJECTS.map(({ type, table, title }) => {
    return `when '${type}' then (select ${title} from ${table} record where record.id = ${alias}.subject_id)`;
  });
  return `case ${alias}.subject_type ${titles.join(' ')} end`;
}
