import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Names } from '../../../platform/http/row-names.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  ConnectionEnvelope,
  ConnectionPage,
  CreateConnection,
  ListConnections,
  toConnection,
  UpdateConnection,
} from './connection.dto.js';
import { ConnectionsService } from './connections.service.js';

const PATH = '/v1/admin/octo/connections';

@ApiGroup('OCTO connections', {
  position: 145,
  description: 'Staff: resellers that sell our departures by the OCTO standard, and their terms.',
})
@Controller(PATH)
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly names: Names,
  ) {}

  /**
   * Create an OCTO connection
   *
   * @remarks Allows an operator, an OAuth client or a platform API key to sell by the OCTO standard. Send exactly one of
   * `operatorId`, `oauthClientId` and `apiTokenId`; each has at most one active connection. If several connections fit a caller,
   * that of its client or key applies. The channel must not be archived.
   */
  @Post()
  @RequireScope('octo:write')
  @Mutates('octo.connection.create', { irreversible: 'The reseller may have sold by it: deactivate it' })
  @BodyExample({
    name: 'Harbour Travel',
    channelId: 'chan_01k0dem000e000000000000002',
    oauthClientId: 'oacl_01k0dem000e000000000000004',
  })
  @Refuses({
    404: ['not_found'],
    409: ['channel_archived', 'connection_exists'],
    422: ['catalogue_mismatch', 'hold_too_long'],
  })
  async create(@Body() body: CreateConnection): Promise<ConnectionEnvelope> {
    const connection = await this.connections.create(body);
    return created(`${PATH}/${connection.id}`, connection, { data: toConnection(connection) });
  }

  /**
   * List OCTO connections
   *
   * @remarks Returns a page of connections, newest first unless `sort` is given, including inactive ones unless `active` is given.
   */
  @Get()
  @RequireScope('octo:read')
  async list(@Query() query: ListConnections): Promise<ConnectionPage> {
    const { rows, total } = await this.connections.list(query);
    return { data: await this.names.beside(rows.map(toConnection), 'channelId'), total, ...pageBounds(query) };
  }

  /**
   * Get an OCTO connection
   *
   * @remarks Returns the connection, even if it is inactive.
   */
  @Get(':id')
  @RequireScope('octo:read')
  async get(@PathId('ocon') id: string): Promise<ConnectionEnvelope> {
    const connection = await this.connections.get(id);
    return tagged(connection, { data: toConnection(connection) });
  }

  /**
   * Update an OCTO connection
   *
   * @remarks Changes only the fields that are sent; the operator, client or key is fixed. New terms apply to later reservations.
   * Channel and settlement cannot change while the reseller has reservations on hold.
   * An inactive connection rejects all calls of the reseller; its bookings stay.
   */
  @Patch(':id')
  @RequireScope('octo:write')
  @Mutates('octo.connection.update', { irreversible: 'The reseller may have sold by the new terms: change it again' })
  @BodyExample({ holdMinutes: 20, showNet: false })
  @Refuses({
    404: ['not_found'],
    409: ['channel_archived', 'connection_exists', 'connection_in_use'],
    422: ['catalogue_mismatch', 'hold_too_long'],
  })
  async update(
    @PathId('ocon', 'id', 2) id: string,
    @Body() body: UpdateConnection,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ConnectionEnvelope> {
    const connection = await this.connections.update(id, body, expected);
    return tagged(connection, { data: toConnection(connection) });
  }
}
