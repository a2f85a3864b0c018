import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { identityOf } from './idempotency.interceptor.js';

const of = (json: string, originalUrl = '/connect/v1/things') => {
  const request: Partial<Request> = { method: 'POST', originalUrl, body: JSON.parse(json) as unknown };
  return identityOf(request as Request).toString('hex');
};

describe('the identity of a request', () => {
  it('the identity of a request does not depend on the order of keys, at every depth', () => {
    expect(of('{"a":1,"b":{"c":[{"d":1,"e":2}],"f":null}}')).toBe(of('{"b":{"f":null,"c":[{"e":2,"d":1}]},"a":1}'));
  });

  it.each([
    ['another value', '{"a":2}'],
    ['another key', '{"b":1}'],
    ['one more key', '{"a":1,"b":1}'],
    ['a key that JavaScript takes for its own', '{"a":1,"__proto__":1}'],
    ['an array in place of the object', '["a",1]'],
  ])('the identity of a request changes with %s', (_, json) => {
    expect(of(json)).not.toBe(of('{"a":1}'));
  });

  it('the identity of a request changes with the order of an array', () => {
    expect(of('{"a":[1,2]}')).not.toBe(of('{"a":[2,1]}'));
  });

  it('the identity of a request distinguishes lone surrogates, which canonical JSON cannot represent', () => {
    expect(of('{"a":"\\ud800"}')).toBe(of('{"a":"\\ud800"}'));
    expect(of('{"a":"\\ud800"}')).not.toBe(of('{"a":"\\ud801"}'));
  });

  it('the identity of a request changes with its query', () => {
    expect(of('{}', '/connect/v1/things?a=1')).not.toBe(of('{}', '/connect/v1/things?a=2'));
  });
});
