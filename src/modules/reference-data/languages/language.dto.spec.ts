import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { ListLanguages } from './language.dto.js';

describe('a query for languages', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=', 'limit'],
    ['limit=9007199254740993', 'limit'],
    ['limit=50&limit=50', 'limit'],
    ['lang=', 'lang'],
    ['lang=e', 'lang'],
    ['lang=*', 'lang'],
    ['lang=de_DE', 'lang'],
    ['lang=de--AT', 'lang'],
    ['lang=deutschland', 'lang'],
    ['lang=de%00', 'lang'],
    [`lang=de${'-abc'.repeat(16)}`, 'lang'],
    ['lang=de&lang=fr', 'lang'],
    ['lang=!', 'lang'],
    ['cursor=', 'cursor'],
    ['cursor=%00', 'cursor'],
    [`cursor=${'a'.repeat(600)}`, 'cursor'],
    ['page=2', 'page'],
  ])('a query for languages is rejected with %s', async (query, path) => {
    expect(await invalidMembers(ListLanguages, query)).toEqual([path]);
  });
});
