import { Injectable } from '@nestjs/common';
import { currentActor } from '../../../platform/context/request-context.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { ChannelsService } from '../../distribution/index.js';
import type { Connection } from '../connections/connection.entity.js';
import { ConnectionsService } from '../connections/connections.service.js';
import type { OctoHeaders } from './octo-headers.js';

/** The capabilities in addition to the core of the standard. */
export const CAPABILITIES = ['octo/pricing', 'octo/content'] as const;

/** The caller of a request of the standard, and what it asked for. */
export interface Reseller {
  connection: Connection;
  /** Whether the channel of the connection sells. */
  isSelling: boolean;
  /** Whether answers contain amounts. */
  withPricing: boolean;
  /** Whether answers contain the texts and pictures of products. */
  withContent: boolean;
  /** Languages of these texts, the most wanted first. */
  languages: readonly string[];
  /** Whether reservations are made to try the interface: they take no units and no money. */
  isTest: boolean;
}

/** Finds out on whose behalf a request of the standard is made. */
@Injectable()
export class ResellersService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly channels: ChannelsService,
  ) {}

  /** Sets the headers that every answer has. Throws 403 for a caller without a connection. */
  async identify({ capabilities, environment, languages }: OctoHeaders): Promise<Reseller> {
    const connection = await this.connections.findFor(currentActor());
    if (!connection) throw new AppError(403, 'FORBIDDEN', 'The credential has no active connection to this supplier');
    const inEffect = CAPABILITIES.filter((id) => capabilities.includes(id.slice('octo/'.length)));
    const [withPricing, withContent] = [inEffect.includes('octo/pricing'), inEffect.includes('octo/content')];
    setResponseHeader('Octo-Capabilities', inEffect.join(', '));
    setResponseHeader('Octo-Env', environment);
    const isSelling = await this.channels.isSelling(connection.channelId);
    return { connection, isSelling, withPricing, withContent, languages, isTest: environment === 'test' };
  }
}
