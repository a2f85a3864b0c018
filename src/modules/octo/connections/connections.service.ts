import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import type { Actor } from '../../../platform/context/actor.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { OAuthClientsService } from '../../connect/index.js';
import { ChannelsService, PartnerChannels } from '../../distribution/index.js';
import { PlatformKeysService } from '../../identity/index.js';
import type { CreateConnection, ListConnections, UpdateConnection } from './connection.dto.js';
import { Connection } from './connection.entity.js';

const exists = () => conflict('connection_exists', 'The operator, client or key already has an active connection');
mapConstraint('octo_connections_operator_id', exists);
mapConstraint('octo_connections_oauth_client_id', exists);
mapConstraint('octo_connections_api_token_id', exists);
mapConstraint('octo_connections_operator', () => notFound({ field: 'operatorId' }));
mapConstraint('octo_connections_client', () => notFound({ field: 'oauthClientId' }));
mapConstraint('octo_connections_key', () => notFound({ field: 'apiTokenId' }));

/** Manages which resellers may sell by the OCTO standard, and finds the connection of a caller. */
@Injectable()
@Listens(PartnerChannels, 10)
export class ConnectionsService implements PartnerChannels {
  private readonly rows: Rows<Connection>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly channels: ChannelsService,
    private readonly clients: OAuthClientsService,
    private readonly keys: PlatformKeysService,
  ) {
    this.rows = database.rows(Connection);
  }

  async create({ id = newId('ocon'), ...input }: CreateConnection): Promise<Connection> {
    const subjects = [input.operatorId, input.oauthClientId, input.apiTokenId].filter((one) => one !== undefined);
    if (subjects.length !== 1) {
      throw invalidField('operatorId', 'send one of operatorId, oauthClientId and apiTokenId', 'exactly_one');
    }
    const connection = make(Connection, { ...DEFAULTS, productIds: [], ...input, id, createdAt: this.clock.now() });
    connection.assertConsistent();
    return this.database.transaction(async () => {
      await this.channels.lockUsable(connection.channelId);
      if (connection.apiTokenId !== null) await this.keys.assertUsable(connection.apiTokenId, 'apiTokenId');
      await this.rows.insert(connection);
      this.record('create', connection, null);
      return connection;
    });
  }

  async list(query: ListConnections): Promise<{ rows: Connection[]; total: number }> {
    const { sort = '-createdAt', channelId, active } = query;
    const found = this.rows.query('connection');
    if (channelId !== undefined) found.andWhere('connection.channelId = :channelId', { channelId });
    if (active !== undefined) found.andWhere('connection.active = :active', { active });
    sortRows(found, sort);
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<Connection> {
    return this.rows.get(id);
  }

  async update(id: string, changes: UpdateConnection, expected: ExpectedVersions): Promise<Connection> {
    return this.database.transaction(async () => {
      const connection = await this.rows.lock(id);
      assertVersion(expected, connection);
      const before = connection.auditImage();
      if (connection.hasOtherSaleIn(changes)) await this.assertWithoutHolds(id);
      if (changes.channelId !== undefined) await this.channels.lockUsable(changes.channelId);
      connection.change(changes, this.clock.now());
      await this.rows.update(connection);
      this.record('update', connection, before);
      return connection;
    });
  }

  /** Locks the connection until a reservation by its terms is stored. Returns whether its channel and settlement are still these. */
  async lockSale({ id, channelId, settlement }: Connection): Promise<boolean> {
    const [found] = await this.database.prepared<object>(
      'octo-connection-sale',
      'select id from octo_connections where id = $1 and channel_id = $2 and settlement = $3 for share',
      [id, channelId, settlement],
    );
    return found !== undefined;
  }

  /** Returns the active connection of the caller: that of its client or key, otherwise that of its operator. */
  async findFor({ type, id, operatorId }: Pick<Actor, 'type' | 'id' | 'operatorId'>): Promise<Connection | null> {
    const column = SUBJECTS[type];
    if (column === null) return null;
    const [found] = await this.rows.read({
      name: `octo-connection-of-${type}`,
      text: `select ${this.rows.columns('connection')} from octo_connections as connection
             where active and (${column} = $1 or operator_id = $2)
             order by (${column} is not null) desc limit 1`,
      values: [id, operatorId],
    });
    return found ?? null;
  }

  /** Returns the channels by which the caller's operator, and its clients and keys, sell. */
  async listFor(caller: Pick<Actor, 'type' | 'id' | 'operatorId'>): Promise<string[]> {
    const { operatorId } = caller;
    if (operatorId === null) {
      const connection = await this.findFor(caller);
      return connection === null ? [] : [connection.channelId];
    }
    const [clients, keys] = [await this.clients.listIdsOf(operatorId), await this.keys.listIdsOf(operatorId)];
    const rows = await this.database.query<{ channelId: string }>(
      `select distinct channel_id as "channelId" from octo_connections
       where active and (operator_id = $1 or oauth_client_id = any ($2) or api_token_id = any ($3))
       order by channel_id`,
      [operatorId, clients, keys],
    );
    return rows.map(({ channelId }) => channelId);
  }

  /** Returns the operators whose active connections, or those of their clients and keys, sell by these channels. */
  async operatorsOf(channelIds: readonly string[]): Promise<Map<string, string[]>> {
    const connections = await this.database.query<ConnectionSubjects>(
      `select channel_id as "channelId", operator_id as "operatorId", oauth_client_id as "oauthClientId",
         api_token_id as "apiTokenId"
       from octo_connections where active and channel_id = any ($1)`,
      [channelIds],
    );
    const clients = await this.clients.operatorsOf(connections.flatMap(({ oauthClientId }) => oauthClientId ?? []));
    const keys = await this.keys.operatorsOf(connections.flatMap(({ apiTokenId }) => apiTokenId ?? []));
    const operators = new Map<string, string[]>();
    for (const { channelId, operatorId, oauthClientId, apiTokenId } of connections) {
      const found = operatorId ?? clients.get(oauthClientId ?? '') ?? keys.get(apiTokenId ?? '');
      const known = operators.get(channelId) ?? [];
      if (found !== undefined && !known.includes(found)) operators.set(channelId, [...known, found]);
    }
    return operators;
  }

  /** The units on hold are of slots of the channel, and their prices are those of the settlement. */
  private async assertWithoutHolds(id: string): Promise<void> {
    const text = `select id from octo_bookings
      where connection_id = $1 and status = 'ON_HOLD' and not test_mode and expires_at > $2 limit 1`;
    const [hold] = await this.database.query(text, [id, this.clock.now()]);
    if (hold)
      throw conflict('connection_in_use', 'The reseller has reservations on hold: try again when they have ended');
  }

  private record(verb: 'create' | 'update', connection: Connection, before: object | null): void {
    const subject = { subjectType: 'octo_connection', subjectId: connection.id };
    this.ledger.record(`octo.connection.${verb}`, { ...subject, before, after: connection.auditImage() });
  }
}

const DEFAULTS = {
  catalogue: 'all',
  poolPolicy: 'allotment_then_pool',
  settlement: 'commission',
  commissionBasisPoints: 0,
  showNet: true,
  holdMinutes: 30,
  maxHoldMinutes: 120,
  active: true,
} as const;

type ConnectionSubjects = Pick<Connection, 'channelId' | 'operatorId' | 'oauthClientId' | 'apiTokenId'>;

/** The column with the credential holder of each type of actor; people never sell by a connection. */
const SUBJECTS = { api_key: 'api_token_id', oauth_client: 'oauth_client_id', user: null, system: null } as const;
