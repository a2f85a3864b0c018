import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../../package.json');

/** The version in package.json, which each release changes. */
export const { version: PACKAGE_VERSION } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
