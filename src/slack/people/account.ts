import { z } from 'zod';

/** The fields of an account that say where it belongs. */
export const accountSchema = z.object({
  /** The workspace of the account; empty where Slack doesn't say. */
  team_id: z.string().default(''),
  is_stranger: z.boolean().default(false),
  /** In Enterprise Grid: the organisation, and those of its workspaces that the account is in. */
  enterprise_user: z.object({ enterprise_id: z.string(), teams: z.array(z.string()) }).optional(),
});

/**
 * Whether an account is of an installation: in its workspace, or in its organisation where the app is installed in all
 * of it. `is_stranger` isn't enough: it's false for people from elsewhere who share a channel with the app
 * (docs.slack.dev/reference/objects/user-object).
 */
export function isOfInstallation(account: z.infer<typeof accountSchema>, installation: string): boolean {
  const { team_id: team, is_stranger: isStranger, enterprise_user: inGrid } = account;
  if (isStranger) return false;
  if (inGrid === undefined) return team === installation;
  return inGrid.enterprise_id === installation || inGrid.teams.includes(installation);
}
