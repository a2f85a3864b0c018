import { readFileSync } from 'node:fs';
import type { Type } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type * as ClassValidator from 'class-validator';
import { isAccepted } from '../../src/platform/validation/accepted-values.js';
import { startApp } from '../setup/app.js';

/** The application is loaded outside of Jest's sandbox, and so are the rules of its classes. */
declare const nativeRequire: (name: string) => unknown;
const { getMetadataStorage, validateSync, ValidationTypes } = nativeRequire('class-validator') as typeof ClassValidator;

/** Values of many kinds, and near the limits of most rules. */
const VALUES: readonly unknown[] = [
  ...[undefined, null, true, 'true', 0, 1, -1, 1.5, 500, 2 ** 53, 1e300, '1', '2000000000000'],
  ...['', ' ', 'a', 'EUR', 'eur', 'DE', 'de-DE', 'Europe/Berlin', 'a'.repeat(300), 'a\u0000b', '😀'],
  ...['2026-02-28', '2026-02-30', '2026-02-28T10:00:00Z', '2026-02-28T10:00:00.000+01:00', '10:30'],
  ...['clara@example.com', 'https://example.com', 'javascript:alert(1)', '+49 30 123456', '#336699'],
  ...['-createdAt', 'name', [], ['a'], ['a', 'a'], [1], [null], ['EUR'], {}, { a: 1 }, new Date(0), Number.NaN],
];
const OPTIONS = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false };

/** The values of each member of the requests and responses in the API document. */
const examples = new Map<string, unknown[]>();

interface Case {
  readonly type: Type<object>;
  readonly members: readonly string[];
  readonly isNested: boolean;
}

let cases: Case[];
beforeAll(async () => {
  // Loads all classes.
  await startApp();
  collect(JSON.parse(readFileSync('src/document/api-examples.json', 'utf8')));
  cases = allClasses();
});

function collect(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const known = examples.get(name) ?? [];
    if (known.length < 4 && !known.includes(member)) examples.set(name, [...known, member]);
    collect(member);
  }
}

/** Every class of a request. class-validator keeps them in a private map, together with classes of responses. */
function allClasses(): Case[] {
  const storage = getMetadataStorage();
  const rulesByClass = Reflect.get(storage, 'validationMetadatas') as Map<Type<object>, unknown>;
  const types = [...rulesByClass.keys()].filter(({ name }) => !/(Response|Row|Summary)$/.test(name));
  return types.map((type) => {
    const rules = storage.getTargetValidationMetadatas(type, '', false, false);
    const members = [...new Set(rules.map(({ propertyName }) => propertyName))];
    return { type, members, isNested: rules.some((rule) => rule.type === ValidationTypes.NESTED_VALIDATION) };
  });
}

function faultsOf(type: Type<object>, values: object): string[] {
  const object: object = Object.assign(new type(), values);
  return validateSync(object, OPTIONS).map(({ property }) => property);
}

/** Returns a valid object, if the values contain one for each required member. */
function acceptedBy({ type, members }: Case): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const member of members) {
    const values = [...(examples.get(member) ?? []), ...VALUES];
    const valid = values.find(
      (value) => value !== undefined && !faultsOf(type, { ...object, [member]: value }).includes(member),
    );
    if (valid !== undefined) object[member] = valid;
  }
  return object;
}

describe('the quick check of an object', () => {
  it('of every class of a request accepts exactly the values in which class-validator finds no fault', () => {
    let accepted = 0;
    let classesWithoutSample = 0;
    const differences: object[] = [];
    for (const one of cases) {
      const base = acceptedBy(one);
      const variants = one.members.flatMap((member) =>
        [...VALUES, ...(examples.get(member) ?? [])].map((value) => ({ ...base, [member]: value })),
      );
      let ofClass = 0;
      for (const values of [base, { ...base, unknownMember: 1 }, ...variants]) {
        const faults = faultsOf(one.type, values);
        const isAcceptedQuickly = isAccepted(one.type, Object.assign(new one.type(), values));
        if (isAcceptedQuickly) ofClass += 1;
        // class-validator checks classes with nested objects.
        const expected = faults.length === 0 && !one.isNested;
        if (isAcceptedQuickly !== expected) differences.push({ class: one.type.name, values, faults });
      }
      if (ofClass === 0 && !one.isNested) classesWithoutSample += 1;
      accepted += ofClass;
    }
    expect(differences.slice(0, 5)).toEqual([]);
    // The values contain no accepted object for classes with many interdependent rules, mostly classes of responses.
    expect(classesWithoutSample / cases.length).toBeLessThan(0.2);
    expect([cases.length > 50, accepted > 1_000]).toEqual([true, true]);
  }, 600_000);
});
