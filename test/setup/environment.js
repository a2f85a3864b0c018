import { TestEnvironment } from 'jest-environment-node';
import { createRequire } from 'node:module';
import 'reflect-metadata';

/** What a worker keeps from one file to the next; `applications` by what they were started with. */
const worker = { applications: new Map() };

const isChildProcess = process.send !== undefined;

/** The first element of the message by which Jest ends a worker process. */
const END = 2;

// Applications that outlive their file would keep the worker from ending by itself; so would this listener.
function endWorker([kind]) {
  if (kind !== END) return;
  process.off('message', endWorker);
  if (worker.applications.size > 0) process.exit(0);
}
if (isChildProcess) process.on('message', endWorker);

/** What both sides make and tell by its class: an error of the test's is one of the application's, and the other way round. */
const shared = { Date, Error, Reflect };

/**
 * Node's own modules beside Jest's: what a file loads by `nativeRequire` is loaded once per worker, not once per file.
 * `native-module.js` puts calls of it where the built application and the large packages would stand.
 *
 * A file that begins with `@jest-environment-options {"application":"shared"}` uses the application and the database of
 * its worker, which earlier files have used before it. Only files whose assertions hold on any data do so.
 */
export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // One worker in Jest's own process has no end of its own, so each file closes its application there.
    const sharesApplication = config.projectConfig.testEnvironmentOptions.application === 'shared' && isChildProcess;
    const nativeRequire = createRequire(import.meta.url);
    Object.assign(this.global, { worker, ...shared, sharesApplication, nativeRequire });
  }
}
