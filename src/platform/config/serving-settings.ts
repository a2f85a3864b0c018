import { egressFault, list, optionalText, wholeNumber } from './settings.js';

/** Limits of concurrent work and its duration, and how the service stops. */
export const servingSettings = {
  webConcurrency: wholeNumber({
    name: 'WEB_CONCURRENCY',
    purpose: 'Number of processes that share the port; each has its own database connections',
    example: '4',
    fallback: '1',
    min: 1,
    max: 64,
  }),
  maxInFlight: wholeNumber({
    name: 'MAX_IN_FLIGHT',
    purpose: 'Maximum requests in progress in one process; more are rejected with 503',
    example: '500',
    fallback: '256',
    min: 1,
    max: 100_000,
  }),
  maxEventLoopDelayMs: wholeNumber({
    name: 'MAX_EVENT_LOOP_DELAY_MS',
    purpose:
      'Event loop delay in milliseconds above which a process admits fewer requests at a time and rejects the others with 503',
    example: '100',
    fallback: '50',
    min: 1,
    max: 60_000,
  }),
  maxConnections: wholeNumber({
    name: 'MAX_CONNECTIONS',
    purpose: 'Connections that one process has open at the same time; more are closed',
    example: '5000',
    fallback: '10000',
    min: 1,
    max: 1_000_000,
  }),
  maxConnectionsPerAddress: wholeNumber({
    name: 'MAX_CONNECTIONS_PER_ADDRESS',
    purpose:
      'Connections of one address (IPv6: one /64) that a process has open at the same time; more are closed; trusted proxies are not limited',
    example: '100',
    fallback: '1000',
    min: 1,
    max: 1_000_000,
  }),
  maxReceivingMib: wholeNumber({
    name: 'MAX_RECEIVING_MIB',
    purpose:
      'Size of all request bodies that one process receives at the same time, in MiB; more are rejected with 503',
    example: '128',
    fallback: '64',
    min: 2,
    max: 65_536,
  }),
  maxReceivingMibPerAddress: wholeNumber({
    name: 'MAX_RECEIVING_MIB_PER_ADDRESS',
    purpose:
      'Size of the request bodies that a process receives from one address (IPv6: one /64) at the same time, in MiB; more are rejected with 429',
    example: '32',
    fallback: '16',
    min: 2,
    max: 65_536,
  }),
  maxStreams: wholeNumber({
    name: 'MAX_STREAMS',
    purpose: 'Live streams of events that one process has open at the same time; more are rejected with 503',
    example: '2000',
    fallback: '5000',
    min: 1,
    max: 1_000_000,
  }),
  maxStreamsPerCredential: wholeNumber({
    name: 'MAX_STREAMS_PER_CREDENTIAL',
    purpose:
      'Live streams of events that one process has open at the same time for one credential; more are rejected with 429',
    example: '20',
    fallback: '100',
    min: 1,
    max: 1_000_000,
  }),
  requestDeadlineMs: wholeNumber({
    name: 'REQUEST_DEADLINE_MS',
    purpose: 'Milliseconds after which a request is answered with 503 and its statement is cancelled',
    example: '5000',
    fallback: '10000',
    min: 100,
    max: 60_000,
  }),
  providerCallMs: wholeNumber({
    name: 'PROVIDER_CALL_MS',
    purpose:
      'Milliseconds that a call of an external provider of trips may take at most; quotes (8000) and lookups (5000) have shorter limits',
    example: '10000',
    fallback: '15000',
    min: 50,
    max: 15_000,
  }),
  egressAllow: list({
    name: 'EGRESS_ALLOW',
    purpose:
      'Addresses, networks and host names to which webhooks may be sent although they are not public or have another port than 443 and 80, such as a receiver in the same network; with a port, an address or name is allowed on that port only',
    example: '10.20.0.0/16,hooks.internal:8443',
    fallback: '',
    expected: 'a list of IP addresses, networks in CIDR form and host names, without or with a port',
    check: egressFault,
  }),
  drainSeconds: optionalText({
    name: 'DRAIN_SECONDS',
    purpose:
      'Seconds for which a stopping process reports not ready before it stops accepting requests; absent: 2 in production, otherwise 0',
    example: '5',
    expected: 'a whole number from 0 to 60',
    form: /^([0-9]|[1-5][0-9]|60)$/,
  }),
};
