import type { PolicyName } from '@minitickets/contract';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { readBucket } from '../queries/limit-buckets.ts';
import { accountOf, clientOf } from '../rules/client-identity.ts';
import { explainBucket } from '../rules/explain-bucket.ts';

/** One identity's bucket, for an operator who has to explain a refusal. */
export function limitBucketRoutes(app: Api, { db, redis }: Deps) {
  const serve = routeServer(app, { db });
  serve('explainBucket', async (request) => {
    const { policy } = request.params;
    const bucket = bucketNamed(policy, request.params.bucket);
    return explainBucket(policy, bucket, await readBucket(redis, bucket), Date.now());
  });

  serve('liftSuppression', async (request, reply) => {
    const { bucket } = request.params;
    if (!(await app.limiter.liftBan(bucket))) fail({ kind: 'not-found', what: 'suppression' });
    request.log.info({ bucket, liftedBy: viewerOf(request).user.id }, 'a ban was lifted');
    return reply.code(204).send(null);
  });

  /** A bucket's name is a hash. An operator who knows the identity instead may pass that. */
  function bucketNamed(policy: PolicyName, bucketOrIdentity: string) {
    const [kind, identity] = bucketOrIdentity.split(/:(.*)/s, 2) as [string, string | undefined];
    if (identity === undefined) return bucketOrIdentity;
    if (kind === 'ip') return app.limiter.nameOf(policy, clientOf(identity));
    if (kind === 'account') return app.limiter.nameOf(policy, accountOf(identity));
    // Users and API keys are identified by their ids, which are case-insensitive.
    if (kind === 'user' || kind === 'key') return app.limiter.nameOf(policy, bucketOrIdentity.toLowerCase());
    return app.limiter.nameOf(policy, bucketOrIdentity);
  }
}
