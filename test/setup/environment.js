import { TestEnvironment } from 'jest-environment-node';
import { createRequire } from 'node:module';
import 'reflect-metadata';

/** The state that a worker keeps between files; `applications` by their overrides. */
const worker = { applications: new Map() };

const isChildProcess = process.send !== undefined;

/** The first element of the message by which Jest ends a worker process. */
const END = 2;

// Applications that are kept between files would keep the worker from ending, and so would this listener.
function endWorker([kind]) {
  if (kind !== END) return;
  process.off('message', endWorker);
  if (worker.applications.size > 0) process.exit(0);
}
if (isChildProcess) process.on('message', endWorker);

/**
 * Files that search the catalog, or show that the service is complete with all of its demo data. System tests start services in
 * separate processes, which would load and embed a missing catalog.
 */
const WITH_CATALOG =
  /[/\\]test[/\\](catalog|contract|docs|faults|fuzz|platform|security|setup|system)[/\\]|\.system-spec\.ts$/;

/**
 * Objects that both sides create and recognise by their class: an error of the test is one of the application, and vice
 * versa.
 */
const shared = { Date, Error, Reflect };

/**
 * Node's own modules beside Jest's: a module that a file loads by `nativeRequire` is loaded once per worker, not once
 * per file. `native-module.js` inserts calls of it in place of the built application and the large packages.
 *
 * A file that begins with `@jest-environment-options {"application":"shared"}` uses the application and the database of
 * its worker, which earlier files have used before. Only files whose assertions are independent of existing data do so.
 */
export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    // A single worker in the process of Jest never ends, so each file closes its application there.
    const sharesApplication = config.projectConfig.testEnvironmentOptions.application === 'shared' && isChildProcess;
    const nativeRequire = createRequire(import.meta.url);
    const needsCatalog = WITH_CATALOG.test(context.testPath);
    Object.assign(this.global, { worker, ...shared, sharesApplication, needsCatalog, nativeRequire });
  }
}
