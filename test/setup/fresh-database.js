import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freshCopy } from './databases.js';
import { serviceEnv } from './service-env.js';

// Before each test file, and before the application is loaded, the database of the worker becomes a fresh copy of the
// template, so that no file depends on another one. Files that share an application get its database.
const run = JSON.parse(process.env.TEST_RUN);
const template = globalThis.needsCatalog ? run.template : run.withoutCatalog;
const database = `${run.run}_w${process.env.JEST_WORKER_ID}`;
const urls = globalThis.sharesApplication ? {} : await freshCopy(run, database, template);

Object.assign(process.env, serviceEnv(run, urls));
process.env.TEST_CREDENTIALS = join(run.folder, 'data/credentials.json');
// It belongs to the database of the file before.
if (!globalThis.sharesApplication) rmSync(process.env.LEDGER_CHECKPOINT_FILE, { force: true });
