import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { FreeObject, WebAddress } from './trade-fields.js';

class Holder {
  @WebAddress()
  website: string;
}

async function codesOf(website: unknown): Promise<string[]> {
  const errors = await validate(plainToInstance(Holder, { website }));
  return errors.flatMap(({ constraints }) => Object.keys(constraints ?? {}));
}

describe('a web address', () => {
  it.each([
    'https://example.com/a?b#c',
    'HTTP://EXAMPLE.COM',
    'example.com',
    'www.example.com/path:1',
    'example.com:8080',
    'example.com:8080/path',
    'localhost:3000',
    '//example.com',
    'https://bücher.example',
  ])('a web address may be %s', async (website) => {
    expect(await codesOf(website)).toEqual([]);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:1',
    'javascript:1/alert(1)',
    'javascript:%0aalert(1)',
    'data:1,text',
    'data:text/html,x',
    'ftp://example.com',
    'mailto:a@example.com',
    'file:///etc/passwd',
    'example.com:99999999',
    'https:example.com',
    'https://',
    'https:///x',
    'https://a b',
    'exa mple.com',
    'java\tscript:1',
    7,
    {},
  ])('a web address must not be %s', async (website) => {
    expect(await codesOf(website)).toContain('isWebAddress');
  });

  it('a long web address is rejected as quickly', async () => {
    const started = performance.now();
    expect(await codesOf('a.'.repeat(500_000))).toEqual(['maxLength']);
    expect(await codesOf(`${'a.'.repeat(500_000)}:x`)).toContain('isWebAddress');
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

class Notes {
  @FreeObject({ maxBytes: 40, maxDepth: 2 })
  notes: object;
}

describe('a free-form object', () => {
  const isValid = async (notes: unknown) => (await validate(Object.assign(new Notes(), { notes }))).length === 0;

  it.each([[{}], [{ a: [] }], [{ a: 'b'.repeat(32) }], [{ a: ['b', 1, null] }]])(
    'a free-form object may be %j',
    async (notes) => expect(await isValid(notes)).toBe(true),
  );

  it.each([[[]], ['a'], [null], [{ a: 'b'.repeat(33) }], [{ a: { b: {} } }], [{ a: 'é'.repeat(17) }]])(
    'a free-form object must not be %j',
    async (notes) => expect(await isValid(notes)).toBe(false),
  );

  it('a free-form object that is too large is not read any further', async () => {
    const unread = {
      toJSON: () => assertUnread(),
      get last() {
        return assertUnread();
      },
    };
    expect(
      await isValid({ ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`name ${n}`, n])), unread }),
    ).toBe(false);
  });
});

function assertUnread(): never {
  throw new Error('The value was read');
}
