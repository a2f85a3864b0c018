import { describe, expect, it } from '@jest/globals';
import { breakingChanges } from '../../scripts/release/compatibility.js';
import { answering, at, type Json, member, object, taking } from './api-documents.js';

const inRequest = (before: Json, after: Json) => breakingChanges(taking(before), taking(after));
const inResponse = (before: Json, after: Json) => breakingChanges(answering(before), answering(after));

describe('the compatibility of what clients send', () => {
  it.each<[string, Json, Json, string[]]>([
    ['a removed property', member({}), object({}), ['$: the property name was removed']],
    ['a new optional property', object({}), member({}), []],
    [
      'a new required property',
      object({}),
      object({ name: {} }, { required: ['name'] }),
      ['$: the property name was added and is required'],
    ],
    [
      'a required property',
      member({}),
      object({ name: {} }, { required: ['name'] }),
      ['$: the property name is now required'],
    ],
    ['an optional property', object({ name: {} }, { required: ['name'] }), member({}), []],
    [
      'a closed object',
      object({}),
      object({}, { additionalProperties: false }),
      ['$: other properties are no longer accepted'],
    ],
    [
      'another type',
      member({ type: 'string' }),
      member({ type: 'integer' }),
      ['$.name: the type string became integer'],
    ],
    [
      'integers only',
      member({ type: 'number' }),
      member({ type: 'integer' }),
      ['$.name: the type number became integer'],
    ],
    ['any number', member({ type: 'integer' }), member({ type: 'number' }), []],
    ['a type instead of any', member({}), member({ type: 'string' }), ['$.name: the type any became string']],
    [
      'no null',
      member({ type: 'string', nullable: true }),
      member({ type: 'string' }),
      ['$.name: null is no longer accepted'],
    ],
    ['null', member({ type: 'string' }), member({ type: 'string', nullable: true }), []],
    [
      'the same null of OpenAPI 3.1',
      member({ type: 'string', nullable: true }),
      member({ type: ['string', 'null'] }),
      [],
    ],
    [
      'fewer values',
      member({ enum: ['a', 'b'] }),
      member({ enum: ['b'] }),
      ['$.name: the value a is no longer accepted'],
    ],
    ['more values', member({ enum: ['a'] }), member({ enum: ['a', 'b'] }), []],
    [
      'only some values',
      member({ type: 'string' }),
      member({ type: 'string', enum: ['a'] }),
      ['$.name: only the values a are accepted now'],
    ],
    ['any value', member({ const: 'a' }), member({}), []],
    ['a shorter text', member({ maxLength: 200 }), member({ maxLength: 100 }), ['$.name: maxLength 200 became 100']],
    ['a longer text', member({ maxLength: 100 }), member({ maxLength: 200 }), []],
    ['a first limit', member({}), member({ maxLength: 100 }), ['$.name: maxLength 100 was added']],
    ['no limit', member({ maxLength: 100 }), member({}), []],
    ['a longer minimum', member({}), member({ minLength: 1 }), ['$.name: minLength 1 was added']],
    ['a smaller maximum', member({ maximum: 9 }), member({ maximum: 8 }), ['$.name: maximum 9 became 8']],
    ['a greater minimum', member({ minimum: 0 }), member({ minimum: 1 }), ['$.name: minimum 0 became 1']],
    ['a first minimum below zero', member({}), member({ minimum: -5 }), ['$.name: minimum -5 was added']],
    [
      'an excluded maximum',
      member({ maximum: 9 }),
      member({ maximum: 9, exclusiveMaximum: true }),
      ['$.name: exclusiveMaximum true was added'],
    ],
    [
      'an excluded maximum of OpenAPI 3.1',
      member({ exclusiveMaximum: 9 }),
      member({ exclusiveMaximum: 8 }),
      ['$.name: exclusiveMaximum 9 became 8'],
    ],
    ['fewer items', member({ maxItems: 9 }), member({ maxItems: 8 }), ['$.name: maxItems 9 became 8']],
    ['fewer properties', member({}), member({ maxProperties: 8 }), ['$.name: maxProperties 8 was added']],
    ['another pattern', member({ pattern: '^a' }), member({ pattern: '^b' }), ['$.name: pattern ^a became ^b']],
    ['no pattern', member({ pattern: '^a' }), member({}), []],
    ['a format', member({}), member({ format: 'uuid' }), ['$.name: format uuid was added']],
    ['unique items', member({}), member({ uniqueItems: true }), ['$.name: duplicate items are no longer accepted']],
    [
      'coarser multiples',
      member({ multipleOf: 5 }),
      member({ multipleOf: 10 }),
      ['$.name: only multiples of 10 are accepted now'],
    ],
    ['finer multiples', member({ multipleOf: 10 }), member({ multipleOf: 5 }), []],
    ['another default', member({ default: 20 }), member({ default: 50 }), ['$.name: the default 20 became 50']],
    [
      'a narrower item',
      member({ items: { maxLength: 2 } }),
      member({ items: { maxLength: 1 } }),
      ['$.name[*]: maxLength 2 became 1'],
    ],
    [
      'a narrower value of a map',
      { additionalProperties: { maxLength: 2 } },
      { additionalProperties: { maxLength: 1 } },
      ['$.*: maxLength 2 became 1'],
    ],
    ['a list of any', { type: 'array', items: { maxLength: 2 } }, { type: 'array' }, []],
    [
      'items of a type',
      { type: 'array' },
      { type: 'array', items: { type: 'string' } },
      ['$[*]: the type any became string'],
    ],
    [
      'a map of a type',
      { type: 'object' },
      { type: 'object', additionalProperties: { type: 'string' } },
      ['$.*: the type any became string'],
    ],
    ['a map of any', { type: 'object', additionalProperties: { type: 'string' } }, { type: 'object' }, []],
    [
      'a narrower property of one of two parts',
      { allOf: [member({ maxLength: 2 }), member({ title: 'Name' })] },
      { allOf: [member({ maxLength: 1 }), member({ title: 'Name' })] },
      ['$.name: maxLength 2 became 1'],
    ],
    [
      'a name that is no word',
      object({ 'a-b': { maxLength: 2 } }),
      object({ 'a-b': { maxLength: 1 } }),
      ["$['a-b']: maxLength 2 became 1"],
    ],
    [
      'fewer forms',
      { oneOf: [{ title: 'A' }, { title: 'B' }] },
      { oneOf: [{ title: 'B' }] },
      ['$: the form A is no longer accepted'],
    ],
    ['more forms', { oneOf: [{ title: 'A' }] }, { oneOf: [{ title: 'A' }, { title: 'B' }] }, []],
    ['a narrower form', { anyOf: [{ maxLength: 2 }] }, { anyOf: [{ maxLength: 1 }] }, ['$(1): maxLength 2 became 1']],
    ['forms', {}, { oneOf: [{ title: 'A' }] }, ['$: oneOf was added']],
    ['texts', member({ description: 'A', example: 1 }), member({ description: 'B', example: 2, deprecated: true }), []],
  ])('%s', (...[, before, after, expected]) => {
    expect(inRequest(before, after)).toEqual(at('request body', ...expected));
  });
});

describe('the compatibility of what clients get', () => {
  it.each<[string, Json, Json, string[]]>([
    ['a removed property', member({}), object({}), ['$: the property name was removed']],
    ['a new property', object({}), object({ name: {} }, { required: ['name'] }), []],
    [
      'an optional property',
      object({ name: {} }, { required: ['name'] }),
      member({}),
      ['$: the property name may now be absent'],
    ],
    ['a property that is always there', member({}), object({ name: {} }, { required: ['name'] }), []],
    ['another type', member({ type: 'string' }), member({ type: 'object' }), ['$.name: the type string became object']],
    ['any number', member({ type: 'integer' }), member({ type: 'number' }), ['$.name: the type integer became number']],
    ['integers only', member({ type: 'number' }), member({ type: 'integer' }), []],
    ['any type', member({ type: 'string' }), member({}), ['$.name: the type string became any']],
    ['null', member({ type: 'string' }), member({ type: 'string', nullable: true }), ['$.name: it may now be null']],
    ['no null', member({ type: 'string', nullable: true }), member({ type: 'string' }), []],
    ['more values', member({ enum: ['a'] }), member({ enum: ['a', 'b'] }), ['$.name: the value b was added']],
    [
      'more values of an extensible list',
      member({ enum: ['a'], 'x-extensible': true }),
      member({ enum: ['a', 'b'] }),
      [],
    ],
    [
      'a list that becomes extensible',
      member({ enum: ['a'] }),
      member({ enum: ['a', 'b'], 'x-extensible': true }),
      ['$.name: values may be added from now on'],
    ],
    ['a list that remains as it is', member({ enum: ['a'], 'x-extensible': true }), member({ enum: ['a'] }), []],
    ['fewer values', member({ enum: ['a', 'b'] }), member({ enum: ['a'] }), []],
    ['any value', member({ enum: ['a', 'b'] }), member({}), ['$.name: other values than a, b are possible now']],
    [
      'another format',
      member({ format: 'date' }),
      member({ format: 'date-time' }),
      ['$.name: the format date became date-time'],
    ],
    ['no format', member({ format: 'date' }), member({}), ['$.name: the format date became any']],
    ['longer texts', member({ maxLength: 100 }), member({ maxLength: 200 }), []],
    [
      'more forms',
      { oneOf: [{ title: 'A' }] },
      { oneOf: [{ title: 'A' }, { title: 'B' }] },
      ['$: the form B was added'],
    ],
    ['fewer forms', { oneOf: [{ title: 'A' }, { title: 'B' }] }, { oneOf: [{ title: 'B' }] }, []],
    [
      'a list of any',
      { type: 'array', items: { type: 'string' } },
      { type: 'array' },
      ['$[*]: the type string became any'],
    ],
    [
      'a map of any',
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: true },
      ['$.*: the type string became any'],
    ],
    ['properties of any name', { additionalProperties: false }, { type: 'object' }, []],
    ['a change in a list', { items: member({}) }, { items: object({}) }, ['$[*]: the property name was removed']],
  ])('%s', (...[, before, after, expected]) => {
    expect(inResponse(before, after)).toEqual(at('response 200', ...expected));
  });

  it('a new error code is compatible, a removed one is not', () => {
    const error = (...codes: string[]) => answering(object({ code: { enum: codes } }), {}, 409);
    expect(breakingChanges(error('a'), error('a', 'b'))).toEqual([]);
    expect(breakingChanges(error('a', 'b'), error('a'))).toEqual(at('response 409', '$.code: the code b was removed'));
    const unlisted = answering(object({ code: { type: 'string' } }), {}, 409);
    expect(breakingChanges(error('a', 'b'), unlisted)).toEqual(
      at('response 409', '$.code: the codes a, b are no longer listed'),
    );
  });
});
