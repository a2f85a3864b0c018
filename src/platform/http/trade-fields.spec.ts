import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { WebAddress } from './trade-fields.js';

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
  ])('may be %s', async (website) => {
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
  ])('is not %s', async (website) => {
    expect(await codesOf(website)).toContain('isWebAddress');
  });

  it('is refused as quickly when it is long', async () => {
    const started = performance.now();
    expect(await codesOf('a.'.repeat(500_000))).toEqual(['maxLength']);
    expect(await codesOf(`${'a.'.repeat(500_000)}:x`)).toContain('isWebAddress');
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
