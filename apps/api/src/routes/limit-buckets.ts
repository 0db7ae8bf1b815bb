import { bucketExplained, bucketOrIdentity } from '@minitickets/contract';
import { z } from 'zod';
import type { Api, Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { requireRole, requireSession, viewerOf } from '../plugins/session.ts';
import { liftSuppression, readBucket } from '../queries/limit-buckets.ts';
import { accountOf, clientOf } from '../rules/client-identity.ts';
import { explainBucket } from '../rules/explain-bucket.ts';
import { type PolicyName, policies } from '../rules/limits.ts';

const policyName = z.enum(Object.keys(policies) as [PolicyName, ...PolicyName[]]);

/** One identity's bucket, for an operator who is asked why somebody is refused. */
export function limitBucketRoutes(app: Api, { db, redis }: Deps) {
  const adminsOnly = [requireSession, requireRole(db, 'admin')];

  app.get(
    '/v1/admin/limits/:policy/buckets/:bucket',
    {
      onRequest: adminsOnly,
      schema: {
        summary: 'Why a bucket refuses: its tokens, its ban, and what comes next',
        params: z.object({ policy: policyName, bucket: bucketOrIdentity }),
        response: { 200: bucketExplained },
      },
    },
    async (request) => {
      const { policy } = request.params;
      const bucket = bucketNamed(policy, request.params.bucket);
      return explainBucket(policy, bucket, await readBucket(redis, bucket), Date.now());
    },
  );

  app.delete(
    '/v1/admin/suppressions/:bucket',
    {
      onRequest: adminsOnly,
      schema: {
        summary: 'End a ban; the tokens stay as they are',
        params: z.object({ bucket: z.string().regex(/^[\w-]{22}$/, 'the name of a bucket') }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { bucket } = request.params;
      if (!(await liftSuppression(redis, bucket))) fail({ kind: 'not-found', what: 'suppression' });
      request.log.info({ bucket, liftedBy: viewerOf(request).user.id }, 'a suppression was lifted');
      return reply.code(204).send(null);
    },
  );

  /** Names of buckets are hashes. Who knows an identity and not its hash may name that. */
  function bucketNamed(policy: PolicyName, bucketOrIdentity: string) {
    const [kind, identity] = bucketOrIdentity.split(/:(.*)/s, 2) as [string, string | undefined];
    if (identity === undefined) return bucketOrIdentity;
    if (kind === 'ip') return app.limiter.nameOf(policy, clientOf(identity));
    if (kind === 'account') return app.limiter.nameOf(policy, accountOf(identity));
    // Users and API keys are named by their ids, which are the same in any case.
    if (kind === 'user' || kind === 'key') return app.limiter.nameOf(policy, bucketOrIdentity.toLowerCase());
    return app.limiter.nameOf(policy, bucketOrIdentity);
  }
}
