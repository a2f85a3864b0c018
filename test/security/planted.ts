import { createHash } from 'node:crypto';
import { hashSecret, parseCredential } from '../../src/platform/ids/credentials.js';
import { randomBase62 } from '../../src/platform/ids/id.js';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import { tablesWith } from '../setup/tables.js';

/** A secret that the service received or created, and that must not be readable anywhere. */
export interface Planted {
  what: string;
  /** The secret, or the part of it that is not public. */
  bare: string;
  /** If its parts are stored on purpose, they must still not be logged. */
  digests: string[];
}

export function newSecretText(): string {
  return `Planted${randomBase62(24)}`;
}

export function plant(what: string, secret: string): Planted {
  const bare = parseCredential(secret)?.secret ?? secret.replace(/^ocs_/, '');
  const digests = [hashSecret(bare), createHash('sha256').update(secret).digest()];
  const forms = digests.flatMap((digest) => [digest.toString('hex'), digest.toString('base64'), [...digest].join(',')]);
  return { what, bare, digests: forms };
}

/** The places that contain any of the secrets: log lines, tables, responses and metrics. */
export async function leaks(app: TestApp, secrets: readonly Planted[], answers: readonly Answer[]): Promise<string[]> {
  const { text: metrics } = await app.get('/metrics');
  const log = app.logs.join('\n');
  const found: string[] = [];
  for (const { what, bare, digests } of secrets) {
    const forms = [bare, encodeURIComponent(bare), Buffer.from(bare).toString('base64').replace(/=*$/, '')];
    if ([...forms, ...digests].some((form) => log.includes(form))) found.push(`${what}: in the log`);
    if (forms.some((form) => metrics.includes(form))) found.push(`${what}: in the metrics`);
    const leaking = answers.find((answer) => forms.some((form) => textOf(answer).includes(form)));
    if (leaking) found.push(`${what}: in the answer ${leaking.text}`);
  }
  const tables = await tablesWith(
    app,
    secrets.map(({ bare }) => bare),
  );
  return [...found, ...tables.map((table) => `in the table ${table}`)];
}

function textOf({ text, headers }: Answer): string {
  return `${text}\n${JSON.stringify(headers)}`;
}
