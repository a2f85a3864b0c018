import { describe, expect, it } from '@jest/globals';
import { namingFaults, parseExposition } from './exposition.js';

const faultsOf = (text: string) => namingFaults(parseExposition(text));

describe('the naming rules of metrics', () => {
  it('a metric that follows the naming rules has no faults', () => {
    const counter =
      '# HELP http_errors_total Errors\n# TYPE http_errors_total counter\nhttp_errors_total{code="a,\\"b\\""} 1\n';
    const buckets =
      'work_seconds_bucket{le="0.1"} 1\nwork_seconds_bucket{le="+Inf"} 2\nwork_seconds_sum 1.5e-7\nwork_seconds_count 2\n';
    expect(faultsOf(`${counter}# HELP work_seconds Time\n# TYPE work_seconds histogram\n${buckets}`)).toEqual([]);
  });

  it.each([
    ['# TYPE a gauge\na 1\n', 'a has no HELP'],
    ['# HELP a A\na 1\n', 'a has no known TYPE'],
    ['# HELP errors E\n# TYPE errors counter\nerrors 1\n', 'errors is a counter without the suffix _total'],
    ['# HELP a_total A\n# TYPE a_total gauge\na_total 1\n', 'a_total is no counter, but has the suffix _total'],
    ['# HELP a_count A\n# TYPE a_count gauge\na_count 1\n', 'a_count has a suffix of histograms'],
    ['# HELP a_gauge A\n# TYPE a_gauge gauge\na_gauge 1\n', 'a_gauge contains its type'],
    ['# HELP aB A\n# TYPE aB gauge\naB 1\n', 'aB contains a colon or a capital letter'],
    ['# HELP wait_ms W\n# TYPE wait_ms gauge\nwait_ms 1\n', 'wait_ms has a unit that is not a base unit'],
    ['# HELP a A\n# TYPE a gauge\na{statusCode="1"} 1\n', 'a has a label in camel case'],
    ['# HELP a A\n# TYPE a gauge\na{le="1"} 1\n', 'a has the label le'],
    ['# HELP a A\n# TYPE a gauge\na{b="1"} 1\na{b="1"} 2\n', 'a has a sample twice'],
  ])('%j breaks a naming rule', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  it.each(['a 1 2 3', 'a{b=c} 1', '0a 1', 'a one'])('%j is not a line of the format', (line) => {
    expect(() => parseExposition(line)).toThrow('Not');
  });
});
