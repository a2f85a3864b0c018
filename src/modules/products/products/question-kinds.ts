import { extensible, named } from '../../../platform/http/named-values.js';

export const QUESTION_SCOPES = named('ProductQuestionScope', ['booking', 'traveler', 'unit']);
export type QuestionScope = (typeof QUESTION_SCOPES)[number];

export const QUESTION_TYPES = extensible('ProductQuestionType', [
  'text',
  'choice',
  'multi_choice',
  'integer',
  'date',
  'boolean',
  'phone',
  'country',
]);
export type QuestionType = (typeof QUESTION_TYPES)[number];
