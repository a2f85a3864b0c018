import { beforeAll, describe, expect, it } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { anchorOf, filesIn, readPage } from '../docs/markdown.js';
import { startApp } from '../setup/app.js';
import { type ExposedMetric, namingFaults, parseExposition } from './exposition.js';

const FOLDER = join(process.cwd(), 'deploy/monitoring');

const LABELS = new Set('job namespace instance le code surface status route method server store'.split(' '));

interface Rule {
  alert?: string;
  expr?: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

/** The metrics of a service that has all of them: some exist only with a replica. */
let metrics: ExposedMetric[];
beforeAll(async () => {
  const app = await startApp({ env: { JOBS: 'false', DATABASE_REPLICA_URL: process.env['DATABASE_URL'] ?? '' } });
  await app.as('owner').get('/v1/admin/distribution/channels/nothing');
  metrics = parseExposition((await app.get('/metrics')).text);
});

/** Returns the names that a time series can have; a histogram has the names of its parts. */
function seriesNames(): Set<string> {
  const parts = ['_bucket', '_sum', '_count'];
  const own = metrics.flatMap(({ name, type }) => (type === 'histogram' ? parts.map((part) => name + part) : [name]));
  // Metrics of Prometheus itself.
  return new Set([...own, 'up']);
}

/** The metrics, labels and selectors (a metric with its conditions) of a query. Throws if it is not PromQL. */
function namesIn(query: string): { metrics: string[]; labels: string[]; selectors: string[] } {
  // Grafana replaces its variables before it sends a query.
  const text = query.replaceAll('$__rate_interval', '5m').replace(/\$\w+/g, 'any');
  const found = { metrics: [] as string[], labels: [] as string[], selectors: [] as string[] };
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`Not PromQL at character ${from}: ${text}`);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector')
        found.metrics.push(text.slice(from, to));
      if (type.name === 'VectorSelector') found.selectors.push(text.slice(from, to));
      if (type.name === 'LabelName') found.labels.push(text.slice(from, to));
    },
  });
  return found;
}

/** Each selector has `job`, because other programs have metrics with the same names. */
function expectKnown(query: string, job: string): void {
  const { metrics: named, labels, selectors } = namesIn(query);
  expect([query, selectors.filter((selector) => !selector.includes(`{job="${job}"`))]).toEqual([query, []]);
  expect([query, named.filter((name) => !seriesNames().has(name))]).toEqual([query, []]);
  expect(named.length).toBeGreaterThan(0);
  expect([query, labels.filter((label) => !LABELS.has(label))]).toEqual([query, []]);
}

describe('the names of metrics', () => {
  it('every metric follows the naming rules of Prometheus', () => {
    expect(namingFaults(metrics)).toEqual([]);
    expect(metrics.length).toBeGreaterThan(30);
  });

  it('every metric that a page of docs/operations names exists', () => {
    const text = filesIn('docs/operations').map(readPage).join('\n');
    const names = [...text.matchAll(/`([a-z]+(?:_[a-z]+)*_(?:total|seconds|usable|flight))\b/g)];
    expect(names.length).toBeGreaterThan(5);
    expect(names.map(([, name = '']) => name).filter((name) => !seriesNames().has(name))).toEqual([]);
  });
});

describe('the query parser of these tests', () => {
  it('the parser finds the metrics of a query, and rejects what is not PromQL', () => {
    const query = 'sum by (le) (rate(a_bucket{status!="x"}[5m])) or b offset 5m > 2';
    expect(namesIn(query)).toEqual({
      metrics: ['a_bucket', 'b'],
      labels: ['le', 'status'],
      selectors: ['a_bucket{status!="x"}', 'b'],
    });
    for (const wrong of ['sum(a', 'rate(a[5m)', 'a{b}', 'a >']) expect(() => namesIn(wrong)).toThrow('Not PromQL');
  });
});

describe('deploy/monitoring/alerts.yaml', () => {
  it('each alert rule has a query of existing metrics of the job, a severity and a summary', async () => {
    const text = await readFile(join(FOLDER, 'alerts.yaml'), 'utf8');
    const { groups } = parse(text) as { groups: { name: string; rules: Rule[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(10);
    for (const rule of rules) {
      expectKnown(rule.expr ?? '', 'travel-operations');
      expect(rule).toEqual({
        alert: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
        expr: expect.any(String),
        ...(rule.for === undefined ? {} : { for: expect.stringMatching(/^\d+[smhd]$/) }),
        labels: { severity: expect.stringMatching(/^(critical|warning|info)$/) },
        annotations: { summary: expect.any(String), runbook_url: expect.any(String) },
      });
    }
  });

  it("each alert's runbook_url leads to the section of this alert in the docs, and each section to an alert", async () => {
    const { groups } = parse(await readFile(join(FOLDER, 'alerts.yaml'), 'utf8')) as { groups: { rules: Rule[] }[] };
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert = '', annotations }) => ({ alert, annotations })));
    const page = 'docs/operations/alerts.md';
    const text = await readFile(join(process.cwd(), page), 'utf8');
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
    const place = `https://git.your-company.com/travel/blob/main/${page}`;
    for (const { alert, annotations } of alerts) {
      expect([alert, annotations?.['runbook_url']]).toEqual([alert, `${place}#${anchorOf(alert)}`]);
    }
  });
});

describe('deploy/monitoring/dashboard.json', () => {
  it('each panel has queries of existing metrics of the selected job, and a place of its own', async () => {
    const { panels } = JSON.parse(await readFile(join(FOLDER, 'dashboard.json'), 'utf8')) as { panels: Panel[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { type, title, gridPos, targets = [] } of panels) {
      expect([title, gridPos.x + gridPos.w <= 24, type === 'row' || targets.length > 0]).toEqual([title, true, true]);
      for (const { expr } of targets) expectKnown(expr, 'any');
    }
  });
});
