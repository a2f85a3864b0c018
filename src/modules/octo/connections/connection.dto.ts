import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Flag,
  Id,
  Ignored,
  Nullable,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { withNames } from '../../../platform/http/row-names.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import {
  type Catalogue,
  CATALOGUES,
  type Connection,
  MAX_HOLD_MINUTES,
  POOL_POLICIES,
  type PoolPolicy,
  type Settlement,
  SETTLEMENTS,
} from './connection.entity.js';

const PRODUCT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const OPERATOR_ID = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_PRODUCTS = 500;

class ConnectionFields {
  /**
   * Name of the reseller.
   * @example "Harbour Travel"
   */
  @Text({ max: 255 })
  name: string;

  /**
   * Channel by which the reseller sells (prefix `chan`): its allotments, prices and commission apply.
   * @example "chan_01k0dem000e000000000000002"
   */
  @Id('chan')
  channelId: string;

  /** `all` (default): every active product with a price for the channel; `listed`: only those of `productIds`. */
  @Optional()
  @OneOf(CATALOGUES)
  catalogue?: Catalogue;

  /** The products that the reseller may sell, if the catalogue is `listed`; otherwise empty. */
  @Optional()
  @Texts({ max: MAX_PRODUCTS, maxLength: 128, pattern: PRODUCT_ID, unique: true })
  productIds?: string[];

  /**
   * `allotment_then_pool` (default): the reseller sells the units of its allotments, then those of the general pool;
   * `allotment_only`: only the units of its allotments.
   */
  @Optional()
  @OneOf(POOL_POLICIES)
  poolPolicy?: PoolPolicy;

  /**
   * `commission` (default): bookings have the retail price, and the channel earns a commission; `net`: the price list of the
   * channel contains net rates, and bookings have these prices.
   */
  @Optional()
  @OneOf(SETTLEMENTS)
  settlement?: Settlement;

  /** Share of the retail price that the channel earns, in basis points, with settlement `commission`; 0 by default. */
  @Optional()
  @Whole({ min: 0, max: 10_000 })
  commissionBasisPoints?: number;

  /** Whether the reseller sees what it pays; true by default. */
  @Optional()
  @Flag()
  showNet?: boolean;

  /** Minutes for which a reservation is on hold if the reseller asks for no other time; 30 by default. */
  @Optional()
  @Whole({ min: 1, max: MAX_HOLD_MINUTES })
  holdMinutes?: number;

  /** Most minutes for which the reseller can put a reservation on hold; 120 by default. */
  @Optional()
  @Whole({ min: 1, max: MAX_HOLD_MINUTES })
  maxHoldMinutes?: number;

  /** Whether the reseller can call the OCTO surface; true by default. */
  @Optional()
  @Flag()
  active?: boolean;
}

/** A new connection of a reseller, with exactly one of `operatorId`, `oauthClientId` and `apiTokenId`. */
export class CreateConnection extends ConnectionFields {
  /**
   * Operator whose keys and clients use the connection.
   * @example "op_demo"
   */
  @Optional()
  @Text({ max: 64, pattern: OPERATOR_ID })
  operatorId?: string;

  /** OAuth client that uses the connection (prefix `oacl`). */
  @Optional()
  @Id('oacl')
  oauthClientId?: string;

  /** Platform API key that uses the connection (prefix `atok`). */
  @Optional()
  @Id('atok')
  apiTokenId?: string;

  @Ignored()
  id?: string;
}

/** The fields of a connection to change. */
export class UpdateConnection extends patchOf(ConnectionFields) {}

export class ListConnections extends PageQuery {
  /** Only connections of this channel (prefix `chan`). */
  @Optional()
  @Id('chan')
  channelId?: string;

  /** Only active (true) or only inactive (false) connections. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}

/** What a reseller may sell on the OCTO surface, and how it settles. */
class ConnectionResponse {
  @Id('ocon')
  id: string;

  /** Name of the reseller. */
  @Text({ max: 255 })
  name: string;

  /** Channel by which the reseller sells. */
  @Id('chan')
  channelId: string;

  /** Operator whose keys and clients use the connection; null if it is bound to one client or key. */
  @Nullable()
  @Text({ max: 64, pattern: OPERATOR_ID })
  operatorId: string | null;

  /** OAuth client that uses the connection; null if it is bound to an operator or a key. */
  @Nullable()
  @Id('oacl')
  oauthClientId: string | null;

  /** Platform API key that uses the connection; null if it is bound to an operator or a client. */
  @Nullable()
  @Id('atok')
  apiTokenId: string | null;

  /** `all`: every active product with a price for the channel; `listed`: only those of `productIds`. */
  @OneOf(CATALOGUES)
  catalogue: Catalogue;

  /** The products that the reseller may sell; empty if the catalogue is `all`. */
  @Texts({ max: MAX_PRODUCTS, maxLength: 128, pattern: PRODUCT_ID, unique: true })
  productIds: string[];

  /** Whether the reseller sells from the general pool once its allotments are sold. */
  @OneOf(POOL_POLICIES)
  poolPolicy: PoolPolicy;

  /** Whether the channel earns a commission or buys at net rates. */
  @OneOf(SETTLEMENTS)
  settlement: Settlement;

  /** Share of the retail price that the channel earns, in basis points, with settlement `commission`. */
  @Whole({ min: 0, max: 10_000 })
  commissionBasisPoints: number;

  /** Whether the reseller sees what it pays. */
  @Flag()
  showNet: boolean;

  /** Minutes for which a reservation is on hold if the reseller asks for no other time. */
  @Whole({ min: 1, max: MAX_HOLD_MINUTES })
  holdMinutes: number;

  /** Most minutes for which the reseller can put a reservation on hold. */
  @Whole({ min: 1, max: MAX_HOLD_MINUTES })
  maxHoldMinutes: number;

  /** Whether the reseller can call the OCTO surface. */
  @Flag()
  active: boolean;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toConnection(connection: Connection): ConnectionResponse {
  return respond(ConnectionResponse, connection);
}

export class ConnectionEnvelope extends dataOf(ConnectionResponse) {}
/** A connection in a list, with the name beside the ID of its channel. */
class ConnectionRow extends withNames(ConnectionResponse, 'channelId') {}
export class ConnectionPage extends pageOf(ConnectionRow) {}
