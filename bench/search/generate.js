#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoDocuments } from '../../dist/src/modules/catalog/demo/demo-documents.js';

/*
 * npm run catalog:generate -- --documents N: fills the catalog of a running service with N documents, through the batch
 * endpoint. They have the texts of the demo data; documents with the same ids are replaced. The address and the token come from
 * credentials.json (DATA_DIR, .data by default).
 */
const BATCH = 500;
const MAX_DOCUMENTS = 1_000_000;

export async function generateCatalog({ url, token }, total, report = () => {}) {
  const began = performance.now();
  let [batch, done] = [[], 0];
  for (const draft of demoDocuments(total, new Date())) {
    batch.push(draft);
    done += 1;
    if (batch.length < BATCH && done < total) continue;
    await put({ url, token }, batch);
    batch = [];
    report(done, Math.round(done / ((performance.now() - began) / 1_000)));
  }
}

async function put({ url, token }, documents) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ documents });
  const response = await fetch(`${url}/v1/admin/catalog/documents/batch`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`The service responded ${response.status}: ${await response.text()}`);
}

if (process.argv[1] === import.meta.filename) {
  const total = Number(process.argv[process.argv.indexOf('--documents') + 1]);
  if (!Number.isInteger(total) || total < 1 || total > MAX_DOCUMENTS) {
    process.stderr.write(`catalog:generate needs --documents with a number from 1 to ${MAX_DOCUMENTS}.\n`);
    process.exit(64);
  }
  const file = join(process.env.DATA_DIR ?? '.data', 'credentials.json');
  const { baseUrl, staff } = JSON.parse(readFileSync(file, 'utf8'));
  await generateCatalog({ url: baseUrl, token: staff.token }, total, (done, perSecond) =>
    process.stdout.write(`${done} of ${total} documents, ${perSecond} per second\n`),
  );
}
