import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { core, metrics, resources } from '@opentelemetry/sdk-node';
import type { Registry } from 'prom-client';

interface Sample {
  value: number;
  labels: Attributes;
  /** Of a histogram: its name with `_bucket`, `_sum` or `_count`. */
  metricName?: string;
}

interface Family {
  name: string;
  help: string;
  /** A text; the types of prom-client say a number. */
  type: unknown;
  values: Sample[];
}

interface Period {
  startTime: HrTime;
  endTime: HrTime;
}

const UNITS: Record<string, string> = { seconds: 's', bytes: 'By' };

/**
 * The metrics of `/metrics` in the form of OpenTelemetry, under the same names: they are counted once, and a dashboard works with
 * either source.
 */
export class RegistryMetrics implements metrics.MetricProducer {
  registry: Registry | null = null;
  private readonly startTime = core.hrTime();

  async collect(): Promise<metrics.CollectionResult> {
    const families: readonly Family[] = this.registry ? await this.registry.getMetricsAsJSON() : [];
    const period = { startTime: this.startTime, endTime: core.hrTime() };
    const scopeMetrics = [{ scope: { name: 'metrics' }, metrics: families.map((family) => toMetric(family, period)) }];
    // The reader replaces the resource by its own.
    return { resourceMetrics: { resource: resources.emptyResource(), scopeMetrics }, errors: [] };
  }
}

function toMetric(family: Family, period: Period): metrics.MetricData {
  const { name, help: description, type, values } = family;
  const unit =
    UNITS[
      name
        .replace(/_total$/, '')
        .split('_')
        .at(-1) ?? ''
    ] ?? '';
  const descriptor = { name, description, unit, valueType: ValueType.DOUBLE };
  const aggregationTemporality = metrics.AggregationTemporality.CUMULATIVE;
  const common = { descriptor, aggregationTemporality };
  if (type === 'histogram') {
    const dataPoints = bySeries(values).map((series) => toHistogram(series, period));
    return { ...common, dataPointType: metrics.DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = values.map(({ value, labels }) => ({ ...period, attributes: labels, value }));
  if (type !== 'counter') return { ...common, dataPointType: metrics.DataPointType.GAUGE, dataPoints };
  return { ...common, dataPointType: metrics.DataPointType.SUM, isMonotonic: true, dataPoints };
}

/** The samples of a histogram by their labels other than `le`. */
function bySeries(samples: readonly Sample[]): Sample[][] {
  const found = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = JSON.stringify(withoutBound(sample.labels));
    const series = found.get(key);
    if (series) series.push(sample);
    else found.set(key, [sample]);
  }
  return [...found.values()];
}

function toHistogram(series: readonly Sample[], period: Period): metrics.DataPoint<metrics.Histogram> {
  const ending = (suffix: string) => series.filter(({ metricName = '' }) => metricName.endsWith(suffix));
  const buckets = ending('_bucket');
  const boundaries = buckets.map(({ labels }) => Number(labels['le'])).filter((bound) => Number.isFinite(bound));
  // Prometheus counts up to each bound, OpenTelemetry between two of them.
  const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
  return {
    ...period,
    attributes: withoutBound(series[0]?.labels ?? {}),
    value: {
      buckets: { boundaries, counts },
      sum: ending('_sum')[0]?.value ?? 0,
      count: ending('_count')[0]?.value ?? 0,
    },
  };
}

function withoutBound({ le, ...labels }: Attributes): Attributes {
  return labels;
}
