import { Injectable } from '@nestjs/common';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { OrganizationService } from './profile/organization.service.js';

/** Shows two mountains on 120 x 40 pixels. */
const LOGO = [
  'iVBORw0KGgoAAAANSUhEUgAAAHgAAAAoCAMAAAACNM4XAAAACVBMVEX///8eWoxaoFrWM7s6AAAAk0lEQVR42u3NSw',
  '6AMAwDUZz7HxoBQhVtSj9gZ9PZj962rVYrcQCCWATQSAWxShplUa5CRq0glkujlTeZGZv1aLuiu7ls9lVGfw47TWMs',
  'h52iMZ7njsqYyvyC2AH6d7dPJrA9NIlt0SC6LzKXrdN0tkJLXE+WsB4tYkta52ayjs1oJfugxW6SxWyi5exNR7inHM',
  'Ee7dMnDYhcQBytAAAAAElFTkSuQmCC',
].join('');

@Injectable()
export class OrganizationDemo {
  constructor(private readonly organization: OrganizationService) {}

  /**
   * Loaded before all other data, so that issued invoices copy it. The name of the company remains the one from the
   * environment.
   */
  @DemoData(50, 'organization')
  async load(): Promise<void> {
    await this.organization.updateProfile(
      {
        country: 'DE',
        email: 'office@example.com',
        phone: '+49 8382 555 010',
        emergencyPhone: '+49 8382 555 011',
        website: 'https://www.example.com',
        insolvencyProtection: 'Travel Guarantee Fund, policy 4711',
        bankAccounts: [
          { holder: 'Demo Travel', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', currency: 'EUR' },
          { holder: 'Demo Travel', iban: 'CH9300762011623852957', currency: 'CHF' },
        ],
        footerText: { en: 'Thank you for travelling with us.', de: 'Vielen Dank, dass Sie mit uns reisen.' },
      },
      null,
    );
    await this.organization.replaceLogo(Buffer.from(LOGO, 'base64'), null);
  }
}
