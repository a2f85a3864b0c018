import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Env } from '../config/env.js';
import { addressKey } from '../context/client-address.js';
import { Metrics } from '../observability/metrics.js';

/** Limits the open connections, in total and per address. A connection beyond the limit is closed without a response. */
@Injectable()
export class ConnectionLimits {
  private open = 0;
  private readonly byAddress = new Map<string, number>();
  private readonly rejected: Counter;

  constructor(
    private readonly env: Env,
    metrics: Metrics,
  ) {
    const help = 'Connections that were closed because too many were open';
    this.rejected = metrics.counter({ name: 'http_connections_rejected_total', help });
  }

  /**
   * `isProxy` says whether an address belongs to a trusted proxy, which carries the connections of all its clients. The total
   * is counted here, because a cluster does not close connections beyond `server.maxConnections`: its primary process passes
   * the connection from one process to the next forever.
   */
  apply(server: Server, isProxy: (address: string) => boolean): void {
    server.prependListener('connection', (socket: Socket) => {
      const { remoteAddress } = socket;
      // The connection may have ended before it was accepted.
      const isCounted = remoteAddress !== undefined && !isProxy(remoteAddress);
      this.admit(socket, isCounted ? addressKey(remoteAddress) : null);
    });
  }

  private admit(socket: Socket, address: string | null): void {
    const ofAddress = address === null ? 0 : (this.byAddress.get(address) ?? 0);
    if (this.open >= this.env.maxConnections || ofAddress >= this.env.maxConnectionsPerAddress) {
      this.rejected.inc();
      socket.destroy();
      return;
    }
    this.open += 1;
    if (address !== null) this.byAddress.set(address, ofAddress + 1);
    socket.once('close', () => this.release(address));
  }

  private release(address: string | null): void {
    this.open -= 1;
    if (address === null) return;
    const left = (this.byAddress.get(address) ?? 0) - 1;
    if (left > 0) this.byAddress.set(address, left);
    else this.byAddress.delete(address);
  }
}
