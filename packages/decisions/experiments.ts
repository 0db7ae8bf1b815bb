import atomicOrNot from './atomic-or-not/experiment.ts';
import changeWithoutDeploy from './change-without-deploy/experiment.ts';
import deployWithoutDrops from './deploy-without-drops/experiment.ts';
import doubleClick from './double-click/experiment.ts';
import type { Experiment } from './frame/experiment.ts';
import hashCost from './hash-cost/experiment.ts';
import hashedIdentities from './hashed-identities/experiment.ts';
import holdMeetsPayment from './hold-meets-payment/experiment.ts';
import hotEvent from './hot-event/experiment.ts';
import hotKey from './hot-key/experiment.ts';
import manyAccounts from './many-accounts/experiment.ts';
import neverOversell from './never-oversell/experiment.ts';
import neverUndersell from './never-undersell/experiment.ts';
import obedientCrowd from './obedient-crowd/experiment.ts';
import oneQueryOrNPlusOne from './one-query-or-n-plus-one/experiment.ts';
import optimisticOrPessimistic from './optimistic-or-pessimistic/experiment.ts';
import refusedCallsAreFree from './refused-calls-are-free/experiment.ts';
import rollingOutALimit from './rolling-out-a-limit/experiment.ts';
import sessionRevocation from './session-revocation/experiment.ts';
import sharedOffice from './shared-office/experiment.ts';
import sharedPolicy from './shared-policy/experiment.ts';
import staleAvailability from './stale-availability/experiment.ts';
import storeOutage from './store-outage/experiment.ts';
import suppression from './suppression/experiment.ts';
import tokenBucketOrWindow from './token-bucket-or-window/experiment.ts';
import whoIsTheClient from './who-is-the-client/experiment.ts';
import whoseClock from './whose-clock/experiment.ts';

/** Every decision, in the order in which they are best read: a new one gets a line here. */
export const experiments: Experiment[] = [
  sharedPolicy,
  atomicOrNot,
  whoseClock,
  tokenBucketOrWindow,
  refusedCallsAreFree,
  obedientCrowd,
  suppression,
  hotKey,
  whoIsTheClient,
  sharedOffice,
  manyAccounts,
  hashedIdentities,
  changeWithoutDeploy,
  rollingOutALimit,
  storeOutage,
  neverOversell,
  neverUndersell,
  optimisticOrPessimistic,
  doubleClick,
  holdMeetsPayment,
  hotEvent,
  staleAvailability,
  oneQueryOrNPlusOne,
  sessionRevocation,
  hashCost,
  deployWithoutDrops,
];
