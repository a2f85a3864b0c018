import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateNumberSeries, ListNumberSeries, UpdateNumberSeries } from './number-series.dto.js';

describe('a new number series', () => {
  const SERIES = { name: 'Invoices', prefix: 'T1-', isDefault: false };

  it('a new number series has no issue with its required members alone', async () => {
    expect(await issuesOf(CreateNumberSeries, SERIES)).toEqual([]);
  });

  it.each([
    [{ name: '' }, 'name', 'minLength'],
    [{ name: undefined }, 'name', expect.any(String)],
    [{ prefix: 'x'.repeat(51) }, 'prefix', 'maxLength'],
    [{ prefix: 'A\tB' }, 'prefix', 'matches'],
    [{ nextNumber: 0 }, 'nextNumber', 'min'],
    [{ nextNumber: 1.5 }, 'nextNumber', 'isInt'],
    [{ nextNumber: '1' }, 'nextNumber', expect.any(String)],
    [{ documentType: 'bill' }, 'documentType', 'isIn'],
    [{ resetPeriod: 'weekly' }, 'resetPeriod', 'isIn'],
    [{ isDefault: 'yes' }, 'isDefault', 'isBoolean'],
    [{ sequence: 1 }, 'sequence', 'whitelistValidation'],
  ])('a new number series rejects %j at %s', async (over, path, code) => {
    expect(await issuesOf(CreateNumberSeries, { ...SERIES, ...over })).toContainEqual(issue(path, code));
  });
});

describe('a change of a number series', () => {
  it.each([{ documentType: 'proforma' }, { id: 'iser_01k0dem000e000000000000001' }, { version: 3 }])(
    'a change of a number series rejects %j as unknown',
    async (changes) => {
      const [member = ''] = Object.keys(changes);
      expect(await issuesOf(UpdateNumberSeries, changes)).toEqual([issue(member, 'whitelistValidation')]);
    },
  );

  it('a change of a number series requires at least one member', async () => {
    expect(await issuesOf(UpdateNumberSeries, {})).toEqual([issue('', 'notEmpty')]);
  });

  it.each(['name', 'prefix', 'nextNumber', 'pattern', 'resetPeriod', 'isDefault', 'active'])(
    'a change of a number series rejects null for %s',
    async (field) => {
      expect(await invalidMembers(UpdateNumberSeries, { [field]: null })).toEqual([field]);
    },
  );
});

it('a query for number series cannot sort by prefix', async () => {
  expect(await issuesOf(ListNumberSeries, 'sort=prefix')).toEqual([issue('sort', 'isIn')]);
});
