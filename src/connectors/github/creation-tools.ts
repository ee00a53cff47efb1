import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering, ToolProblem } from '../../lib/text/tool-answers.ts';
import { ADDS, READS } from '../service/annotations.ts';
import { type Api, NothingThere, path } from '../service/api.ts';
import { inputs } from './inputs.ts';
import { answers, outputs, toRepository } from './schemas.ts';

export function registerCreation(server: McpServer, api: Api): void {
  server.registerTool(
    'check_repository_name',
    {
      title: 'Check repository name',
      description: 'Gives whose a new repository of this name would be, and says if there is one already.',
      inputSchema: inputs.checkName,
      outputSchema: outputs.name,
      annotations: READS,
    },
    ({ owner, name }) =>
      answering('Nothing was created.', async () => {
        const { login, isPerson } = await findOwner(api, owner);
        const whole = `${login}/${name}`;
        if (await isTaken(api, login, name)) throw new ToolProblem(`there is a repository ${whole} already`);
        return answer(`${whole} is free, as far as the person can see.`, {
          repository: {
            id: whole,
            name: whole,
            owner: login,
            owner_is: isPerson ? 'the person' : 'an organisation',
          },
        });
      }),
  );
  // docs.github.com/en/rest/repos/repos#create-a-repository-for-the-authenticated-user, #create-an-organization-repository
  server.registerTool(
    'create_repository',
    {
      title: 'Create repository',
      description: 'Creates a repository of the person’s, or in an organisation; a private one unless said.',
      inputSchema: inputs.createRepository,
      outputSchema: outputs.created,
      annotations: ADDS,
    },
    ({ owner, name, visibility, description, readme }) =>
      answering('Nothing was created.', async () => {
        const { login, isPerson } = await findOwner(api, owner);
        const body = { name, description, private: visibility === 'private', auto_init: readme };
        const at = isPerson ? '/user/repos' : path`/orgs/${login}/repos`;
        const made = toRepository(await api(at, answers.repository, { method: 'POST', body }));
        const kind = made.private ? 'private' : 'public';
        return answer(`Created ${made.repository}, which is ${kind}: ${made.url}`, { repository: made });
      }),
  );
}

/** Whose it would be: the person's, whose name is asked for, or an organisation's. */
async function findOwner(api: Api, owner: string | undefined) {
  const { login } = await api('/user', answers.account);
  if (owner === undefined || owner.toLowerCase() === login.toLowerCase()) return { login, isPerson: true };
  try {
    return { ...(await api(path`/orgs/${owner}`, answers.account)), isPerson: false };
  } catch (error) {
    if (!(error instanceof NothingThere)) throw error;
    throw new ToolProblem(`${owner} is neither ${login} nor an organisation that ${login} can see`);
  }
}

/** Whether there is one of exactly this name: GitHub answers for old names, too, which can be given again. */
async function isTaken(api: Api, login: string, name: string): Promise<boolean> {
  try {
    const { full_name: found } = await api(path`/repos/${login}/${name}`, answers.repository);
    return found.toLowerCase() === `${login}/${name}`.toLowerCase();
  } catch (error) {
    if (error instanceof NothingThere) return false;
    throw error;
  }
}
