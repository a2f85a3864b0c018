import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { PROJECT } from '../launcher/folders.js';

interface Relabelling {
  source_labels: string[];
  regex?: string;
  action?: string;
  target_label?: string;
}

interface AutoscalerMetric {
  pods: { metric: { name: string }; target: { averageValue: string } };
}

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');
const { spec: autoscaler } = parse(read('deploy/kubernetes/autoscaling.yaml')) as {
  spec: { metrics: [AutoscalerMetric, ...AutoscalerMetric[]] };
};

/** Whether a file of the service defines a metric with this name. */
function isPublished(metric: string): boolean {
  const files = readdirSync(join(PROJECT, 'src'), { withFileTypes: true, recursive: true });
  return files.some(
    (file) => file.isFile() && readFileSync(join(file.parentPath, file.name), 'utf8').includes(`name: '${metric}'`),
  );
}

it('the scrape job of docs/operations/monitoring.md keeps the pods of the service by their labels, and the alerts have its name', () => {
  const [, jobs = '', discovery = ''] =
    /```yaml\n(rule_files:.*?)```.*?```yaml\n(.*?)```/s.exec(read('docs/operations/monitoring.md')) ?? [];
  const scrape = parse(jobs) as { scrape_configs: { job_name: string }[] };
  const { relabel_configs: rules } = parse(discovery) as { relabel_configs: Relabelling[] };
  const kept = rules.find(({ action }) => action === 'keep');
  const [deployment] = parseAllDocuments(read('deploy/kubernetes/service.yaml'));
  const { spec } = deployment?.toJS() as { spec: { template: { metadata: { labels: Record<string, string> } } } };
  const labels = Object.entries(spec.template.metadata.labels);
  expect(kept?.source_labels).toEqual(
    labels.map(([name]) => `__meta_kubernetes_pod_label_${name.replaceAll(/\W/g, '_')}`),
  );
  expect(kept?.regex).toBe(labels.map(([, value]) => value).join(';'));
  // Pods that have ended would look like processes that do not respond.
  expect(rules).toContainEqual({
    source_labels: ['__meta_kubernetes_pod_phase'],
    regex: 'Failed|Succeeded',
    action: 'drop',
  });
  // The autoscaler needs these labels.
  expect(rules.flatMap(({ target_label: target }) => target ?? [])).toEqual(['namespace', 'pod']);
  expect(read('deploy/monitoring/alerts.yaml')).toContain(`up{job="${scrape.scrape_configs[0]?.job_name}"}`);
  expect(read('deploy/kubernetes/settings.yaml')).toContain("METRICS: 'true'");
});

it('the autoscaler follows metrics that the service has and the adapter serves', () => {
  const { rules } = parse(read('deploy/kubernetes/prometheus-adapter-values.yaml')) as {
    rules: { custom: { seriesQuery: string; name?: { as: string } }[] };
  };
  const served = rules.custom.map(({ seriesQuery, name }) => {
    const [series = ''] = seriesQuery.split('{', 1);
    expect([series, isPublished(series)]).toEqual([series, true]);
    return name?.as ?? series;
  });
  expect(autoscaler.metrics.map(({ pods }) => pods.metric.name)).toEqual(served);
  expect(served).toEqual(['http_requests_in_flight', 'http_overload_rejections_per_second']);
});

it('the autoscaler adds pods before an overloaded process admits fewer requests', () => {
  const [, few = ''] = /^const FEW = (\d+);/m.exec(read('src/platform/admission/admission.ts')) ?? [];
  const [{ pods: inFlight }] = autoscaler.metrics;
  expect(Number(inFlight.target.averageValue)).toBeLessThanOrEqual(Number(few) / 2);
});
