#!/usr/bin/env node
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from './processes.js';
import { startWorld } from './world.js';

/*
 * npm run bench:overload: the service under more requests than it can process. First the peak is measured with clients that
 * each wait for their response. Then a separate process sends multiples of it in an open loop, and the peak is measured
 * again, so that each multiple is compared with a peak of the same minute.
 * `of peak`: successful requests per second; `by CPU`: successful requests per second of the process's CPU time, which
 * includes the rejections. On a machine with other work only the latter can be compared.
 * OVERLOAD_SECONDS (6) is the length of one measurement, OVERLOAD_TIMES (1,2,3) the multiples.
 */
const seconds = Number(process.env.OVERLOAD_SECONDS ?? 6);
const multiples = (process.env.OVERLOAD_TIMES ?? '1,2,3').split(',').map(Number);
const CLIENTS = 32;
const COLUMNS = [
  ...['offered', 'sent/s', 'done/s', 'of peak', 'by CPU', 'p50 ms', 'p99 ms'],
  ...['rejects/s', 'p50 ms', 'p99 ms', 'lost', 'CPU ms', 'RSS MB', 'loop ms'],
];

const world = await startWorld();
let service = null;
const generator = fork(join(import.meta.dirname, 'open-loop.js'));
try {
  service = await startService(world);
  const invoices = '/v1/admin/finance/supplier-invoices';
  const { rows } = await world.pool.query('select id from supplier_invoices order by id limit 1');
  await fill(invoices);
  await overload('one supplier invoice', reading(`${invoices}/${rows[0].id}`));
  await overload('50 supplier invoices', reading(`${invoices}?limit=50`));
} finally {
  generator.kill();
  await service?.stop();
  await world.stop();
  rmSync(world.folder, { recursive: true, force: true });
}

async function overload(title, request) {
  process.stdout.write(`\n${title}\n`);
  print(COLUMNS);
  await ask({ ...request, clients: CLIENTS, seconds: 3 });
  let peak = await measured('peak', { ...request, clients: CLIENTS });
  print(peak.cells);
  for (const times of multiples) {
    const rate = Math.round(peak.report.goodput * times);
    const stressed = await measured(`${times} x`, { ...request, rate });
    const after = await measured('peak', { ...request, clients: CLIENTS });
    stressed.cells[3] = (stressed.report.goodput / mean(peak.report.goodput, after.report.goodput)).toFixed(2);
    stressed.cells[4] = (mean(peak.cpuMs, after.cpuMs) / stressed.cpuMs).toFixed(2);
    print(stressed.cells);
    print(after.cells);
    peak = after;
  }
}

/** Enough rows for a full page. */
async function fill(path) {
  const token = world.credentials.staff.token;
  for (let n = 0; n < 60; n += 1) {
    const body = {
      supplierName: 'Overload',
      invoiceNumber: `O-${n}`,
      currency: 'EUR',
      totalCents: n,
      issueDate: '2027-01-15',
    };
    const { status } = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (status !== 201) throw new Error(`Creating an invoice returned ${status}`);
  }
}

function reading(path) {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${world.credentials.staff.token}`];
  return { url: service.url, head: `${lines.join('\r\n')}\r\n\r\n` };
}

async function measured(name, order) {
  const before = await figuresOf(service);
  const report = await ask({ seconds, ...order });
  const after = await figuresOf(service);
  const { done, rejected } = report;
  const cpuMs = (after.cpuMs - before.cpuMs) / Math.max(1, report.goodput * seconds);
  const cells = [
    name,
    Math.round(report.sent / seconds),
    Math.round(report.goodput),
    '',
    '',
    tenths(done.p50),
    tenths(done.p99),
    Math.round(report.rejections),
    tenths(rejected.p50),
    tenths(rejected.p99),
    report.lost + report.odd,
    cpuMs.toFixed(2),
    Math.round(after.rssMb),
    tenths(after.loopMs),
  ];
  return { report, cpuMs, cells };
}

async function ask(order) {
  generator.send(order);
  const [report] = await once(generator, 'message');
  return report;
}

/** CPU time and memory of the process, and the 99th percentile of its event loop delay since the last call. */
async function figuresOf({ pid, url }) {
  const [, , , ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '0 0 ')
    .split(' ');
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const metric = (name) => Number(new RegExp(`^${name}(?:\\{\\})? (\\S+)$`, 'm').exec(metrics)?.[1]);
  return {
    cpuMs: (Number(fields[10]) + Number(fields[11])) * 10,
    rssMb: metric('process_resident_memory_bytes') / 1e6,
    loopMs: metric('event_loop_delay_p99_seconds') * 1000,
  };
}

function mean(one, other) {
  return (one + other) / 2;
}

function tenths(value) {
  return value === null ? '-' : value.toFixed(1);
}

function print(cells) {
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(10)).join('')}\n`);
}
