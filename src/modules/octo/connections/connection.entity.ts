import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import type { Columns } from '../../../platform/database/rows.js';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { unprocessable } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';

export const CATALOGUES = named('OctoCatalogue', ['all', 'listed']);
export type Catalogue = (typeof CATALOGUES)[number];

export const POOL_POLICIES = named('OctoPoolPolicy', ['allotment_only', 'allotment_then_pool']);
export type PoolPolicy = (typeof POOL_POLICIES)[number];

export const SETTLEMENTS = named('OctoSettlement', ['net', 'commission']);
export type Settlement = (typeof SETTLEMENTS)[number];

/** The longest hold that a connection may allow, in minutes: the platform's own limit for extended holds. */
export const MAX_HOLD_MINUTES = 240;

type ConnectionChanges = Partial<
  Omit<
    Columns<Connection>,
    'id' | 'operatorId' | 'oauthClientId' | 'apiTokenId' | 'version' | 'createdAt' | 'updatedAt'
  >
>;

/** What a reseller may sell on the OCTO surface, and how it settles. It is bound to an operator, a client or a key. */
@Entity('octo_connections')
export class Connection extends Audited {
  @PrimaryColumn('text') id: string;
  @Personal('partner')
  @Column('text')
  name: string;
  @Column('text', { name: 'channel_id' }) channelId: string;
  @Column('text', { name: 'operator_id', nullable: true }) operatorId: string | null;
  @Column('text', { name: 'oauth_client_id', nullable: true }) oauthClientId: string | null;
  @Column('text', { name: 'api_token_id', nullable: true }) apiTokenId: string | null;
  @Impersonal()
  @Column('text')
  catalogue: Catalogue;
  /** Empty unless the catalogue is `listed`. */
  @Column('text', { name: 'product_ids', array: true }) productIds: string[];
  @Column('text', { name: 'pool_policy' }) poolPolicy: PoolPolicy;
  @Impersonal()
  @Column('text')
  settlement: Settlement;
  /** Share of the retail price that the channel earns; without effect with settlement `net`. */
  @Column('integer', { name: 'commission_basis_points' }) commissionBasisPoints: number;
  @Column('boolean', { name: 'show_net' }) showNet: boolean;
  @Column('integer', { name: 'hold_minutes' }) holdMinutes: number;
  @Column('integer', { name: 'max_hold_minutes' }) maxHoldMinutes: number;
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: ConnectionChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
    this.assertConsistent();
  }

  assertConsistent(): void {
    if (this.holdMinutes > this.maxHoldMinutes) {
      throw unprocessable('hold_too_long', 'holdMinutes must not exceed maxHoldMinutes', { field: 'holdMinutes' });
    }
    if ((this.catalogue === 'listed') !== this.productIds.length > 0) {
      const message = 'productIds must name products if the catalogue is listed, and only then';
      throw unprocessable('catalogue_mismatch', message, { field: 'productIds' });
    }
  }

  /** Whether the changes concern what live reservations depend on. */
  hasOtherSaleIn({ channelId = this.channelId, settlement = this.settlement }: ConnectionChanges): boolean {
    return channelId !== this.channelId || settlement !== this.settlement;
  }

  /** Whether the reseller may see the product, if it is on sale. */
  offers(productId: string): boolean {
    return this.catalogue === 'all' || this.productIds.includes(productId);
  }
}
