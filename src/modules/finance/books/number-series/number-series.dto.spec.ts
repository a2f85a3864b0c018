import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../../test/setup/issues.js';
import { CreateNumberSeries, ListNumberSeries, UpdateNumberSeries } from './number-series.dto.js';

describe('a new number series', () => {
  const SERIES = { name: 'Invoices', prefix: 'T1-', isDefault: false };

  it('a new number series has no issue with its required members alone', async () => {
    expect(await issuesOf(CreateNumberSeries, SERIES)).toEqual([]);
  });

  it.each([
    [{ name: '' }, 'name', 'too_short'],
    [{ name: undefined }, 'name', expect.any(String)],
    [{ prefix: 'x'.repeat(51) }, 'prefix', 'too_long'],
    [{ prefix: 'A\tB' }, 'prefix', 'wrong_format'],
    [{ nextNumber: 0 }, 'nextNumber', 'too_small'],
    [{ nextNumber: 1.5 }, 'nextNumber', 'wrong_type'],
    [{ nextNumber: '1' }, 'nextNumber', expect.any(String)],
    [{ documentType: 'bill' }, 'documentType', 'unknown_value'],
    [{ resetPeriod: 'weekly' }, 'resetPeriod', 'unknown_value'],
    [{ isDefault: 'yes' }, 'isDefault', 'wrong_type'],
    [{ sequence: 1 }, 'sequence', 'unknown_member'],
  ])('a new number series rejects %j at %s', async (over, path, code) => {
    expect(await issuesOf(CreateNumberSeries, { ...SERIES, ...over })).toContainEqual(issue(path, code));
  });
});

describe('a change of a number series', () => {
  it.each([{ documentType: 'proforma' }, { id: 'iser_01k0dem000e000000000000001' }, { version: 3 }])(
    'a change of a number series rejects %j as unknown',
    async (changes) => {
      const [member = ''] = Object.keys(changes);
      expect(await issuesOf(UpdateNumberSeries, changes)).toEqual([issue(member, 'unknown_member')]);
    },
  );

  it('a change of a number series requires at least one member', async () => {
    expect(await issuesOf(UpdateNumberSeries, {})).toEqual([issue('', 'empty')]);
  });

  it.each(['name', 'prefix', 'nextNumber', 'pattern', 'resetPeriod', 'isDefault', 'active'])(
    'a change of a number series rejects null for %s',
    async (field) => {
      expect(await invalidMembers(UpdateNumberSeries, { [field]: null })).toEqual([field]);
    },
  );
});

it('a query for number series cannot sort by prefix', async () => {
  expect(await issuesOf(ListNumberSeries, 'sort=prefix')).toEqual([issue('sort', 'unknown_value')]);
});
