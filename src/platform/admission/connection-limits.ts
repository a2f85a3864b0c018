import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Env } from '../config/env.js';
import { addressKey } from '../context/client-address.js';
import { Metrics } from '../observability/metrics.js';

/** Counts what is in use, such as connections or bytes, in total and per address. */
export class AddressQuota {
  total = 0;
  private readonly byAddress = new Map<string, number>();

  constructor(private readonly most: { total: number; perAddress: number }) {}

  /**
   * Counts the amount until the returned function is called. If it is too much, nothing is counted, and the result says whether
   * the limit of the address or of all is reached. Without an address, the amount counts in total only.
   */
  reserve(address: string | null, amount: number): (() => void) | 'address' | 'total' {
    const ofAddress = address === null ? 0 : (this.byAddress.get(address) ?? 0) + amount;
    if (ofAddress > this.most.perAddress) return 'address';
    if (this.total + amount > this.most.total) return 'total';
    this.total += amount;
    if (address !== null) this.byAddress.set(address, ofAddress);
    let isReserved = true;
    return () => {
      if (isReserved) this.release(address, amount);
      isReserved = false;
    };
  }

  private release(address: string | null, amount: number): void {
    this.total -= amount;
    if (address === null) return;
    const left = (this.byAddress.get(address) ?? 0) - amount;
    if (left > 0) this.byAddress.set(address, left);
    else this.byAddress.delete(address);
  }
}

/** Limits the open connections, in total and per address. A connection beyond the limit is closed without a response. */
@Injectable()
export class ConnectionLimits {
  private readonly open: AddressQuota;
  private readonly rejected: Counter;

  constructor(env: Env, metrics: Metrics) {
    this.open = new AddressQuota({ total: env.maxConnections, perAddress: env.maxConnectionsPerAddress });
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
      const release = this.open.reserve(isCounted ? addressKey(remoteAddress) : null, 1);
      if (typeof release === 'function') {
        socket.once('close', release);
      } else {
        this.rejected.inc();
        socket.destroy();
      }
    });
  }
}
