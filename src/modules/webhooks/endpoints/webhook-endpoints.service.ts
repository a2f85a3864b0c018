import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor, currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { Egress } from '../../../platform/egress/egress.js';
import { AppError, conflict, forbidden, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { AccountMailListener, StaffAccountsService } from '../../identity/index.js';
import { WebhookSecretsService } from '../signing/webhook-secrets.service.js';
import { OwnerRightsService } from './owner-rights.service.js';
import type {
  CreateWebhookEndpoint,
  EndpointView,
  ListPartnerWebhookEndpoints,
  ListWebhookEndpoints,
  RotateWebhookSecret,
  UpdateWebhookEndpoint,
} from './webhook-endpoint.dto.js';
import { type DisabledReason, type Owner, WebhookEndpoint } from './webhook-endpoint.entity.js';

const MAX_ENDPOINTS = 50;
/** Of each kind of owner: an event has at most as many deliveries, which one transaction adds. */
const MAX_ENDPOINTS_OF_KIND = 2_000;
const MAX_LIVE_SECRETS = 2;
const HOUR_MS = 3_600_000;

const LOCK_OWNERS = 'select pg_advisory_xact_lock(hashtextextended($1, 6701))';
const COUNT = `
  select count(*)::int as total, count(*) filter (where owner_id = $2)::int as own from webhook_endpoints where owner_kind = $1`;

type Verb = 'create' | 'update' | 'delete' | 'rotate_secret' | 'activate' | 'disable';

/** The endpoints of webhooks. An operator has its own; staff have those of all users, and can read those of operators. */
@Injectable()
export class WebhookEndpointsService {
  readonly rows: Rows<WebhookEndpoint>;

  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecretsService,
    private readonly rights: OwnerRightsService,
    private readonly staff: StaffAccountsService,
    private readonly listeners: Listeners,
    private readonly egress: Egress,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(WebhookEndpoint);
  }

  async create(
    { signatureType = 'hmac_sha256', ...input }: CreateWebhookEndpoint,
    { id = newId('whe'), owner = ownerOfCaller() }: { id?: string; owner?: Owner } = {},
  ): Promise<EndpointView & { shown: string | null }> {
    this.assertUrl(input.url);
    this.assertReadable(input.eventTypes, owner.ownerKind);
    const createdAt = this.clock.now();
    const endpoint = make(WebhookEndpoint, { ...input, ...owner, id, signatureType, status: 'active', createdAt });
    return this.database.transaction(async () => {
      await this.database.query(LOCK_OWNERS, [owner.ownerKind]);
      const [counted] = await this.database.query<{ total: number; own: number }>(COUNT, [
        owner.ownerKind,
        owner.ownerId,
      ]);
      if ((counted?.own ?? 0) >= MAX_ENDPOINTS) {
        throw conflict('endpoint_limit_reached', `The owner has ${MAX_ENDPOINTS} endpoints`, { limit: MAX_ENDPOINTS });
      }
      if ((counted?.total ?? 0) >= MAX_ENDPOINTS_OF_KIND) {
        const details = { limit: MAX_ENDPOINTS_OF_KIND };
        throw conflict(
          'endpoint_limit_reached',
          `All owners together have ${MAX_ENDPOINTS_OF_KIND} endpoints`,
          details,
        );
      }
      await this.rows.insert(endpoint);
      const { row, shown } = await this.secrets.add(id, signatureType);
      this.record('create', endpoint, { before: null, after: endpoint.auditImage() });
      return { endpoint, secrets: [row], shown };
    });
  }

  async list(
    query: ListPartnerWebhookEndpoints & Pick<ListWebhookEndpoints, 'ownerKind'>,
  ): Promise<{ views: EndpointView[]; total: number }> {
    const { status, sort = '-createdAt' } = query;
    const caller = ownerOfCaller();
    const ownerKinds = caller.ownerKind === 'operator' ? ['operator'] : (query.ownerKind ?? ['staff']);
    const found = this.rows.query('endpoint').andWhere('endpoint.owner_kind in (:...ownerKinds)', { ownerKinds });
    if (caller.ownerKind === 'operator') found.andWhere('endpoint.owner_id = :ownerId', { ownerId: caller.ownerId });
    filterRows(found, 'endpoint.status', status);
    sortRows(found, sort);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    const endpoints = rows.map(({ entity }) => entity);
    const secrets = await this.secrets.liveOf(endpoints.map(({ id }) => id));
    const views = endpoints.map((endpoint) => ({
      endpoint,
      secrets: secrets.filter(({ endpointId }) => endpointId === endpoint.id),
    }));
    return { views, total };
  }

  async get(id: string): Promise<EndpointView> {
    return this.view(await this.getReadable(id));
  }

  /** Throws 404 for an endpoint that the caller may not see. */
  async getReadable(id: string): Promise<WebhookEndpoint> {
    return readable(await this.rows.get(id));
  }

  /** Throws 404 for an endpoint that the caller may not see, and 403 for one that only its operator changes. */
  async getOwn(id: string): Promise<WebhookEndpoint> {
    return own(await this.rows.get(id));
  }

  /**
   * The caller must be able to read all events of the endpoint, before and after the change: otherwise the address of a receiver
   * could be exchanged for one that gets what the caller may not read.
   */
  async update(id: string, body: UpdateWebhookEndpoint, expected: ExpectedVersions): Promise<EndpointView> {
    if (body.url !== undefined) this.assertUrl(body.url);
    return this.database.transaction(async () => {
      const { url } = await this.getOwn(id);
      if (body.url !== undefined && body.url !== url) await this.restart(id);
      return this.change('update', { id, expected }, (endpoint) => {
        this.assertReadable(endpoint.eventTypes);
        endpoint.change(body, this.clock.now());
        this.assertReadable(endpoint.eventTypes);
      });
    });
  }

  /** The deliveries of the endpoint stay until they are purged, but the API no longer returns them. */
  async delete(id: string, expected: ExpectedVersions): Promise<EndpointView> {
    return this.database.transaction(async () => {
      await this.getOwn(id);
      await this.database.execute('delete from webhook_queues where endpoint_id = $1', [id]);
      await this.database.execute('delete from webhook_health where endpoint_id = $1', [id]);
      const endpoint = own(await this.rows.lock(id));
      assertVersion(expected, endpoint);
      const view = await this.view(endpoint);
      await this.database.execute('delete from webhook_endpoints where id = $1', [id]);
      this.record('delete', endpoint, { before: endpoint.auditImage(), after: null });
      return view;
    });
  }

  /** Adds a secret; the current one also signs until the end of the overlap. Without an overlap all others end at once. */
  async rotateSecret(
    id: string,
    { overlapHours = 24, signatureType }: RotateWebhookSecret,
    expected: ExpectedVersions,
  ): Promise<EndpointView & { shown: string | null }> {
    let shown: string | null = null;
    const view = await this.change('rotate_secret', { id, expected }, async (endpoint) => {
      this.assertReadable(endpoint.eventTypes);
      const live = await this.secrets.liveOf([id]);
      if (overlapHours > 0 && live.length >= MAX_LIVE_SECRETS) {
        throw conflict('secret_limit_reached', 'The endpoint has two live secrets; wait until one ends');
      }
      const now = this.clock.now();
      await this.secrets.endAll(id, new Date(now.getTime() + overlapHours * HOUR_MS));
      endpoint.signatureType = signatureType ?? endpoint.signatureType;
      endpoint.updatedAt = now;
      ({ shown } = await this.secrets.add(id, endpoint.signatureType));
    });
    return { ...view, shown };
  }

  async activate(id: string, expected: ExpectedVersions): Promise<EndpointView> {
    return this.database.transaction(async () => {
      await this.getOwn(id);
      await this.restart(id);
      return this.change('activate', { id, expected }, (endpoint) => {
        endpoint.activate(this.clock.now());
      });
    });
  }

  /**
   * Disables the endpoint in the running transaction, and sends a mail unless it belongs to an operator. Returns false if it is no
   * longer active, or has another URL than the one that failed.
   */
  async disable(id: string, reason: DisabledReason, { url }: { url?: string } = {}): Promise<boolean> {
    const endpoint = await this.rows.findAndLock(id);
    if (endpoint?.status !== 'active' || (url !== undefined && endpoint.url !== url)) return false;
    const before = endpoint.auditImage();
    endpoint.disable(reason, this.clock.now());
    await this.rows.update(endpoint);
    this.record('disable', endpoint, { before, after: endpoint.auditImage() });
    if (endpoint.ownerKind === 'operator') return true;
    const host = new URL(endpoint.url).hostname;
    for (const mail of await this.staff.recipientsFor(endpoint.ownerId)) {
      await this.listeners.call(AccountMailListener, (listener) => listener.webhookDisabled?.(mail, { host, reason }));
    }
    return true;
  }

  private async change(
    verb: Verb,
    { id, expected }: { id: string; expected: ExpectedVersions },
    work: (endpoint: WebhookEndpoint) => Promise<void> | void,
  ): Promise<EndpointView> {
    return this.database.transaction(async () => {
      const endpoint = own(await this.rows.lock(id));
      assertVersion(expected, endpoint);
      const before = endpoint.auditImage();
      await work(endpoint);
      await this.rows.update(endpoint);
      this.record(verb, endpoint, { before, after: endpoint.auditImage() });
      return this.view(endpoint);
    });
  }

  /**
   * Lets the deliveries that wait start again, at once and for 72 hours, as if none had failed. Locks queues, deliveries and health
   * before the endpoint, as the end of an attempt does.
   */
  private async restart(id: string): Promise<void> {
    const values = [id, this.clock.now()];
    await this.database.query('select from webhook_queues where endpoint_id = $1 order by subject for update', [id]);
    await this.database.execute(
      `update webhook_deliveries set tries = 0, first_attempt_at = null, next_attempt_at = $2
       where endpoint_id = $1 and status = 'pending' and tries > 0`,
      values,
    );
    await this.database.execute('update webhook_queues set due_at = $2 where endpoint_id = $1 and due_at > $2', values);
    await this.database.execute('delete from webhook_health where endpoint_id = $1', [id]);
  }

  private async view(endpoint: WebhookEndpoint): Promise<EndpointView> {
    return { endpoint, secrets: await this.secrets.liveOf([endpoint.id]) };
  }

  private assertUrl(url: string): void {
    const fault = this.egress.faultOf(url);
    if (fault === null) return;
    throw unprocessable('url_not_allowed', 'Webhooks cannot be sent to this address', { field: 'url', reason: fault });
  }

  private assertReadable(eventTypes: readonly string[], ownerKind = ownerOfCaller().ownerKind): void {
    const [unknown] = this.rights.unknownAmong(eventTypes, ownerKind);
    if (unknown !== undefined) {
      throw unprocessable('unknown_event_type', 'Unknown event type', {
        field: `eventTypes.${eventTypes.indexOf(unknown)}`,
      });
    }
    const unreadable = this.rights.unreadableAmong(eventTypes, { ownerKind, scopes: currentActor().scopes });
    if (unreadable.length === 0) return;
    throw forbidden('The caller may not read all of these events', { eventTypes: unreadable.slice(0, 20) });
  }

  private record(verb: Verb, { id }: { id: string }, images: { before: object | null; after: object | null }): void {
    this.ledger.record(`webhooks.endpoint.${verb}`, { subjectType: 'webhook_endpoint', subjectId: id, ...images });
  }
}

/** An endpoint belongs to the user or the operator, whichever of its credentials created it. Throws 403 for keys of no operator. */
function ownerOfCaller(): Owner {
  const { operatorId, principal } = currentActor();
  if (currentContext().surface !== 'connect') return { ownerKind: 'staff', ownerId: principal };
  if (operatorId === null) throw new AppError(403, 'forbidden', 'Requires a credential that is bound to an operator');
  return { ownerKind: 'operator', ownerId: operatorId };
}

function readable(endpoint: WebhookEndpoint): WebhookEndpoint {
  const { ownerKind, ownerId } = ownerOfCaller();
  const isVisible = ownerKind === 'staff' || (endpoint.ownerKind === 'operator' && endpoint.ownerId === ownerId);
  if (!isVisible) throw notFound();
  return endpoint;
}

function own(endpoint: WebhookEndpoint): WebhookEndpoint {
  if (readable(endpoint).ownerKind === ownerOfCaller().ownerKind) return endpoint;
  throw new AppError(403, 'forbidden', 'Only the operator can change this endpoint');
}
