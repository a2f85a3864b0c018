export type { ChannelSlot } from './allotments/slots.repository.js';
export { AllotmentsService } from './allotments/allotments.service.js';
export { MISCOUNTED_DEPARTURES } from './allotments/miscounted-departures.sql.js';
export { PartnerChannels } from './channels/partner-channels.js';
export { ChannelsService } from './channels/channels.service.js';
export { DistributionModule } from './distribution.module.js';
export { distributionEvents } from './events.js';
