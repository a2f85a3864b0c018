import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Env } from '../config/env.js';
import { addressKey } from '../limits/client-address.js';
import { Metrics } from '../observability/metrics.js';

/** Limits the open connections, in total and per address. One connection too many is closed without an answer. */
@Injectable()
export class ConnectionLimits {
  private readonly byAddress = new Map<string, number>();
  private readonly rejected: Counter;

  constructor(
    private readonly env: Env,
    metrics: Metrics,
  ) {
    const help = 'Connections that were closed because too many were open';
    this.rejected = metrics.counter({ name: 'http_connections_rejected_total', help });
  }

  /** `isProxy`: whether an address is that of a trusted proxy, which has the connections of all of its clients. */
  apply(server: Server, isProxy: (address: string) => boolean): void {
    server.maxConnections = this.env.maxConnections;
    server.on('drop', () => this.rejected.inc());
    server.prependListener('connection', (socket: Socket) => {
      const { remoteAddress } = socket;
      if (remoteAddress !== undefined && !isProxy(remoteAddress)) this.count(socket, addressKey(remoteAddress));
    });
  }

  private count(socket: Socket, address: string): void {
    const open = this.byAddress.get(address) ?? 0;
    if (open >= this.env.maxConnectionsPerAddress) {
      this.rejected.inc();
      socket.destroy();
      return;
    }
    this.byAddress.set(address, open + 1);
    socket.once('close', () => {
      const left = (this.byAddress.get(address) ?? 0) - 1;
      if (left > 0) this.byAddress.set(address, left);
      else this.byAddress.delete(address);
    });
  }
}
