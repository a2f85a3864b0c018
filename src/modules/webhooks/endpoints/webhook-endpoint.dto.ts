import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Id, ListOf, OneOf, Optional, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { WebhookSecret } from '../signing/webhook-secret.entity.js';
import { SIGNATURE_TYPES, type SignatureType } from '../signing/webhook-signatures.js';
import { EVENT_TYPE } from './event-types.js';
import {
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  type EndpointStatus,
  OWNER_KINDS,
  type OwnerKind,
  type WebhookEndpoint,
} from './webhook-endpoint.entity.js';

const MAX_URL = 2_048;
const URL_FORM = /^https?:\/\/[^\s]+$/;
const EVENT_TYPES = {
  min: 1,
  max: 20,
  maxLength: 200,
  unique: true,
  pattern: EVENT_TYPE,
  otherwise: 'must be the name of an event, a prefix of names such as booking.*, or *',
};
const WEEK_HOURS = 168;

/** A receiver of events. */
export class CreateWebhookEndpoint {
  /**
   * Address of the receiver: https, outside production also http. Addresses that are not public are rejected unless the
   * configuration allows them.
   * @example "https://hooks.example.com/travel"
   */
  @Text({ max: MAX_URL, pattern: URL_FORM })
  url: string;

  /**
   * What the receiver is for.
   * @example "Accounting"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  description?: string | null;

  /**
   * Events to receive: names of the event catalog, prefixes such as `booking.*`, or `*` for all. The caller must be able to read
   * each of them.
   * @example ["booking.confirmed", "invoice.*"]
   */
  @Texts(EVENT_TYPES)
  eventTypes: string[];

  /** How deliveries are signed: `hmac_sha256` by default, or `ed25519`, for which the receiver needs only a public key. */
  @Optional()
  @OneOf(SIGNATURE_TYPES)
  signatureType?: SignatureType;
}

/** The fields of an endpoint to change. The signature changes with the secret. */
export class UpdateWebhookEndpoint extends patchOf(OmitType(CreateWebhookEndpoint, ['signatureType'] as const)) {}

/** Options for replacing the secret of an endpoint. */
export class RotateWebhookSecret {
  /**
   * Hours during which the current secret also signs: 0 to 168 (seven days); 24 by default.
   * @example 48
   */
  @Optional()
  @Whole({ min: 0, max: WEEK_HOURS })
  overlapHours?: number;

  /** How the new secret signs; by default as the current one. */
  @Optional()
  @OneOf(SIGNATURE_TYPES)
  signatureType?: SignatureType;
}

export class ListPartnerWebhookEndpoints extends PageQuery {
  /** Only endpoints in one of these statuses. */
  @Optional()
  @AnyOf(ENDPOINT_STATUSES)
  status?: EndpointStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt'])
  sort?: string;
}

export class ListWebhookEndpoints extends ListPartnerWebhookEndpoints {
  /** Only endpoints of owners of these kinds; those of users (`staff`) by default. */
  @Optional()
  @AnyOf(OWNER_KINDS)
  ownerKind?: OwnerKind[];
}

/** A secret that signs the deliveries of an endpoint, without its value. */
export class WebhookSecretResponse {
  @Id('whs')
  id: string;

  /** How it signs. */
  @OneOf(SIGNATURE_TYPES)
  signatureType: SignatureType;

  /** Public key with which signatures of Ed25519 are verified: `whpk_` and Base64; null for HMAC. */
  @Text({ max: 100 })
  publicKey: string | null;

  /** When it stops signing; null until a next secret exists. */
  @Instant()
  endsAt: string | null;

  @Instant()
  createdAt: string;
}

/** A receiver of events. */
export class WebhookEndpointResponse {
  @Id('whe')
  id: string;

  /** Address of the receiver. */
  @Text({ max: MAX_URL })
  url: string;

  /** What the receiver is for; null if it is not described. */
  @Text({ max: 255 })
  description: string | null;

  /** Names of events, prefixes such as `booking.*`, or `*`. */
  @Texts(EVENT_TYPES)
  eventTypes: string[];

  /** `disabled` endpoints receive nothing until they are activated. */
  @OneOf(ENDPOINT_STATUSES)
  status: EndpointStatus;

  /** `failing`: a delivery failed for 72 hours; `gone`: the receiver answered 410; null while the endpoint is active. */
  @OneOf(DISABLED_REASONS)
  disabledReason: DisabledReason | null;

  /** When it was disabled; null while it is active. */
  @Instant()
  disabledAt: string | null;

  /** Whether it belongs to a user or to an operator. */
  @OneOf(OWNER_KINDS)
  ownerKind: OwnerKind;

  /** The user or operator that owns it: it receives what that owner may read at the time. */
  @Text({ max: 100 })
  ownerId: string;

  /** Secrets that sign now, newest first: two during a rotation. */
  @ListOf(() => WebhookSecretResponse, { max: 3 })
  secrets: WebhookSecretResponse[];

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** An endpoint with the value of its new secret. */
export class CreatedWebhookEndpoint extends WebhookEndpointResponse {
  /**
   * Value of the new secret, returned only once: `whsec_` and Base64. It is absent for `ed25519`, and when the response is replayed
   * for the same Idempotency-Key.
   */
  @Optional()
  @Text({ max: 100 })
  secret?: string;
}

/** An endpoint with its live secrets. */
export interface EndpointView {
  endpoint: WebhookEndpoint;
  secrets: readonly WebhookSecret[];
}

export function toEndpoint({ endpoint, secrets }: EndpointView): WebhookEndpointResponse {
  return respond(WebhookEndpointResponse, endpoint, { secrets: secrets.map(toSecret) });
}

export function toCreatedEndpoint(view: EndpointView & { shown: string | null }): CreatedWebhookEndpoint {
  return { ...toEndpoint(view), ...(view.shown !== null && { secret: view.shown }) };
}

function toSecret(secret: WebhookSecret): WebhookSecretResponse {
  return respond(WebhookSecretResponse, secret);
}

export class WebhookEndpointEnvelope extends dataOf(WebhookEndpointResponse) {}
export class CreatedWebhookEndpointEnvelope extends dataOf(CreatedWebhookEndpoint) {}
export class WebhookEndpointPage extends pageOf(WebhookEndpointResponse) {}
