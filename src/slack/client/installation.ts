import { z } from 'zod';

const idSchema = z.string().min(1).nullish();

/** What names an installation: a workspace, or an organisation that has the app in all its workspaces. */
const scopeSchema = z.object({
  team_id: idSchema,
  enterprise_id: idSchema,
  // A command is a form, so its flag is a word.
  is_enterprise_install: z.union([z.boolean(), z.stringbool()]).nullish(),
});
const commandSchema = scopeSchema.transform(readInstallation);

/**
 * The `team_id` at the top of an event can be that of the other organisation in a channel that two share
 * (slackapi/bolt-js#687), so it only counts where there are no authorizations.
 */
const eventSchema = z.union([
  z
    .object({ authorizations: z.tuple([scopeSchema]).rest(z.unknown()) })
    .transform(({ authorizations: [first] }) => readInstallation(first)),
  scopeSchema.extend({ authorizations: z.tuple([]).nullish() }).transform(readInstallation),
]);

/** The `team` of a view is that of the person, who may be from elsewhere (slackapi/bolt-js#1614). */
const viewSchema = z
  .object({
    is_enterprise_install: z.boolean().nullish(),
    enterprise: z.object({ id: idSchema }).nullish(),
    view: z.object({ app_installed_team_id: idSchema }),
  })
  .transform(({ is_enterprise_install: isOrgWide, enterprise, view }) =>
    isOrgWide ? enterprise?.id : view.app_installed_team_id,
  );

/**
 * Whether Slack sent this for our installation: an event, command, form, or click in a view. One that names
 * none, or another, isn't for us: the app may be installed elsewhere too, and its sockets and addresses are the same.
 * The rules are those of Bolt's `buildSource`, with one difference: a click on a message names no installation, only
 * where the person is, which can be another workspace or organisation. It's for us; who may decide is looked up by the
 * person's account (`../people/standing.ts`).
 * @param installation the id of our workspace, or of our organisation where the app is installed in all of it
 */
export function isForInstallation(body: Readonly<Record<string, unknown>>, installation: string): boolean {
  const schema = schemaFor(body);
  return schema === null || schema.safeParse(body).data === installation;
}

function schemaFor(body: Readonly<Record<string, unknown>>): z.ZodType<unknown> | null {
  if (body.type === 'event_callback') return eventSchema;
  if (typeof body.command === 'string') return commandSchema;
  return body.view === undefined || body.view === null ? null : viewSchema;
}

function readInstallation(scope: z.infer<typeof scopeSchema>): string | null {
  return (scope.is_enterprise_install ? scope.enterprise_id : scope.team_id) ?? null;
}
