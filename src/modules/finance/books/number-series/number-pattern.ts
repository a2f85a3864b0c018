import { named } from '../../../../platform/http/named-values.js';
import { invalidRequest, type Issue } from '../../../../platform/errors/app-error.js';
import type { IssueCode } from '../../../../platform/errors/issue-codes.js';

export const RESET_PERIODS = named('ResetPeriod', ['never', 'yearly', 'monthly']);
export type ResetPeriod = (typeof RESET_PERIODS)[number];

/** The form of the numbers of a series, and the period after which they restart at 1. */
export interface NumberShape {
  prefix: string;
  pattern: string;
  resetPeriod: ResetPeriod;
}

/** A number without its sequence: the texts around it, and the minimum number of digits. */
export interface NumberFrame {
  before: string;
  after: string;
  digits: number;
}

const MAX_NUMBER_LENGTH = 50;
const TOKEN = /\{[^{}]*\}/g;
const SEQUENCE = /^\{SEQ(?::(\d{1,2}))?\}$/;
const DATE_TOKENS = ['{YYYY}', '{YY}', '{MM}'];

/** Rejects invalid patterns, and patterns with which a period would repeat the numbers of an earlier one. */
export function assertShape(shape: NumberShape, nextNumber: number): void {
  const issues = [...patternIssues(shape.pattern), ...periodIssues(shape)];
  // Numbers of all days have the same length.
  if (issues.length === 0 && renderNumber(frameOf(shape, '2000-01-01'), nextNumber).length > MAX_NUMBER_LENGTH) {
    const message = `A number may have at most ${MAX_NUMBER_LENGTH} characters`;
    issues.push({ path: 'pattern', message, code: 'series_number_too_long' });
  }
  if (issues.length > 0) throw invalidRequest(issues);
}

/** Returns the counter of an issue date: `all`, `2027` or `2027-03`. */
export function periodKeyOf(resetPeriod: ResetPeriod, issueDate: string): string {
  switch (resetPeriod) {
    case 'never':
      return 'all';
    case 'yearly':
      return issueDate.slice(0, 4);
    case 'monthly':
      return issueDate.slice(0, 7);
  }
}

/** The pattern must be valid. */
export function frameOf({ prefix, pattern }: Omit<NumberShape, 'resetPeriod'>, issueDate: string): NumberFrame {
  const sequence = sequencesOf(pattern)[0] ?? { start: 0, end: 0, digits: 0 };
  const texts: Record<string, string> = {
    '{prefix}': prefix,
    '{YYYY}': issueDate.slice(0, 4),
    '{YY}': issueDate.slice(2, 4),
    '{MM}': issueDate.slice(5, 7),
  };
  const filled = (part: string) => part.replace(TOKEN, (token) => texts[token] ?? token);
  return {
    before: filled(pattern.slice(0, sequence.start)),
    after: filled(pattern.slice(sequence.end)),
    digits: sequence.digits,
  };
}

export function renderNumber({ before, after, digits }: NumberFrame, sequence: number): string {
  return before + String(sequence).padStart(digits, '0') + after;
}

function patternIssues(pattern: string): Issue[] {
  const issues: Issue[] = [];
  const addIssue = (message: string, code: IssueCode) => issues.push({ path: 'pattern', message, code });
  const [sequences, tokens] = [sequencesOf(pattern), pattern.match(TOKEN) ?? []];
  const isKnown = (token: string) =>
    token === '{prefix}' || DATE_TOKENS.includes(token) || sequences.some((sequence) => sequence.token === token);

  const hasUnknown = tokens.some((token) => !isKnown(token)) || /[{}]/.test(pattern.replace(TOKEN, ''));
  if (hasUnknown)
    addIssue('Allowed tokens are {prefix}, {YYYY}, {YY}, {MM}, {SEQ} and {SEQ:1} to {SEQ:12}', 'series_token_unknown');
  if (sequences.length !== 1) addIssue('The pattern must contain {SEQ} exactly once', 'series_sequence_token_required');
  return issues;
}

/**
 * Without the period in the pattern, the first number of a period would repeat one of an earlier period, and no invoice could
 * be issued.
 */
function periodIssues({ pattern, resetPeriod }: NumberShape): Issue[] {
  const hasYear = pattern.includes('{YYYY}') || pattern.includes('{YY}');
  const isMissing = (resetPeriod !== 'never' && !hasYear) || (resetPeriod === 'monthly' && !pattern.includes('{MM}'));
  const message = `The reset period ${resetPeriod} requires ${resetPeriod === 'monthly' ? 'year and month' : 'the year'} in the pattern`;
  return isMissing ? [{ path: 'pattern', message, code: 'series_period_token_required' }] : [];
}

function sequencesOf(pattern: string): { token: string; start: number; end: number; digits: number }[] {
  return [...pattern.matchAll(TOKEN)].flatMap(({ 0: token, index }) => {
    const match = SEQUENCE.exec(token);
    const digits = Number(match?.[1] ?? 1);
    return match && digits >= 1 && digits <= 12 ? [{ token, start: index, end: index + token.length, digits }] : [];
  });
}
