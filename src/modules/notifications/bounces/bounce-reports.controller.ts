import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { RequireSecret } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { RawBody } from '../../../platform/http/body-parsers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { MutatesForNobody } from '../../../platform/idempotency/mutates.js';
import { BounceReportEnvelope, ReportBounce } from './bounce-report.dto.js';
import { BounceReportsService } from './bounce-reports.service.js';

const MAIL = {
  types: ['message/rfc822'],
  maxBytes: 262_144,
  example: [
    'To: bounces+01k0dem000e0000000000000010000000000000000000000000@bounces.example.com',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '\r\n--b\r\nContent-Type: message/delivery-status',
    '\r\nReporting-MTA: dns; mx.example.org',
    '\r\nFinal-Recipient: rfc822; clara@example.com\r\nAction: failed\r\nStatus: 5.1.1',
    '\r\n--b--\r\n',
  ].join('\r\n'),
};
const IRREVERSIBLE = { irreversible: 'The mail was returned: lift the suppression of the address' };

@ApiGroup('Notifications')
@Controller('/v1/public/notifications')
export class BounceReportsController {
  constructor(private readonly reports: BounceReportsService) {}

  /**
   * Report a bounce or a complaint
   *
   * @remarks For the provider of the mail server. The mail is found by the token of its envelope sender only. A mail that failed with
   * 5.x.x suppresses its address, as do three mails to one address that failed with 4.x.x within 14 days; 5.6.x and 5.7.x, which are
   * about content and policy, suppress nothing. A complaint suppresses marketing. A repeated report changes nothing.
   */
  @ApiOperation({ operationId: 'bounceReports_create' })
  @Post('bounce-reports')
  @HttpCode(200)
  @RequireSecret('bounceReportSecret')
  @RateLimit('bounce-reports')
  @MutatesForNobody('notifications.message.bounce', IRREVERSIBLE)
  @Refuses({ 401: ['unauthorized'] })
  async report(@Body() body: ReportBounce): Promise<BounceReportEnvelope> {
    return { data: { result: await this.reports.report(body) } };
  }

  /**
   * Report a returned mail
   *
   * @remarks For the mail server of the envelope senders: the body is the returned mail itself, a report in the form of RFC 3464, of
   * at most 256 KiB. The original message is identified only by the token in the address that the report was sent to. The effects
   * are those of the other operation. A mail that is not a report is ignored.
   */
  @ApiOperation({ operationId: 'bounceMails_create' })
  @Post('bounce-mails')
  @HttpCode(200)
  @RequireSecret('bounceReportSecret')
  @RateLimit('bounce-reports')
  @MutatesForNobody('notifications.message.bounce', IRREVERSIBLE)
  @Refuses({ 401: ['unauthorized'] })
  async receive(@RawBody(MAIL) mail: Buffer): Promise<BounceReportEnvelope> {
    return { data: { result: await this.reports.receive(mail) } };
  }
}
