import { appendFileSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { connect } from '../../src/bootstrap/boot.js';
import { migrateDatabase } from '../../src/bootstrap/migration.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { type Identity, TestAuthority } from '../setup/certificates.js';
import { OwnServer, query } from './own-server.js';
import { until } from './locked-table.js';
import { endAll, ServiceProcess } from './service-process.js';

/** Names a role that connects by its certificate only. */
const CERTIFIED = 'travel_certified';
const SERVICE = 'travel_service';

/** The connection as the service makes it; throws ConfigurationError. */
async function open(url: string): Promise<DataSource> {
  return connect(readEnv({ DATABASE_URL: url, DATABASE_POOL_SIZE: '4' }));
}

async function faultOf(url: string): Promise<string> {
  try {
    await (await open(url)).destroy();
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

async function isEncrypted(url: string): Promise<boolean> {
  const dataSource = await open(url);
  try {
    const [row] = await dataSource.query<{ ssl: boolean }[]>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    return row?.ssl === true;
  } finally {
    await dataSource.destroy();
  }
}

describe('TLS to the database', () => {
  let own: OwnServer;
  const authority = new TestAuthority();
  let ca: string;
  let otherCa: string;
  let client: { cert: string; key: string };

  const at = (parameters: string, { host = 'localhost', role = SERVICE } = {}) =>
    own.urlOf({ role, database: 'travel', host }, parameters);

  beforeAll(async () => {
    own = await OwnServer.start();
    await own.sql(`create role ${CERTIFIED} login`);
    await own.setPasswords(SERVICE, 'travel_owner');
  }, 120_000);
  afterAll(endAll);

  it('sslmode=require is rejected by name if the server does not offer TLS', async () => {
    expect(await faultOf(at('sslmode=require'))).toBe(
      'DATABASE_URL: the server does not offer TLS; enable it there, or use sslmode=disable',
    );
  });

  it('a server with a certificate of its own authority requires TLS of the service', async () => {
    ca = own.write('ca.crt', authority.cert);
    otherCa = own.write('other-ca.crt', new TestAuthority().cert);
    const { cert, key } = authority.issue(CERTIFIED);
    client = { cert: own.write('client.crt', cert), key: own.write('client.key', key) };
    await enableTls(own, authority.issue('localhost'), authority.cert);

    expect(await faultOf(at('sslmode=disable'))).toBe('DATABASE_URL: the server requires TLS; use sslmode=verify-full');
    expect(await faultOf(at(''))).toBe('DATABASE_URL: the server requires TLS; use sslmode=verify-full');
  });

  it('sslmode=disable connects without TLS if the server permits it', async () => {
    expect(await isEncrypted(own.urlOf({ database: 'travel' }, 'sslmode=disable'))).toBe(false);
  });

  it('sslmode=require encrypts without verifying the certificate', async () => {
    expect(await isEncrypted(at('sslmode=require'))).toBe(true);
    expect(await isEncrypted(at('sslmode=require', { host: '127.0.0.1' }))).toBe(true);
  });

  it('sslmode=require with an authority verifies it, as verify-ca does', async () => {
    expect(await isEncrypted(at(`sslmode=require&sslrootcert=${ca}`, { host: '127.0.0.1' }))).toBe(true);
    expect(await faultOf(at(`sslmode=require&sslrootcert=${otherCa}`))).toMatch(/is not signed by a trusted authority/);
  });

  it('sslmode=verify-ca accepts another host name and rejects another authority', async () => {
    expect(await isEncrypted(at(`sslmode=verify-ca&sslrootcert=${ca}`, { host: '127.0.0.1' }))).toBe(true);
    expect(await faultOf(at(`sslmode=verify-ca&sslrootcert=${otherCa}`))).toBe(
      'DATABASE_URL: the certificate of the server is not signed by a trusted authority; name the file of its authority by sslrootcert',
    );
  });

  it('sslmode=verify-full accepts the host name of the certificate only, and its authority only', async () => {
    expect(await isEncrypted(at(`sslmode=verify-full&sslrootcert=${ca}`))).toBe(true);
    expect(await faultOf(at(`sslmode=verify-full&sslrootcert=${ca}`, { host: '127.0.0.1' }))).toBe(
      'DATABASE_URL: the certificate of the server is for another host name; connect by a name that it contains',
    );
    for (const parameters of [`sslmode=verify-full&sslrootcert=${otherCa}`, 'sslmode=verify-full']) {
      expect(await faultOf(at(parameters))).toMatch(/is not signed by a trusted authority/);
    }
  });

  it('a role that must have a client certificate connects with it, and is rejected by name without it', async () => {
    const verified = `sslmode=verify-full&sslrootcert=${ca}`;
    expect(await isEncrypted(at(`${verified}&sslcert=${client.cert}&sslkey=${client.key}`, { role: CERTIFIED }))).toBe(
      true,
    );
    expect(await faultOf(at(verified, { role: CERTIFIED }))).toBe(
      'DATABASE_URL: the server requires a client certificate of this user; name its files by sslcert and sslkey',
    );
  });

  it('every connection of the service uses TLS and the client certificate, and so do the migrations', async () => {
    const verified = `sslmode=verify-full&sslrootcert=${ca}`;
    const urls = {
      DATABASE_URL: at(`${verified}&sslcert=${client.cert}&sslkey=${client.key}`, { role: CERTIFIED }),
      MIGRATION_DATABASE_URL: at(verified, { role: 'travel_owner' }),
    };
    await migrateDatabase(readEnv(urls));
    const service = await ServiceProcess.start({
      ...urls,
      DATA_DIR: join(own.folder, 'data'),
      DEMO_DATA: 'false',
      JOBS: 'true',
    });
    const connections = await own.sql<{ name: string; ssl: boolean; certified: boolean }>(
      `select application_name as name, ssl, client_dn is not null as certified
       from pg_stat_activity join pg_stat_ssl using (pid) where application_name like 'travel-operations%'`,
    );
    expect(new Set(connections.map(({ name }) => name))).toEqual(
      new Set(['travel-operations', 'travel-operations-notifier', 'travel-operations-watchdog']),
    );
    expect(connections.filter(({ ssl, certified }) => !ssl || !certified)).toEqual([]);
    expect((await service.get('/health/ready')).status).toBe(200);
    expect(await service.end()).toBe(0);
  }, 120_000);
});

/** Configures the server as an administrator does, with files of the server's user and rules in pg_hba.conf. */
async function enableTls(own: OwnServer, { cert, key }: Identity, ca: string): Promise<void> {
  const [place] = await own.sql<{ folder: string; hba: string }>(
    `select current_setting('data_directory') as folder, current_setting('hba_file') as hba`,
  );
  if (!place) throw new Error('The server has no folder');
  const files = { ssl_cert_file: cert, ssl_key_file: key, ssl_ca_file: ca };
  const { uid, gid } = statSync(place.folder);
  for (const [setting, content] of Object.entries(files)) {
    const file = join(place.folder, setting);
    writeFileSync(file, content, { mode: 0o600 });
    chownSync(file, uid, gid);
    await own.sql(`alter system set ${setting} = '${file}'`);
  }
  await own.sql('alter system set ssl = on');
  const rules = [
    'host all postgres 127.0.0.1/32 scram-sha-256',
    `hostssl all ${CERTIFIED} 127.0.0.1/32 cert`,
    'hostssl all all 127.0.0.1/32 scram-sha-256',
  ];
  const before = readFileSync(place.hba, 'utf8');
  writeFileSync(place.hba, `${rules.join('\n')}\n`);
  appendFileSync(place.hba, before.replace(/^host.*$/gm, ''));
  await own.sql('select pg_reload_conf()');
  const url = own.urlOf({ database: 'postgres' }, 'sslmode=require&uselibpqcompat=true');
  await until(() =>
    query(url, 'select').then(
      () => true,
      () => false,
    ),
  );
}
