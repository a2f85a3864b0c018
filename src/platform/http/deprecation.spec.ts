import { describe, expect, it } from '@jest/globals';
import { Deprecated, type Deprecation } from './deprecation.js';

const declaring = (deprecation: Deprecation) => () => Deprecated(deprecation);

describe('@Deprecated', () => {
  it.each<[Deprecation, string]>([
    [{ since: '31.01.2027' }, 'since must be a day (YYYY-MM-DD), not 31.01.2027'],
    [{ since: '2027-02-30' }, 'since must be a day (YYYY-MM-DD), not 2027-02-30'],
    [{ since: '2027-13-01' }, 'since must be a day (YYYY-MM-DD), not 2027-13-01'],
    [{ since: '2027-01-31', sunset: 'soon' }, 'sunset must be a day (YYYY-MM-DD), not soon'],
    [
      { since: '2027-01-31', sunset: '2027-01-30' },
      'sunset 2027-01-30 must be at least 12 months after since 2027-01-31',
    ],
    [
      { since: '2027-01-31', sunset: '2028-01-30' },
      'sunset 2028-01-30 must be at least 12 months after since 2027-01-31',
    ],
    [
      { since: '2027-01-31', documentation: 'http://docs.example.com' },
      'documentation must be an address with https:, not http://docs.example.com',
    ],
    [{ since: '2027-01-31', documentation: 'https://a/">' }, 'documentation must be an address with https:'],
  ])('@Deprecated(%j) fails when the class is loaded', (deprecation, message) => {
    expect(declaring(deprecation)).toThrow(message);
  });

  it('@Deprecated accepts a sunset after twelve months, and none', () => {
    expect(declaring({ since: '2027-01-31', sunset: '2028-01-31' })).not.toThrow();
    expect(declaring({ since: '2024-02-29' })).not.toThrow();
  });
});
