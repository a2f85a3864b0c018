import {
  buildMessage,
  getMetadataStorage,
  validate,
  ValidateBy,
  type ValidateByOptions,
  type ValidationOptions,
  type ValidatorOptions,
} from 'class-validator';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { isAccepted } from './accepted-values.js';
import { type Issue, MAX_ISSUES } from '../errors/app-error.js';
import { issueOf, unknownMember } from './dto-issues.js';

/** Allows at most `max` elements. `validateDto` reads the number and does not validate the elements of a longer list. */
export function ArrayMaxSize(max: number): PropertyDecorator {
  const validate = (value: unknown) => Array.isArray(value) && value.length <= max;
  const defaultMessage = () => arrayMaxSizeMessage('$property', max);
  return ValidateBy({ name: 'arrayMaxSize', constraints: [max], validator: { validate, defaultMessage } });
}

function arrayMaxSizeMessage(property: string, max: number): string {
  return `${property} must contain no more than ${max} elements`;
}

/** Unique elements, in linear time: class-validator's own decorator compares each element with all others. */
export function ArrayUnique(options: ValidationOptions = {}): PropertyDecorator {
  const validate = (value: unknown) => Array.isArray(value) && new Set(value).size === value.length;
  const defaultMessage = buildMessage((each) => `${each}All $property's elements must be unique`, options);
  return ValidateBy({ name: 'arrayUnique', validator: { validate, defaultMessage } }, options);
}

/*
 * Lengths in code points, as PostgreSQL and JSON Schema count them. class-validator's own decorators count a character and
 * its variation selector as one, so up to twice the length would reach the database.
 */

/** Requires at least `min` characters. */
export function MinLength(min: number, options?: ValidationOptions): PropertyDecorator {
  const message = `$property must be longer than or equal to ${min} characters`;
  return ValidateBy(
    rule('minLength', { bound: min, fits: (characters) => characters >= min, message }, options),
    options,
  );
}

/** Allows at most `max` characters. `validateDto` reads the number before other rules read the text. */
export function MaxLength(max: number, options?: ValidationOptions): PropertyDecorator {
  const message = maxLengthMessage('$property', max);
  return ValidateBy(
    rule('maxLength', { bound: max, fits: (characters) => characters <= max, message }, options),
    options,
  );
}

function maxLengthMessage(property: string, max: number): string {
  return `${property} must be shorter than or equal to ${max} characters`;
}

export function charactersOf(text: string): number {
  let characters = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1;
    characters += 1;
  }
  return characters;
}

function rule(
  name: string,
  { bound, fits, message }: { bound: number; fits: (characters: number) => boolean; message: string },
  options: ValidationOptions | undefined,
): ValidateByOptions {
  const validate = (value: unknown) => typeof value === 'string' && fits(charactersOf(value));
  const defaultMessage = buildMessage((each) => each + message, options);
  return { name, constraints: [bound], validator: { validate, defaultMessage } };
}

const CLASS_VALIDATOR: ValidatorOptions = {
  forbidUnknownValues: false,
  validationError: { target: false },
};

/** Other requests are served between two slices of the elements of a long list. */
const SLICE_MS = 5;

interface MemberRule {
  maxElements?: number;
  maxCharacters?: number;
  /** The class of the member's object, or of each element of its list. */
  nestedType?: () => Type<object>;
  /** Free JSON, which class-transformer must not copy. */
  isFree: boolean;
}

type Rules = ReadonlyMap<string, MemberRule>;

const ignoring = new WeakSet<object>();

/** Members that the class does not declare are ignored, where a standard that others keep requires it. */
export function IgnoresUnknownMembers(): ClassDecorator {
  return (type) => {
    ignoring.add(type);
  };
}

const knownRules = new WeakMap<object, Rules>();

interface ValidatedDto<T> {
  instance: T;
  issues: Issue[];
}

/**
 * Creates an instance of the class and validates it. The cost depends on the limits of the class, not on the input: a list or
 * text that is too long is one issue and is not read further; values of unknown members, and structures in place of scalars,
 * are not copied; nested objects are validated one by one, until there are 100 issues. The number of objects in a request
 * follows from the sizes of its lists; a test adds them up over the API document.
 */
export async function validateDto<T extends object>(type: Type<T>, value: object): Promise<ValidatedDto<T>> {
  const validation = new DtoValidation();
  const instance = await validation.validate(type, value, '');
  return { instance, issues: validation.issues.slice(0, MAX_ISSUES) };
}

class DtoValidation {
  readonly issues: Issue[] = [];
  private sliceStart = performance.now();

  async validate<T extends object>(type: Type<T>, given: object, path: string): Promise<T> {
    const rules = rulesOf(type);
    const members = new Map<string, unknown>(Object.entries(given));
    const tooLarge = this.rejectTooLarge(rules, members, path);

    if (!ignoring.has(type)) this.rejectUnknown(rules, members.keys(), path);

    const body = [...members]
      .filter(([name]) => !tooLarge.has(name))
      .flatMap(([name, value]) => {
        const rule = rules.get(name);
        return rule ? [[name, standIn(rule, value)] as const] : [];
      });
    const instance = plainToInstance(type, Object.fromEntries(body));
    for (const [name, { isFree }] of rules) {
      if (isFree && members.has(name) && !tooLarge.has(name)) Reflect.set(instance, name, members.get(name));
    }
    const errors = isAccepted(type, instance) ? [] : await validate(instance, CLASS_VALIDATOR);
    const rejected = new Set([...tooLarge, ...errors.map(({ property }) => property)]);
    for (const error of errors) {
      if (!tooLarge.has(error.property)) this.issues.push(issueOf(type, error, join(path, error.property)));
    }

    for (const [name, { nestedType }] of rules) {
      if (!nestedType || rejected.has(name)) continue;
      const nested = await this.validateNested(nestedType(), members.get(name), join(path, name));
      if (nested !== undefined) Reflect.set(instance, name, nested);
    }
    return instance;
  }

  /** The names of the members that are larger than their class allows. */
  private rejectTooLarge(rules: Rules, members: ReadonlyMap<string, unknown>, path: string): Set<string> {
    const names = new Set<string>();
    for (const [name, { maxElements = Infinity, maxCharacters = Infinity }] of rules) {
      const value = members.get(name);
      const issue = { path: join(path, name) };
      if (Array.isArray(value) && value.length > maxElements) {
        const message = arrayMaxSizeMessage(name, maxElements);
        this.issues.push({ ...issue, code: 'too_many', message, params: { max: maxElements } });
        names.add(name);
        // White space at the ends may be trimmed later, so it is not counted.
      } else if (
        typeof value === 'string' &&
        value.length > maxCharacters &&
        charactersOf(value.trim()) > maxCharacters
      ) {
        const message = maxLengthMessage(name, maxCharacters);
        this.issues.push({ ...issue, code: 'too_long', message, params: { max: maxCharacters } });
        names.add(name);
      }
    }
    return names;
  }

  /**
   * class-validator would look at each of a thousand unknown members, and class-transformer omits without an error those whose
   * names every object has, such as `toString`.
   */
  private rejectUnknown(rules: Rules, names: Iterable<string>, path: string): void {
    for (const name of names) {
      if (this.issues.length >= MAX_ISSUES) return;
      if (rules.has(name)) continue;
      this.issues.push({ path: join(path, name), message: unknownMember(name), code: 'unknown_member' });
    }
  }

  private async validateNested(type: Type<object>, value: unknown, path: string): Promise<unknown> {
    if (!Array.isArray(value)) return isObject(value) ? this.validate(type, value, path) : undefined;

    const elements: object[] = [];
    for (const [index, element] of value.entries()) {
      if (this.issues.length >= MAX_ISSUES) break;
      if (performance.now() - this.sliceStart > SLICE_MS) await this.yieldToOthers();
      if (isObject(element)) elements.push(await this.validate(type, element, join(path, String(index))));
    }
    return elements;
  }

  private async yieldToOthers(): Promise<void> {
    await nextTurn();
    this.sliceStart = performance.now();
  }
}

/** The sizes and classes of a DTO's members, from the metadata of its decorators. */
function rulesOf(type: Type<object>): Rules {
  const known = knownRules.get(type);
  if (known) return known;

  const rules = new Map<string, MemberRule>();
  for (const { propertyName, name, constraints, context, each } of metadataOf(type)) {
    const rule = rules.get(propertyName) ?? { isFree: false };
    const [max] = (constraints ?? []) as unknown[];
    if (name === 'arrayMaxSize' && typeof max === 'number') rule.maxElements = max;
    if (name === 'maxLength' && typeof max === 'number' && !each) rule.maxCharacters = max;
    if (name === 'isFreeObject') rule.isFree = true;
    const { nestedType } = (context ?? {}) as Pick<MemberRule, 'nestedType'>;
    if (nestedType) rule.nestedType = nestedType;
    rules.set(propertyName, rule);
  }
  knownRules.set(type, rules);
  return rules;
}

function metadataOf(type: Type<object>) {
  return getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
}

/** The value without members that no rule reads, because class-transformer would copy them. */
function standIn(rule: MemberRule, value: unknown): unknown {
  const isList = rule.maxElements !== undefined && !rule.isFree;
  return isList && Array.isArray(value) ? value.map(emptied) : emptied(value);
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
