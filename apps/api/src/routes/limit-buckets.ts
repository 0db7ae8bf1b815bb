import { type BucketExplained, id, type PolicyName } from '@minitickets/contract';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { routeServer } from '../plugins/serve-route.ts';
import { viewerOf } from '../plugins/session.ts';
import { apiKeyById } from '../queries/api-keys.ts';
import { readBucket } from '../queries/limit-buckets.ts';
import { identityNamed, userOf } from '../rules/client-identity.ts';
import { explainBucket } from '../rules/explain-bucket.ts';
import { policies } from '../rules/limits.ts';

/** One identity's bucket, for an operator who has to explain a refusal. */
export function limitBucketRoutes(app: Api, { db, redis }: Deps) {
  const serve = routeServer(app, { db });
  serve('explainBucket', async (request) => {
    const { policy } = request.params;
    const buckets = await bucketsNamed(policy, request.params.bucket);
    const explained = await Promise.all(
      buckets.map(async (bucket) => explainBucket(policy, bucket, await readBucket(redis, bucket), Date.now())),
    );
    return explained.reduce(moreTelling);
  });

  serve('liftSuppression', async (request, reply) => {
    const { bucket } = request.params;
    if (!(await app.limiter.liftBan(bucket))) fail({ kind: 'not-found', what: 'suppression' });
    request.log.info({ bucket, liftedBy: viewerOf(request).user.id }, 'a ban was lifted');
    return reply.code(204).send(null);
  });

  /**
   * A bucket's name is a hash. An operator who knows the identity instead may pass that. An API key that carries no limit spends
   * from its user's bucket too, and that one may be what refuses.
   */
  async function bucketsNamed(policy: PolicyName, bucketOrIdentity: string): Promise<string[]> {
    if (!bucketOrIdentity.includes(':')) return [bucketOrIdentity];
    const identity =
      identityNamed(bucketOrIdentity, policies[policy].identity) ??
      fail({ kind: 'not-valid', path: '/bucket', message: 'ip: followed by an IP address' });
    const owner = identity.startsWith('key:') ? await ownerOf(identity.slice('key:'.length)) : undefined;
    const takes = owner
      ? app.limiter.takesOf(policy, { identity: userOf(owner.user.id), tier: owner.user.tier, key: owner.key })
      : [app.limiter.takeOf(policy, 'free', identity)];
    return takes.map(({ bucket }) => bucket);
  }

  /** Returns the user and the tier of an active API key; undefined for any other text. */
  const ownerOf = async (key: string) => (id.safeParse(key).success ? apiKeyById(db, key) : undefined);
}

/** Returns the one of two buckets that explains a refusal: the one that refuses for longer, else the one that was used. */
function moreTelling(one: BucketExplained, other: BucketExplained): BucketExplained {
  const weight = ({ state, nextAllowedAt }: BucketExplained) =>
    state === 'absent' ? 0 : nextAllowedAt === null ? 1 : Date.parse(nextAllowedAt);
  return weight(other) > weight(one) ? other : one;
}
