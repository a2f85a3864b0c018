import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { Admission } from '../traffic/admission.js';
import { answerUnreadable } from './unreadable-requests.js';

/** In milliseconds and bytes. A slow client holds a connection for so long and no longer. */
const BOUNDS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than a load balancer keeps an idle connection (60 s as a rule), or it would send into one that we just closed.
  keepAliveTimeout: 65_000,
  // How often the timeouts are looked after; they may be exceeded by so much.
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  // We refuse requests without a Host ourselves, in the body of their surface.
  requireHostHeader: false,
  insecureHTTPParser: false,
};

/** Express behind a server of our own: Nest hands its options on to HTTPS servers only. */
export class ServiceAdapter extends ExpressAdapter {
  private admit: Admission['admit'] = () => true;

  constructor(private readonly log: Logger) {
    super();
  }

  /** Who decides, before Express does anything, whether a request is let in. */
  admitBy(admission: Pick<Admission, 'admit'>): void {
    this.admit = admission.admit;
  }

  override initHttpServer(): void {
    const express = this.getInstance<RequestListener>();
    const handle: RequestListener = (request, response) => {
      if (this.admit(request, response)) express(request, response);
    };
    const server = createServer(BOUNDS, handle);
    // An unknown Expect is refused like any other fault of a request; Node would answer by a bare 417.
    server.on('checkExpectation', handle);
    answerUnreadable(server, this.log);
    this.httpServer = server;
  }
}
