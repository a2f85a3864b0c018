/** A metric of `GET /metrics` with its samples. */
export interface ExposedMetric {
  name: string;
  help: string | null;
  type: string | null;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const SAMPLE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (NaN|[+-]Inf|-?[\d.]+(?:e[+-]?\d+)?)$/;
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/g;
const PARTS = ['_bucket', '_sum', '_count'];

/** Reads the text format of Prometheus (version 0.0.4). Throws for a line that is not of this format. */
export function parseExposition(text: string): ExposedMetric[] {
  const metrics = new Map<string, ExposedMetric>();
  const metric = (name: string): ExposedMetric => {
    const known = metrics.get(name) ?? { name, help: null, type: null, samples: [] };
    metrics.set(name, known);
    return known;
  };
  const familyOf = (sample: string): string => {
    const part = PARTS.find((suffix) => sample.endsWith(suffix));
    const family = part === undefined ? sample : sample.slice(0, -part.length);
    return metrics.get(family)?.type === 'histogram' ? family : sample;
  };
  for (const line of text.split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') metric(name).help = rest;
    else if (keyword === 'TYPE') metric(name).type = rest;
    else if (line !== '' && !line.startsWith('#')) {
      const [, sample, labels = '', value] = SAMPLE.exec(line) ?? [];
      if (sample === undefined) throw new Error(`Not a sample: ${line}`);
      const read = [...labels.matchAll(LABEL)];
      if (read.map(([whole]) => whole).join('') !== labels) throw new Error(`Not labels: ${line}`);
      const named = Object.fromEntries(read.map(([, label = '', content = '']) => [label, content]));
      const number = Number(value?.replace('Inf', 'Infinity'));
      metric(familyOf(sample)).samples.push({ name: sample, labels: named, value: number });
    }
  }
  return [...metrics.values()];
}

const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary']);
/** Units that are not base units, and abbreviations, as in promtool. */
const WRONG_UNITS =
  /^(?:s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d|milliseconds?|microseconds?|nanoseconds?|minutes?|hours?|days?|weeks?|kilobytes?|megabytes?|gigabytes?|bits?|percent|percents)$/;

/** Reports the same faults of names as `promtool check metrics`, one text each. */
export function namingFaults(metrics: readonly ExposedMetric[]): string[] {
  return metrics.flatMap(({ name, help, type, samples }) => {
    const faults: [isFault: boolean, text: string][] = [
      [help === null, 'has no HELP'],
      [type === null || !TYPES.has(type), 'has no known TYPE'],
      [type === 'counter' && !name.endsWith('_total'), 'is a counter without the suffix _total'],
      [type !== 'counter' && name.endsWith('_total'), 'is no counter, but has the suffix _total'],
      [type !== 'histogram' && /_(?:bucket|sum|count)$/.test(name), 'has a suffix of histograms'],
      [/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name), 'contains its type'],
      [/[:A-Z]/.test(name), 'contains a colon or a capital letter'],
      [name.split('_').some((word) => WRONG_UNITS.test(word)), 'has a unit that is not a base unit'],
      [
        samples.some(({ labels }) => Object.keys(labels).some((label) => /[A-Z]/.test(label))),
        'has a label in camel case',
      ],
      [type !== 'histogram' && samples.some(({ labels }) => 'le' in labels), 'has the label le'],
      [
        new Set(samples.map((one) => JSON.stringify(one.labels) + one.name)).size < samples.length,
        'has a sample twice',
      ],
    ];
    return faults.filter(([isFault]) => isFault).map(([, text]) => `${name} ${text}`);
  });
}
