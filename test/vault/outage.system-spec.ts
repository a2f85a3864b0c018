import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import { encrypt, encrypted } from './vaults.js';

/** A proxy between one node and the database that can be interrupted. */
class Cable {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private cut = false;

  constructor(private readonly target: URL) {
    this.server = createServer((incoming) => this.join(incoming));
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    const url = new URL(this.target);
    url.port = typeof address === 'object' && address ? String(address.port) : '';
    url.hostname = '127.0.0.1';
    return url.href;
  }

  setCut(cut: boolean): void {
    this.cut = cut;
    if (cut) for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.setCut(true);
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(incoming: Socket): void {
    if (this.cut) return void incoming.destroy();
    const outgoing = connect(Number(this.target.port || 5432), this.target.hostname);
    for (const [socket, peer] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.sockets.add(socket);
      socket.pipe(peer).on('error', () => peer.destroy());
      socket.on('close', () => this.sockets.delete(socket));
    }
  }
}

describe('while the database is unavailable', () => {
  const cable = new Cable(new URL(process.env.DATABASE_URL ?? ''));
  let node: TestApp;

  beforeAll(async () => {
    node = await startApp({ env: { DATABASE_URL: await cable.open(), DATABASE_POOL_SIZE: '4' } });
  });

  afterAll(async () => {
    await node.close();
    await cable.close();
  });

  it('while the database is unavailable, encryption is 503 with retryAfterMs, then 200; every successful call is audited', async () => {
    await encrypted(node.as('platform'), 'before', 'x');
    await encrypted(node.as('platform'), 'cut-off', 'x');
    cable.setCut(true);
    node.travel({ ms: 1_000 });
    const { status, body, headers } = await encrypt(node.as('platform'), 'cut-off', 'x');
    cable.setCut(false);

    expect([status, body]).toEqual([503, { error: expect.any(String), retryAfterMs: expect.any(Number) }]);
    expect(headers['retry-after']).toBe('1');
    // The service checks every half second whether the database is available; its client repeats the call after that
    // time.
    const back = await eventually(async () => {
      const { status: now, body: answer } = await encrypt(node.as('platform'), 'cut-off', 'back');
      return now === 200 ? answer.data.ciphertext : null;
    });
    expect(back).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    await node.nest.close();
    const rows = await node.sql(
      `select from vault_audit where operation = 'encrypt' and outcome = 'done'
     and vault_id in (select id from vaults where slug in ('before', 'cut-off'))`,
    );
    expect(rows).toHaveLength(3);
  });
});
