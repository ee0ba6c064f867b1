/** What the run measures, by the names that its figures have. */
export { campaign } from './campaign.cts';
export { plain, leave } from './exactlyOnce.cts';
export { kill } from './kill.cts';
export { large } from './large.cts';
export { sendOnce } from './sendOnce.cts';
