import type { Type } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import type { Issue } from '../errors/app-error.js';
import type { IssueCode, IssueParams } from '../errors/issue-codes.js';

interface Violation {
  readonly code: IssueCode;
  readonly params?: IssueParams;
}

/** The meaning of a violated rule of class-validator or of our own decorators, given the arguments of its decorator. */
const RULES: Readonly<Record<string, (constraints: readonly unknown[]) => Violation>> = {
  isString: () => wrongType('string'),
  isInt: () => wrongType('integer'),
  isNumber: () => wrongType('number'),
  isBoolean: () => wrongType('boolean'),
  isObject: () => wrongType('object'),
  isArray: () => wrongType('array'),
  minLength: ([min]) => bounded('too_short', { min }),
  maxLength: ([max]) => bounded('too_long', { max }),
  min: ([min]) => bounded('too_small', { min }),
  max: ([max]) => bounded('too_large', { max }),
  arrayMinSize: ([min]) => bounded('too_few', { min }),
  arrayMaxSize: ([max]) => bounded('too_many', { max }),
  arrayUnique: () => ({ code: 'duplicate' }),
  isIn: ([allowed]) => ({
    code: 'unknown_value',
    params: { allowed: Array.isArray(allowed) ? allowed.map(String) : [] },
  }),
  matches: ([pattern]) => matching(sourceOf(pattern)),
  noControls: () => ({ code: 'control_characters' }),
  isFreeObject: ([maxBytes, maxDepth]) => bounded('unfit_object', { maxBytes, maxDepth }),
  isEmail: () => wrongFormat('email'),
  isDate: () => wrongFormat('date'),
  isInstant: () => wrongFormat('date-time'),
};

/** Rules that take precedence if a value violates several, the clearest first. */
const CLEAREST: readonly IssueCode[] = ['wrong_type', 'control_characters', 'too_short', 'too_long'];

/**
 * The one issue of a member that violates rules: a missing member is `required`, a value of the wrong type says so, and of
 * several other violations the clearest counts.
 */
export function issueOf(type: Type<object>, error: ValidationError, path: string): Issue {
  const { property } = error;
  const value = error.value as unknown;
  const violations = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
    rule,
    message,
    ...violationOf(type, { property, rule, value }),
  }));
  const [first] = violations.sort((a, b) => rankOf(a.code) - rankOf(b.code));
  if (!first || value === undefined) return { path, code: 'required', message: `${property} is required` };
  const { rule, message, code, params } = first;
  return { path: placeOf(error, rule, path), code, message, ...(params && { params }) };
}

export function unknownMember(name: string): string {
  return `${name} is not recognized`;
}

function violationOf(
  type: Type<object>,
  { property, rule, value }: { property: string; rule: string; value: unknown },
): Violation {
  const metadata = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .find(({ propertyName, name, type: kind }) => propertyName === property && (name ?? kind) === rule);
  const constraints = (metadata?.constraints ?? []) as unknown[];
  const violation = RULES[rule]?.(constraints) ?? wrongFormat(formatOf(rule));
  const isNoText = !metadata?.each && typeof value !== 'string';
  return violation.code === 'wrong_format' && isNoText ? wrongType('string') : violation;
}

/** A longer pattern is a list of values, which a message cannot name. */
const MAX_PATTERN = 200;

function matching(pattern: string): Violation {
  return pattern.length > MAX_PATTERN ? { code: 'wrong_format' } : { code: 'wrong_format', params: { pattern } };
}

function sourceOf(pattern: unknown): string {
  return typeof pattern === 'object' && pattern !== null && 'source' in pattern ? String(pattern.source) : '';
}

/** `isTimeZone` checks the format `time-zone`, `isIBAN` the format `iban`. */
function formatOf(rule: string): string {
  return rule
    .replace(/^is(?=[A-Z])/, '')
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase();
}

function wrongType(expected: string): Violation {
  return { code: 'wrong_type', params: { expected } };
}

function wrongFormat(format: string): Violation {
  return { code: 'wrong_format', params: { format } };
}

function bounded(code: IssueCode, bounds: Record<string, unknown>): Violation {
  const params = Object.fromEntries(Object.entries(bounds).map(([name, bound]) => [name, Number(bound)]));
  return { code, params };
}

function rankOf(code: IssueCode): number {
  const rank = CLEAREST.indexOf(code);
  return rank === -1 ? CLEAREST.length : rank;
}

/** A rule about a list as a whole may name the element that breaks it. */
function placeOf({ contexts, value }: ValidationError, rule: string, path: string): string {
  const context: unknown = contexts?.[rule];
  return namesElement(context) ? `${path}.${context.faultIn(value)}` : path;
}

function namesElement(context: unknown): context is { faultIn: (list: unknown) => number } {
  return typeof context === 'object' && context !== null && typeof Reflect.get(context, 'faultIn') === 'function';
}
